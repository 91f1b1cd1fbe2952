/* Trees of the front ends written in the language. See import.h. */
#include "compiler/front/import.h"

#include "compiler/front/import_parts.h"
#include "grammar/grammar.h"

typedef struct Import {
	Compiler *c;
	const Node *file;
	TextBuf *out;
} Import;

static void refuse(Import *im, const Node *n, const char *what, const char *help)
{
	Diag *g = diag_add(&im->c->diags, SD062, n->span, "%s cannot be written in the language", what);
	if (help)
		diag_help(&im->c->diags, g, "%s", help);
}

static void put(Import *im, const char *text)
{
	textbuf_made(im->out, str_from(text));
}

static void put_string(Import *im, Str s)
{
	Text t = { .s = s };
	sd_put_string(im->out, &t);
}

/* A CR would read back as a line end, and a NUL not at all. */
static bool is_one_line(Str s)
{
	return !s.n || (!memchr(s.p, '\n', s.n) && !memchr(s.p, '\r', s.n) && !memchr(s.p, 0, s.n));
}

void import_put_prompt(const Source *src, TextBuf *out)
{
	Str s = src->name;
	size_t lo = s.n;
	while (lo && s.p[lo - 1] != '/')
		lo--;
	Str stem = str_sub(s, lo, s.n);
	size_t dot = stem.n;
	while (dot && stem.p[dot - 1] != '.')
		dot--;
	if (dot > 1)
		stem = str_sub(stem, 0, dot - 1);
	if (!stem.n || !is_one_line(stem) || stem.p[0] == '<')
		stem = STR("imported");
	textbuf_made(out, STR("prompt "));
	Text t = { .s = stem };
	if (grammar_is_name(stem))
		textbuf_made(out, stem);
	else
		sd_put_string(out, &t);
	textbuf_made(out, STR("\n"));
}

/* ---- meta, inputs, settings ---- */

/* Keys of front matter are not always names: `argument-hint` becomes argument_hint. */
static Str name_from_key(Arena *a, Str key)
{
	if (grammar_is_name(key))
		return key;
	Str s = str_fmt(a, "%s%.*s", key.n && key.p[0] >= '0' && key.p[0] <= '9' ? "_" : "", STR_ARG(key));
	char *p = arena_dup(a, s.p, s.n);
	for (size_t i = 0; i < s.n; i++) {
		bool word = (p[i] >= 'a' && p[i] <= 'z') || (p[i] >= 'A' && p[i] <= 'Z') || (p[i] >= '0' && p[i] <= '9');
		if (!word && !(p[i] & 0x80))
			p[i] = '_';
	}
	Str name = { p, s.n };
	return grammar_is_name(name) ? name : STR("key");
}

/* The name, or name_2, name_3 … if an earlier key took it. */
static Str unused_name(Import *im, const Node *meta)
{
	Arena *a = &im->c->arena;
	Str name = name_from_key(a, meta->name);
	int n_same = 1;
	for (const Node *m = im->file->first; m != meta; m = m->next)
		if (m->kind == N_META && str_eq(name_from_key(a, m->name), name))
			n_same++;
	return n_same > 1 ? str_fmt(a, "%.*s_%d", STR_ARG(name), n_same) : name;
}

static bool needs_json(const Node *meta)
{
	if (!meta->first)
		return true;
	for (const Node *v = meta->first; v; v = v->next)
		if (!is_one_line(v->name))
			return true;
	return false;
}

static void put_json_string(Import *im, Str json)
{
	put(im, " json ");
	put_string(im, json);
}

static void put_meta_json(Import *im, const Node *meta)
{
	Buf b = { 0 };
	bool list = meta->first && meta->first->next;
	if (!meta->first)
		buf_lit(&b, "null");
	buf_putz(&b, list ? "[" : "");
	for (const Node *v = meta->first; v; v = v->next) {
		buf_json_str(&b, v->name);
		buf_putz(&b, v->next ? "," : "");
	}
	buf_putz(&b, list ? "]" : "");
	put_json_string(im, buf_str(&b));
	buf_free(&b);
}

