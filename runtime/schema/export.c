/* SchemaNode -> JSON Schema 2020-12. The idea: first every node of the root's tree gets its pointer;
 * a `$ref` whose target has none brings the target in under `$defs`; then the tree is written with
 * every `$ref` as "#/…" from the root. So `$id` (but the root's) and `$anchor` are not needed and are
 * not written. */
#include "runtime/base/map.h"
#include "runtime/schema/node.h"
#include "runtime/schema/uri.h"

typedef struct Place {
	Str pointer;
} Place;

typedef struct Exporter {
	Arena *a;
	Arena scratch;
	const SchemaNode *root;
	PairMap place;              /* node -> Place, set for every node of the tree and of what was brought in */
	SchemaNodes ref;            /* nodes with a $ref, targets maybe still to place */
	VEC(SchemaEntry) brought;
	Map def_name;               /* names taken in the root's $defs */
	uint32_t depth;
} Exporter;

static void place_node(Exporter *x, const SchemaNode *s, Str pointer);

static void place_kid(Exporter *x, const SchemaNode *s, Str pointer, Str keyword, Str token)
{
	Buf b = { 0 };
	buf_put(&b, pointer);
	json_pointer_put(&b, keyword);
	if (token.p)
		json_pointer_put(&b, token);
	Str at = str_dup(&x->scratch, buf_str(&b));
	buf_free(&b);
	place_node(x, s, at);
}

static void place_kids(Exporter *x, const SchemaNode *s, Str pointer)
{
	for (int k = 0; k < KW_COUNT; k++) {
		const KeywordRow *row = &keyword_row[k];
		if (!schema_has(s, (Keyword)k))
			continue;
		if (row->shape == SHAPE_SUB)
			place_kid(x, s->sub[row->slot], pointer, row->spelling, (Str){ 0 });
		for (uint32_t i = 0; row->shape == SHAPE_LIST && i < s->list[row->slot].n; i++)
			place_kid(x, s->list[row->slot].v[i], pointer, row->spelling, str_fmt(&x->scratch, "%u", i));
		for (uint32_t i = 0; row->shape == SHAPE_MAP && i < s->map[row->slot].n; i++)
			place_kid(x, s->map[row->slot].v[i].schema, pointer, row->spelling, s->map[row->slot].v[i].name);
	}
}

static void place_node(Exporter *x, const SchemaNode *s, Str pointer)
{
	if (pair_get(&x->place, s, NULL))
		return;  /* a node that a builder used twice: the first place serves */
	Place *p = arena_new(&x->scratch, Place);
	p->pointer = pointer;
	pair_set(&x->scratch, &x->place, s, NULL, p);
	if (s->target)
		vec_push(&x->scratch, &x->ref, s);
	if (x->depth++ < SCHEMA_DEPTH_MAX)
		place_kids(x, s, pointer);
	x->depth--;
}

static Str free_def_name(Exporter *x, const SchemaNode *ref)
{
	Str want = ref->target->name.p ? ref->target->name : ref->ref, name = want;
	if (!want.n)
		want = name = STR("Type");
	for (int i = 2; map_get(&x->def_name, name); i++)
		name = str_fmt(x->a, "%.*s%d", STR_ARG(want), i);
	return name;
}

static void bring_in_targets(Exporter *x)
{
	for (uint32_t i = 0; i < x->root->map[MAP_DEFS].n; i++)
		map_set(&x->scratch, &x->def_name, x->root->map[MAP_DEFS].v[i].name, x);
	for (uint32_t i = 0; i < x->ref.n; i++) {  /* the list grows while targets are placed */
		SchemaNode *target = x->ref.v[i]->target;
		if (pair_get(&x->place, target, NULL))
			continue;
		Str name = free_def_name(x, x->ref.v[i]);
		map_set(&x->scratch, &x->def_name, name, x);
		vec_push(&x->scratch, &x->brought, (SchemaEntry){ name, target, NULL });
		place_kid(x, target, STR(""), STR("$defs"), name);
	}
}

/* ---- writing ---- */

static JsonNode *write_node(Exporter *x, const SchemaNode *s);

static JsonNode *write_type(Exporter *x, const SchemaNode *s)
{
	JsonNode *list = json_new(x->a, JSON_ARRAY);
	/* null last: "string or null" */
	for (unsigned t = SCHEMA_BOOLEAN; t <= SCHEMA_OBJECT; t <<= 1)
		if (s->types & t)
			json_add_item(x->a, list, json_new_text(x->a, str_from(schema_type_name((SchemaType)t))));
	if (s->types & SCHEMA_NULL)
		json_add_item(x->a, list, json_new_text(x->a, STR("null")));
	return list->n == 1 ? list->item[0] : list;
}

static JsonNode *write_names(Exporter *x, const Str *v, uint32_t n)
{
	JsonNode *list = json_new(x->a, JSON_ARRAY);
	for (uint32_t i = 0; i < n; i++)
		json_add_item(x->a, list, json_new_text(x->a, v[i]));
	return list;
}

