/* What of a body's setting no node says. See body_set.h. */
#include "compiler/diff/body_set.h"

#include "runtime/base/json.h"

static void drop(JsonNode *object, const char *name)
{
	if (!json_get(object, name))
		return;
	uint32_t n = 0;
	for (uint32_t i = 0; i < object->n; i++)
		if (!str_is(object->member[i].key->text, name))
			object->member[n++] = object->member[i];
	object->n = n;
}

/* What is said of one tool beside its name, description and schema. */
static void strip_tool(JsonNode *tool)
{
	JsonNode *f = json_get(tool, "function") ? json_get(tool, "function") : tool;
	static const char *const told[] = { "name", "description", "parameters", "input_schema" };
	for (size_t i = 0; i < sizeof told / sizeof *told; i++)
		drop(f, told[i]);
}

/* Equal neighbours count once: one more tool like the others says nothing that its node does not. */
static void strip_tools(JsonNode *list)
{
	uint32_t n = 0;
	for (uint32_t i = 0; list->kind == JSON_ARRAY && i < list->n; i++) {
		JsonNode *tool = list->item[i];
		if (json_get(tool, "function") || json_get(tool, "input_schema"))
			strip_tool(tool);
		if (!n || !json_equal(list->item[n - 1], tool))
			list->item[n++] = tool;
	}
	if (list->kind == JSON_ARRAY)
		list->n = n;
}

Str body_set_rest(Arena *a, const Bin *b, const BinPrompt *p, const BinSet *set)
{
	Str name = bin_str(b, set->name), json = bin_str(b, set->json);
	bool has_schema = p->reply.kind == REPLY_SCHEMA && p->reply.schema != BIN_NONE;
	JsonDoc doc;
	if (!bin_str(b, set->provider).n || !json_read(a, json, 0, &doc))
		return json;
	if (p->tool.n && str_is(name, "tools"))
		strip_tools(doc.root);
	else if (has_schema && str_is(name, "response_format"))
		drop(json_get(doc.root, "json_schema"), "schema");
	else if (has_schema && str_is(name, "output_config"))
		drop(json_get(doc.root, "format"), "schema");
	else
		return json;
	Buf out = { 0 };
	json_write(&out, doc.root, JSON_AS_IS);
	Str rest = str_dup(a, buf_str(&out));
	buf_free(&out);
	return rest;
}
