/* Lowering of messages: see lower.h. Each rule of a target is one step, and each says what it did. */
#include "runtime/wire/lower.h"

typedef struct Lowering {
	const WireInput *in;
	const LowerRules *rules;
	WireReport *report;
	Arena *arena;
	Lowered *out;
} Lowering;

LowerRules lower_rules_of(const WireInput *in, Arena *arena)
{
	const Target *t = in->target;
	LowerRules r = { str_z(arena, t->name), t->roles, t->system, t->alternates, t->needs_user, t->prefill, t->mid_system,
	                 t->images, in->form == FORM_ANTHROPIC || in->form == FORM_GEMINI };
	if (in->form != FORM_CHAT)
		return r;
	/* A template decides for itself: what it has no words for is what the model lacks. */
	r.roles = 0;
	for (int role = 0; role < ROLE_COUNT; role++)
		r.roles |= (unsigned)in->chat->role[role].known << role;
	r.system = in->chat->role[ROLE_SYSTEM].known ? SYSTEM_MESSAGE : in->chat->system;
	r.target = str_z(arena, in->chat->name);
	r.prefill = true;
	r.images = false;
	r.alternates |= !in->chat->role[ROLE_SYSTEM].known;
	r.needs_user = false;
	return r;
}

/* ---- pieces of one message ------------------------------------------------------------------- */

static void add_text(Lowering *l, WireMessage *m, const RenderPart *part, const RenderRun *run, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		Piece p = { .kind = run[i].kind == RUN_IMAGE ? PIECE_IMAGE : PIECE_TEXT, .stability = run[i].stability > part->stability ? run[i].stability : part->stability,
		            .stability_written = part->stability_written, .opens_part = i == 0, .value = run[i].kind == RUN_VALUE, .text = run[i].text };
		if (p.kind == PIECE_IMAGE && !l->rules->images)
			wire_note(l->report, WIRE_ERROR, NULL, "%s takes no images", l->rules->target);
		vec_push(l->arena, &m->piece, p);
	}
}

/* Given whole: a result already, or a message that is sent as it is. */
static bool is_result(const WireMessage *m)
{
	return m->piece.n && (m->piece.v[0].kind == PIECE_RESULT || m->piece.v[0].kind == PIECE_JSON);
}

static WireMessage message_of(Lowering *l, const RenderMessage *from)
{
	WireMessage m = { .role = from->role, .name = from->name };
	for (uint32_t i = 0; i < from->part.n; i++)
		add_text(l, &m, &from->part.v[i], from->run.v + from->part.v[i].first, from->part.v[i].n);
	if (from->content_json.n)
		given_pieces(l->arena, l->in->form, from->content_json, from->role, l->report, &m);
	if (from->role == ROLE_TOOL && !is_result(&m)) {
		Piece result = { .kind = PIECE_RESULT, .stability = STAB_TURN, .text = message_text(l->arena, from),
		                 .id = from->call_id, .name = from->name };
		if (from->content_json.n)
			result.text = from->content_json;
		m.piece.n = 0;
		vec_push(l->arena, &m.piece, result);
	}
	for (uint32_t i = 0; i < from->call.n; i++)
		vec_push(l->arena, &m.piece, (Piece){ .kind = PIECE_CALL, .stability = STAB_TURN, .id = from->call.v[i].id,
		         .name = from->call.v[i].name, .text = from->call.v[i].args_json });
	return m;
}

/* Appends b's pieces to a, behind a blank line where text meets text. */
static void append_pieces(Lowering *l, WireMessage *a, const Piece *b, uint32_t n)
{
	bool text = a->piece.n && n && a->piece.v[a->piece.n - 1].kind == PIECE_TEXT && b[0].kind == PIECE_TEXT;
	if (text)
		vec_push(l->arena, &a->piece, (Piece){ .kind = PIECE_TEXT, .stability = b[0].stability, .text = STR("\n\n") });
	for (uint32_t i = 0; i < n; i++)
		vec_push(l->arena, &a->piece, b[i]);
}

