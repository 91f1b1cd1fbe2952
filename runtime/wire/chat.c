/*
 * A chat template as one text. Special tokens come from the template alone. On paper a text may spell
 * one: said where the prompt's author wrote it, refused where a value had a part in it, since a value
 * that spells a role's head would be a message to whoever tokenises this text.
 */
#include "runtime/wire/body.h"

/* Whether [lo, hi) of the content lies in one piece of the template's own text. */
static bool is_written(const WireMessage *m, const size_t *end, size_t lo, size_t hi)
{
	uint32_t i = 0;
	while (i + 1 < m->piece.n && end[i] <= lo)
		i++;
	return m->piece.v[i].kind == PIECE_TEXT && !m->piece.v[i].value && hi <= end[i];
}

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

/* Looked for in the whole content: two pieces may spell a token together. */
static void check_content(Body *b, const ChatTemplate *c, const WireMessage *m, const size_t *end, Str content)
{
	for (uint32_t i = 0; i < c->special.n; i++) {
		Str token = c->special.v[i];
		size_t at = str_find(content, token, 0);
		bool found = at < content.n, written = true;
		for (; at < content.n && written; at = str_find(content, token, at + 1))
			written = is_written(m, end, at, at + token.n);
		if (found)
			note_special(b, token, written);
	}
}

static void write_message(Buf *out, Body *b, const ChatTemplate *c, const WireMessage *m, bool open)
{
	const ChatRole *role = &c->role[m->role];
	size_t *end = arena_array(b->arena, size_t, m->piece.n), from;
	buf_put(out, role->before);
	from = out->n;
	for (uint32_t i = 0; i < m->piece.n; i++) {
		const Piece *p = &m->piece.v[i];
		if (p->kind == PIECE_CALL)
			buf_printf(out, "{\"name\":\"%.*s\",\"arguments\":%.*s}", STR_ARG(p->name), STR_ARG(p->text));
		else
			buf_put(out, p->text);
		end[i] = out->n - from;
	}
	check_content(b, c, m, end, str_sub(buf_str(out), from, out->n));
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
