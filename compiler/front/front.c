/*
 * The choice of a front end: by --as, else by extension, else (YAML and JSON) by top-level keys.
 */
#include "compiler/front/front.h"

#include "compiler/front/parts.h"
#include "grammar/grammar.h"

static const struct { Str ext; FrontEnd front; } extensions[] = {
	{ STR_INIT(".sd"), FRONT_SD },
	{ STR_INIT(".md"), FRONT_MARKDOWN },
	{ STR_INIT(".markdown"), FRONT_MARKDOWN },
	{ STR_INIT(".mdc"), FRONT_MARKDOWN },
	{ STR_INIT(".txt"), FRONT_TEXT },
	{ STR_INIT(".yaml"), FRONT_YAML },
	{ STR_INIT(".yml"), FRONT_YAML },
	{ STR_INIT(".json"), FRONT_JSON },
};

static bool ends_ignoring_case(Str s, Str end)
{
	if (s.n < end.n)
		return false;
	for (size_t i = 0; i < end.n; i++) {
		char c = s.p[s.n - end.n + i];
		if (c >= 'A' && c <= 'Z')
			c = (char)(c - 'A' + 'a');
		if (c != end.p[i])
			return false;
	}
	return true;
}

static FrontEnd front_of_extension(Str path)
{
	for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++)
		if (ends_ignoring_case(path, extensions[i].ext))
			return extensions[i].front;
	return FRONT_AUTO;
}

FrontEnd front_detect(Str path, Str bytes, FrontDetect *why)
{
	FrontDetect ignored;
	if (!why)
		why = &ignored;
	FrontEnd f = front_of_extension(path);
	*why = f == FRONT_AUTO ? DETECT_OTHER : DETECT_EXTENSION;
	if (f == FRONT_AUTO)
		return FRONT_TEXT;
	if (f != FRONT_YAML && f != FRONT_JSON)
		return f;
	TopKeys keys = f == FRONT_YAML ? keys_of_yaml(bytes) : keys_of_json(bytes);
	*why = keys == TOP_NONE ? DETECT_NOT_OURS : DETECT_KEYS;
	return keys == TOP_NONE ? FRONT_TEXT : f;
}

Node *front_parse(Compiler *c, Source *src, FrontEnd as)
{
	Node *file = node_new(&c->arena, N_FILE, front_span(src, 0, src->text.n));
	if (!src->ok)
		return file;
	if (as == FRONT_AUTO)
		as = front_detect(src->name, src->text, NULL);
	switch (as) {
	case FRONT_SD:
		return grammar_parse(c, src);
	case FRONT_YAML:
		return yaml_parse(c, src);
	case FRONT_JSON:
		return body_parse(c, src, file) ? file : yaml_parse(c, src);
	case FRONT_MARKDOWN:
		markdown_parse(c, src, MATTER_READ, file);
		return file;
	default:
		markdown_parse(c, src, MATTER_NONE, file);
		return file;
	}
}

FrontEnd front_from_name(Str name)
{
	static const struct { const char *name; FrontEnd front; } names[] = {
		{ "sd", FRONT_SD }, { "yaml", FRONT_YAML }, { "yml", FRONT_YAML }, { "md", FRONT_MARKDOWN },
		{ "markdown", FRONT_MARKDOWN }, { "text", FRONT_TEXT }, { "json", FRONT_JSON },
	};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (str_is(name, names[i].name))
			return names[i].front;
	return FRONT_AUTO;
}

VarStyle front_vars_from_name(Str name)
{
	return str_is(name, "mustache") ? VARS_MUSTACHE : str_is(name, "brace") ? VARS_BRACE
	       : str_is(name, "dollar") ? VARS_DOLLAR : VARS_NONE;
}
