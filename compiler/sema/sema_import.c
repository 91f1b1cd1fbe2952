/*
 * Between Types and schema nodes: the node of a written type, and the Type of an imported JSON Schema
 * (as much of it as taint and field checks ask for).
 */
#include "compiler/sema/build.h"
#include "compiler/sema/types.h"

static void bound_count(SchemaNode *s, const Type *t, Keyword min, Keyword max)
{
	Num n;
	int64_t v;
	if (t->lo.n && num_parse(t->lo, &n) && num_to_i64(&n, &v) && v >= 0)
		schema_set_count(s, min, (uint64_t)v);
	if (t->hi.n && num_parse(t->hi, &n) && num_to_i64(&n, &v) && v >= 0)
		schema_set_count(s, max, (uint64_t)v);
}

static SchemaNode *number_node(Arena *a, const Type *t)
{
	SchemaNode *s = schema_new_type(a, t->kind == INPUT_INT ? SCHEMA_INTEGER : SCHEMA_NUMBER);
	if (t->lo.n)
		schema_set_number(s, KW_MINIMUM, t->lo);
	if (t->hi.n)
		schema_set_number(s, KW_MAXIMUM, t->hi);
	return s;
}

static SchemaNode *text_node(Arena *a, const Type *t)
{
	SchemaNode *s = schema_new_type(a, SCHEMA_STRING);
	RegexError err;
	bound_count(s, t, KW_MIN_LENGTH, KW_MAX_LENGTH);
	if (t->pattern.n)
		schema_set_pattern(a, s, t->pattern, &err); /* compiled once already by sema_types.c */
	return s;
}

static SchemaNode *enum_node(Arena *a, const Type *t)
{
	JsonNode **value = arena_array(a, JsonNode *, t->value.n + 1);
	for (uint32_t i = 0; i < t->value.n; i++) {
		const Node *v = t->value.v[i];
		value[i] = v->kind == N_NUM ? json_new_number(a, v->name) : json_new_text(a, v->name);
	}
	return schema_new_enum(a, value, t->value.n);
}

static SchemaNode *union_node(Build *b, const Type *t)
{
	SchemaNode **alt = arena_array(b->a, SchemaNode *, t->alt.n + 1);
	for (uint32_t i = 0; i < t->alt.n; i++)
		alt[i] = types_schema(b, t->alt.v[i]);
	SchemaNode *s = t->alt.n == 1 ? alt[0] : schema_new_union(b->a, alt, t->alt.n);
	if (!t->alt.n)
		return schema_new_type(b->a, SCHEMA_NULL);
	return t->is_nullable ? schema_new_nullable(b->a, s) : s;
}

void types_add_fields(Build *b, SchemaNode *object, const Type *t)
{
	for (uint32_t i = 0; i < t->field.n; i++) {
		const TypeField *f = &t->field.v[i];
		SchemaNode *type = f->type ? types_schema(b, f->type) : schema_new(b->a);
		schema_add_field(b->a, object, f->name, type, f->is_optional ? FIELD_OPTIONAL : FIELD_REQUIRED,
			f->doc.n ? f->doc : (Str){ 0 });
	}
}

SchemaNode *types_schema(Build *b, const Type *t)
{
	switch (t->kind) {
	case INPUT_TEXT:
	case INPUT_IMAGE:
	case INPUT_FILE:
		return text_node(b->a, t);
	case INPUT_BOOL:
		return schema_new_type(b->a, SCHEMA_BOOLEAN);
	case INPUT_INT:
	case INPUT_NUMBER:
		return number_node(b->a, t);
	case INPUT_ENUM:
		return enum_node(b->a, t);
	case INPUT_DOCS:
		return schema_new_docs(b->a);
	case INPUT_TURNS:
		return schema_new_turns(b->a);
	case INPUT_LIST: {
		SchemaNode *s = schema_new_array(b->a, types_schema(b, t->item));
		bound_count(s, t, KW_MIN_ITEMS, KW_MAX_ITEMS);
		return s;
	}
	case INPUT_MAP:
		return schema_new_map(b->a, types_schema(b, t->item));
	case INPUT_UNION:
		return union_node(b, t);
	case INPUT_OBJECT: {
		if (t->schema_name.n) {
			SchemaNode *ref = schema_new_ref(b->a, t->schema_name);
			schema_bind(ref, t->schema);
			return ref;
		}
		SchemaNode *s = schema_new_object(b->a);
		types_add_fields(b, s, t);
		return s;
	}
	default:
		return schema_new(b->a);
	}
}

