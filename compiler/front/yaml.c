/*
 * prompt.yaml. Every key is written as the declaration of the language that it stands for, each byte
 * with the YAML byte it came from, and the parser reads that: types, conditions, clauses and bodies
 * have one reader and one set of messages, and `seedc import` prints the same text.
 *
 * Invariant: what is written has one declaration an entry, in the file's order but for `use`, `blocks`
 * and `schema` (shared, so first), `prompt`, and `route`, which ends it. A scalar in a head is one line.
 */
#include "compiler/front/yaml_put.h"
#include "grammar/grammar.h"

typedef void KeyReader(YamlWriter *f, const YNode *y);

static const char *const own_text[] = { "text", "file", "exact", NULL };

/* An entry that is itself the declaration, or a map from names to entries. */
static bool is_entry(const YNode *y)
{
	static const char *const keys_of_entry[] = { "text", "file", "stability", "raw", "exact", "hoistable", "when" };
	bool any = y->kind == Y_SCALAR;
	for (size_t i = 0; i < sizeof keys_of_entry / sizeof *keys_of_entry; i++)
		any |= yaml_get(y, keys_of_entry[i]) != NULL;
	return any;
}

/* A prompt's name need not be a name of the language: then it stands in quotes. */
static void put_prompt_name(YamlWriter *f, const YNode *y)
{
	(y->kind == Y_SCALAR && grammar_is_name(y->text->s) ? yput_name : yput_quoted)(f, y);
}

static void end_line(YamlWriter *f)
{
	yput(f, "\n");
}

/* `WORD NAME …clauses: text` for each entry of a map from names. */
static void put_named_texts(YamlWriter *f, const YNode *y, const char *what, const DeclRow *row)
{
	if (!yaml_want(f, y, Y_MAP, what))
		return;
	for (const YNode *v = y->first; v; v = v->next) {
		f->out.blame = v->key->span;
		textbuf_made(&f->out, row->word);
		yput(f, " ");
		yput_name(f, v->key);
		yput_clauses(f, row, v, own_text);
		yput_text(f, v, 0);
	}
}

static void read_nothing(YamlWriter *f, const YNode *y)
{
	yaml_head_text(f, y);
}

static void put_doc(YamlWriter *f, const YNode *doc)
{
	if (doc) {
		yput(f, " ");
		yput_quoted(f, doc);
	}
}

/* prompt: triage, or a map with name, version and doc; `version` may stand at the top. */
static void read_prompt(YamlWriter *f, const YNode *y)
{
	static const Str known[] = { STR_INIT("name"), STR_INIT("version"), STR_INIT("doc") };
	const YNode *name = y->kind == Y_MAP ? yaml_get(y, "name") : y, *version = yaml_get(y, "version");
	for (const YNode *v = y->kind == Y_MAP ? y->first : NULL; v; v = v->next)
		if (v != name && v != version && !str_is(v->key->text->s, "doc"))
			yaml_unknown_key(f, v, known, 3);
	if (!version)
		version = yaml_get(f->root, "version");
	if (!name) {
		diag_add(&f->c->diags, SD064, y->key->span, "this prompt has no `name`");
		return;
	}
	yput(f, "prompt ");
	put_prompt_name(f, name);
	if (version) {
		bool has_v = version->kind == Y_SCALAR && str_starts(version->text->s, STR("v"));
		yput(f, has_v ? " " : " v");
		yput_plain(f, version);
	}
	put_doc(f, yaml_get(y, "doc"));
	end_line(f);
}

/* A list of paths, `std/voice (plain)`, or a map from paths to lists of names. */
static void read_use(YamlWriter *f, const YNode *y)
{
	for (const YNode *v = y->kind == Y_SCALAR ? y : y->first; v; v = y->kind == Y_SCALAR ? NULL : v->next) {
		yput(f, "use ");
		if (y->kind == Y_MAP) {
			yput_key(f, v);
			yput(f, " (");
			yput_names(f, v);
			yput(f, ")");
		} else {
			yput_plain(f, v);
		}
		end_line(f);
	}
}

