/*
 * The body of Anthropic's messages. Structured replies go through output_config.format (json_schema),
 * as the package's MessageCreateParams takes them.
 */
#include "runtime/render/image.h"
#include "runtime/wire/body.h"

static void put(Body *b, JsonNode *x, const char *name, Str text)
{
	json_add_member(b->arena, x, str_from(name), json_new_text(b->arena, text));
}

/* Only an hour and five minutes exist; five minutes is the default and is not written. */
static void put_breakpoint(Body *b, JsonNode *block)
{
	const BinPrompt *p = b->request->prompt;
	uint64_t ttl_s = p->cache == BIN_NONE ? 0 : b->in->bin->cache[p->cache].ttl_s;
	uint64_t longest = 0;
	for (uint32_t i = 0; i < b->in->target->cache.ttl_s.n; i++)
		if (b->in->target->cache.ttl_s.v[i] > longest)
			longest = b->in->target->cache.ttl_s.v[i];
	JsonNode *x = json_new(b->arena, JSON_OBJECT);
	put(b, x, "type", STR("ephemeral"));
	if (ttl_s > 300 && longest >= 3600)
		put(b, x, "ttl", STR("1h"));
	if (ttl_s > longest && longest)
		wire_note(b->report, WIRE_REMARK, NULL, "cache ttl %lu s is more than %.*s keeps (%lu s)", (unsigned long)ttl_s,
		          STR_ARG(b->in->target->name), (unsigned long)longest);
	json_add_member(b->arena, block, STR("cache_control"), x);
}

static JsonNode *source_of(Body *b, Str url, Str *type)
{
	JsonNode *s = json_new(b->arena, JSON_OBJECT);
	Str data;
	if (!data_uri_split(url, type, &data)) {
		*type = STR("image/");
		put(b, s, "type", STR("url"));
		put(b, s, "url", url);
		return s;
	}
	put(b, s, "type", STR("base64"));
	put(b, s, "media_type", *type);
	put(b, s, "data", data);
	return s;
}

static JsonNode *block_of(Body *b, const Piece *p)
{
	JsonNode *x = json_new(b->arena, JSON_OBJECT), *input;
	Str type;
	switch (p->kind) {
	case PIECE_IMAGE: {
		JsonNode *source = source_of(b, p->text, &type);
		bool is_image = str_starts(type, STR("image/"));
		if (!is_image && !str_is(type, "application/pdf"))
			wire_note(b->report, WIRE_ERROR, NULL, "%.*s takes images and PDF files, not %.*s", STR_ARG(b->in->target->name), STR_ARG(type));
		put(b, x, "type", is_image ? STR("image") : STR("document"));
		json_add_member(b->arena, x, STR("source"), source);
		return x;
	}
	case PIECE_CALL:
		put(b, x, "type", STR("tool_use"));
		put(b, x, "id", p->id);
		put(b, x, "name", p->name);
		input = body_read(b->arena, p->text);
		json_add_member(b->arena, x, STR("input"), input && input->kind == JSON_OBJECT ? input : json_new(b->arena, JSON_OBJECT));
		return x;
	case PIECE_RESULT:
		put(b, x, "type", STR("tool_result"));
		put(b, x, "tool_use_id", p->id);
		put(b, x, "content", p->text);
		return x;
	default:
		return body_text(b->arena, p->text);
	}
}

static JsonNode *content_of(Body *b, const Piece *piece, uint32_t n_piece)
{
	Piece *v;
	uint32_t n;
	Str text;
	pieces_join_texts(b->arena, piece, n_piece, &v, &n);
	if (pieces_are_one_text(v, n, &text))
		return json_new_text(b->arena, text);
	JsonNode *list = json_new(b->arena, JSON_ARRAY);
	for (uint32_t i = 0; i < n; i++) {
		JsonNode *given = v[i].kind == PIECE_JSON ? body_read(b->arena, v[i].text) : NULL;
		if (given && (n == 1 || given->kind != JSON_ARRAY))
			return given;
		for (uint32_t j = 0; given && j < given->n; j++)
			json_add_item(b->arena, list, given->item[j]);
		if (v[i].kind == PIECE_JSON || (v[i].kind == PIECE_TEXT && !v[i].text.n))
			continue;
		JsonNode *block = block_of(b, &v[i]);
		if (v[i].breakpoint)
			put_breakpoint(b, block);
		json_add_item(b->arena, list, block);
	}
	return list;
}

