/*
 * Types: the written type to a Type, names of schemas resolved, ranges and patterns checked. A schema
 * is named first and filled later (sema_schema.c), so that schemas may refer forward and to each other
 * and no chain of them costs stack; what follows from all of a type (does it hold text?) is settled
 * once all are filled.
 */
#include "compiler/sema/build.h"
#include "compiler/sema/types.h"
#include "runtime/base/num.h"
#include "runtime/base/regex.h"

static const struct { const char *name; InputType kind; bool text; } BUILTIN[] = {
	{ "text", INPUT_TEXT, true }, { "int", INPUT_INT, false }, { "number", INPUT_NUMBER, false },
	{ "bool", INPUT_BOOL, false }, { "json", INPUT_JSON, true }, { "turns", INPUT_TURNS, true },
	{ "docs", INPUT_DOCS, true }, { "image", INPUT_IMAGE, true }, { "file", INPUT_FILE, true },
};
enum { BUILTIN_N = sizeof BUILTIN / sizeof *BUILTIN };

static Type *new_type(Build *b, InputType kind, Str spelled)
{
	Type *t = arena_new(b->a, Type);
	t->kind = kind;
	t->spelled = spelled;
	t->n_value = 1;
	return t;
}

static void add_field(Build *b, Type *t, const char *name, bool optional)
{
	Type *f = new_type(b, INPUT_TEXT, STR("text"));
	f->holds_text = true;
	vec_push(b->a, &t->field, (TypeField){ .name = str_from(name), .type = f, .is_optional = optional });
}

/* One document of docs, one turn of turns (language.md 3.3). */
static const Type *item_of(Build *b, InputType kind)
{
	static const char *const DOC[] = { "n", "title", "text", "url", "id", "date", "meta" };
	Type *t = new_type(b, INPUT_OBJECT, kind == INPUT_DOCS ? STR("doc") : STR("turn"));
	t->holds_text = true;
	if (kind == INPUT_TURNS) {
		add_field(b, t, "role", false);
		add_field(b, t, "content", false);
		return t;
	}
	for (size_t i = 0; i < sizeof DOC / sizeof *DOC; i++)
		add_field(b, t, DOC[i], true);
	Type *n = new_type(b, INPUT_INT, STR("int"));
	t->field.v[0].type = n;
	Type *meta = new_type(b, INPUT_JSON, STR("json"));
	meta->holds_text = meta->is_open = true;
	t->field.v[6].type = meta;
	return t;
}

/* What other languages call our types: too far from ours for "did you mean" by letters. */
static const struct { const char *theirs, *ours; } FOREIGN[] = {
	{ "boolean", "bool" }, { "integer", "int" }, { "string", "text" }, { "str", "text" }, { "float", "number" },
	{ "double", "number" }, { "object", "json" }, { "any", "json" }, { "dict", "json" },
};

static Str spelled_here(Str name)
{
	for (size_t i = 0; i < sizeof FOREIGN / sizeof *FOREIGN; i++)
		if (str_is(name, FOREIGN[i].theirs))
			return str_from(FOREIGN[i].ours);
	return name;
}

static void report_unknown(Build *b, const Prompt *p, const Node *n)
{
	if (sema_is_lost(b->u, n->name))
		return;
	Diag *g = diag_add(b->d, SD304, n->name_span.hi ? n->name_span : n->span, "there is no type `%.*s`", STR_ARG(n->name));
	VEC(Str) cand = { 0 };
	for (size_t i = 0; i < BUILTIN_N; i++)
		vec_push(b->a, &cand, str_from(BUILTIN[i].name));
	vec_push(b->a, &cand, STR("enum"));
	vec_push(b->a, &cand, STR("map"));
	for (uint32_t i = 0; p && i < p->schema.n; i++)
		vec_push(b->a, &cand, p->schema.v[i].name);
	diag_did_you_mean(b->d, g, n->name_span.hi ? n->name_span : n->span, spelled_here(n->name), cand.v, cand.n);
	if (!g->help.n)
		diag_help(b->d, g, "types are text int number bool enum(…) json turns docs image file, [T], map(T) and the schemas declared");
}

static bool check_range(Build *b, const Node *r, bool whole)
{
	Num lo, hi;
	bool has_lo = r->name.n && num_parse(r->name, &lo), has_hi = r->aux.n && num_parse(r->aux, &hi);
	if (has_lo && has_hi && num_cmp(&lo, &hi) > 0) {
		diag_add(b->d, SD405, r->span, "the range %.*s..%.*s is empty", STR_ARG(r->name), STR_ARG(r->aux));
		return false;
	}
	bool bad = whole && ((has_lo && !num_is_integer(&lo)) || (has_hi && !num_is_integer(&hi)));
	if (bad)
		diag_add(b->d, SD405, r->span, "this range counts: it takes whole numbers");
	return !bad;
}