static void put_word_line(YamlWriter *f, const char *word, const YNode *y)
{
	yput(f, word);
	yput(f, " ");
	yput_plain(f, y);
	end_line(f);
}

static void read_lang(YamlWriter *f, const YNode *y)
{
	put_word_line(f, "lang", y);
}

static void read_target(YamlWriter *f, const YNode *y)
{
	yput(f, "target ");
	for (const YNode *v = y->kind == Y_LIST ? y->first : y; v; v = y->kind == Y_LIST ? v->next : NULL) {
		yput_plain(f, v);
		if (y->kind == Y_LIST && v->next)
			yput(f, ", ");
	}
	end_line(f);
}

/* cache: GROUP, a map with `group`, or a map from the group's name to its clauses. */
static void read_cache(YamlWriter *f, const YNode *y)
{
	static const char *const own[] = { "group", NULL };
	const YNode *group = yaml_get(y, "group");
	f->out.blame = y->key->span;
	yput(f, "cache ");
	if (y->kind == Y_SCALAR || group) {
		yput_name(f, group ? group : y);
		yput_clauses(f, decl_of_node(N_CACHE), y, own);
	} else if (yaml_want(f, y, Y_MAP, "`cache`") && y->first) {
		yput_name(f, y->first->key);
		yput_clauses(f, decl_of_node(N_CACHE), y->first, own);
	}
	end_line(f);
}

static void read_meta(YamlWriter *f, const YNode *y)
{
	if (!yaml_want(f, y, Y_MAP, "`meta`"))
		return;
	for (const YNode *v = y->first; v; v = v->next) {
		f->out.blame = v->key->span;
		yput(f, "meta ");
		yput_name(f, v->key);
		const YNode *item = v->kind == Y_LIST ? v->first : v;
		bool flat = v->kind != Y_MAP && item;
		for (const YNode *i = item; flat && i; i = v->kind == Y_LIST ? i->next : NULL)
			flat = i->kind == Y_SCALAR && i->text->s.n && !yaml_is_null(i);
		if (!flat)
			yput_json(f, v);
		for (const YNode *i = item; flat && i; i = v->kind == Y_LIST ? i->next : NULL) {
			yput(f, i == item ? " " : ", ");
			yput_value(f, i);
		}
		end_line(f);
	}
}

/* Names with a dot are provider fields, whose values are JSON. */
static void read_set(YamlWriter *f, const YNode *y)
{
	if (!yaml_want(f, y, Y_MAP, "`set`"))
		return;
	for (const YNode *v = y->first; v; v = v->next) {
		f->out.blame = v->key->span;
		yput(f, "set ");
		yput_key(f, v);
		if (v->kind == Y_MAP || str_find(v->key->text->s, STR("."), 0) < v->key->text->s.n) {
			yput_json(f, v);
		} else {
			yput(f, " ");
			yput_value(f, v);
		}
		end_line(f);
	}
}

static void put_input_name(YamlWriter *f, const YNode *v)
{
	Str name = v->key->text->s;
	const YNode *optional = yaml_get(v, "optional");
	bool marked = name.n && name.p[name.n - 1] == '?';
	if (!grammar_is_name(str_sub(name, 0, name.n - marked)))
		diag_add(&f->c->diags, SD054, v->key->span, "`%.*s` is not a name: letters, digits and _ only", STR_ARG(name));
	yput_key(f, v);
	if (!marked && optional && str_is(optional->kind == Y_SCALAR ? optional->text->s : STR(""), "true"))
		yput(f, "?");
}

/* ticket: text max 1500 tok, or a map with type and clauses. */
static void read_inputs(YamlWriter *f, const YNode *y)
{
	static const char *const own[] = { "type", "optional", "doc", NULL };
	if (!yaml_want(f, y, Y_MAP, "`inputs`"))
		return;
	for (const YNode *v = y->first; v; v = v->next) {
		f->out.blame = v->key->span;
		const YNode *type = v->kind == Y_MAP ? yaml_get(v, "type") : v;
		yput(f, "in ");
		put_input_name(f, v);
		yput(f, ": ");
		if (type)
			yput_plain(f, type);
		else
			diag_add(&f->c->diags, SD064, v->key->span, "this input has no `type`");
		yput_clauses(f, decl_of_node(N_IN), v, own);
		put_doc(f, yaml_get(v, "doc"));
		end_line(f);
	}
}

