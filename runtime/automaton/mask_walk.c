/* See mask_walk.h. Two shortcuts for free strings, where half of all time would go: from a plain state every
 * plain token is allowed, so its list is not walked, or not beyond the byte that came there; and a state in
 * which only few bytes do not lead to a plain one takes the plain mask and mends it. */
#include "runtime/automaton/mask_walk.h"

enum { CHARS_CAPPED = 255 };

static void set_bit(uint64_t *mask, uint32_t id) { mask[id >> 6] |= (uint64_t)1 << (id & 63); }

static void clear_bit(uint64_t *mask, uint32_t id) { mask[id >> 6] &= ~((uint64_t)1 << (id & 63)); }

/* True if what is then to be closed fits. */
static bool can_close(MaskWalk *w, const AutomatonCursor *c)
{
	uint32_t closing = step_closing(&w->p, c);
	if (w->left != UINT32_MAX && closing >= w->left)
		return false;
	if (closing > w->dearest)
		w->dearest = closing;
	return true;
}

static void allow(MaskWalk *w, uint32_t id, uint32_t depth)
{
	if (!can_close(w, &w->cursor[depth]))
		return;
	set_bit(w->mask, id);
	if (w->compared[depth]) {
		if (w->n_retest < w->retest_max)
			w->retest[w->n_retest] = id;
		w->n_retest++;
	}
}

/* Characters that may come in a plain state, and whether all that they change is that number. */
static bool is_plain(const MaskWalk *w, const AutomatonCursor *c, uint32_t *room)
{
	const AutoState *s = &w->p.m->state[c->at];
	const AutoLimit *limit = &w->p.m->limit[s->limit];
	uint64_t used = (uint64_t)c->n + s->tail;
	if (!(s->flags & AUTO_PLAIN) || used > limit->max || (w->left != UINT32_MAX && used < limit->min))
		return false;
	*room = limit->max == UINT32_MAX ? UINT32_MAX : limit->max - (uint32_t)used;
	return *room >= w->trie->max_chars || w->trie->max_chars < CHARS_CAPPED;
}

/* Steps the depth-th byte of a token. */
static bool step_at(MaskWalk *w, uint32_t depth, uint8_t byte)
{
	AutomatonCursor *c = &w->cursor[depth + 1];
	*c = w->cursor[depth];
	w->p.compared = false;
	bool ok = step_byte(&w->p, c, byte);
	w->compared[depth + 1] = w->compared[depth] || w->p.compared;
	return ok;
}

/* Places lo to hi, all of which share their first byte. */
static void walk_range(MaskWalk *w, const TokenList *l, uint32_t lo, uint32_t hi)
{
	uint32_t alive = 0, room;
	bool is_plain_list = l == &w->trie->plain;
	for (uint32_t i = lo; i < hi; i++) {
		uint32_t at = i == lo ? 0 : l->shared[i], n = l->off[i + 1] - l->off[i];
		const char *text = l->text + l->off[i];
		if (at > alive)
			continue;
		for (; at < n && step_at(w, at, (uint8_t)text[at]); at++)
			if (is_plain_list && is_plain(w, &w->cursor[at + 1], &room) && room >= w->trie->max_chars)
				break;
		alive = at;
		if (at == n) {
			allow(w, l->id[i], n);
		} else if (is_plain_list && is_plain(w, &w->cursor[at + 1], &room) && room >= w->trie->max_chars) {
			bool ok = can_close(w, &w->cursor[at + 1]);
			do {
				if (ok)
					set_bit(w->mask, l->id[i]);
			} while (++i < hi && l->shared[i] > at);
			i--;
		}
	}
}

static void walk_list(MaskWalk *w, const TokenList *l)
{
	const Automaton *m = w->p.m;
	const AutoState *s = &m->state[w->cursor[0].at];
	bool only_edges = s->n_edge != AUTO_WIDE && !(s->flags & AUTO_ENDS);
	for (uint32_t e = 0; only_edges && e < s->n_edge; e++)
		for (uint32_t b = m->edge[s->edge + e].lo; b <= m->edge[s->edge + e].hi; b++)
			walk_range(w, l, l->lead[b], l->lead[b + 1]);
	for (uint32_t b = 0; !only_edges && b < 256; b++)
		if (l->lead[b] < l->lead[b + 1])
			walk_range(w, l, l->lead[b], l->lead[b + 1]);
}

static void take_plain(MaskWalk *w, uint32_t room)
{
	const TokenList *l = &w->trie->plain;
	if (!can_close(w, &w->cursor[0]))
		return;
	if (room >= w->trie->max_chars) {
		memcpy(w->mask, w->trie->plain_mask, w->trie->n_word * sizeof *w->mask);
		return;
	}
	for (uint32_t i = 0; i < l->n; i++)
		if (l->chars[i] <= room)
			set_bit(w->mask, l->id[i]);
}

/* The first byte leads to a plain state that has room for every token. */
static bool leads_to_plain(MaskWalk *w, uint32_t byte)
{
	uint32_t room;
	return step_at(w, 0, (uint8_t)byte) && is_plain(w, &w->cursor[1], &room) && room >= w->trie->max_chars
		&& can_close(w, &w->cursor[1]);
}

/* True if the plain list was done so. */
static bool mend_plain(MaskWalk *w)
{
	const TokenList *l = &w->trie->plain;
	bool plain[128];
	uint32_t n = 0;
	if (w->p.m->state[w->cursor[0].at].n_edge != AUTO_WIDE)
		return false;
	for (uint32_t b = 0; b < 128; b++) {
		plain[b] = l->lead[b] < l->lead[b + 1] && leads_to_plain(w, b);
		n += plain[b] ? l->lead[b + 1] - l->lead[b] : 0;
	}
	if (n < l->n / 2)
		return false;
	memcpy(w->mask, w->trie->plain_mask, w->trie->n_word * sizeof *w->mask);
	for (uint32_t b = 0; b < 256; b++) {
		if (b < 128 && plain[b])
			continue;
		for (uint32_t i = l->lead[b]; i < l->lead[b + 1]; i++)
			clear_bit(w->mask, l->id[i]);
		walk_range(w, l, l->lead[b], l->lead[b + 1]);
	}
	return true;
}

void mask_walk(MaskWalk *w)
{
	uint32_t room;
	memset(w->mask, 0, w->trie->n_word * sizeof *w->mask);
	w->compared[0] = false;
	if (is_plain(w, &w->cursor[0], &room))
		take_plain(w, room);
	else if (!mend_plain(w))
		walk_list(w, &w->trie->plain);
	walk_list(w, &w->trie->other);
}
