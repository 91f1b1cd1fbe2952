/*
 * The neutral body: typed segments with where they came from, no provider's form. What a model's
 * provider would make of it is left to the reader.
 */
#include "runtime/bin/seg_print.h"
#include "runtime/wire/body.h"

static void put(Body *b, JsonNode *x, const char *name, Str text)
{
	json_add_member(b->arena, x, str_from(name), json_new_text(b->arena, text));
}

static const char *const run_names[] = { "text", "text", "value", "hole", "image" };

/* Template text and the joins between are one text; a value never mixes with it. */
static bool can_join(const RenderRun *a, const RenderRun *b)
{
	return a->kind <= RUN_JOIN && b->kind <= RUN_JOIN && a->stability == b->stability;
}

static JsonNode *segment_node(Body *b, const RenderMessage *m, uint32_t *at)
{
	const Bin *bin = b->in->bin;
	const RenderRun *r = &m->run.v[*at];
	JsonNode *x = json_new(b->arena, JSON_OBJECT);
	put(b, x, "type", str_from(run_names[r->kind]));
	if (r->kind >= RUN_VALUE && r->seg != BIN_NONE && bin->seg[r->seg].ref != BIN_NONE) {
		const BinRef *ref = &bin->ref[bin->seg[r->seg].ref];
		Str field = bin_str(bin, ref->field);
		put(b, x, "from", str_fmt(b->arena, "%.*s%s%.*s", STR_ARG(bin_str(bin, ref->name)), field.n ? "." : "", STR_ARG(field)));
	}
	put(b, x, "stability", str_from(stability_names[r->stability]));
	Buf text = { 0 };
	buf_put(&text, r->text);
	for (++*at; *at < m->run.n && can_join(r, &m->run.v[*at]); ++*at)
		buf_put(&text, m->run.v[*at].text);
	put(b, x, r->kind == RUN_IMAGE ? "url" : "text", str_dup(b->arena, buf_str(&text)));
	buf_free(&text);
	return x;
}

static JsonNode *message_node(Body *b, const RenderMessage *m)
{
	JsonNode *x = json_new(b->arena, JSON_OBJECT), *content = json_new(b->arena, JSON_ARRAY);
	put(b, x, "role", str_from(role_name(m->role)));
	if (m->name.n)
		put(b, x, "name", m->name);
	if (m->call_id.n)
		put(b, x, "call_id", m->call_id);
	for (uint32_t i = 0; i < m->run.n;)
		json_add_item(b->arena, content, segment_node(b, m, &i));
	JsonNode *given = body_read(b->arena, m->content_json);
	json_add_member(b->arena, x, STR("content"), given ? given : content);
	if (!m->call.n)
		return x;
	JsonNode *calls = json_new(b->arena, JSON_ARRAY);
	for (uint32_t i = 0; i < m->call.n; i++) {
		JsonNode *c = json_new(b->arena, JSON_OBJECT), *args = body_read(b->arena, m->call.v[i].args_json);
		put(b, c, "id", m->call.v[i].id);
		put(b, c, "name", m->call.v[i].name);
		json_add_member(b->arena, c, STR("arguments"), args ? args : json_new_text(b->arena, m->call.v[i].args_json));
		json_add_item(b->arena, calls, c);
	}
	json_add_member(b->arena, x, STR("calls"), calls);
	return x;
}

static JsonNode *tools_node(Body *b)
{
	const BinPrompt *p = b->request->prompt;
	JsonNode *list = json_new(b->arena, JSON_ARRAY);
	for (uint32_t i = 0; i < p->tool.n; i++) {
		const BinTool *t = &b->in->bin->tool[p->tool.first + i];
		JsonNode *x = json_new(b->arena, JSON_OBJECT), *params = body_read(b->arena, bin_str(b->in->bin, t->params_json));
		put(b, x, "name", bin_str(b->in->bin, t->name));
		if (t->doc.len)
			put(b, x, "description", bin_str(b->in->bin, t->doc));
		if (params)
			json_add_member(b->arena, x, STR("parameters"), params);
		json_add_item(b->arena, list, x);
	}
	return list;
}

static void put_reply(Body *b)
{
	const BinReply *r = &b->request->reply;
	JsonNode *x = json_new(b->arena, JSON_OBJECT);
	if (r->type_text.len)
		put(b, x, "type", bin_str(b->in->bin, r->type_text));
	if (r->max_tok)
		json_add_member(b->arena, x, STR("max_tokens"), json_new_count(b->arena, r->max_tok));
	JsonNode *schema = r->schema == BIN_NONE ? NULL : body_read(b->arena, bin_str(b->in->bin, b->in->bin->schema[r->schema].json));
	if (schema)
		json_add_member(b->arena, x, STR("schema"), schema);
	if (x->n)
		json_add_member(b->arena, b->root, STR("reply"), x);
}

static void put_set(Body *b)
{
	const BinPrompt *p = b->request->prompt;
	JsonNode *x = json_new(b->arena, JSON_OBJECT);
	for (uint32_t i = 0; i < p->set.n; i++) {
		const BinSet *s = &b->in->bin->set[p->set.first + i];
		Str provider = bin_str(b->in->bin, s->provider);
		JsonNode *value = body_read(b->arena, bin_str(b->in->bin, s->json));
		Str name = str_fmt(b->arena, "%.*s%s%.*s", STR_ARG(provider), provider.n ? "." : "", STR_ARG(bin_str(b->in->bin, s->name)));
		if (value)
			json_add_member(b->arena, x, name, value);
	}
	if (x->n)
		json_add_member(b->arena, b->root, STR("set"), x);
}

void wire_write_neutral(Buf *out, Body *b)
{
	const BinPrompt *p = b->request->prompt;
	JsonNode *messages = json_new(b->arena, JSON_ARRAY);
	put(b, b->root, "prompt", bin_str(b->in->bin, p->name));
	if (p->version.len)
		put(b, b->root, "version", bin_str(b->in->bin, p->version));
	if (b->request->stage.n)
		put(b, b->root, "stage", b->request->stage);
	for (uint32_t i = 0; i < b->request->message.n; i++)
		json_add_item(b->arena, messages, message_node(b, &b->request->message.v[i]));
	json_add_member(b->arena, b->root, STR("messages"), messages);
	if (p->tool.n)
		json_add_member(b->arena, b->root, STR("tools"), tools_node(b));
	put_reply(b);
	put_set(b);
	json_write(out, b->root, JSON_AS_IS);
	buf_byte(out, '\n');
}