static void put_meta(Import *im, const Node *meta)
{
	put(im, "meta ");
	textbuf_made(im->out, unused_name(im, meta));
	if (needs_json(meta)) {
		put_meta_json(im, meta);
	} else {
		for (const Node *v = meta->first; v; v = v->next) {
			put(im, v == meta->first ? " " : ", ");
			put_string(im, v->name);
		}
	}
	put(im, "\n");
}

static void put_input(Import *im, const Node *in)
{
	put(im, "in ");
	textbuf_made(im->out, in->name);
	put(im, ": ");
	textbuf_made(im->out, in->first->name);
	put(im, "\n");
}

/* ---- tools ---- */

/* One tool as a declaration; false, with nothing written, if its fields cannot be spelled. */
static bool put_tool(Import *im, Str provider, const Node *tool, TextBuf *out, SpellFault *why)
{
	const Node *doc = node_kid(tool, N_DOC), *json = node_kid(tool, N_JSON);
	TextBuf fields = { .arena = out->arena };
	*why = (SpellFault){ "the name, or a description of several lines, of tool", tool->name };
	JsonDoc schema = { 0 };
	bool ok = grammar_is_name(tool->name) && (!doc || is_one_line(doc->name)) &&
	          (!json || (json_read(&im->c->arena, json->name, 0, &schema) && import_fields(im->c, schema.root, &fields, why) &&
	                     body_schema_comes_back(provider, schema.root, why)));
	if (ok) {
		textbuf_made_fmt(out, "tool %.*s", STR_ARG(tool->name));
		if (doc) {
			textbuf_made(out, STR(" "));
			sd_put_string(out, &(Text){ .s = doc->name });
		}
		textbuf_made(out, fields.bytes.n ? STR(":\n") : STR("\n"));
		textbuf_made(out, buf_str(&fields.bytes));
	}
	textbuf_free(&fields);
	return ok;
}

/* The tools of a body as declarations, if the language can spell all that they say. */
static bool put_tools(Import *im, const Node *set, SpellFault *why)
{
	JsonDoc doc;
	*why = (SpellFault){ "fields of a tool that no declaration gives, in", set->name };
	if (!json_read(&im->c->arena, set->first->name, 0, &doc) || !body_tools_are_plain(set->aux, doc.root) ||
	    !node_kid(im->file, N_TOOL))
		return false;
	TextBuf out = { .arena = im->out->arena };
	bool ok = true;
	for (const Node *n = im->file->first; n && ok; n = n->next)
		if (n->kind == N_TOOL)
			ok = put_tool(im, set->aux, n, &out, why);
	if (ok)
		textbuf_made(im->out, buf_str(&out.bytes));
	textbuf_free(&out);
	return ok;
}

/* `schema NAME:` and `reply NAME`, if they give the field of the body again. */
static bool put_reply(Import *im, const Node *set, const JsonNode *value, SpellFault *why)
{
	Str name = body_reply_name(set->aux, set->name, value);
	TextBuf out = { .arena = im->out->arena };
	bool ok = import_declarations(im->c, name, body_reply_schema(set->aux, set->name, value), &out, why) &&
	          body_reply_comes_back(set->aux, set->name, value, why);
	if (ok)
		textbuf_made_fmt(im->out, "\n%.*s\nreply %.*s\n", STR_ARG(buf_str(&out.bytes)), STR_ARG(name));
	textbuf_free(&out);
	return ok;
}

/* Tools and the reply as declarations; where they stay the field they were, a comment says why. */
static bool put_declared(Import *im, const Node *set)
{
	JsonDoc doc;
	SpellFault why = { 0 };
	bool is_json = set->first->kind == N_JSON && json_read(&im->c->arena, set->first->name, 0, &doc);
	if (is_json && str_is(set->name, "tools") && doc.root->n && put_tools(im, set, &why))
		return true;
	if (is_json && body_reply_schema(set->aux, set->name, doc.root) && put_reply(im, set, doc.root, &why))
		return true;
	if (why.reason)
		import_put_fault(im->out, &why);
	return false;
}

