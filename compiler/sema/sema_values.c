/*
 * Literals: does a written value belong to a type, and what is it as JSON. Defaults, the values of
 * includes and of tests are literals.
 */
#include "compiler/sema/sema.h"
#include "runtime/base/json.h"
#include "runtime/base/num.h"
#include "runtime/base/regex.h"
#include "runtime/base/utf8.h"

static bool in_range(const Type *t, const Num *x)
{
	Num bound;
	if (t->lo.n && num_parse(t->lo, &bound) && num_cmp(x, &bound) < 0)
		return false;
	return !(t->hi.n && num_parse(t->hi, &bound) && num_cmp(x, &bound) > 0);
}

static bool count_in_range(Arena *a, const Type *t, uint64_t n)
{
	Num x;
	return !num_parse(str_fmt(a, "%llu", (unsigned long long)n), &x) || in_range(t, &x);
}

/* An imported type has its values in its schema alone; one inside another type has none at hand. */
static bool imported_has(const Type *t, Str value)
{
	const SchemaNode *s = t->schema ? schema_follow(t->schema) : NULL;
	for (uint32_t i = 0; s && i < s->enum_value.n; i++)
		if (str_eq(s->enum_value.v[i]->text, value))
			return true;
	return !s || !s->enum_value.n;
}

static Str enum_misfit(Arena *a, const Type *t, const Node *v)
{
	for (uint32_t i = 0; i < t->value.n; i++)
		if (str_eq(t->value.v[i]->name, v->name))
			return (Str){ 0 };
	if (!t->value.n && imported_has(t, v->name))
		return (Str){ 0 };
	return str_fmt(a, "`%.*s` is not one of %.*s", STR_ARG(v->name), STR_ARG(t->spelled));
}

static Str number_misfit(Arena *a, const Type *t, const Node *v)
{
	Num x;
	if (v->kind != N_NUM || !num_parse(v->name, &x))
		return str_fmt(a, "`%.*s` is not a number", STR_ARG(v->name));
	if (t->kind == INPUT_INT && !num_is_integer(&x))
		return str_fmt(a, "%.*s is not a whole number", STR_ARG(v->name));
	if (!in_range(t, &x))
		return str_fmt(a, "%.*s is not in %.*s..%.*s", STR_ARG(v->name), STR_ARG(t->lo), STR_ARG(t->hi));
	return (Str){ 0 };
}

static Str text_misfit(Arena *a, const Type *t, const Node *v)
{
	if (v->kind != N_STR && v->kind != N_NAME && v->kind != N_NUM)
		return STR("a list is no text");
	if (!count_in_range(a, t, utf8_count(v->name)))
		return str_fmt(a, "the text has %zu code points, not %.*s..%.*s", utf8_count(v->name), STR_ARG(t->lo), STR_ARG(t->hi));
	RegexError err;
	Regex *re = t->pattern.n ? regex_new(a, t->pattern, &err) : NULL;
	if (re && !regex_search(re, v->name))
		return str_fmt(a, "the text does not match \"%.*s\"", STR_ARG(t->pattern));
	return (Str){ 0 };
}

static Str list_misfit(Arena *a, const Type *t, const Node *v)
{
	if (v->kind != N_LIST)
		return str_fmt(a, "`%.*s` is not a list: write [%.*s]", STR_ARG(v->name), STR_ARG(v->name));
	uint64_t n = 0;
	for (const Node *k = v->first; k; k = k->next, n++) {
		Str why = sema_value_misfit(a, t->item, k);
		if (why.n)
			return why;
	}
	if (!count_in_range(a, t, n))
		return str_fmt(a, "a list of %llu, not of %.*s..%.*s", (unsigned long long)n, STR_ARG(t->lo), STR_ARG(t->hi));
	return (Str){ 0 };
}

static Str union_misfit(Arena *a, const Type *t, const Node *v)
{
	if (t->is_nullable && v->kind == N_NAME && str_is(v->name, "null"))
		return (Str){ 0 };
	Str why = { 0 };
	for (uint32_t i = 0; i < t->alt.n; i++) {
		why = sema_value_misfit(a, t->alt.v[i], v);
		if (!why.n)
			return why;
	}
	return why.n ? why : STR("only null fits");
}

Str sema_value_misfit(Arena *a, const Type *t, const Node *v)
{
	if (!t)
		return (Str){ 0 };
	if (v->kind == N_JSON) /* its own validator looks inside */
		return (Str){ 0 };
	switch (t->kind) {
	case INPUT_TEXT:
		return text_misfit(a, t, v);
	case INPUT_BOOL:
		if (v->kind == N_NAME && (str_is(v->name, "true") || str_is(v->name, "false")))
			return (Str){ 0 };
		return str_fmt(a, "`%.*s` is not true or false", STR_ARG(v->name));
	case INPUT_INT:
	case INPUT_NUMBER:
		return number_misfit(a, t, v);
	case INPUT_ENUM:
		return enum_misfit(a, t, v);
	case INPUT_LIST:
		return list_misfit(a, t, v);
	case INPUT_UNION:
		return union_misfit(a, t, v);
	case INPUT_DOCS:
	case INPUT_TURNS:
	case INPUT_IMAGE:
	case INPUT_FILE:
	case INPUT_MAP:
	case INPUT_OBJECT: {
		JsonDoc doc;
		if (v->kind == N_STR && json_read(a, v->name, 0, &doc))
			return (Str){ 0 };
		return v->kind == N_LIST ? (Str){ 0 } : str_fmt(a, "a `%.*s` is written as JSON in quotes", STR_ARG(t->spelled));
	}
	default:
		return (Str){ 0 };
	}
}

static bool is_json_word(Str s)
{
	return str_is(s, "true") || str_is(s, "false") || str_is(s, "null");
}

static bool is_scalar_text(const Type *t)
{
	return t && (t->kind == INPUT_TEXT || t->kind == INPUT_ENUM);
}

/* A quoted value of a structured type is JSON itself. */
static bool is_json_type(const Type *t)
{
	return t && (t->kind == INPUT_JSON || t->kind == INPUT_DOCS || t->kind == INPUT_TURNS || t->kind == INPUT_MAP ||
		t->kind == INPUT_OBJECT);
}

static void put_json(Buf *out, Str text)
{
	Arena a = { 0 };
	JsonDoc doc;
	if (json_read(&a, text, 0, &doc))
		json_write(out, doc.root, JSON_AS_IS);
	else
		buf_json_str(out, text);
	arena_free(&a);
}

void sema_value_json(Buf *out, const Type *t, const Node *v)
{
	if (t && t->kind == INPUT_UNION && t->alt.n)
		t = t->is_nullable && v->kind == N_NAME && str_is(v->name, "null") ? NULL : t->alt.v[0];
	if (v->kind == N_LIST) {
		buf_byte(out, '[');
		for (const Node *k = v->first; k; k = k->next) {
			if (k != v->first)
				buf_byte(out, ',');
			sema_value_json(out, t ? t->item : NULL, k);
		}
		buf_byte(out, ']');
	} else if (v->kind == N_JSON || (v->kind == N_STR && is_json_type(t))) {
		put_json(out, v->name);
	} else if (v->kind == N_NUM && !(t && t->kind == INPUT_TEXT)) {
		buf_put(out, v->name);
	} else if (v->kind == N_NAME && is_json_word(v->name) && !is_scalar_text(t)) {
		buf_put(out, v->name);
	} else {
		buf_json_str(out, v->name);
	}
}
