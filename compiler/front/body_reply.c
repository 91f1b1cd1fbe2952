/*
 * Schemas of a request body: the reply's (`response_format` of OpenAI, `output_config` of Anthropic) and
 * the tools'.
 *
 * Two questions: which schema is it, and would a declaration in the language send the same one again?
 * What it would not send again stays the field as it was written.
 */
#include "compiler/front/import_parts.h"
#include "grammar/grammar.h"

/* The object that holds `schema`, and for OpenAI its name; NULL if the field asks for no schema. */
static const JsonNode *schema_holder(Str provider, Str field, const JsonNode *value)
{
	bool anthropic = str_is(provider, "anthropic");
	if (!str_is(field, anthropic ? "output_config" : "response_format"))
		return NULL;
	const JsonNode *format = anthropic ? json_get(value, "format") : value;
	if (!str_is(json_get_text(format, "type", (Str){ 0 }), "json_schema"))
		return NULL;
	return anthropic ? format : json_get(format, "json_schema");
}

const JsonNode *body_reply_schema(Str provider, Str field, const JsonNode *value)
{
	const JsonNode *schema = json_get(schema_holder(provider, field, value), "schema");
	return schema && (schema->kind == JSON_OBJECT || schema->kind == JSON_BOOL) ? schema : NULL;
}

/* A type of the language would be meant instead. */
static bool is_type_word(Str name)
{
	static const char *const words[] = { "text", "int", "number", "bool", "json", "turns", "docs", "image", "file", "enum", "map" };
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (str_is(name, words[i]))
			return true;
	return false;
}

Str body_reply_name(Str provider, Str field, const JsonNode *value)
{
	const JsonNode *holder = schema_holder(provider, field, value);
	Str name = json_get_text(holder, "name", json_get_text(json_get(holder, "schema"), "title", (Str){ 0 }));
	return grammar_is_name(name) && !is_type_word(name) ? name : STR("Reply");
}

static bool lost(SpellFault *why, const char *reason, Str at)
{
	*why = (SpellFault){ reason, at };
	return false;
}

static bool is_sent_again(Str provider, Str key)
{
	static const char *const words[] = { "type", "properties", "required", "additionalProperties", "items", "enum", "description",
		"$ref", "pattern" };
	static const char *const openai[] = { "minimum", "maximum", "minItems", "maxItems" };
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (str_is(key, words[i]))
			return true;
	for (size_t i = 0; i < sizeof openai / sizeof *openai && !str_is(provider, "anthropic"); i++)
		if (str_is(key, openai[i]))
			return true;
	return false;
}

/* `required` is written in the order of the fields; OpenAI's has all of them. */
static bool requires_in_order(Str provider, const JsonNode *properties, const JsonNode *required)
{
	uint32_t n = 0;
	if (!required || required->kind != JSON_ARRAY)
		return false;
	for (uint32_t i = 0; i < properties->n && n < required->n; i++)
		n += str_eq(properties->member[i].key->text, required->item[n]->text);
	return n == required->n && (str_is(provider, "anthropic") || n == properties->n);
}

static bool comes_back(Str provider, const JsonNode *s, const JsonNode *defs, SpellFault *why);

static bool all_come_back(Str provider, const JsonNode *map, const JsonNode *defs, SpellFault *why)
{
	for (uint32_t i = 0; map && map->kind == JSON_OBJECT && i < map->n; i++)
		if (!comes_back(provider, map->member[i].value, defs, why))
			return false;
	return true;
}

/* Part of a schema that was spelled, so its kinds are right and its depth is bounded; defs is the root's. */
static bool comes_back(Str provider, const JsonNode *s, const JsonNode *defs, SpellFault *why)
{
	const JsonNode *properties = json_get(s, "properties"), *items = json_get(s, "items");
	const JsonNode *more = json_get(s, "additionalProperties");
	if (s->kind != JSON_OBJECT)
		return true;
	for (uint32_t i = 0; i < s->n; i++)
		if (s->member[i].value != defs && !is_sent_again(provider, s->member[i].key->text))
			return lost(why, "it would be sent without its keyword", s->member[i].key->text);
	if (json_get(s, "$ref") && s->n > 1)
		return lost(why, "a reference beside", STR("description"));
	if (json_get(s, "enum") && !str_is(json_get_text(s, "type", (Str){ 0 }), "string"))
		return lost(why, "an enum that is not of type", STR("string"));
	if (properties && !requires_in_order(provider, properties, json_get(s, "required")))
		return lost(why, "another list or order of the names", STR("required"));
	return all_come_back(provider, properties, defs, why) && (!items || comes_back(provider, items, defs, why)) &&
	       (!more || comes_back(provider, more, defs, why));
}

/* A definition that nothing refers to is not sent. */
static bool is_used(Str json, Str name)
{
	Str rest = json, mark = STR("\"#/$defs/");
	for (size_t at = str_find(rest, mark, 0); at < rest.n; at = str_find(rest, mark, at + 1))
		if (str_starts(str_sub(rest, at + mark.n, rest.n), name) && rest.p[at + mark.n + name.n] == '"')
			return true;
	return false;
}

static bool all_are_used(const JsonNode *schema, const JsonNode *defs, SpellFault *why)
{
	Buf json = { 0 };
	bool ok = true;
	json_write(&json, schema, JSON_AS_IS);
	for (uint32_t i = 0; ok && defs && i < defs->n; i++)
		if (!is_used(buf_str(&json), defs->member[i].key->text))
			ok = lost(why, "a definition that is not used,", defs->member[i].key->text);
	buf_free(&json);
	return ok;
}

bool body_schema_comes_back(Str provider, const JsonNode *schema, SpellFault *why)
{
	const JsonNode *defs = json_get(schema, "$defs");
	if (json_get(schema, "description"))
		return lost(why, "a second place for the whole schema's", STR("description"));
	if (defs && (defs->kind != JSON_OBJECT || !defs->n))
		return lost(why, "no definitions under", STR("$defs"));
	return comes_back(provider, schema, defs, why) && all_come_back(provider, defs, defs, why) && all_are_used(schema, defs, why);
}

bool body_reply_comes_back(Str provider, Str field, const JsonNode *value, SpellFault *why)
{
	const JsonNode *holder = schema_holder(provider, field, value), *schema = json_get(holder, "schema");
	const JsonNode *strict = json_get(holder, "strict");
	bool anthropic = str_is(provider, "anthropic");
	if (!anthropic && (!strict || strict->kind != JSON_BOOL || !strict->truth))
		return lost(why, "a reply that is not", STR("strict"));
	if (anthropic ? value->n != 1 || holder->n != 2 : value->n != 2 || holder->n != 3)
		return lost(why, "other fields than a declaration gives in", field);
	if (!anthropic && !str_eq(json_get_text(holder, "name", (Str){ 0 }), body_reply_name(provider, field, value)))
		return lost(why, "the name", json_get_text(holder, "name", (Str){ 0 }));
	return body_schema_comes_back(provider, schema, why);
}