static bool is_field_entry(const YNode *v)
{
	const YNode *type = yaml_get(v, "type");
	return type && type->kind == Y_SCALAR;
}

static void indent(YamlWriter *f, uint32_t depth)
{
	static const char spaces[] = "                                                                "
	                             "                                                                ";
	textbuf_made(&f->out, (Str){ spaces, depth * 2 });
}

/* Fields by indent: a type, a map with type, doc, optional and fields, or a map of fields. Recursion is
 * bounded by FRONT_DEPTH_MAX. */
static void put_fields(YamlWriter *f, const YNode *fields, uint32_t depth)
{
	static const Str known[] = { STR_INIT("type"), STR_INIT("doc"), STR_INIT("optional"), STR_INIT("fields") };
	if (!yaml_want(f, fields, Y_MAP, "a block of fields"))
		return;
	for (const YNode *v = fields->first; v; v = v->next) {
		f->out.blame = v->key->span;
		indent(f, depth);
		Str name = v->key->text->s;
		bool marked = name.n && name.p[name.n - 1] == '?';
		(grammar_is_name(str_sub(name, 0, name.n - marked)) ? yput_key(f, v) : yput_quoted(f, v->key));
		const YNode *nested = v->kind == Y_MAP ? v : NULL, *optional = NULL;
		if (is_field_entry(v) || yaml_get(v, "fields")) {
			nested = yaml_get(v, "fields");
			optional = yaml_get(v, "optional");
			for (const YNode *k = v->first; k; k = k->next)
				if (!str_is(k->key->text->s, "type") && k != nested && k != optional && !str_is(k->key->text->s, "doc"))
					yaml_unknown_key(f, k, known, 4);
		}
		if (optional && optional->kind == Y_SCALAR && str_is(optional->text->s, "true") && !marked)
			yput(f, "?");
		yput(f, ":");
		if (v->kind != Y_MAP || (!nested && is_field_entry(v))) {
			yput(f, " ");
			yput_plain(f, v->kind == Y_MAP ? yaml_get(v, "type") : v);
		}
		if (nested != v)
			put_doc(f, yaml_get(v, "doc"));
		end_line(f);
		if (nested)
			put_fields(f, nested, depth + 1);
	}
}

static void read_schema(YamlWriter *f, const YNode *y)
{
	if (!yaml_want(f, y, Y_MAP, "`schema`"))
		return;
	for (const YNode *v = y->first; v; v = v->next) {
		f->out.blame = v->key->span;
		const YNode *from = yaml_get(v, "from");
		yput(f, "schema ");
		yput_name(f, v->key);
		if (from && from->kind == Y_SCALAR && v->n == 1) {
			yput(f, " from ");
			yput_quoted(f, from);
			end_line(f);
			continue;
		}
		yput(f, ":\n");
		put_fields(f, v, 1);
	}
}

/* A doc alone, or a map with doc and fields. */
static void read_tools(YamlWriter *f, const YNode *y)
{
	static const Str known[] = { STR_INIT("doc"), STR_INIT("fields") };
	if (!yaml_want(f, y, Y_MAP, "`tools`"))
		return;
	for (const YNode *v = y->first; v; v = v->next) {
		const YNode *fields = yaml_get(v, "fields"), *doc = v->kind == Y_MAP ? yaml_get(v, "doc") : v;
		for (const YNode *k = v->kind == Y_MAP ? v->first : NULL; k; k = k->next)
			if (k != fields && k != doc)
				yaml_unknown_key(f, k, known, 2);
		f->out.blame = v->key->span;
		yput(f, "tool ");
		yput_name(f, v->key);
		if (doc && !yaml_is_null(doc))
			put_doc(f, doc);
		yput(f, fields ? ":\n" : "\n");
		if (fields)
			put_fields(f, fields, 1);
	}
}