/* The i-th of the n messages that stand right before the set. */
static const Node *message_before(const Import *im, const Node *set, uint32_t i, uint32_t n)
{
	uint32_t n_before = 0;
	for (const Node *m = im->file->first; m != set; m = m->next)
		n_before += m->kind == N_MESSAGE;
	for (const Node *m = im->file->first; m != set; m = m->next)
		if (m->kind == N_MESSAGE && n_before-- == n - i)
			return m;
	return set;
}

/* The array as sent stands beside its messages: these are written, unless one has more fields. */
static void check_messages_set(Import *im, const Node *set)
{
	JsonDoc doc;
	if (!json_read(&im->c->arena, set->first->name, 0, &doc))
		return;
	for (uint32_t i = 0; i < doc.root->n; i++) {
		const JsonNode *content = json_get(doc.root->item[i], "content");
		if (doc.root->item[i]->n != 2 || !content || content->kind == JSON_NULL)
			refuse(im, message_before(im, set, i, doc.root->n), "a message with more than a role and a content",
			       "tool calls, tool results, names and cache marks stay in JSON: compile the file as it is");
	}
}

static void put_set(Import *im, const Node *set)
{
	if (str_is(set->name, "messages")) {
		check_messages_set(im, set);
		return;
	}
	if (put_declared(im, set))
		return;
	if (!grammar_is_name(set->name)) {
		refuse(im, set, "a field of this name", NULL);
		return;
	}
	put(im, "set ");
	if (set->aux.n)
		textbuf_made_fmt(im->out, "%.*s.", STR_ARG(set->aux));
	textbuf_made(im->out, set->name);
	if (set->first->kind == N_JSON) {
		put_json_string(im, set->first->name);
	} else {
		put(im, " ");
		textbuf_made(im->out, set->first->name);
	}
	put(im, "\n");
}

/* ---- messages ---- */

/* Literal text beside holes: every `{{` is doubled, so that it prints as it is. */
static void add_escaped(TextBuf *b, const Text *t)
{
	for (size_t at = 0; at < t->s.n;) {
		size_t hit = str_find(t->s, STR("{{"), at);
		textbuf_text(b, t, at, hit);
		if (hit < t->s.n)
			textbuf_made(b, STR("{{{{"));
		at = hit + 2;
	}
}

static void add_hole(TextBuf *b, const Node *hole)
{
	const Node *ref = hole->first;
	textbuf_made_fmt(b, "{{%.*s%s%.*s}}", STR_ARG(ref->name), ref->aux.n ? "." : "", STR_ARG(ref->aux));
}

/* The body's text as the language spells it; *raw stays true only if nothing in it is a hole. */
static Text *body_text(Import *im, const Node *body, bool *raw)
{
	*raw = !node_kid(body, N_HOLE);
	TextBuf b = { .arena = &im->c->arena };
	for (const Node *k = body->first; k; k = k->next) {
		if (k->kind == N_HOLE)
			add_hole(&b, k);
		else if (*raw)
			textbuf_text(&b, k->text, 0, k->text->s.n);
		else
			add_escaped(&b, k->text);
	}
	Text *t = textbuf_finish(&b, &im->c->arena);
	textbuf_free(&b);
	return t;
}

static void put_text(Import *im, const Text *t, bool may_raw)
{
	SdNeeds need = sd_text_needs(t->s);
	bool exact = need.exact || (need.directive && !may_raw);
	if (may_raw && need.live)
		put(im, " raw");
	if (exact)
		put(im, " exact");
	sd_put_body(im->out, t, exact, 0);
}

/* The text of content that is one text part and nothing else. */
static const JsonNode *only_text_part(const JsonNode *content)
{
	const JsonNode *part = content->kind == JSON_ARRAY && content->n == 1 ? content->item[0] : NULL;
	const JsonNode *text = part && part->n == 2 && str_is(json_get_text(part, "type", (Str){ 0 }), "text") ? json_get(part, "text") : NULL;
	return text && text->kind == JSON_STRING ? text : NULL;
}

