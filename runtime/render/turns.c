/* Earlier turns and tool calls: messages whose shape comes from JSON values, not from the template. */
#include "runtime/render/walk.h"

static Str canonical(Arena *arena, const JsonNode *x)
{
	Buf b = { 0 };
	json_write(&b, x, JSON_AS_IS);
	Str s = str_dup(arena, buf_str(&b));
	buf_free(&b);
	return s;
}

static void add_call(Renderer *r, RenderMessage *m, Str id, Str name, Str args_json)
{
	r->n_call++;
	if (!id.n)
		id = str_fmt(r->arena, "call_%u", r->n_call);
	vec_push(r->arena, &m->call, (ToolCall){ id, name, args_json });
	vec_push(r->arena, &r->pending, (PendingCall){ id, name, false });
}

void walk_call(Renderer *r, uint32_t at, RenderMessage *into)
{
	const BinSeg *s = &r->bin->seg[at];
	RenderMessage args, *before = r->message;
	JsonDoc doc;
	message_open(r, &args, ROLE_ASSISTANT, (Str){ 0 });
	walk_parts(r, at + 1, s->partner, s);
	Str text = message_text(r->arena, &args);
	r->message = before;
	r->trimmed_at = BIN_NONE;
	if (json_read(r->arena, text, 0, &doc))
		text = canonical(r->arena, doc.root);
	add_call(r, into, bin_str(r->bin, s->text), bin_str(r->bin, s->name), text);
}

/* {"id", "function": {"name", "arguments"}}, arguments a string of JSON or an object. */
static void turn_call(Renderer *r, RenderMessage *m, const JsonNode *call)
{
	const JsonNode *f = json_get(call, "function");
	if (!f)
		f = call;
	const JsonNode *args = json_get(f, "arguments");
	JsonDoc doc;
	Str text = args ? args->kind == JSON_STRING ? args->text : canonical(r->arena, args) : STR("{}");
	if (args && args->kind == JSON_STRING && json_read(r->arena, text, 0, &doc))
		text = canonical(r->arena, doc.root);
	add_call(r, m, json_get_text(call, "id", (Str){ 0 }), json_get_text(f, "name", (Str){ 0 }), text);
}

static void turn_answer(Renderer *r, RenderMessage *m, const JsonNode *turn)
{
	m->call_id = json_get_text(turn, "tool_call_id", (Str){ 0 });
	for (uint32_t i = 0; i < r->pending.n; i++) {
		PendingCall *p = &r->pending.v[i];
		if (p->answered || (m->call_id.n && !str_eq(p->id, m->call_id)))
			continue;
		p->answered = true;
		m->call_id = p->id;
		if (!m->name.n)
			m->name = p->name;
		return;
	}
}

static void walk_turn(Renderer *r, uint32_t at, const JsonNode *turn)
{
	RenderMessage m;
	const JsonNode *content = json_get(turn, "content"), *calls = json_get(turn, "tool_calls");
	message_open(r, &m, role_find(json_get_text(turn, "role", STR("user"))), json_get_text(turn, "name", (Str){ 0 }));
	vec_push(r->arena, &m.part, (RenderPart){ .stability = r->bin->seg[at].stability, .stability_written =
	         (r->bin->seg[at].flags & SEG_STABILITY_WRITTEN) != 0 });
	if (content && content->kind == JSON_STRING && content->text.n) {
		vec_push(r->arena, &m.run, (RenderRun){ RUN_VALUE, r->bin->seg[at].stability, at, 0, 0, content->text });
		m.part.v[0].n = 1;
	} else if (content && content->kind == JSON_ARRAY) {
		m.content_json = canonical(r->arena, content);
	}
	for (uint32_t i = 0; calls && calls->kind == JSON_ARRAY && i < calls->n; i++)
		turn_call(r, &m, calls->item[i]);
	if (m.role == ROLE_TOOL) {
		m.exact = true;
		turn_answer(r, &m, turn);
	}
	message_close(r, at);
}

void walk_history(Renderer *r, uint32_t at)
{
	const BinSeg *s = &r->bin->seg[at];
	Value turns = ref_value(&r->env, s->ref);
	if (turns.state == VALUE_UNBOUND) {
		RenderMessage m;
		walk_note_unbound(r, s->ref);
		message_open(r, &m, ROLE_USER, (Str){ 0 });
		Str hole = str_fmt(r->arena, "{{%.*s}}", STR_ARG(bin_str(r->bin, r->bin->ref[s->ref].name)));
		vec_push(r->arena, &m.part, (RenderPart){ .n = 1, .stability = s->stability });
		vec_push(r->arena, &m.run, (RenderRun){ RUN_UNBOUND, s->stability, at, 0, 0, hole });
		message_close(r, at);
		return;
	}
	for (uint32_t i = 0; turns.json && turns.json->kind == JSON_ARRAY && i < turns.json->n; i++)
		walk_turn(r, at, turns.json->item[i]);
}