/* ---- roles ----------------------------------------------------------------------------------- */

static void put_system(Lowering *l, const WireMessage *m)
{
	WireMessage field = { 0 };
	memcpy(&field.piece, &l->out->system, sizeof field.piece);
	append_pieces(l, &field, m->piece.v, m->piece.n);
	memcpy(&l->out->system, &field.piece, sizeof field.piece);
}

/* Tools without a role of their own stand in the conversation as text. */
static void flatten_tools(Lowering *l, WireMessage *m)
{
	for (uint32_t i = 0; i < m->piece.n; i++) {
		Piece *p = &m->piece.v[i];
		if (p->kind == PIECE_CALL)
			p->text = str_fmt(l->arena, "%.*s %.*s", STR_ARG(p->name), STR_ARG(p->text));
		else if (p->kind != PIECE_RESULT)
			continue;
		p->kind = PIECE_TEXT;
		p->value = true;
		wire_note(l->report, WIRE_REMARK, NULL, "%s has no tool messages: calls and results stand as text", l->rules->target);
	}
	if (m->role == ROLE_TOOL)
		m->role = ROLE_USER;
}

static bool knows(const Lowering *l, Role r) { return l->rules->roles >> r & 1; }

static void place_message(Lowering *l, WireMessage m)
{
	if (m.role == ROLE_DEVELOPER && !knows(l, ROLE_DEVELOPER)) {
		wire_note(l->report, WIRE_REMARK, NULL, "%s has no developer role: sent as system text", l->rules->target);
		m.role = ROLE_SYSTEM;
	}
	if (!knows(l, ROLE_TOOL))
		flatten_tools(l, &m);
	bool first = !l->out->message.n;
	if (m.role == ROLE_SYSTEM && l->rules->system == SYSTEM_FIELD && (first || !l->rules->mid_system)) {
		if (!first)
			wire_note(l->report, WIRE_REMARK, NULL, "%s takes system text only before the conversation: moved there", l->rules->target);
		put_system(l, &m);
		return;
	}
	if (m.role == ROLE_TOOL && l->rules->results_in_user)
		m.role = ROLE_USER;
	vec_push(l->arena, &l->out->message, m);
}

/* No system role: its text opens the first user message, or the last. */
static void fold_system(Lowering *l)
{
	WireMessage system = { .role = ROLE_USER };
	bool in_last = l->rules->system == SYSTEM_IN_LAST_USER;
	uint32_t n = 0, user_at = UINT32_MAX;
	for (uint32_t i = 0; i < l->out->message.n; i++) {
		WireMessage *m = &l->out->message.v[i];
		if (m->role == ROLE_SYSTEM) {
			append_pieces(l, &system, m->piece.v, m->piece.n);
			continue;
		}
		if (m->role == ROLE_USER && (user_at == UINT32_MAX || in_last))
			user_at = n;
		l->out->message.v[n++] = *m;
	}
	l->out->message.n = n;
	if (!system.piece.n)
		return;
	wire_note(l->report, WIRE_REMARK, NULL, "%s has no system role: system text opens the %s user message", l->rules->target,
	          in_last ? "last" : "first");
	if (user_at == UINT32_MAX) {
		vec_push(l->arena, &l->out->message, system);
		return;
	}
	WireMessage *user = &l->out->message.v[user_at];
	append_pieces(l, &system, user->piece.v, user->piece.n);
	user->piece = (__typeof__(user->piece)){ 0 };
	append_pieces(l, user, system.piece.v, system.piece.n);
}

static bool can_merge(const WireMessage *a, const WireMessage *b)
{
	if (a->role != b->role || a->role == ROLE_TOOL)
		return false;
	for (uint32_t i = 0; i < a->piece.n; i++)
		if (a->piece.v[i].kind == PIECE_JSON)
			return false;
	for (uint32_t i = 0; i < b->piece.n; i++)
		if (b->piece.v[i].kind == PIECE_JSON)
			return false;
	return true;
}