static void read_role(YamlWriter *f, const YNode *y)
{
	const DeclRow *row = decl_of_node(N_ROLE);
	if (!is_entry(y)) {
		put_named_texts(f, y, "`role`", row);
		return;
	}
	f->out.blame = y->key->span;
	yput(f, "role");
	yput_clauses(f, row, y, own_text);
	yput_text(f, y, 0);
}

static void read_blocks(YamlWriter *f, const YNode *y)
{
	put_named_texts(f, y, "`blocks`", decl_of_node(N_BLOCK));
}

static void read_stages(YamlWriter *f, const YNode *y)
{
	put_named_texts(f, y, "`stages`", decl_of_node(N_STAGE));
}

/* The modality: `modality: must`, or `must: the text` in place of `text`. */
static const YNode *modality_of(const YNode *v, bool *is_text)
{
	static const char *const words[] = { "must", "should", "may", "never" };
	const YNode *m = yaml_get(v, "modality");
	*is_text = false;
	for (int i = 0; !m && i < 4; i++) {
		m = yaml_get(v, words[i]);
		*is_text = m != NULL;
	}
	return m;
}

static void read_constraints(YamlWriter *f, const YNode *y)
{
	static const char *const own[] = { "text", "file", "exact", "modality", "must", "should", "may", "never", NULL };
	if (!yaml_want(f, y, Y_MAP, "`constraints`"))
		return;
	for (const YNode *v = y->first; v; v = v->next) {
		f->out.blame = v->key->span;
		bool is_text;
		const YNode *modality = modality_of(v, &is_text);
		if (!modality) {
			Diag *g = diag_add(&f->c->diags, SD064, v->key->span, "this constraint has no `modality`");
			diag_help(&f->c->diags, g, "write {modality: must, text: ...}; must, should, may or never");
			continue;
		}
		yput(f, "constraint ");
		yput_name(f, v->key);
		yput(f, " ");
		if (is_text)
			yput_key(f, modality);
		else
			yput_plain(f, modality);
		yput_clauses(f, decl_of_node(N_CONSTRAINT), v, own);
		yput_text(f, is_text && modality->kind == Y_SCALAR && !str_is(modality->text->s, "true") ? modality : v, 0);
	}
}

/* One {role, text} of `messages` or of an example, depth columns in. */
static void put_message(YamlWriter *f, const YNode *m, int depth)
{
	static const char *const own[] = { "role", "text", "file", "exact", NULL };
	if (!yaml_want(f, m, Y_MAP, "a message"))
		return;
	const YNode *role = yaml_get(m, "role");
	if (!role || role->kind != Y_SCALAR) {
		diag_add(&f->c->diags, SD064, (Span){ m->span.lo, m->span.lo + 1 }, "this message has no `role`");
		return;
	}
	int r = front_role(f->c, role->text->s, role->span);
	if (r < 0)
		return;
	const DeclRow *row = decl_find(role->text->s, depth ? PLACE_EXAMPLE : PLACE_TOP);
	if (!row) {
		diag_add(&f->c->diags, SD056, role->span, "a %s message cannot stand here", str_z(&f->c->arena, role->text->s));
		return;
	}
	indent(f, (uint32_t)depth / 2);
	yput_plain(f, role);
	yput_clauses(f, row, m, own);
	yput_text(f, m, depth);
}

static void read_messages(YamlWriter *f, const YNode *y)
{
	if (!yaml_want(f, y, Y_LIST, "`messages`"))
		return;
	for (const YNode *m = y->first; m; m = m->next)
		put_message(f, m, 0);
}

/* A list of messages, or { from: "shots.jsonl", top: K }. */
static void put_example(YamlWriter *f, const YNode *v)
{
	static const char *const own[] = { "from", NULL };
	const YNode *from = yaml_get(v, "from");
	if (from) {
		yput(f, " from ");
		yput_quoted(f, from);
		yput_clauses(f, decl_of_node(N_EXAMPLE), v, own);
		end_line(f);
		return;
	}
	yput(f, ":\n");
	if (yaml_want(f, v, Y_LIST, "an example"))
		for (const YNode *m = v->first; m; m = m->next)
			put_message(f, m, 2);
}

