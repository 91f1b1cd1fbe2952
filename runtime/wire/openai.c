/* The body of OpenAI's chat completions, which many servers take. */
#include "runtime/render/image.h"
#include "runtime/wire/body.h"

static void put(Body *b, JsonNode *x, const char *name, Str text)
{
	json_add_member(b->arena, x, str_from(name), json_new_text(b->arena, text));
}

static JsonNode *image_part(Body *b, Str url)
{
	JsonNode *x = json_new(b->arena, JSON_OBJECT), *inner = json_new(b->arena, JSON_OBJECT);
	Str type, data;
	bool is_file = data_uri_split(url, &type, &data) && !str_starts(type, STR("image/"));
	put(b, x, "type", is_file ? STR("file") : STR("image_url"));
	if (is_file)
		put(b, inner, "filename", str_is(type, "application/pdf") ? STR("file.pdf") : STR("file"));
	put(b, inner, is_file ? "file_data" : "url", url);
	json_add_member(b->arena, x, is_file ? STR("file") : STR("image_url"), inner);
	return x;
}

static JsonNode *call_part(Body *b, const Piece *p)
{
	JsonNode *x = json_new(b->arena, JSON_OBJECT), *f = json_new(b->arena, JSON_OBJECT);
	put(b, x, "id", p->id);
	put(b, x, "type", STR("function"));
	put(b, f, "name", p->name);
	put(b, f, "arguments", p->text);
	json_add_member(b->arena, x, STR("function"), f);
	return x;
}

/* A string where one text says it all, else the list of parts; NULL when there is nothing. */
static JsonNode *content_of(Body *b, const WireMessage *m)
{
	Piece *v;
	uint32_t n, n_content = 0;
	JsonNode *list = json_new(b->arena, JSON_ARRAY);
	pieces_join_texts(b->arena, m->piece.v, m->piece.n, &v, &n);
	for (uint32_t i = 0; i < n; i++) {
		if (v[i].kind == PIECE_CALL)
			continue;
		if (v[i].kind == PIECE_JSON)
			return body_read(b->arena, v[i].text);
		n_content++;
		json_add_item(b->arena, list, v[i].kind == PIECE_IMAGE ? image_part(b, v[i].text) : body_text(b->arena, v[i].text));
	}
	if (n_content == 1 && v[0].kind != PIECE_IMAGE)
		return json_new_text(b->arena, v[0].text);
	return n_content ? list : NULL;
}

static JsonNode *message_node(Body *b, const WireMessage *m)
{
	JsonNode *x = json_new(b->arena, JSON_OBJECT), *calls = json_new(b->arena, JSON_ARRAY);
	if (m->piece.n == 1 && m->piece.v[0].kind == PIECE_JSON) {
		JsonNode *whole = body_read(b->arena, m->piece.v[0].text);
		if (whole && json_get(whole, "role"))
			return whole;
	}
	put(b, x, "role", str_from(role_name(m->role)));
	if (m->name.n && (m->role == ROLE_USER || m->role == ROLE_ASSISTANT))
		put(b, x, "name", m->name);
	for (uint32_t i = 0; i < m->piece.n; i++)
		if (m->piece.v[i].kind == PIECE_CALL)
			json_add_item(b->arena, calls, call_part(b, &m->piece.v[i]));
	JsonNode *content = content_of(b, m);
	if (!content)
		content = calls->n ? json_new(b->arena, JSON_NULL) : json_new_text(b->arena, STR(""));
	json_add_member(b->arena, x, STR("content"), content);
	if (calls->n)
		json_add_member(b->arena, x, STR("tool_calls"), calls);
	if (m->role == ROLE_TOOL && m->piece.n)
		put(b, x, "tool_call_id", m->piece.v[0].id);
	return x;
}

static void put_tools(Body *b)
{
	LoweredTool *tool;
	uint32_t n = body_tools(b, &tool);
	JsonNode *list = json_new(b->arena, JSON_ARRAY);
	for (uint32_t i = 0; i < n; i++) {
		JsonNode *x = json_new(b->arena, JSON_OBJECT), *f = json_new(b->arena, JSON_OBJECT);
		put(b, x, "type", STR("function"));
		put(b, f, "name", tool[i].name);
		if (tool[i].doc.n)
			put(b, f, "description", tool[i].doc);
		json_add_member(b->arena, f, STR("parameters"), tool[i].params);
		if (tool[i].strict)
			json_add_member(b->arena, f, STR("strict"), json_new_bool(b->arena, true));
		json_add_member(b->arena, x, STR("function"), f);
		json_add_item(b->arena, list, x);
	}
	if (n)
		body_put(b, STR("tools"), list);
}

static void put_reply(Body *b)
{
	LoweredReply r = body_reply(b);
	if (!r.json || b->in->target->native == NATIVE_NONE)
		return;
	if (!r.schema) {
		body_put_text(b, "response_format.type", STR("json_object"));
		return;
	}
	body_put_text(b, "response_format.type", STR("json_schema"));
	body_put_text(b, "response_format.json_schema.name", r.name);
	if (r.doc.n)
		body_put_text(b, "response_format.json_schema.description", r.doc);
	if (r.strict)
		body_put(b, STR("response_format.json_schema.strict"), json_new_bool(b->arena, true));
	body_put(b, STR("response_format.json_schema.schema"), r.schema);
}

void wire_write_openai(Buf *out, Body *b, Lowered *l)
{
	JsonNode *messages = json_new(b->arena, JSON_ARRAY);
	for (uint32_t i = 0; i < l->message.n; i++)
		json_add_item(b->arena, messages, message_node(b, &l->message.v[i]));
	body_put_text(b, "model", b->in->target->id);
	body_put(b, STR("messages"), messages);
	put_tools(b);
	put_reply(b);
	body_put_max(b, false);
	Str key = body_cache_key(b);
	if (key.n && b->in->target->cache.kind == CACHE_PROMPT_KEY)
		body_put_text(b, "prompt_cache_key", key);
	body_put_settings(b);
	body_write(out, b);
}