static void put_json_message(Import *im, const Node *m, const Node *json, Str role)
{
	JsonDoc doc;
	const JsonNode *text = NULL;
	if (json_read(&im->c->arena, json->name, 0, &doc))
		text = only_text_part(doc.root);
	if (!text) {
		refuse(im, m, "a message with more than a text",
		       "tool calls, tool results, images and cache marks stay in JSON: compile the file as it is");
		return;
	}
	textbuf_made(im->out, role);
	put_text(im, front_checked_text(im->c, &(Text){ .s = text->text }, m->span, CR_REFUSE), true);
}

static void put_message(Import *im, const Node *m)
{
	static const Str heads[] = {
		[ROLE_SYSTEM] = STR_INIT("system"), [ROLE_DEVELOPER] = STR_INIT("developer"),
		[ROLE_USER] = STR_INIT("user"), [ROLE_ASSISTANT] = STR_INIT("assistant"), [ROLE_TOOL] = { 0 },
	};
	const Node *json = node_kid(m, N_JSON);
	if (!heads[m->op].n || m->name.n || !m->first || node_kid(m, N_CALL))
		return;  /* refused by the array that stands beside it */
	put(im, "\n");
	if (json) {
		put_json_message(im, m, json, heads[m->op]);
		return;
	}
	bool raw;
	const Text *t = front_checked_text(im->c, body_text(im, node_body(m), &raw), node_body(m)->span, CR_REFUSE);
	textbuf_made(im->out, heads[m->op]);
	put_text(im, t, raw);
}

static void put_tree(Import *im)
{
	for (const Node *n = im->file->first; n; n = n->next) {
		switch (n->kind) {
		case N_META:    put_meta(im, n); break;
		case N_IN:      put_input(im, n); break;
		case N_SET:     put_set(im, n); break;
		case N_MESSAGE: put_message(im, n); break;
		default:        break;
		}
	}
}

/* Is there a line at column 0 that starts so? Bodies are indented. */
static bool has_head(Str sd, const char *head)
{
	Str line;
	while (str_line(&sd, &line))
		if (str_starts(line, str_from(head)))
			return true;
	return false;
}

/* prompt.yaml is a prompt even where it names none; in the language it would be a library. */
static void import_yaml(Compiler *c, Source *src, TextBuf *out)
{
	Text *t = yaml_to_sd(c, src);
	if (!t)
		return;
	if (!has_head(t->s, "prompt ") && !has_head(t->s, "route "))
		import_put_prompt(src, out);
	textbuf_made(out, t->s);
}

/* Writes into a buffer of its own, so that a refusal leaves out as it was. */
static void import_file(Compiler *c, Source *src, FrontEnd as, TextBuf *out)
{
	if (as == FRONT_SD) {
		diag_add(&c->diags, SD062, front_span(src, 0, 0), "this file is in the language already");
	} else if (as == FRONT_YAML || (as == FRONT_JSON && keys_of_json(src->text) == TOP_PROMPT)) {
		import_yaml(c, src, out);
	} else {
		Import im = { .c = c, .file = front_parse(c, src, as), .out = out };
		import_put_prompt(src, out);
		if (!c->diags.n_error)
			put_tree(&im);
	}
}

bool front_import(Compiler *c, Source *src, FrontEnd as, Buf *out)
{
	if (!src->ok)
		return false;
	uint32_t n_error = c->diags.n_error;
	FrontDetect why = DETECT_EXTENSION;
	bool asked = as != FRONT_AUTO;
	if (!asked)
		as = front_detect(src->name, src->text, &why);
	TextBuf b = { .arena = &c->arena, .blame = front_span(src, 0, 0) };
	if (!str_ends(src->name, STR(".json")) || (asked && as != FRONT_JSON) || !import_is_schema(src->text))
		import_file(c, src, as, &b);
	else
		import_schema(c, src, &b);
	bool ok = c->diags.n_error == n_error;
	if (ok)
		buf_put(out, buf_str(&b.bytes));
	textbuf_free(&b);
	return ok;
}