static bool opens_example(const YNode *m)
{
	const YNode *role = yaml_get(m, "role");
	return role && role->kind == Y_SCALAR && str_is(role->text->s, "user");
}

/* A map from names, or one list of messages: each user message opens the next example. */
static void read_examples(YamlWriter *f, const YNode *y)
{
	if (y->kind == Y_LIST) {
		int n = 0;
		for (const YNode *m = y->first; m; m = m->next) {
			f->out.blame = m->span;
			if (!n || opens_example(m))
				textbuf_made_fmt(&f->out, "example example_%d:\n", ++n);
			put_message(f, m, 2);
		}
		return;
	}
	if (!yaml_want(f, y, Y_MAP, "`examples`"))
		return;
	for (const YNode *v = y->first; v; v = v->next) {
		f->out.blame = v->key->span;
		yput(f, "example ");
		yput_name(f, v->key);
		put_example(f, v);
	}
}

/* Texts that come with the prompt: a block each, and one user message that holds them all in order. */
static void read_context_sources(YamlWriter *f, const YNode *y)
{
	const DeclRow *row = decl_of_node(N_BLOCK);
	static const char *const own[] = { "name", "text", "file", "exact", NULL };
	if (!yaml_want(f, y, Y_LIST, "`context_sources`"))
		return;
	for (const YNode *v = y->first; v; v = v->next) {
		f->out.blame = (Span){ v->span.lo, v->span.lo + 1 };
		const YNode *name = yaml_get(v, "name");
		if (!name) {
			diag_add(&f->c->diags, SD064, f->out.blame, "this context source has no `name`");
			continue;
		}
		yput(f, "block ");
		yput_name(f, name);
		if (!yaml_get(v, "raw"))
			yput(f, " raw");
		yput_clauses(f, row, v, own);
		yput_text(f, v, 0);
	}
	f->out.blame = y->key->span;
	if (y->first)
		yput(f, "user:\n");
	for (const YNode *v = y->first; v; v = v->next) {
		const YNode *name = yaml_get(v, "name");
		if (!name)
			continue;
		yput(f, "  !INCLUDE[");
		yput_name(f, name);
		yput(f, v->next ? "]\n\n" : "]\n");
	}
}

static void read_history(YamlWriter *f, const YNode *y)
{
	static const char *const own[] = { NULL };
	if (y->kind == Y_SCALAR) {
		put_word_line(f, "history", y);
		return;
	}
	if (!yaml_want(f, y, Y_MAP, "`history`"))
		return;
	for (const YNode *v = y->first; v; v = v->next) {
		f->out.blame = v->key->span;
		yput(f, "history ");
		yput_name(f, v->key);
		yput_clauses(f, decl_of_node(N_HISTORY), v, own);
		end_line(f);
	}
}

/* [a, b, c], or "a -> b -> c". */
static void read_chain(YamlWriter *f, const YNode *y)
{
	yput(f, "!CHAIN[");
	if (y->kind == Y_LIST)
		for (const YNode *v = y->first; v; v = v->next) {
			yput_name(f, v);
			if (v->next)
				yput(f, " -> ");
		}
	else
		yput_plain(f, y);
	yput(f, "]\n");
}

/* A type with its `max`, as in the language; or a map with type and max. */
static void read_reply(YamlWriter *f, const YNode *y)
{
	static const char *const own[] = { "type", NULL };
	const YNode *type = y->kind == Y_MAP ? yaml_get(y, "type") : y;
	if (!type) {
		diag_add(&f->c->diags, SD064, y->key->span, "this reply has no `type`");
		return;
	}
	yput(f, "reply ");
	yput_plain(f, type);
	yput_clauses(f, decl_of_node(N_REPLY), y, own);
	end_line(f);
}

static void read_budget(YamlWriter *f, const YNode *y)
{
	yput(f, "budget ");
	yput_plain(f, y);
	yput(f, y->kind == Y_SCALAR && yaml_is_number(y->text->s) ? " tok\n" : "\n");
}

