/* A lowered schema in the target's own spelling: upper-case types, nullable as a keyword,
 * propertyOrdering. Works on the exported JSON, entering schemas by keyword, never values. */
#include "runtime/schema/lower.h"
#include "runtime/schema/node.h"

static void spell(Arena *a, JsonNode *schema, const SchemaCaps *caps);

static bool is_null_type(const JsonNode *x)
{
	const JsonNode *type = json_get(x, "type");
	return x->kind == JSON_OBJECT && x->n == 1 && type && type->kind == JSON_STRING && str_is(type->text, "null");
}

static bool is_null_value(const JsonNode *x)
{
	return x->kind == JSON_NULL || (x->kind == JSON_STRING && str_is(x->text, "null"));
}

/* Takes out the items that pred names; true if there was one. */
static bool take_out(JsonNode *list, bool (*pred)(const JsonNode *))
{
	uint32_t kept = 0, n = list->n;
	for (uint32_t i = 0; i < n; i++)
		if (!pred(list->item[i]))
			list->item[kept++] = list->item[i];
	list->n = kept;
	return kept < n;
}

static bool is_json_null(const JsonNode *x)
{
	return x->kind == JSON_NULL;
}

static void spell_nullable(Arena *a, JsonNode *schema)
{
	bool nullable = false;
	JsonNode *type = json_get(schema, "type"), *values = json_get(schema, "enum");
	JsonNode *any = json_get(schema, "anyOf");
	if (type && type->kind == JSON_ARRAY && take_out(type, is_null_value)) {
		nullable = true;
		if (type->n == 1)
			*type = *type->item[0];
	}
	if (any && any->kind == JSON_ARRAY && take_out(any, is_null_type))
		nullable = true;
	if (nullable && values && values->kind == JSON_ARRAY)
		take_out(values, is_json_null);
	if (nullable)
		json_add_member(a, schema, STR("nullable"), json_new_bool(a, true));
}

static Str upper(Arena *a, Str s)
{
	char *p = arena_dup(a, s.p, s.n);
	for (size_t i = 0; i < s.n; i++)
		p[i] = (char)(p[i] >= 'a' && p[i] <= 'z' ? p[i] - 32 : p[i]);
	return (Str){ p, s.n };
}

static void spell_type(Arena *a, JsonNode *type)
{
	if (type->kind == JSON_STRING)
		type->text = upper(a, type->text);
	for (uint32_t i = 0; type->kind == JSON_ARRAY && i < type->n; i++)
		type->item[i]->text = upper(a, type->item[i]->text);
}

static void add_ordering(Arena *a, JsonNode *schema, const JsonNode *properties)
{
	JsonNode *order = json_new(a, JSON_ARRAY);
	for (uint32_t i = 0; i < properties->n; i++)
		json_add_item(a, order, json_new_text(a, properties->member[i].key->text));
	json_add_member(a, schema, STR("propertyOrdering"), order);
}

static void spell_kids(Arena *a, const JsonNode *schema, const SchemaCaps *caps)
{
	for (uint32_t i = 0; i < schema->n; i++) {
		Keyword k = schema_find_keyword(schema->member[i].key->text);
		JsonNode *v = schema->member[i].value;
		KeywordShape shape = k < KW_COUNT ? keyword_row[k].shape : SHAPE_NOTE;
		if (shape == SHAPE_SUB)
			spell(a, v, caps);
		for (uint32_t j = 0; shape == SHAPE_LIST && j < v->n; j++)
			spell(a, v->item[j], caps);
		for (uint32_t j = 0; shape == SHAPE_MAP && j < v->n; j++)
			spell(a, v->member[j].value, caps);
	}
}

static void spell(Arena *a, JsonNode *schema, const SchemaCaps *caps)
{
	if (schema->kind != JSON_OBJECT)
		return;
	if (caps->nullable == NULLABLE_KEYWORD)
		spell_nullable(a, schema);
	spell_kids(a, schema, caps);
	JsonNode *type = json_get(schema, "type"), *properties = json_get(schema, "properties");
	if (type && caps->type_case == TYPE_UPPER)
		spell_type(a, type);
	if (properties && properties->n && caps->property_ordering)
		add_ordering(a, schema, properties);
}

JsonNode *schema_lowered_json(Arena *a, const SchemaNode *lowered, const SchemaCaps *caps)
{
	JsonNode *out = schema_export(a, lowered);
	spell(a, out, caps);
	return out;
}
