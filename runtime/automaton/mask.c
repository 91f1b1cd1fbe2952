/* Masks are kept by what they depended on: the state, how far its counter is from its limits, and as many
 * frames as some token returned from. A key begins with the state; an entry holds the mask, or says that one
 * more frame is to be looked at.
 *
 * note [names] Whether an object has a name already is in no key. Masks are made as if it had none, with the
 * tokens in which a name comes to its end kept beside them, and where there are names those few are tried.
 *
 * note [limits] A mask is made without regard to the tokens left, with the most that is to be closed behind
 * any token. Where that does not fit, and near the greatest depth, tokens are walked anew. */
#include "runtime/automaton/mask.h"

#include <stdlib.h>

#include "runtime/automaton/mask_costs.h"
#include "runtime/automaton/mask_walk.h"

enum {
	SLOTS = 4096, ENTRIES_MAX = SLOTS / 2, KEY_WORDS = 1 << 16, RETEST_WORDS = 1 << 16, MASK_BYTES = 8 << 20, MASKS_MIN = 32,
	KEY_MAX = 5 + 3 * AUTOMATON_DEPTH_MAX, DEEPER = UINT32_MAX, FORCED_BYTES = 256,
};

typedef struct Entry {
	uint32_t key, n_key;         /* in keys */
	uint32_t mask;               /* which one, or DEEPER: add a frame to the key */
	uint32_t rise;               /* tokens that a token at the most adds to what is to be closed */
	uint32_t depth;              /* frames that tokens ask for */
	uint32_t retest, n_retest;   /* in retests */
} Entry;

struct AutomatonMasks {
	const Automaton *m;
	const TokenTrie *trie;
	uint32_t *end, n_end;
	MaskCosts costs;
	MaskPlan plan;
	MaskStep *step;              /* while tokens are walked */
	AutomatonFrame *frame;       /* a copy of the state's, with room for a token's */
	AutomatonName *name;
	uint32_t n_frame, n_name, max_tail;
	uint64_t *scratch;           /* the mask that is handed out when a kept one is not the answer */
	uint64_t *kept;
	uint32_t n_kept, kept_max;
	Entry *entry;
	uint32_t *slot, n_entry;     /* entry + 1, open addressing */
	uint32_t *keys, n_keys, *retests, n_retests;
	bool was_near_limit;
};

static void set_bit(uint64_t *mask, uint32_t id) { mask[id >> 6] |= (uint64_t)1 << (id & 63); }

static void clear_bit(uint64_t *mask, uint32_t id) { mask[id >> 6] &= ~((uint64_t)1 << (id & 63)); }

static size_t mask_bytes(const AutomatonMasks *x) { return x->trie->n_word * sizeof(uint64_t); }

/* What a simple step leaves alone: counters, names that are few, the stack. The hash of a name matters only to other
 * names, of which masks that are kept know nothing. */
static void make_plan(AutomatonMasks *x)
{
	const Automaton *m = x->m;
	x->plan = (MaskPlan){ .m = m, .trie = x->trie, .costs = { x->costs.state, x->costs.site }, .is_simple = mem_must_alloc(m->n_state * sizeof *x->plan.is_simple) };
	for (uint32_t i = 0; i < m->n_state; i++) {
		const AutoState *s = &m->state[i];
		bool simple = !s->limit && !(s->flags & AUTO_SCARCE);
		x->plan.is_simple[i] = simple;
		if (s->limit && s->tail > x->max_tail)
			x->max_tail = s->tail;
		if (simple && s->need > x->plan.need)
			x->plan.need = s->need;
		if (s->flags & AUTO_PLAIN && x->costs.state[i] > x->plan.cost)
			x->plan.cost = x->costs.state[i];
	}
}

