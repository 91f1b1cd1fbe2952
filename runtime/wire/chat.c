/*
 * A chat template as one text. Special tokens come from the template alone; on paper a value may spell
 * one, so that is said. Whoever tokenises takes the pieces, never this text.
 */
#include "runtime/wire/body.h"

static void check_value(Body *b, const ChatTemplate *c, Str text)
{
	for (uint32_t i = 0; i < c->special.n; i++)
		if (str_find(text, c->special.v[i], 0) < text.n)
			wire_note(b->report, WIRE_WARNING, NULL, "text spells the special token %.*s: it stays text, and only this printed form cannot show that",
			          STR_ARG(c->special.v[i]));
}

static void write_message(Buf *out, Body *b, const ChatTemplate *c, const WireMessage *m, bool open)
{
	const ChatRole *role = &c->role[m->role];
	buf_put(out, role->before);
	for (uint32_t i = 0; i < m->piece.n; i++) {
		const Piece *p = &m->piece.v[i];
		if (p->kind == PIECE_CALL)
			buf_printf(out, "{\"name\":\"%.*s\",\"arguments\":%.*s}", STR_ARG(p->name), STR_ARG(p->text));
		else
			buf_put(out, p->text);
		check_value(b, c, p->text);
	}
	if (!open)
		buf_put(out, role->after);
}

void wire_write_chat(Buf *out, Body *b, Lowered *l)
{
	const ChatTemplate *c = b->in->chat;
	const Target *t = b->in->target;
	buf_put(out, c->bos);
	bool has_system = l->message.n && l->message.v[0].role == ROLE_SYSTEM;
	if (!has_system && t->default_system.n && c->role[ROLE_SYSTEM].known) {
		wire_note(b->report, WIRE_REMARK, NULL, "the template of %.*s adds its own system message", STR_ARG(t->name));
		buf_put(out, c->role[ROLE_SYSTEM].before);
		buf_put(out, t->default_system);
		buf_put(out, c->role[ROLE_SYSTEM].after);
	}
	bool open = false;
	for (uint32_t i = 0; i < l->message.n; i++) {
		open = i + 1 == l->message.n && l->message.v[i].role == ROLE_ASSISTANT;
		write_message(out, b, c, &l->message.v[i], open);
	}
	if (!open)
		buf_put(out, c->generate);
	if (b->request->prompt->tool.n)
		wire_note(b->report, WIRE_WARNING, NULL, "tools have no place in this template: left out");
}