static bool check_count(Build *b, const Node *r)
{
	Num lo;
	if (!check_range(b, r, true))
		return false;
	if (r->name.n && num_parse(r->name, &lo) && lo.negative) {
		diag_add(b->d, SD405, r->span, "a length is not below 0");
		return false;
	}
	return true;
}

static void spell_range(Build *b, Type *t, const Node *r)
{
	t->lo = r->name;
	t->hi = r->aux;
	t->spelled = str_fmt(b->a, "%.*s %.*s..%.*s", STR_ARG(t->spelled), STR_ARG(t->lo), STR_ARG(t->hi));
}

static void set_finite_int(Type *t)
{
	Num lo, hi;
	if (!t->lo.n || !t->hi.n || !num_parse(t->lo, &lo) || !num_parse(t->hi, &hi))
		return;
	t->is_finite = true;
	t->n_value = num_to_double(t->hi) - num_to_double(t->lo) + 1;
}

static void check_pattern(Build *b, Type *t, const Node *n)
{
	RegexError err = { 0 };
	if (t->kind != INPUT_TEXT) {
		diag_add(b->d, SD304, n->span, "`~` stands after `text` only, not after `%.*s`", STR_ARG(n->name));
		return;
	}
	if (!regex_new(b->a, n->aux, &err)) {
		diag_add(b->d, SD312, n->aux_span.hi ? n->aux_span : n->span, "bad regex: %.*s at byte %u", STR_ARG(err.message), err.offset);
		return;
	}
	t->pattern = n->aux;
	t->is_constrained = true;
	Buf quoted = { 0 };
	for (size_t i = 0; i < n->aux.n; i++) {
		if (n->aux.p[i] == '"')
			buf_byte(&quoted, '"');
		buf_byte(&quoted, n->aux.p[i]);
	}
	t->spelled = str_fmt(b->a, "text ~ \"%.*s\"", STR_ARG(buf_str(&quoted)));
	buf_free(&quoted);
}

/* `image 1..4` is a list of images; other ranges bind the value itself. */
static Type *apply_range(Build *b, Type *t, const Node *r)
{
	bool counts = t->kind == INPUT_TEXT || t->kind == INPUT_IMAGE || t->kind == INPUT_FILE || t->kind == INPUT_DOCS || t->kind == INPUT_TURNS;
	if (!counts && t->kind != INPUT_INT && t->kind != INPUT_NUMBER) {
		diag_add(b->d, SD304, r->span, "`%.*s` takes no range", STR_ARG(t->spelled));
		return t;
	}
	if (counts ? !check_count(b, r) : !check_range(b, r, t->kind == INPUT_INT))
		return t;
	if (t->kind == INPUT_IMAGE || t->kind == INPUT_FILE) {
		Type *list = new_type(b, INPUT_LIST, t->spelled);
		list->item = t;
		list->holds_text = true;
		spell_range(b, list, r);
		return list;
	}
	spell_range(b, t, r);
	t->is_constrained |= t->kind == INPUT_TEXT;
	if (t->kind == INPUT_INT)
		set_finite_int(t);
	return t;
}

static const Schema *find_schema(Build *b, Prompt *p, const Node *n)
{
	const Schema *s = sema_schema(p, n->name);
	if (s)
		return s;
	/* a library's private schema comes along with what needs it */
	const Source *src = source_of(&b->c->sources, n->span.lo);
	for (uint32_t i = 0; i < b->u->library.n; i++) {
		const Library *lib = b->u->library.v[i];
		const Node *decl = lib->source == src ? map_get(&lib->schema, n->name) : NULL;
		if (decl)
			return types_add_schema(b, p, n->name, decl);
	}
	return NULL;
}

static const Type *named_type(Build *b, Prompt *p, const Node *n)
{
	const Node *range = node_kid(n, N_RANGE);
	for (size_t i = 0; i < BUILTIN_N; i++) {
		if (!str_is(n->name, BUILTIN[i].name))
			continue;
		Type *t = new_type(b, BUILTIN[i].kind, n->name);
		t->holds_text = BUILTIN[i].text;
		t->is_open = t->kind == INPUT_JSON;
		if (t->kind == INPUT_DOCS || t->kind == INPUT_TURNS)
			t->item = item_of(b, t->kind);
		if (t->kind == INPUT_BOOL) {
			t->is_finite = true;
			t->n_value = 2;
		}
		if (n->aux.n)
			check_pattern(b, t, n);
		return range ? apply_range(b, t, range) : t;
	}
	const Schema *s = find_schema(b, p, n);
	if (!s) {
		if (!(n->flags & NF_BAD))
			report_unknown(b, p, n);
		return NULL;
	}
	if (range)
		diag_add(b->d, SD304, range->span, "a schema takes no range; `[%.*s] 1..3` is a list of 1 to 3", STR_ARG(n->name));
	return s->type;
}

