/*
 * Fields (SD402, SD403): JSON blocks and backticked names in prose, read through the text layer, so that
 * a prompt says the same before and after `import`.
 */
#include "compiler/sema/flatten.h"
#include "compiler/text/text_layer.h"
#include "passes/pass_loop.h"
#include "runtime/base/json.h"

typedef struct Fields {
	Compiler *c;
	Unit *u;
	const Prompt *p;
	VEC(Str) field;   /* of the reply's schema, all levels */
	Map known;        /* names that backticks may hold without being fields */
} Fields;

/* ---- SD402 ---- */

/* note [sketches]: outside its strings a JSON block holds nothing but punctuation, numbers, true, false
 * and null; a block with anything else ("…", <name>, a | b, comments) is a sketch for people. */
static bool is_sketch(Str s)
{
	for (size_t i = 0; i < s.n; i++) {
		char ch = s.p[i];
		if (ch == '"') {
			for (i++; i < s.n && s.p[i] != '"'; i++) {
				if (s.p[i] == '\n')
					return true;
				i += s.p[i] == '\\';
			}
			if (i >= s.n)
				return true;
			continue;
		}
		if (ch >= 'a' && ch <= 'z') {
			size_t lo = i;
			while (i + 1 < s.n && s.p[i + 1] >= 'a' && s.p[i + 1] <= 'z')
				i++;
			Str word = str_sub(s, lo, i + 1);
			if (!str_is(word, "true") && !str_is(word, "false") && !str_is(word, "null"))
				return true;
			continue;
		}
		if (!strchr(" \t\r\n{}[]:,+-0123456789.eE", ch) || (ch == '.' && i + 1 < s.n && s.p[i + 1] == '.'))
			return true;
	}
	return false;
}

/* Holes become a value of the same length: right inside a string and where a value stands. */
static Str fill_holes(Arena *a, Str s)
{
	char *p = arena_dup(a, s.p, s.n ? s.n : 1);
	for (size_t i = str_find(s, STR("{{"), 0); i < s.n;) {
		size_t end = str_find(s, STR("}}"), i);
		if (end >= s.n)
			break;
		memset(p + i, ' ', end + 2 - i);
		p[i] = '0';
		i = str_find(s, STR("{{"), end + 2);
	}
	return (Str){ p, s.n };
}

static bool is_json_info(Str info)
{
	info = str_trim(info);
	return str_is(info, "json") || str_is(info, "JSON");
}

/* One value a line is a list of samples, not a broken block. */
static bool is_lines(Arena *a, Str s)
{
	Str line;
	JsonDoc doc;
	uint32_t n = 0;
	while (str_line(&s, &line)) {
		if (!str_trim(line).n)
			continue;
		if (!json_read(a, line, 0, &doc))
			return false;
		n++;
	}
	return n > 1;
}

static void check_fence(Fields *k, const Text *t, const TextLayer *layer, const TextBlock *b)
{
	Arena *a = &k->c->arena;
	JsonDoc doc;
	if (b->kind != BLOCK_FENCE || !is_json_info(text_at(layer, b->info_lo, b->info_hi)))
		return;
	Str s = fill_holes(a, text_at(layer, b->body_lo, b->body_hi));
	if (!str_trim(s).n || json_read(a, s, 0, &doc) || is_sketch(s) || is_lines(a, s))
		return;
	size_t at = b->body_lo + doc.err.offset;
	if (at >= t->s.n)
		at = t->s.n - 1;
	while (at > b->body_lo && strchr(" \n\t", t->s.p[at]))
		at--;
	Diag *g = diag_add(&k->c->diags, SD402, text_span(t, at, at + 1), "this JSON block does not parse: %.*s", STR_ARG(doc.err.message));
	diag_help(&k->c->diags, g, "models copy what they are shown; a sketch is marked by `…` or by another word than json after the fence");
}

/* ---- SD403 ---- */

static void add_fields(Fields *k, const Type *t, int depth)
{
	if (!t || depth > 8 || k->field.n > 2000)
		return;
	for (uint32_t i = 0; i < t->field.n; i++) {
		if (!map_add(&k->c->arena, &k->known, t->field.v[i].name, k))
			vec_push(&k->c->arena, &k->field, t->field.v[i].name);
		add_fields(k, t->field.v[i].type, depth + 1);
	}
	for (uint32_t i = 0; i < t->value.n; i++)
		map_add(&k->c->arena, &k->known, t->value.v[i]->name, k);
	add_fields(k, t->item, depth + 1);
	for (uint32_t i = 0; i < t->alt.n; i++)
		add_fields(k, t->alt.v[i], depth + 1);
}

