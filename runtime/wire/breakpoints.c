/*
 * Cache breakpoints: where a target has them, behind the last part of each stability, if a part of that
 * stability was marked so or the prompt names a cache group. Only on the stable prefix: what comes after
 * the first part that changes by the turn can never be read again. A prefix is read up to its longest
 * match, so neighbours of one stability need one breakpoint only, and there are never more than two.
 */
#include "runtime/wire/lower.h"

typedef VEC(Piece *) PieceList;

static bool is_more_volatile(const Piece *a, const Piece *b) { return a->stability > b->stability; }

/* The pieces in the order sent, up to the first that changes by the turn. */
static void stable_prefix(Arena *arena, Lowered *l, PieceList *out, uint32_t *n_late)
{
	PieceList all = { 0 };
	for (uint32_t i = 0; i < l->system.n; i++)
		vec_push(arena, &all, &l->system.v[i]);
	for (uint32_t i = 0; i < l->message.n; i++)
		for (uint32_t j = 0; j < l->message.v[i].piece.n; j++)
			vec_push(arena, &all, &l->message.v[i].piece.v[j]);
	bool stable = true;
	for (uint32_t i = 0; i < all.n; i++) {
		Piece *p = all.v[i];
		stable &= p->stability != STAB_TURN;
		if (stable)
			vec_push(arena, out, p);
		else if (p->opens_part && p->stability_written && p->stability != STAB_TURN)
			++*n_late;
	}
}

static bool can_carry(const Piece *p) { return (p->kind == PIECE_TEXT || p->kind == PIECE_IMAGE) && p->text.n; }

void lower_breakpoints(const WireInput *in, WireReport *report, Lowered *l)
{
	PieceList all = { 0 };
	uint32_t max = in->target->cache.max_breakpoints, n_late = 0, n_written = 0, n_set = 0;
	Piece *last = NULL;       /* the newest piece of the region that can carry one */
	bool by_group = in->prompt->cache != BIN_NONE, wanted = by_group;
	if (in->target->cache.kind != CACHE_CONTROL || !max)
		return;
	stable_prefix(report->arena, l, &all, &n_late);
	for (uint32_t i = 0; i < all.n; i++) {
		Piece *p = all.v[i];
		last = can_carry(p) ? p : last;
		n_written += p->opens_part && p->stability_written;
		wanted |= p->stability_written;
		if (i + 1 < all.n && !is_more_volatile(all.v[i + 1], p))
			continue;
		if (last && wanted && n_set < max) {
			last->breakpoint = true;
			n_set++;
		}
		last = NULL;
		wanted = by_group;
	}
	if (n_late)
		wire_note(report, WIRE_REMARK, NULL, "%u stable part%s behind what changes by the turn: not cached", n_late,
		          n_late > 1 ? "s stand" : " stands");
	if (n_written > max)
		wire_note(report, WIRE_REMARK, NULL, "%u parts are marked as stable and %.*s takes %u cache breakpoints: merged to %u",
		          n_written, STR_ARG(in->target->name), max, n_set);
}