AutomatonMasks *automaton_masks_new(const Automaton *m, const TokenTrie *trie, const uint32_t *end, uint32_t n_end)
{
	AutomatonMasks *x = mem_must_alloc(sizeof *x);
	*x = (AutomatonMasks){ .m = m, .trie = trie, .n_end = n_end };
	x->n_frame = AUTOMATON_DEPTH_MAX + trie->max_bytes + 1;
	x->n_name = AUTOMATON_NAMES_MAX + trie->max_bytes + 1;
	x->kept_max = (uint32_t)(MASK_BYTES / (mask_bytes(x) + 1));
	if (x->kept_max < MASKS_MIN)
		x->kept_max = MASKS_MIN;
	if (x->kept_max > ENTRIES_MAX)
		x->kept_max = ENTRIES_MAX;
	x->end = mem_must_alloc((n_end + 1) * sizeof *x->end);
	if (n_end)
		memcpy(x->end, end, n_end * sizeof *end);
	mask_costs_init(&x->costs, m, trie->vocab);
	make_plan(x);
	x->step = mem_must_alloc((trie->max_bytes + 1) * sizeof *x->step);
	x->frame = mem_must_alloc(x->n_frame * sizeof *x->frame);
	x->name = mem_must_alloc(x->n_name * sizeof *x->name);
	x->scratch = mem_must_alloc(mask_bytes(x) + 1);
	x->kept = mem_must_alloc(mask_bytes(x) * x->kept_max + 1);
	x->entry = mem_must_alloc(ENTRIES_MAX * sizeof *x->entry);
	x->slot = mem_must_alloc(SLOTS * sizeof *x->slot);
	x->keys = mem_must_alloc(KEY_WORDS * sizeof *x->keys);
	x->retests = mem_must_alloc(RETEST_WORDS * sizeof *x->retests);
	memset(x->slot, 0, SLOTS * sizeof *x->slot);
	return x;
}

void automaton_masks_free(AutomatonMasks *x)
{
	if (!x)
		return;
	void *const part[] = { x->end, x->costs.state, x->costs.site, x->plan.is_simple, x->step, x->frame, x->name, x->scratch, x->kept, x->entry, x->slot, x->keys,
	                       x->retests, x };
	for (size_t i = 0; i < sizeof part / sizeof *part; i++)
		free(part[i]);
}

/* ---- keys ---- */

/* How far the counter is from its limits, as far as one token can tell. */
static void put_distance(const AutomatonMasks *x, uint32_t state, uint32_t n, uint32_t *key, uint32_t *n_key)
{
	const AutoLimit *limit = &x->m->limit[x->m->state[state].limit];
	uint32_t cap = x->trie->max_bytes + x->max_tail + 1;
	uint32_t room = limit->max == UINT32_MAX ? UINT32_MAX : limit->max - (n < limit->max ? n : limit->max);
	uint32_t missing = n < limit->min ? limit->min - n : 0;
	key[(*n_key)++] = room < cap ? room : UINT32_MAX;
	key[(*n_key)++] = missing < cap ? missing : UINT32_MAX;
}

static void put_frame(const AutomatonMasks *x, const AutomatonFrame *f, uint32_t *key, uint32_t *n_key)
{
	const AutoSite *site = &x->m->site[f->site];
	key[(*n_key)++] = f->site;
	if (site->n_next)
		put_distance(x, x->m->next[site->next], f->n, key, n_key);
}

static uint32_t *find_slot(const AutomatonMasks *x, const uint32_t *key, uint32_t n)
{
	uint64_t h = n;
	for (uint32_t i = 0; i < n; i++)
		h = (h ^ key[i]) * 0x9e3779b97f4a7c15u ^ h >> 29;
	for (uint32_t at = (uint32_t)(h >> 32);; at++) {
		uint32_t *s = &x->slot[at % SLOTS];
		if (!*s)
			return s;
		const Entry *e = &x->entry[*s - 1];
		if (e->n_key == n && !memcmp(x->keys + e->key, key, n * sizeof *key))
			return s;
	}
}

/* The entry for where the state stands; NULL if there is none. The key and where each of its levels ends stay. */
static Entry *find_entry(const AutomatonMasks *x, const AutomatonState *s, uint32_t *key, uint32_t *n_key)
{
	uint32_t frame = s->cursor.frame;
	*n_key = 0;
	key[(*n_key)++] = s->cursor.at;
	put_distance(x, s->cursor.at, s->cursor.n, key, n_key);
	for (;;) {
		uint32_t slot = *find_slot(x, key, *n_key);
		if (!slot || x->entry[slot - 1].mask != DEEPER)
			return slot ? &x->entry[slot - 1] : NULL;
		if (frame == AUTOMATON_NONE)
			return NULL;
		put_frame(x, &s->frame[frame], key, n_key);
		frame = s->frame[frame].up;
	}
}