static JsonNode *write_ref(Exporter *x, const SchemaNode *s)
{
	const Place *p = s->target ? pair_get(&x->place, s->target, NULL) : NULL;
	Buf b = { 0 };
	if (!p)
		return json_new_text(x->a, s->ref);
	buf_byte(&b, '#');
	uri_put_fragment(&b, p->pointer);
	JsonNode *text = json_new_text(x->a, str_dup(x->a, buf_str(&b)));
	buf_free(&b);
	return text;
}

static void write_entries(Exporter *x, JsonNode *out, const SchemaEntry *v, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		json_add_member(x->a, out, v[i].name, write_node(x, v[i].schema));
}

static JsonNode *write_map(Exporter *x, const SchemaNode *s, Keyword k)
{
	JsonNode *out = json_new(x->a, JSON_OBJECT);
	write_entries(x, out, s->map[keyword_row[k].slot].v, s->map[keyword_row[k].slot].n);
	if (k == KW_DEFS && s == x->root)
		write_entries(x, out, x->brought.v, x->brought.n);
	return out;
}

static JsonNode *write_dependent(Exporter *x, const SchemaNode *s)
{
	JsonNode *out = json_new(x->a, JSON_OBJECT);
	for (uint32_t i = 0; i < s->dependent.n; i++)
		json_add_member(x->a, out, s->dependent.v[i].name,
			write_names(x, s->dependent.v[i].need.v, s->dependent.v[i].need.n));
	return out;
}

static JsonNode *write_list(Exporter *x, const SchemaNode *s, int slot)
{
	JsonNode *out = json_new(x->a, JSON_ARRAY);
	for (uint32_t i = 0; i < s->list[slot].n; i++)
		json_add_item(x->a, out, write_node(x, s->list[slot].v[i]));
	return out;
}

static JsonNode *write_enum(Exporter *x, const SchemaNode *s)
{
	JsonNode *out = json_new(x->a, JSON_ARRAY);
	for (uint32_t i = 0; i < s->enum_value.n; i++)
		json_add_item(x->a, out, s->enum_value.v[i]);
	return out;
}

/* NULL for what is not written as one member. */
static JsonNode *write_keyword(Exporter *x, const SchemaNode *s, Keyword k)
{
	const KeywordRow *row = &keyword_row[k];
	if (k == KW_ANCHOR || (k == KW_ID && s != x->root))
		return NULL;
	switch (row->shape) {
	case SHAPE_TEXT: return json_new_text(x->a, s->text[row->slot]);
	case SHAPE_REF: return write_ref(x, s);
	case SHAPE_TYPE: return write_type(x, s);
	case SHAPE_ENUM: return write_enum(x, s);
	case SHAPE_VALUE: return s->value[row->slot];
	case SHAPE_PATTERN: return json_new_text(x->a, s->pattern);
	case SHAPE_COUNT: return json_new_count(x->a, s->count[row->slot]);
	case SHAPE_NUMBER: return json_new_number(x->a, s->number[row->slot].spelled);
	case SHAPE_SUB: return write_node(x, s->sub[row->slot]);
	case SHAPE_LIST: return write_list(x, s, row->slot);
	case SHAPE_MAP: return write_map(x, s, k);
	case SHAPE_UNIQUE: return json_new_bool(x->a, s->unique);
	case SHAPE_REQUIRED: return write_names(x, s->required.v, s->required.n);
	case SHAPE_DEPENDENT: return write_dependent(x, s);
	case SHAPE_NOTE: break;
	}
	return NULL;
}

static JsonNode *write_node(Exporter *x, const SchemaNode *s)
{
	if (s->kind != SCHEMA_RULES)
		return json_new_bool(x->a, s->kind == SCHEMA_TRUE);
	JsonNode *out = json_new(x->a, JSON_OBJECT);
	if (x->depth == SCHEMA_DEPTH_MAX)
		return out;
	x->depth++;
	for (int k = 0; k < KW_COUNT; k++) {
		bool brings = k == KW_DEFS && s == x->root && x->brought.n;
		JsonNode *v = brings || schema_has(s, (Keyword)k) ? write_keyword(x, s, (Keyword)k) : NULL;
		if (v)
			json_add_member(x->a, out, keyword_row[k].spelling, v);
		for (uint32_t i = 0; k == KW_NOTE && i < s->note.n; i++)
			json_add_member(x->a, out, s->note.v[i].key->text, s->note.v[i].value);
	}
	x->depth--;
	return out;
}

JsonNode *schema_export(Arena *a, const SchemaNode *root)
{
	Exporter x = { .a = a, .root = root };
	place_node(&x, root, STR(""));
	bring_in_targets(&x);
	JsonNode *out = write_node(&x, root);
	arena_free(&x.scratch);
	return out;
}

void schema_write_minified(Buf *b, const SchemaNode *root)
{
	Arena scratch = { 0 };
	json_write(b, schema_export(&scratch, root), JSON_AS_IS);
	arena_free(&scratch);
}

void schema_write_indented(Buf *b, const SchemaNode *root)
{
	Arena scratch = { 0 };
	json_write_indented(b, schema_export(&scratch, root));
	arena_free(&scratch);
}
