/* The body of Gemini's generateContent. The model stands in the URL, not in the body. */
#include "runtime/render/image.h"
#include "runtime/wire/body.h"

static void put(Body *b, JsonNode *x, const char *name, Str text)
{
	json_add_member(b->arena, x, str_from(name), json_new_text(b->arena, text));
}

static JsonNode *wrap(Body *b, const char *name, JsonNode *inner)
{
	JsonNode *x = json_new(b->arena, JSON_OBJECT);
	json_add_member(b->arena, x, str_from(name), inner);
	return x;
}

static JsonNode *image_part(Body *b, Str url)
{
	JsonNode *x = json_new(b->arena, JSON_OBJECT);
	Str type, data;
	if (data_uri_split(url, &type, &data)) {
		put(b, x, "mimeType", type);
		put(b, x, "data", data);
		return wrap(b, "inlineData", x);
	}
	put(b, x, "fileUri", url);
	return wrap(b, "fileData", x);
}

static JsonNode *call_part(Body *b, const Piece *p)
{
	JsonNode *x = json_new(b->arena, JSON_OBJECT), *args = body_read(b->arena, p->text);
	put(b, x, "id", p->id);
	put(b, x, "name", p->name);
	json_add_member(b->arena, x, STR("args"), args && args->kind == JSON_OBJECT ? args : json_new(b->arena, JSON_OBJECT));
	return wrap(b, "functionCall", x);
}

/* A result that is a JSON object is sent as it is; anything else under "result". */
static JsonNode *result_part(Body *b, const Piece *p)
{
	JsonNode *x = json_new(b->arena, JSON_OBJECT), *said = body_read(b->arena, p->text);
	put(b, x, "id", p->id);
	put(b, x, "name", p->name);
	if (!said || said->kind != JSON_OBJECT)
		said = wrap(b, "result", json_new_text(b->arena, p->text));
	json_add_member(b->arena, x, STR("response"), said);
	return wrap(b, "functionResponse", x);
}

static JsonNode *parts_of(Body *b, const Piece *piece, uint32_t n_piece)
{
	Piece *v;
	uint32_t n;
	JsonNode *parts = json_new(b->arena, JSON_ARRAY);
	pieces_join_texts(b->arena, piece, n_piece, &v, &n);
	for (uint32_t i = 0; i < n; i++) {
		if (v[i].kind == PIECE_IMAGE)
			json_add_item(b->arena, parts, image_part(b, v[i].text));
		else if (v[i].kind == PIECE_CALL)
			json_add_item(b->arena, parts, call_part(b, &v[i]));
		else if (v[i].kind == PIECE_RESULT)
			json_add_item(b->arena, parts, result_part(b, &v[i]));
		else
			json_add_item(b->arena, parts, wrap(b, "text", json_new_text(b->arena, v[i].text)));
	}
	return parts;
}

static void put_tools(Body *b)
{
	LoweredTool *tool;
	uint32_t n = body_tools(b, &tool);
	JsonNode *list = json_new(b->arena, JSON_ARRAY), *tools = json_new(b->arena, JSON_ARRAY);
	for (uint32_t i = 0; i < n; i++) {
		JsonNode *x = json_new(b->arena, JSON_OBJECT);
		put(b, x, "name", tool[i].name);
		if (tool[i].doc.n)
			put(b, x, "description", tool[i].doc);
		json_add_member(b->arena, x, STR("parametersJsonSchema"), tool[i].params);
		json_add_item(b->arena, list, x);
	}
	if (!n)
		return;
	json_add_item(b->arena, tools, wrap(b, "functionDeclarations", list));
	body_put(b, STR("tools"), tools);
}

void wire_write_gemini(Buf *out, Body *b, Lowered *l)
{
	JsonNode *contents = json_new(b->arena, JSON_ARRAY);
	if (l->system.n)
		body_put(b, STR("systemInstruction"), wrap(b, "parts", parts_of(b, l->system.v, l->system.n)));
	for (uint32_t i = 0; i < l->message.n; i++) {
		const WireMessage *m = &l->message.v[i];
		JsonNode *x = json_new(b->arena, JSON_OBJECT);
		put(b, x, "role", m->role == ROLE_ASSISTANT ? STR("model") : STR("user"));
		json_add_member(b->arena, x, STR("parts"), parts_of(b, m->piece.v, m->piece.n));
		json_add_item(b->arena, contents, x);
	}
	body_put(b, STR("contents"), contents);
	put_tools(b);
	body_put_max(b, false);
	LoweredReply r = body_reply(b);
	if (r.json)
		body_put_text(b, "generationConfig.responseMimeType", STR("application/json"));
	if (r.schema)
		body_put(b, STR("generationConfig.responseJsonSchema"), r.schema);
	body_put_settings(b);
	body_write(out, b);
}