/* ---- making ---- */

static void forget_all(AutomatonMasks *x)
{
	memset(x->slot, 0, SLOTS * sizeof *x->slot);
	x->n_entry = x->n_kept = x->n_keys = x->n_retests = 0;
}

static Entry *add_entry(AutomatonMasks *x, const uint32_t *key, uint32_t n_key)
{
	uint32_t *slot = find_slot(x, key, n_key);
	if (*slot)
		return &x->entry[*slot - 1];
	Entry *e = &x->entry[x->n_entry++];
	*slot = x->n_entry;
	*e = (Entry){ .key = x->n_keys, .n_key = n_key, .mask = DEEPER };
	memcpy(x->keys + x->n_keys, key, n_key * sizeof *key);
	x->n_keys += n_key;
	return e;
}

static void begin_walk(AutomatonMasks *x, const AutomatonState *s, MaskWalk *w, uint64_t *mask, uint32_t left)
{
	*w = (MaskWalk){ .plan = &x->plan, .step = x->step, .mask = mask, .left = left };
	w->p = (StepPlace){ .m = x->m, .costs = &x->plan.costs, .frame = x->frame, .name = x->name, .n_frame = x->n_frame, .n_name = x->n_name,
	                    .lowest = s->cursor.depth };
	memcpy(x->frame, s->frame, s->cursor.top * sizeof *x->frame);
}

/* The answer for this state alone. */
static const uint64_t *walk_once(AutomatonMasks *x, const AutomatonState *s, uint32_t left)
{
	MaskWalk w;
	begin_walk(x, s, &w, x->scratch, left);
	w.exact = true;
	w.p.n_name = AUTOMATON_NAMES_MAX + 1;
	memcpy(x->name, s->name, s->cursor.n_name * sizeof *x->name);
	mask_walk(&w, &s->cursor);
	return x->scratch;
}

/* Makes the entry of a state; NULL where the answer depends on more than a key holds. */
static Entry *make_entry(AutomatonMasks *x, const AutomatonState *s)
{
	uint32_t key[KEY_MAX], n_key = 0, frame = s->cursor.frame, levels;
	if (x->n_kept == x->kept_max || x->n_entry + AUTOMATON_DEPTH_MAX + 2 > ENTRIES_MAX
		|| x->n_keys + (AUTOMATON_DEPTH_MAX + 1) * KEY_MAX > KEY_WORDS || x->n_retests > RETEST_WORDS / 2)
		forget_all(x);
	MaskWalk w;
	begin_walk(x, s, &w, x->kept + (size_t)x->n_kept * x->trie->n_word, AUTOMATON_NO_LIMIT);
	w.retest = x->retests + x->n_retests;
	w.retest_max = RETEST_WORDS - x->n_retests;
	AutomatonCursor at = s->cursor;
	at.name = AUTOMATON_NONE;
	at.n_name = 0;
	for (uint32_t i = 0; i < s->cursor.depth; i++)
		x->frame[i].name = AUTOMATON_NONE;
	uint32_t before = step_closing(&w.p, &at);
	mask_walk(&w, &at);
	if (w.p.highest > AUTOMATON_DEPTH_MAX || w.p.collided || w.n_retest > w.retest_max)
		return NULL;
	levels = s->cursor.depth - w.p.lowest;
	key[n_key++] = s->cursor.at;
	put_distance(x, s->cursor.at, s->cursor.n, key, &n_key);
	for (uint32_t i = 0; i < levels; i++) {
		add_entry(x, key, n_key);
		put_frame(x, &s->frame[frame], key, &n_key);
		frame = s->frame[frame].up;
	}
	Entry *e = add_entry(x, key, n_key);
	e->mask = x->n_kept++;
	e->rise = w.dearest > before ? w.dearest - before : 0;
	e->depth = w.p.highest > s->cursor.depth ? w.p.highest - s->cursor.depth : 0;
	e->retest = x->n_retests;
	e->n_retest = w.n_retest;
	x->n_retests += w.n_retest;
	return e;
}

