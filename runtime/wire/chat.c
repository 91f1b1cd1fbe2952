/*
 * A chat template over a request: as stretches that are counted, and as one text. Special tokens come
 * from the template alone. On paper a text may spell one: said where the prompt's author wrote it,
 * refused where a value had a part in it, since a value that spells a role's head would be a message
 * to whoever tokenises this text.
 */
#include "runtime/wire/body.h"
#include "runtime/wire/frame.h"

/* ---- stretches ------------------------------------------------------------------------------- */

/* The first special token at or behind at; *token is empty and text.n returned when there is none. */
static size_t find_special(const ChatTemplate *c, Str text, size_t at, Str *token)
{
	size_t first = text.n;
	*token = (Str){ "", 0 };
	for (uint32_t i = 0; i < c->special.n; i++) {
		size_t here = str_find(text, c->special.v[i], at);
		if (here < first || (here == first && here < text.n && c->special.v[i].n > token->n)) {
			first = here;
			*token = c->special.v[i];
		}
	}
	return first;
}

static void frame_template(WireFrame *f, Arena *a, const ChatTemplate *chat, Role role, Str text)
{
	WireStretch s = { .message = FRAME_OUTSIDE, .role = role };
	for (size_t at = 0; at < text.n;) {
		Str token;
		size_t to = find_special(chat, text, at, &token);
		s.kind = STRETCH_TEMPLATE;
		s.text = str_sub(text, at, to);
		if (s.text.n)
			vec_push(a, &f->stretch, s);
		s.kind = STRETCH_SPECIAL;
		s.text = token;
		if (token.n)
			vec_push(a, &f->stretch, s);
		at = to + token.n;
	}
}

static void frame_piece(WireFrame *f, Body *b, Role role, uint32_t message, const Piece *p)
{
	WireStretch s = { .kind = STRETCH_TEXT, .stability = p->stability, .role = role, .message = message, .text = p->text };
	if (p->kind == PIECE_CALL)
		s.text = str_fmt(b->arena, "{\"name\":\"%.*s\",\"arguments\":%.*s}", STR_ARG(p->name), STR_ARG(p->text));
	if (p->kind == PIECE_IMAGE)
		s.kind = STRETCH_IMAGE;
	else if (p->kind != PIECE_TEXT || p->value)
		s.kind = STRETCH_VALUE;
	vec_push(b->arena, &f->stretch, s);
}

static void frame_default_system(WireFrame *f, Body *b, const Lowered *l)
{
	const Target *t = b->in->target;
	const ChatRole *role = &b->in->chat->role[ROLE_SYSTEM];
	bool has_system = l->message.n && l->message.v[0].role == ROLE_SYSTEM;
	if (has_system || !t->default_system.n || !role->known)
		return;
	wire_note(b->report, WIRE_REMARK, NULL, "the template of %.*s adds its own system message", STR_ARG(t->name));
	frame_template(f, b->arena, b->in->chat, ROLE_SYSTEM, role->before);
	frame_template(f, b->arena, b->in->chat, ROLE_SYSTEM, t->default_system);
	frame_template(f, b->arena, b->in->chat, ROLE_SYSTEM, role->after);
}

void wire_frame_chat(WireFrame *f, Body *b, const Lowered *l)
{
	const ChatTemplate *c = b->in->chat;
	bool open = false;
	frame_template(f, b->arena, b->in->chat, ROLE_SYSTEM, c->bos);
	frame_default_system(f, b, l);
	for (uint32_t i = 0; i < l->message.n; i++) {
		const WireMessage *m = &l->message.v[i];
		open = i + 1 == l->message.n && m->role == ROLE_ASSISTANT;
		frame_template(f, b->arena, b->in->chat, m->role, c->role[m->role].before);
		for (uint32_t k = 0; k < m->piece.n; k++)
			frame_piece(f, b, m->role, i, &m->piece.v[k]);
		if (!open)
			frame_template(f, b->arena, b->in->chat, m->role, c->role[m->role].after);
	}
	if (!open)
		frame_template(f, b->arena, b->in->chat, ROLE_ASSISTANT, c->generate);
}

void wire_frame_turn(WireFrame *f, Arena *a, const ChatTemplate *chat, Str user)
{
	WireStretch text = { .kind = STRETCH_VALUE, .role = ROLE_USER, .stability = STAB_TURN, .text = user };
	f->is_public = true;
	frame_template(f, a, chat, ROLE_ASSISTANT, chat->role[ROLE_ASSISTANT].after);
	frame_template(f, a, chat, ROLE_USER, chat->role[ROLE_USER].before);
	vec_push(a, &f->stretch, text);
	frame_template(f, a, chat, ROLE_USER, chat->role[ROLE_USER].after);
	frame_template(f, a, chat, ROLE_ASSISTANT, chat->generate);
}

/* ---- one text -------------------------------------------------------------------------------- */

static void note_special(Body *b, Str token, bool written)
{
	if (written) {
		wire_note(b->report, WIRE_WARNING, NULL, "the prompt's text spells the special token %.*s, which this printed form cannot tell from a real one",
		          STR_ARG(token));
		return;
	}
	wire_note(b->report, WIRE_ERROR, NULL, "a value spells the special token %.*s, which this printed form cannot tell from a real one; "
	          "--emit=json keeps values apart", STR_ARG(token));
}

/* A message's stretches [lo, hi) and their text. */
typedef struct Content {
	const WireStretch *v;
	uint32_t lo, hi;
	Str text;
} Content;

/* Whether [lo, hi) of the content lies in one stretch of the prompt's own text. */
static bool is_written(const Content *m, size_t lo, size_t hi)
{
	size_t end = 0;
	uint32_t i = m->lo;
	while (i < m->hi && (end += m->v[i].text.n) <= lo)
		i++;
	return i < m->hi && m->v[i].kind == STRETCH_TEXT && hi <= end;
}

/* Looked for in the whole content: two pieces may spell a token together. */
static void check_content(Body *b, const Content *m)
{
	const ChatTemplate *c = b->in->chat;
	for (uint32_t i = 0; i < c->special.n; i++) {
		Str token = c->special.v[i];
		size_t at = str_find(m->text, token, 0);
		bool found = at < m->text.n, written = true;
		for (; at < m->text.n && written; at = str_find(m->text, token, at + 1))
			written = is_written(m, at, at + token.n);
		if (found)
			note_special(b, token, written);
	}
}

void wire_write_chat(Buf *out, Body *b, Lowered *l)
{
	WireFrame f = { 0 };
	wire_frame_chat(&f, b, l);
	for (uint32_t i = 0; i < f.stretch.n;) {
		Content m = { f.stretch.v, i, i, { 0 } };
		size_t from = out->n;
		do
			buf_put(out, f.stretch.v[m.hi++].text);
		while (m.hi < f.stretch.n && f.stretch.v[m.hi].message == f.stretch.v[i].message);
		m.text = str_sub(buf_str(out), from, out->n);
		if (f.stretch.v[i].message != FRAME_OUTSIDE)
			check_content(b, &m);
		i = m.hi;
	}
	if (b->request->prompt->tool.n)
		wire_note(b->report, WIRE_WARNING, NULL, "tools have no place in this template: left out");
}