static void know(Fields *k, Str name)
{
	map_add(&k->c->arena, &k->known, name, k);
}

static void gather(Fields *k)
{
	const Prompt *p = k->p;
	add_fields(k, p->reply.type, 0);
	uint32_t n_reply = k->field.n;
	for (uint32_t i = 0; i < p->schema.n; i++)
		add_fields(k, p->schema.v[i].type, 0);
	for (uint32_t i = 0; i < p->input.n; i++) {
		know(k, p->input.v[i].name);
		add_fields(k, p->input.v[i].type, 0);
	}
	for (uint32_t i = 0; i < p->tool.n; i++) {
		know(k, p->tool.v[i].name);
		add_fields(k, p->tool.v[i].type, 0);
	}
	for (uint32_t i = 0; i < p->stage.n; i++) {
		know(k, p->stage.v[i].name);
		add_fields(k, p->stage.v[i].reply.type, 0);
	}
	for (uint32_t i = 0; i < p->schema.n; i++)
		know(k, p->schema.v[i].name);
	k->field.n = n_reply; /* only these are asked for by name */
}

static bool is_name(Str s)
{
	for (size_t i = 0; i < s.n; i++) {
		char ch = s.p[i];
		if (!(ch == '_' || (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || (i && ((ch >= '0' && ch <= '9') || ch == '-'))))
			return false;
	}
	return s.n >= 4;
}

static bool is_field_word(Str w)
{
	return str_is(w, "field") || str_is(w, "fields") || str_is(w, "key") || str_is(w, "property");
}

static Str word_after(Str s, size_t at)
{
	while (at < s.n && s.p[at] == ' ')
		at++;
	size_t end = at;
	while (end < s.n && s.p[end] >= 'a' && s.p[end] <= 'z')
		end++;
	return str_sub(s, at, end);
}

static Str word_before(Str s, size_t at)
{
	while (at > 0 && s.p[at - 1] == ' ')
		at--;
	size_t lo = at;
	while (lo > 0 && s.p[lo - 1] >= 'a' && s.p[lo - 1] <= 'z')
		lo--;
	return str_sub(s, lo, at);
}

static void check_code(Fields *k, const Text *t, const TextRegion *r)
{
	Str name = str_sub(t->s, r->body_lo, r->body_hi);
	if (r->kind != REGION_CODE || !is_name(name) || map_get(&k->known, name))
		return;
	const Str *near = str_nearest(name, k->field.v, k->field.n);
	bool spoken = is_field_word(word_after(t->s, r->hi)) || is_field_word(word_before(t->s, r->lo));
	if (!near && !spoken)
		return;
	Span at = text_span(t, r->body_lo, r->body_hi);
	Diag *g = diag_add(&k->c->diags, SD403, at, "the reply has no field `%.*s`", STR_ARG(name));
	diag_did_you_mean(&k->c->diags, g, at, name, k->field.v, k->field.n);
	if (k->p->reply.decl)
		diag_label(&k->c->diags, g, k->p->reply.decl->span, "the reply");
}

/* ---- over all texts ---- */

static void check_text(Fields *k, const Part *part, const Node *decl)
{
	Text t = sema_flatten(k->u, k->p, part, decl);
	TextLayer layer = { 0 };
	if (!t.s.n)
		return;
	text_layer_build_shape(&k->c->arena, &layer, t.s);
	for (uint32_t i = 0; i < layer.block.n; i++)
		check_fence(k, &t, &layer, &layer.block.v[i]);
	for (uint32_t i = 0; k->field.n && i < layer.region.n; i++)
		check_code(k, &t, &layer.region.v[i]);
}

void pass_lint_fields(Compiler *c, Unit *u)
{
	for (uint32_t i = 0; i < u->prompt.n; i++) {
		Fields k = { .c = c, .u = u, .p = u->prompt.v[i] };
		gather(&k);
		for (uint32_t m = 0; m < k.p->message.n; m++)
			for (uint32_t j = 0; j < k.p->message.v[m].part.n; j++)
				check_text(&k, &k.p->message.v[m].part.v[j], NULL);
		for (uint32_t j = 0; j < k.p->stage.n; j++)
			check_text(&k, NULL, k.p->stage.v[j].decl);
	}
}