bool types_need_schema(const Type *t)
{
	switch (t->kind) {
	case INPUT_TEXT:
		return t->is_constrained;
	case INPUT_DOCS:
	case INPUT_TURNS:
	case INPUT_IMAGE:
	case INPUT_FILE:
		return false;
	case INPUT_LIST:
		return t->item->kind != INPUT_IMAGE && t->item->kind != INPUT_FILE;
	default:
		return true;
	}
}

/* ---- the other way ---- */

static InputType kind_of(const SchemaNode *s, unsigned types)
{
	if (schema_has(s, KW_ENUM))
		return INPUT_ENUM;
	switch (types & ~(unsigned)SCHEMA_NULL) {
	case SCHEMA_STRING:
		return INPUT_TEXT;
	case SCHEMA_BOOLEAN:
		return INPUT_BOOL;
	case SCHEMA_INTEGER:
		return INPUT_INT;
	case SCHEMA_NUMBER:
	case SCHEMA_NUMBER | SCHEMA_INTEGER:
		return INPUT_NUMBER;
	case SCHEMA_ARRAY:
		return INPUT_LIST;
	case SCHEMA_OBJECT:
		return INPUT_OBJECT;
	default:
		return INPUT_JSON;
	}
}

static const Type *imported_type(Build *b, const SchemaNode *s, int depth)
{
	Type *t = arena_new(b->a, Type);
	types_of_schema(b, t, s, depth);
	t->spelled = str_from(t->kind == INPUT_TEXT ? "text" : t->kind == INPUT_INT ? "int" : "json");
	return t;
}

void types_of_schema(Build *b, Type *t, const SchemaNode *s, int depth)
{
	s = schema_follow(s);
	t->kind = kind_of(s, schema_possible_types(s));
	t->n_value = 1;
	t->is_nullable = schema_possible_types(s) & SCHEMA_NULL;
	if (t->kind == INPUT_ENUM || t->kind == INPUT_BOOL) {
		t->is_finite = true;
		t->n_value = t->kind == INPUT_BOOL ? 2 : s->enum_value.n;
		return;
	}
	t->holds_text = t->kind == INPUT_TEXT || t->kind == INPUT_JSON;
	t->is_open = t->kind == INPUT_JSON || depth <= 0;
	if (depth <= 0) {
		t->holds_text = true;
		return;
	}
	const SchemaNode *item = s->sub[SUB_ITEMS], *rest = s->sub[SUB_ADDITIONAL];
	if (t->kind == INPUT_LIST) {
		t->item = item ? imported_type(b, item, depth - 1) : NULL;
		t->holds_text = !item || t->item->holds_text;
	} else if (t->kind == INPUT_OBJECT) {
		t->is_open = !rest || rest->kind != SCHEMA_FALSE;
		t->holds_text = t->is_open;
		for (uint32_t i = 0; i < s->map[MAP_PROPERTIES].n; i++) {
			const SchemaEntry *e = &s->map[MAP_PROPERTIES].v[i];
			TypeField f = { .name = e->name, .type = imported_type(b, e->schema, depth - 1) };
			f.is_optional = !schema_is_required(s, e->name);
			vec_push(b->a, &t->field, f);
			t->holds_text |= f.type->holds_text;
		}
	}
}

static void report_errors(Build *b, const Node *at, Str shown, const SchemaErrors *errs)
{
	for (uint32_t i = 0; i < errs->n && i < 8; i++) {
		const SchemaError *e = &errs->v[i];
		Span sp = at->aux_span.hi ? at->aux_span : at->span;
		Diag *g = diag_add(b->d, SD405, sp, "the schema%s%.*s is refused at %.*s: %.*s", shown.n ? " in " : "", STR_ARG(shown),
			STR_ARG(e->pointer.n ? e->pointer : STR("its root")), STR_ARG(e->message));
		diag_help(b->d, g, "schemas are JSON Schema 2020-12; what could not be enforced is refused, never weakened");
	}
}

SchemaNode *types_import(Build *b, const Node *at, Str json, Str shown)
{
	SchemaErrors errs = { 0 };
	SchemaNode *s = schema_import_text(b->a, json, 0, &errs);
	if (!s || errs.n)
		report_errors(b, at, shown, &errs);
	return s;
}
