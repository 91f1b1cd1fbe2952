/* See mask_walk.h. Three shortcuts, without which half of all time would go into strings: from a plain state
 * every plain token may come, so their list is not walked, or not beyond the byte that came there; from a simple
 * state to a simple one nothing but the state changes; and bytes that the first state does not take are not tried.
 *
 * An exact walk has only the narrow form of the first: the state stays the same, and so does the cost. */
#include "runtime/automaton/mask_walk.h"

enum { CHARS_CAPPED = 255 };

static void set_bit(uint64_t *mask, uint32_t id) { mask[id >> 6] |= (uint64_t)1 << (id & 63); }

/* The cursor of a step, with its state. */
static AutomatonCursor cursor_of(const MaskWalk *w, uint32_t depth)
{
	AutomatonCursor c = w->step[w->step[depth].from].cursor;
	c.at = w->step[depth].at;
	return c;
}

/* ---- what is to be closed ---- */

static void note_cost(MaskWalk *w, uint32_t closing)
{
	if (closing > w->dearest)
		w->dearest = closing;
}

static bool can_close(MaskWalk *w, uint32_t depth)
{
	const MaskStep *s = &w->step[depth];
	if (!w->exact) {
		uint32_t cost = step_cost(&w->p, s->at);
		note_cost(w, s->rest > UINT32_MAX - cost ? UINT32_MAX : s->rest + cost);
		return true;
	}
	AutomatonCursor c = cursor_of(w, depth);
	return w->left == UINT32_MAX || step_closing(&w->p, &c) < w->left;
}

static void allow(MaskWalk *w, uint32_t id, uint32_t depth)
{
	if (!can_close(w, depth))
		return;
	set_bit(w->mask, id);
	if (w->step[depth].compared) {
		if (w->n_retest < w->retest_max)
			w->retest[w->n_retest] = id;
		w->n_retest++;
	}
}

/* ---- steps ---- */

/* The cursor just put at depth becomes what later steps refer to. */
static void settle_step(MaskWalk *w, uint32_t depth)
{
	MaskStep *s = &w->step[depth];
	uint32_t closing = step_closing(&w->p, &s->cursor), cost = step_cost(&w->p, s->cursor.at);
	s->at = s->cursor.at;
	s->from = depth;
	s->rest = closing > cost ? closing - cost : 0;
	if (!w->exact && s->cursor.depth + w->plan->need > w->p.highest)
		w->p.highest = s->cursor.depth + w->plan->need;
}

static bool step_far(MaskWalk *w, uint32_t depth, uint8_t byte)
{
	MaskStep *s = &w->step[depth + 1];
	s->cursor = cursor_of(w, depth);
	w->p.compared = false;
	bool ok = step_byte(&w->p, &s->cursor, byte);
	s->compared = w->step[depth].compared || w->p.compared;
	if (ok)
		settle_step(w, depth + 1);
	return ok;
}

static bool step_at(MaskWalk *w, uint32_t depth, uint8_t byte)
{
	const MaskStep *from = &w->step[depth];
	MaskStep *to = &w->step[depth + 1];
	uint32_t go = step_find(w->p.m, from->at, byte);
	if (w->exact || auto_op(go) != AUTO_GO || !w->plan->is_simple[auto_arg(go)])
		return step_far(w, depth, byte);
	to->at = auto_arg(go);
	to->from = from->from;
	to->rest = from->rest;
	to->compared = from->compared;
	return true;
}

/* ---- plain states ---- */

/* Every plain token may come, of at most so many characters as there is room for. */
static bool is_plain(const MaskWalk *w, uint32_t depth, uint32_t *room)
{
	const AutoState *s = &w->p.m->state[w->step[depth].at];
	const AutoLimit *limit = &w->p.m->limit[s->limit];
	if (!(s->flags & AUTO_PLAIN) || (w->exact && !(s->flags & AUTO_SAME)))
		return false;
	*room = UINT32_MAX;
	if (!s->limit)
		return true;
	uint64_t used = (uint64_t)w->step[w->step[depth].from].cursor.n + s->tail;
	if (used > limit->max || (w->exact && used < limit->min))
		return false;
	if (limit->max != UINT32_MAX)
		*room = limit->max - (uint32_t)used;
	return *room >= w->plan->trie->max_chars || w->plan->trie->max_chars < CHARS_CAPPED;
}