static void read_weights(YamlWriter *f, const YNode *y)
{
	if (!yaml_want(f, y, Y_MAP, "`weights`"))
		return;
	for (const YNode *v = y->first; v; v = v->next) {
		yput(f, "!WEIGHT[");
		yput_name(f, v->key);
		yput(f, ": ");
		yput_plain(f, v);
		yput(f, "]\n");
	}
}

/* past: "oldest keep 2", or a map with how, keep, decay and mark. */
static void put_cut(YamlWriter *f, const YNode *v)
{
	static const Str known[] = { STR_INIT("how"), STR_INIT("keep"), STR_INIT("decay"), STR_INIT("mark") };
	if (v->kind == Y_SCALAR) {
		yput(f, " ");
		yput_plain(f, v);
		return;
	}
	if (!yaml_want(f, v, Y_MAP, "a part's cut"))
		return;
	for (const YNode *k = v->first; k; k = k->next) {
		Str key = k->key->text->s;
		yput(f, " ");
		if (str_is(key, "mark") || str_is(key, "keep") || str_is(key, "decay")) {
			yput_key(f, k);
			yput(f, " ");
			(str_is(key, "mark") ? yput_quoted : yput_plain)(f, k);
		} else if (str_is(key, "how")) {
			yput_plain(f, k);
		} else {
			yaml_unknown_key(f, k, known, 4);
		}
	}
}

static void read_cut(YamlWriter *f, const YNode *y)
{
	if (!yaml_want(f, y, Y_MAP, "`cut`"))
		return;
	for (const YNode *v = y->first; v; v = v->next) {
		f->out.blame = v->key->span;
		yput(f, "!CUT[");
		yput_name(f, v->key);
		yput(f, ":");
		put_cut(f, v);
		yput(f, "]\n");
	}
}

static void read_anchor(YamlWriter *f, const YNode *y)
{
	const YNode *every = yaml_get(y, "every");
	yput(f, "!ANCHOR[every ");
	yput_plain(f, every ? every : y);
	yput(f, "]\n");
}

/* A text of several lines is a body, anything else a value; maps are JSON. */
static void put_given(YamlWriter *f, const YNode *v)
{
	f->out.blame = v->key->span;
	yput(f, "  given ");
	yput_name(f, v->key);
	bool has_map = v->kind == Y_MAP || (v->kind == Y_LIST && v->first && v->first->kind != Y_SCALAR);
	const Text *json = has_map ? yput_json_text(f, v) : NULL;
	if (json) {
		yput(f, " raw");
		sd_put_body(&f->out, json, false, 2);
	} else if (v->kind == Y_SCALAR && str_find(v->text->s, STR("\n"), 0) < v->text->s.n) {
		yput(f, " raw");
		yput_text(f, v, 2);
	} else {
		yput(f, " = ");
		yput_value(f, v);
		end_line(f);
	}
}

static void put_expect(YamlWriter *f, const YNode *y)
{
	for (const YNode *e = y->kind == Y_LIST ? y->first : y; e; e = y->kind == Y_LIST ? e->next : NULL) {
		yput(f, "  expect ");
		yput_plain(f, e);
		end_line(f);
	}
}

static void put_test(YamlWriter *f, const YNode *v)
{
	static const Str known[] = { STR_INIT("given"), STR_INIT("reply"), STR_INIT("expect") };
	for (const YNode *k = v->first; k; k = k->next) {
		Str key = k->key->text->s;
		if (str_is(key, "given") && yaml_want(f, k, Y_MAP, "`given`")) {
			for (const YNode *g = k->first; g; g = g->next)
				put_given(f, g);
		} else if (str_is(key, "reply")) {
			yput(f, "  reply raw");
			yput_text(f, k, 2);
		} else if (str_is(key, "expect")) {
			put_expect(f, k);
		} else if (!str_is(key, "given")) {
			yaml_unknown_key(f, k, known, 3);
		}
	}
}

static void read_tests(YamlWriter *f, const YNode *y)
{
	if (!yaml_want(f, y, Y_MAP, "`tests`"))
		return;
	for (const YNode *v = y->first; v; v = v->next) {
		f->out.blame = v->key->span;
		if (!yaml_want(f, v, Y_MAP, "a test"))
			continue;
		yput(f, "test ");
		yput_quoted(f, v->key);
		yput(f, ":\n");
		put_test(f, v);
	}
}