static void put_tools(Body *b)
{
	LoweredTool *tool;
	uint32_t n = body_tools(b, &tool);
	JsonNode *list = json_new(b->arena, JSON_ARRAY);
	for (uint32_t i = 0; i < n; i++) {
		JsonNode *x = json_new(b->arena, JSON_OBJECT);
		put(b, x, "name", tool[i].name);
		if (tool[i].doc.n)
			put(b, x, "description", tool[i].doc);
		json_add_member(b->arena, x, STR("input_schema"), tool[i].params);
		if (tool[i].strict)
			json_add_member(b->arena, x, STR("strict"), json_new_bool(b->arena, true));
		json_add_item(b->arena, list, x);
	}
	if (n)
		body_put(b, STR("tools"), list);
}

typedef VEC(JsonNode *) NodeList;

/* Objects with a cache_control, in the order sent. */
static void find_breakpoints(Arena *arena, JsonNode *x, NodeList *out)
{
	for (uint32_t i = 0; x->kind == JSON_ARRAY && i < x->n; i++)
		find_breakpoints(arena, x->item[i], out);
	for (uint32_t i = 0; x->kind == JSON_OBJECT && i < x->n; i++)
		if (str_is(x->member[i].key->text, "cache_control"))
			vec_push(arena, out, x);
		else if (str_is(x->member[i].key->text, "content"))
			find_breakpoints(arena, x->member[i].value, out);
}

static void drop_member(JsonNode *x, const char *name)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < x->n; i++)
		if (!str_is(x->member[i].key->text, name))
			x->member[n++] = x->member[i];
	x->n = n;
}

/* Breakpoints that came in given content, too many of them: a later one covers what stands before it. */
static void merge_breakpoints(Body *b)
{
	static const char *const where[] = { "tools", "system", "messages" };
	NodeList all = { 0 };
	uint32_t max = b->in->target->cache.max_breakpoints;
	for (int i = 0; i < 3; i++) {
		JsonNode *x = json_get(b->root, where[i]);
		if (x)
			find_breakpoints(b->arena, x, &all);
	}
	for (uint32_t i = 0; all.n > max && i < all.n - max; i++)
		drop_member(all.v[i], "cache_control");
	if (all.n > max)
		wire_note(b->report, WIRE_WARNING, "SD714", "%u cache breakpoints and %.*s takes %u: the first %u are left to the later ones",
		          all.n, STR_ARG(b->in->target->name), max, all.n - max);
}

void wire_write_anthropic(Buf *out, Body *b, Lowered *l)
{
	JsonNode *messages = json_new(b->arena, JSON_ARRAY);
	lower_breakpoints(b->in, b->report, l);
	for (uint32_t i = 0; i < l->message.n; i++) {
		JsonNode *x = json_new(b->arena, JSON_OBJECT);
		put(b, x, "role", str_from(role_name(l->message.v[i].role)));
		json_add_member(b->arena, x, STR("content"), content_of(b, l->message.v[i].piece.v, l->message.v[i].piece.n));
		json_add_item(b->arena, messages, x);
	}
	body_put_text(b, "model", b->in->target->id);
	body_put_max(b, true);
	if (l->system.n)
		body_put(b, STR("system"), content_of(b, l->system.v, l->system.n));
	body_put(b, STR("messages"), messages);
	put_tools(b);
	LoweredReply r = body_reply(b);
	if (r.schema) {
		body_put_text(b, "output_config.format.type", STR("json_schema"));
		body_put(b, STR("output_config.format.schema"), r.schema);
	}
	body_put_settings(b);
	merge_breakpoints(b);
	body_write(out, b);
}