static bool is_wholly_plain(const MaskWalk *w, uint32_t depth)
{
	uint32_t room;
	return is_plain(w, depth, &room) && room >= w->plan->trie->max_chars;
}

/* What plain tokens leave to be closed: another plain state may cost more than this one. */
static bool can_close_plain(MaskWalk *w, uint32_t depth)
{
	const MaskStep *s = &w->step[depth];
	if (w->exact)
		return can_close(w, depth);
	note_cost(w, s->rest > UINT32_MAX - w->plan->cost ? UINT32_MAX : s->rest + w->plan->cost);
	return true;
}

static void take_plain(MaskWalk *w, uint32_t room)
{
	const TokenTrie *t = w->plan->trie;
	if (!can_close_plain(w, 0))
		return;
	memcpy(w->mask, t->plain_mask, t->n_word * sizeof *w->mask);
	for (uint32_t i = 0; i < t->plain.n && room < t->max_chars; i++)
		if (t->plain.chars[i] > room)
			w->mask[t->plain.id[i] >> 6] &= ~((uint64_t)1 << (t->plain.id[i] & 63));
}

/* ---- lists ---- */

/* Sets those from place i on that share more than depth bytes with it; the first place behind them. */
static uint32_t take_shared(MaskWalk *w, const TokenList *l, uint32_t i, uint32_t hi, uint32_t depth)
{
	bool ok = can_close_plain(w, depth);
	do {
		if (ok)
			set_bit(w->mask, l->id[i]);
	} while (++i < hi && l->shared[i] >= depth);
	return i;
}

/* Places lo to hi, all of which share their first byte. */
static void walk_range(MaskWalk *w, const TokenList *l, uint32_t lo, uint32_t hi)
{
	uint32_t alive = 0;
	bool is_plain_list = l == &w->plan->trie->plain;
	for (uint32_t i = lo; i < hi;) {
		uint32_t at = i == lo ? 0 : l->shared[i], n = l->off[i + 1] - l->off[i];
		const char *text = l->text + l->off[i];
		bool took = false;
		if (at > alive) {
			i++;
			continue;
		}
		for (; at < n && !took && step_at(w, at, (uint8_t)text[at]); at++)
			took = is_plain_list && is_wholly_plain(w, at + 1);
		alive = at;
		if (took) {
			i = take_shared(w, l, i, hi, at);
			continue;
		}
		if (at == n)
			allow(w, l->id[i], n);
		i++;
	}
}

static void walk_list(MaskWalk *w, const TokenList *l)
{
	const Automaton *m = w->p.m;
	const AutoState *s = &m->state[w->step[0].at];
	bool only_edges = s->n_edge != AUTO_WIDE && !(s->flags & AUTO_ENDS);
	for (uint32_t e = 0; only_edges && e < s->n_edge; e++)
		for (uint32_t b = m->edge[s->edge + e].lo; b <= m->edge[s->edge + e].hi; b++)
			walk_range(w, l, l->lead[b], l->lead[b + 1]);
	for (uint32_t b = 0; !only_edges && b < 256; b++)
		if (l->lead[b] < l->lead[b + 1])
			walk_range(w, l, l->lead[b], l->lead[b + 1]);
}

void mask_walk(MaskWalk *w, const AutomatonCursor *cursor)
{
	uint32_t room;
	memset(w->mask, 0, w->plan->trie->n_word * sizeof *w->mask);
	w->step[0].cursor = *cursor;
	w->step[0].compared = false;
	settle_step(w, 0);
	if (is_plain(w, 0, &room))
		take_plain(w, room);
	else
		walk_list(w, &w->plan->trie->plain);
	walk_list(w, &w->plan->trie->other);
}