static Str spelled_whole(Build *b, Buf *spelled)
{
	Str s = str_dup(b->a, buf_str(spelled));
	buf_free(spelled);
	return s;
}

static const Type *enum_type(Build *b, const Node *n)
{
	Type *t = new_type(b, INPUT_ENUM, STR(""));
	Buf spelled = { 0 };
	Map seen = { 0 };
	buf_lit(&spelled, "enum(");
	for (const Node *v = n->first; v; v = v->next) {
		if (!node_is_value(v))
			continue;
		if (map_add(b->a, &seen, v->name, t)) {
			diag_add(b->d, SD405, v->span, "`%.*s` stands twice in the enum", STR_ARG(v->name));
			continue;
		}
		const char *q = v->kind == N_STR ? "\"" : "";
		buf_printf(&spelled, "%s%s%.*s%s", t->value.n ? ", " : "", q, STR_ARG(v->name), q);
		vec_push(b->a, &t->value, v);
	}
	buf_byte(&spelled, ')');
	t->spelled = spelled_whole(b, &spelled);
	t->is_finite = true;
	t->n_value = t->value.n;
	if (!t->value.n)
		diag_add(b->d, SD405, n->span, "an enum needs a value");
	return t;
}

static const Type *list_type(Build *b, Prompt *p, const Node *n)
{
	const Type *item = n->first && node_is_type(n->first) ? build_type(b, p, n->first) : NULL;
	if (!item)
		return NULL;
	Type *t = new_type(b, INPUT_LIST, str_fmt(b->a, "[%.*s]", STR_ARG(item->spelled)));
	t->item = item;
	t->holds_text = item->holds_text;
	const Node *range = node_kid(n, N_RANGE);
	if (range && check_count(b, range))
		spell_range(b, t, range);
	return t;
}

static const Type *union_type(Build *b, Prompt *p, const Node *n)
{
	Type *t = new_type(b, INPUT_UNION, (Str){ 0 });
	Buf spelled = { 0 };
	bool ok = true;
	t->is_finite = true;
	t->n_value = 0;
	for (const Node *k = n->first; k && ok; k = k->next) {
		if (!node_is_type(k))
			continue;
		bool is_null = k->kind == N_TYPE && str_is(k->name, "null");
		const Type *alt = is_null ? NULL : build_type(b, p, k);
		ok = is_null || alt;
		if (!ok)
			continue;
		buf_printf(&spelled, "%s%.*s", spelled.n ? " | " : "", STR_ARG(is_null ? k->name : alt->spelled));
		t->n_value += is_null ? 1 : alt->n_value;
		if (is_null) {
			t->is_nullable = true;
			continue;
		}
		vec_push(b->a, &t->alt, alt);
		t->is_finite &= alt->is_finite;
		t->holds_text |= alt->holds_text;
	}
	t->spelled = spelled_whole(b, &spelled);
	return ok ? t : NULL;
}

static const Type *map_type(Build *b, Prompt *p, const Node *n)
{
	const Type *item = n->first && node_is_type(n->first) ? build_type(b, p, n->first) : NULL;
	if (!item)
		return NULL;
	Type *t = new_type(b, INPUT_MAP, str_fmt(b->a, "map(%.*s)", STR_ARG(item->spelled)));
	t->item = item;
	t->holds_text = true;
	return t;
}

const Type *build_type(Build *b, Prompt *p, const Node *n)
{
	Type *t = NULL;
	switch (n->kind) {
	case N_TYPE:
		return named_type(b, p, n);
	case N_TYPE_ENUM:
		return enum_type(b, n);
	case N_TYPE_LIST:
		return list_type(b, p, n);
	case N_TYPE_UNION:
		return union_type(b, p, n);
	case N_TYPE_MAP:
		return map_type(b, p, n);
	case N_FIELDS:
		t = new_type(b, INPUT_OBJECT, (Str){ 0 });
		types_fields(b, p, t, n);
		return t;
	default:
		return NULL;
	}
}

const Type *build_value_type(Build *b, Prompt *p, const Node *n)
{
	Type *t = (Type *)build_type(b, p, n);
	if (t && !t->schema && types_need_schema(t))
		t->schema = types_schema(b, t);
	return t;
}