/* ---- answers ---- */

/* The kept mask less the tokens that would write a name twice. */
static const uint64_t *try_names(AutomatonMasks *x, const AutomatonState *s, const Entry *e, const uint64_t *mask)
{
	StepPlace p = { .m = x->m, .frame = x->frame, .name = x->name, .n_frame = x->n_frame, .n_name = AUTOMATON_NAMES_MAX + 1 };
	memcpy(x->frame, s->frame, s->cursor.top * sizeof *x->frame);
	memcpy(x->name, s->name, s->cursor.n_name * sizeof *x->name);
	memcpy(x->scratch, mask, mask_bytes(x));
	for (uint32_t i = 0; i < e->n_retest; i++) {
		uint32_t id = x->retests[e->retest + i];
		Str text = token_trie_text(x->trie, id);
		AutomatonCursor c = s->cursor;
		bool ok = true;
		for (size_t j = 0; j < text.n && ok; j++)
			ok = step_byte(&p, &c, (uint8_t)text.p[j]);
		if (!ok)
			clear_bit(x->scratch, id);
	}
	return x->scratch;
}

static const uint64_t *allow_ends(AutomatonMasks *x, const uint64_t *mask)
{
	if (mask != x->scratch)
		memcpy(x->scratch, mask, mask_bytes(x));
	for (uint32_t i = 0; i < x->n_end; i++)
		if (x->end[i] < x->trie->vocab->n_token)
			set_bit(x->scratch, x->end[i]);
	return x->scratch;
}

const uint64_t *automaton_mask(AutomatonMasks *x, const AutomatonState *s, uint32_t left)
{
	uint32_t key[KEY_MAX], n_key;
	const uint64_t *mask;
	Entry *e = find_entry(x, s, key, &n_key);
	if (!e)
		e = make_entry(x, s);
	uint64_t dearest = e ? (uint64_t)automaton_closing_tokens(x, s) + e->rise + AUTO_CLOSE_SPARE : 0;
	x->was_near_limit = left != AUTOMATON_NO_LIMIT && (!e || dearest >= left);
	if (!e || s->cursor.depth + e->depth > AUTOMATON_DEPTH_MAX || x->was_near_limit) {
		mask = walk_once(x, s, left);
	} else {
		mask = x->kept + (size_t)e->mask * x->trie->n_word;
		if (s->cursor.n_name && e->n_retest)
			mask = try_names(x, s, e, mask);
	}
	return x->n_end && automaton_is_complete(s) ? allow_ends(x, mask) : mask;
}

bool automaton_mask_was_near_limit(const AutomatonMasks *x) { return x->was_near_limit; }

uint32_t automaton_closing_tokens(const AutomatonMasks *x, const AutomatonState *s)
{
	StepPlace p = { .m = x->m, .costs = &x->plan.costs, .frame = (AutomatonFrame *)s->frame, .name = (AutomatonName *)s->name };
	return step_closing(&p, &s->cursor);
}

size_t automaton_forced_tokens(const AutomatonState *s, Encoder *e, uint32_t *ids, size_t room)
{
	char bytes[FORCED_BYTES];
	Str forced = { bytes, automaton_forced(s, bytes, FORCED_BYTES) };
	AutomatonState after;
	automaton_copy(&after, s);
	bool is_all = automaton_accept_bytes(&after, forced) && after.m->state[after.cursor.at].flags & AUTO_LAST;
	size_t end = is_all ? forced.n : token_cut_last(e, forced, 0);  /* all: nothing follows */
	uint32_t *all = mem_must_alloc(token_bound(encoder_vocab(e), end) * sizeof *all);
	size_t n = token_encode(e, str_sub(forced, 0, end), all);
	n = n < room ? n : room;
	memcpy(ids, all, n * sizeof *ids);
	free(all);
	return n;
}

bool automaton_accept(AutomatonMasks *x, AutomatonState *s, uint32_t token)
{
	Str text = token_trie_text(x->trie, token);
	return text.n && automaton_accept_bytes(s, text);
}