/* A list of {when, prompt} and {else: prompt}. */
static void put_rule(YamlWriter *f, const YNode *r)
{
	const YNode *when = yaml_get(r, "when"), *prompt = yaml_get(r, "prompt"), *other = yaml_get(r, "else");
	if (other) {
		yput(f, "  else -> ");
		put_prompt_name(f, other);
	} else if (when && prompt) {
		yput(f, "  when ");
		yput_plain(f, when);
		yput(f, " -> ");
		put_prompt_name(f, prompt);
	} else {
		Span at = { r->span.lo, r->span.lo + 1 };
		Diag *g = diag_add(&f->c->diags, SD064, at, "a rule needs `when` and `prompt`, or `else`");
		diag_help(&f->c->diags, g, "{when: plan == pro, prompt: long}, then {else: short}");
	}
	end_line(f);
}

static void read_route(YamlWriter *f, const YNode *y)
{
	if (!yaml_want(f, y, Y_MAP, "`route`"))
		return;
	for (const YNode *v = y->first; v; v = v->next) {
		f->out.blame = v->key->span;
		yput(f, "route ");
		yput_name(f, v->key);
		yput(f, ":\n");
		if (yaml_want(f, v, Y_LIST, "a route"))
			for (const YNode *r = v->first; r; r = r->next)
				put_rule(f, r);
	}
}

/* ---- the file ---- */

typedef enum KeyPlace { PLACE_FIRST, PLACE_BODY, PLACE_LAST } KeyPlace;

static const struct {
	Str key;
	KeyReader *read;
	KeyPlace place;
} keys[] = {
#define KEY(name, reader, weight, place) { STR_INIT(name), reader, place },
#include "compiler/front/keys.def"
#undef KEY
};
enum { N_KEYS = sizeof keys / sizeof *keys };

static int find_key(Str key)
{
	for (int i = 0; i < N_KEYS; i++)
		if (str_eq(keys[i].key, key))
			return i;
	return -1;
}

static void report_unknown(YamlWriter *f, const YNode *root)
{
	Str known[N_KEYS];
	for (int i = 0; i < N_KEYS; i++)
		known[i] = keys[i].key;
	for (const YNode *v = root->first; v; v = v->next)
		if (find_key(v->key->text->s) < 0)
			yaml_unknown_key(f, v, known, N_KEYS);
}

/* Those that come first in the table's order, then the rest in the file's. */
static void put_keys(YamlWriter *f, const YNode *root)
{
	for (int i = 0; i < N_KEYS; i++) {
		const YNode *v = keys[i].place == PLACE_FIRST ? yaml_get(root, str_z(&f->c->scratch, keys[i].key)) : NULL;
		if (v && !yaml_is_null(v))
			keys[i].read(f, v);
	}
	for (int place = PLACE_BODY; place <= PLACE_LAST; place++)
		for (const YNode *v = root->first; v; v = v->next) {
			int i = find_key(v->key->text->s);
			if (i >= 0 && keys[i].place == (KeyPlace)place && !yaml_is_null(v))
				keys[i].read(f, v);
		}
}

Text *yaml_to_sd(Compiler *c, Source *src)
{
	YNode *root = yaml_read(c, src);
	YamlWriter f = { .c = c, .root = root, .out = { .arena = &c->arena, .blame = front_span(src, 0, 0) } };
	if (!root || !yaml_want(&f, root, Y_MAP, "this file"))
		return NULL;
	report_unknown(&f, root);
	put_keys(&f, root);
	Text *t = textbuf_finish(&f.out, &c->arena);
	textbuf_free(&f.out);
	return t;
}

Node *yaml_parse(Compiler *c, Source *src)
{
	uint32_t n_error = c->diags.n_error;
	Text *t = yaml_to_sd(c, src);
	if (!t || c->diags.n_error > n_error)
		return node_new(&c->arena, N_FILE, front_span(src, 0, src->text.n));
	return grammar_parse_decls(c, t);
}
