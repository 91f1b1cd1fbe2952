/* SchemaCaps from a target's data file: one table of keys, and the keyword names by keyword.def. */
#include <stddef.h>

#include "runtime/schema/lower.h"
#include "runtime/schema/node.h"

SchemaCaps schema_caps_full(void)
{
	SchemaCaps c = { .keywords = ((uint64_t)1 << KW_COUNT) - 1, .any_format = true, .booleans = true,
		.type_lists = true, .root_any_of = true, .ref_siblings = true, .recursion = true };
	return c;
}

typedef enum CapKind { CAP_BOOL, CAP_LIMIT } CapKind;

typedef struct CapRow {
	const char *key;
	CapKind kind;
	size_t offset;
} CapRow;

#define BOOL(name) { #name, CAP_BOOL, offsetof(SchemaCaps, name) }
#define LIMIT(name) { #name, CAP_LIMIT, offsetof(SchemaCaps, name) }

static const CapRow rows[] = {
	BOOL(typed), BOOL(booleans), BOOL(type_lists), BOOL(enum_strings), BOOL(all_required), BOOL(closed_objects), BOOL(root_object),
	BOOL(root_any_of), BOOL(ref_siblings), BOOL(recursion), BOOL(property_ordering),
	LIMIT(max_depth), LIMIT(max_properties), LIMIT(max_enum), LIMIT(max_optional), LIMIT(max_min_items),
};

typedef struct CapReader {
	Arena *a;
	SchemaCaps *caps;
	SchemaError *err;
	Str key;
} CapReader;

static bool fail(CapReader *r, const JsonNode *at, Str message)
{
	*r->err = (SchemaError){ message, str_fmt(r->a, "/%.*s", STR_ARG(r->key)), at->lo };
	return false;
}

static bool read_keywords(CapReader *r, const JsonNode *v)
{
	r->caps->keywords = 0;
	for (uint32_t i = 0; v->kind == JSON_ARRAY && i < v->n; i++) {
		const JsonNode *name = v->item[i];
		Keyword k = name->kind == JSON_STRING ? schema_find_keyword(name->text) : KW_COUNT;
		if (name->kind == JSON_STRING && str_is(name->text, "x-"))
			k = KW_NOTE;
		if (k == KW_COUNT)
			return fail(r, name, STR("is no keyword of JSON Schema 2020-12"));
		r->caps->keywords |= (uint64_t)1 << k;
	}
	return v->kind == JSON_ARRAY || fail(r, v, STR("must be an array of keywords"));
}

static bool read_formats(CapReader *r, const JsonNode *v)
{
	r->caps->any_format = false;
	for (uint32_t i = 0; v->kind == JSON_ARRAY && i < v->n; i++) {
		if (v->item[i]->kind != JSON_STRING)
			return fail(r, v->item[i], STR("must be a string"));
		vec_push(r->a, &r->caps->format, v->item[i]->text);
	}
	return v->kind == JSON_ARRAY || fail(r, v, STR("must be an array of strings"));
}

static bool read_choice(CapReader *r, const JsonNode *v, const char *first, const char *second, bool *is_second)
{
	*is_second = v->kind == JSON_STRING && str_is(v->text, second);
	if (*is_second || (v->kind == JSON_STRING && str_is(v->text, first)))
		return true;
	return fail(r, v, str_fmt(r->a, "must be \"%s\" or \"%s\"", first, second));
}

static bool read_row(CapReader *r, const CapRow *row, const JsonNode *v)
{
	char *field = (char *)r->caps + row->offset;
	if (row->kind == CAP_LIMIT)
		return json_to_count(v, (uint32_t *)(void *)field) || fail(r, v, STR("must be a whole number"));
	if (v->kind != JSON_BOOL)
		return fail(r, v, STR("must be true or false"));
	*(bool *)(void *)field = v->truth;
	return true;
}

static bool read_member(CapReader *r, const JsonNode *v)
{
	bool second = false;
	if (str_is(r->key, "keywords"))
		return read_keywords(r, v);
	if (str_is(r->key, "formats"))
		return read_formats(r, v);
	if (str_is(r->key, "nullable")) {
		bool ok = read_choice(r, v, "union", "keyword", &second);
		r->caps->nullable = second ? NULLABLE_KEYWORD : NULLABLE_UNION;
		return ok;
	}
	if (str_is(r->key, "type_case")) {
		bool ok = read_choice(r, v, "lower", "upper", &second);
		r->caps->type_case = second ? TYPE_UPPER : TYPE_LOWER;
		return ok;
	}
	if (str_is(r->key, "unsupported")) {
		bool ok = read_choice(r, v, "describe", "refuse", &second);
		r->caps->unsupported = second ? UNSUPPORTED_REFUSE : UNSUPPORTED_DESCRIBE;
		return ok;
	}
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (str_is(r->key, rows[i].key))
			return read_row(r, &rows[i], v);
	return fail(r, v, STR("is no key of a target's schema rules"));
}

bool schema_caps_read(Arena *a, const JsonNode *json, SchemaCaps *caps, SchemaError *err)
{
	CapReader r = { a, caps, err, STR("") };
	*caps = schema_caps_full();
	if (json->kind != JSON_OBJECT)
		return fail(&r, json, STR("must be an object"));
	for (uint32_t i = 0; i < json->n; i++) {
		r.key = json->member[i].key->text;
		if (!read_member(&r, json->member[i].value))
			return false;
	}
	return true;
}
