/* Frame: see frame.h. The template's part of it is chat.c's. */
#include "runtime/wire/frame.h"

#include "runtime/wire/body.h"

/* As OpenAI's cookbook counts them ("How to count tokens with tiktoken"): the role is a word of its own. */
enum { FRAMED_PER_MESSAGE = 3, FRAMED_PER_NAME = 1, FRAMED_REPLY = 3 };

static void put(Body *b, WireFrame *f, WireStretch s)
{
	if (s.text.n || s.kind == STRETCH_FRAMED || s.kind == STRETCH_IMAGE)
		vec_push(b->arena, &f->stretch, s);
}

static void put_framed(Body *b, WireFrame *f, uint32_t n)
{
	put(b, f, (WireStretch){ .kind = STRETCH_FRAMED, .is_apart = true, .message = FRAME_OUTSIDE, .n_token = n });
}

static void put_head(Body *b, WireFrame *f, Role role, Str name)
{
	WireStretch head = { .kind = STRETCH_TEMPLATE, .is_apart = true, .message = FRAME_OUTSIDE, .role = role };
	put_framed(b, f, FRAMED_PER_MESSAGE + (name.n ? FRAMED_PER_NAME : 0));
	head.text = str_from(role_name(role));
	put(b, f, head);
	head.text = name;
	put(b, f, head);
}

static void put_pieces(Body *b, WireFrame *f, Role role, uint32_t message, const Piece *v, uint32_t n)
{
	bool is_apart = true;
	for (uint32_t i = 0; i < n; i++) {
		WireStretch s = { .kind = STRETCH_TEXT, .is_apart = is_apart, .role = role, .message = message,
		                  .stability = v[i].stability, .text = v[i].text };
		is_apart = v[i].kind != PIECE_TEXT;
		if (v[i].kind == PIECE_IMAGE)
			s.kind = STRETCH_IMAGE;
		else if (v[i].kind != PIECE_TEXT || v[i].value)
			s.kind = STRETCH_VALUE;
		s.is_apart |= is_apart;
		if (v[i].kind == PIECE_CALL) {
			WireStretch name = s;
			name.text = v[i].name;
			put(b, f, name);
		}
		put(b, f, s);
	}
}

static void frame_closed(Body *b, WireFrame *f, const Lowered *l)
{
	uint32_t at = 0;
	if (l->system.n) {
		put_head(b, f, ROLE_SYSTEM, STR(""));
		put_pieces(b, f, ROLE_SYSTEM, at++, l->system.v, l->system.n);
	}
	for (uint32_t i = 0; i < l->message.n; i++) {
		const WireMessage *m = &l->message.v[i];
		put_head(b, f, m->role, m->role == ROLE_USER || m->role == ROLE_ASSISTANT ? m->name : STR(""));
		put_pieces(b, f, m->role, at++, m->piece.v, m->piece.n);
	}
	put_framed(b, f, FRAMED_REPLY);
}

static void put_json(Body *b, WireFrame *f, StretchKind kind, const JsonNode *x)
{
	Buf text = { 0 };
	json_write(&text, x, JSON_AS_IS);
	put(b, f, (WireStretch){ .kind = kind, .is_apart = true, .message = FRAME_OUTSIDE, .text = str_dup(b->arena, buf_str(&text)) });
	buf_free(&text);
}

/* What is sent beside the messages and read by the model all the same. */
static void frame_definitions(Body *b, WireFrame *f)
{
	LoweredTool *tool;
	uint32_t n = body_tools(b, &tool);
	for (uint32_t i = 0; i < n; i++) {
		JsonNode *x = json_new(b->arena, JSON_OBJECT);
		json_add_member(b->arena, x, STR("name"), json_new_text(b->arena, tool[i].name));
		if (tool[i].doc.n)
			json_add_member(b->arena, x, STR("description"), json_new_text(b->arena, tool[i].doc));
		json_add_member(b->arena, x, STR("parameters"), tool[i].params);
		put_json(b, f, STRETCH_TOOL, x);
	}
	/* An open model is held to a schema by its server, which shows it nothing. */
	if (f->is_public || b->in->target->native == NATIVE_NONE)
		return;
	LoweredReply reply = body_reply(b);
	if (reply.schema)
		put_json(b, f, STRETCH_SCHEMA, reply.schema);
}

bool wire_frame(const WireInput *in, const Request *q, WireReport *report, WireFrame *out)
{
	WireInput full = *in;
	Lowered l;
	full.chat = in->target->chat;
	full.form = full.chat ? FORM_CHAT : (WireForm)in->target->wire;
	LowerRules rules = lower_rules_of(&full, report->arena);
	/* A prompt is counted as far as it goes: what comes later, and what is no text, is not refused. */
	rules.needs_user = false;
	rules.prefill = rules.images = true;
	*out = (WireFrame){ .is_public = full.chat != NULL };
	if (!lower_request(&full, &rules, q, report, &l))
		return false;
	Body b = { &full, q, report, report->arena, NULL };
	if (full.chat)
		wire_frame_chat(out, &b, &l);
	else
		frame_closed(&b, out, &l);
	frame_definitions(&b, out);
	return !report->n_error;
}