static void merge_neighbours(Lowering *l)
{
	uint32_t n = 0, n_merged = 0;
	for (uint32_t i = 0; i < l->out->message.n; i++) {
		WireMessage *m = &l->out->message.v[i];
		WireMessage *before = n ? &l->out->message.v[n - 1] : NULL;
		if (before && can_merge(before, m)) {
			append_pieces(l, before, m->piece.v, m->piece.n);
			n_merged++;
		} else {
			l->out->message.v[n++] = *m;
		}
	}
	l->out->message.n = n;
	if (n_merged)
		wire_note(l->report, WIRE_REMARK, NULL, "%s wants roles to alternate: %u message%s joined to the one before by a blank line",
		          l->rules->target, n_merged, n_merged > 1 ? "s" : "");
}

/* ---- what cannot be sent --------------------------------------------------------------------- */

static void check_sequence(Lowering *l)
{
	const Lowered *o = l->out;
	bool has_user = false;
	for (uint32_t i = 0; i < o->message.n; i++)
		has_user |= o->message.v[i].role == ROLE_USER;
	if (!has_user && l->rules->needs_user) {
		wire_note(l->report, WIRE_ERROR, "SD203", "the request has no user message, and %s needs one", l->rules->target);
		l->report->note.v[l->report->note.n - 1].help = STR("give one with --user TEXT or --user @FILE");
	}
	const WireMessage *last = o->message.n ? &o->message.v[o->message.n - 1] : NULL;
	bool calls = last && last->piece.n && last->piece.v[last->piece.n - 1].kind == PIECE_CALL;
	if (last && last->role == ROLE_ASSISTANT && !calls && !l->rules->prefill) {
		wire_note(l->report, WIRE_ERROR, "SD203", "the last message is an assistant message (a prefill), and %s takes none", l->rules->target);
		l->report->note.v[l->report->note.n - 1].help = STR("end with a user message, or choose a target that takes a prefill");
	}
}

bool lower_request(const WireInput *in, const LowerRules *rules, const Request *q, WireReport *report, Lowered *out)
{
	Lowering l = { in, rules, report, report->arena, out };
	uint32_t n_error = report->n_error;
	*out = (Lowered){ 0 };
	for (uint32_t i = 0; i < q->message.n; i++)
		place_message(&l, message_of(&l, &q->message.v[i]));
	if (rules->system == SYSTEM_IN_USER || rules->system == SYSTEM_IN_LAST_USER)
		fold_system(&l);
	if (rules->alternates)
		merge_neighbours(&l);
	check_sequence(&l);
	return report->n_error == n_error;
}

/* ---- pieces ---------------------------------------------------------------------------------- */

void pieces_join_texts(Arena *arena, const Piece *v, uint32_t n, Piece **out, uint32_t *n_out)
{
	*out = arena_array(arena, Piece, n ? n : 1);
	*n_out = 0;
	for (uint32_t i = 0; i < n; i++) {
		Piece *last = *n_out ? *out + *n_out - 1 : NULL;
		if (last && last->kind == PIECE_TEXT && v[i].kind == PIECE_TEXT && !last->breakpoint) {
			Buf b = { 0 };
			buf_put(&b, last->text);
			while (i < n && v[i].kind == PIECE_TEXT) {
				buf_put(&b, v[i].text);
				last->breakpoint = v[i].breakpoint;
				if (v[i++].breakpoint)
					break;
			}
			i--;
			last->text = str_dup(arena, buf_str(&b));
			buf_free(&b);
		} else {
			(*out)[(*n_out)++] = v[i];
		}
	}
}

bool pieces_are_one_text(const Piece *v, uint32_t n, Str *text)
{
	*text = n ? v[0].text : (Str){ 0 };
	return n == 0 || (n == 1 && v[0].kind == PIECE_TEXT && !v[0].breakpoint);
}
