/* One sequence: what it matches, reserves, commits and gives back. */
#include <assert.h>

#include "runtime/kv/kv_pool.h"

static KvSlot *slot_of(const KvSequence *s) { return &s->pool->slot[s->id]; }
static uint32_t sealed_blocks(const KvSequence *s) { return s->n_token / KV_BLOCK; }
/* Its scale would need the whole prefill: never shared. */
static bool is_shared(const KvPool *p) { return p->shape.format != KV_SEED4; }

KvSequence *kv_sequence_new(KvPool *p, uint32_t group)
{
	if (group >= p->n_group)
		return NULL;
	const KvGroup *g = &p->group[group].group;
	for (uint32_t i = g->slot_lo; i <= g->slot_hi; i++) {
		KvSlot *slot = &p->slot[i];
		if (slot->is_taken)
			continue;
		slot->is_taken = true;
		slot->begun = p->tick;
		slot->s = (KvSequence){ .pool = p, .id = i, .group = group, .block = slot->s.block, .local = slot->s.local,
		                        .chain = p->group[group].root };
		return &slot->s;
	}
	return NULL;
}

/* From the end, so that leaves become evictable before what they hang on; of local layers from the front, so that what
 * is left of them is a window still. */
static void keep_blocks(KvSequence *s, uint32_t n)
{
	for (uint32_t b = n; b < s->n_block; b++)
		if (s->local[b] != KV_NONE)
			kv_block_release(s->pool, s->local[b]);
	while (s->n_block > n)
		kv_block_release(s->pool, s->block[--s->n_block]);
}

void kv_sequence_free(KvSequence *s)
{
	keep_blocks(s, 0);
	slot_of(s)->is_taken = false;
}

static void push_block(KvSequence *s, uint32_t id, uint32_t local)
{
	KvSlot *slot = slot_of(s);
	if (s->n_block == slot->cap) {
		slot->cap = slot->cap ? 2 * slot->cap : 16;
		s->block = mem_must_grow(s->block, slot->cap * sizeof *s->block);
		s->local = mem_must_grow(s->local, slot->cap * sizeof *s->local);
	}
	s->local[s->n_block] = local;
	s->block[s->n_block++] = id;
}

/* ---- windows ---- */

/* Whether a block of local layers is held, or can be found by its twin. */
static bool has_local(const KvPool *p, uint32_t block, uint32_t local)
{
	uint32_t twin = kv_block(p, block)->twin;
	return local != KV_NONE || (twin != KV_NONE && !kv_block_expired(p, kv_block(p, twin)));
}

uint32_t kv_with_window(const KvPool *p, const uint32_t *block, const uint32_t *local, uint32_t n)
{
	for (uint32_t b = n; kv_has_local(p) && b-- > kv_window_first(&p->shape, n);)
		if (!has_local(p, block[b], local[b]))
			n = b;
	return n;
}

/* Holds the window of what comes behind n blocks: kv_with_window. */
static void window_begin(KvSequence *s, uint32_t n)
{
	uint32_t lo = kv_window_first(&s->pool->shape, n);
	for (uint32_t b = lo; b < n && kv_has_local(s->pool); b++)
		if (s->local[b] == KV_NONE) {
			s->local[b] = kv_block(s->pool, s->block[b])->twin;
			kv_block_hold(s->pool, s->local[b]);
			kv_block_use(s->pool, s->local[b], slot_of(s)->begun);
		}
	s->local_lo = lo;
}

static void window_move(KvSequence *s)
{
	uint32_t lo = kv_window_first(&s->pool->shape, sealed_blocks(s));
	for (; s->local_lo < lo; s->local_lo++) {
		kv_block_leave(s->pool, s->local[s->local_lo], s->local_lo);
		s->local[s->local_lo] = KV_NONE;
	}
}

/* ---- tokens ---- */

void kv_sequence_ids(const KvSequence *s, uint32_t *ids)
{
	uint32_t n = sealed_blocks(s);
	for (uint32_t b = 0; b < n; b++)
		memcpy(ids + (size_t)b * KV_BLOCK, kv_block(s->pool, s->block[b])->ids, sizeof(uint32_t) * KV_BLOCK);
	memcpy(ids + (size_t)n * KV_BLOCK, slot_of(s)->open_ids, (s->n_token % KV_BLOCK) * sizeof *ids);
}

/* Behind n sealed blocks. */
static KvHash chain_at(const KvSequence *s, uint32_t n)
{
	return n && is_shared(s->pool) ? kv_block(s->pool, s->block[n - 1])->hash : s->pool->group[s->group].root;
}

uint32_t kv_sequence_match(KvSequence *s, const uint32_t *ids, uint32_t n)
{
	KvPool *p = s->pool;
	assert(!s->n_token && !s->n_block);
	slot_of(s)->begun = ++p->tick;
	p->group[s->group].likeness = kv_likeness(ids, n < 256 ? n : 256);
	uint32_t parent = KV_NONE;
	KvHash chain = s->chain;
	for (uint32_t at = 0; is_shared(p) && at + KV_BLOCK < n; at += KV_BLOCK) {
		chain = kv_hash_block(chain, ids + at);
		parent = kv_table_find(p, s->group, parent, chain, ids + at);
		if (parent == KV_NONE || kv_block_expired(p, kv_block(p, parent)))
			break;
		push_block(s, parent, KV_NONE);
	}
	s->n_block = kv_with_window(p, s->block, s->local, s->n_block);
	for (uint32_t b = 0; b < s->n_block; b++) {
		kv_block_hold(p, s->block[b]);
		kv_block_use(p, s->block[b], p->tick);
	}
	window_begin(s, s->n_block);
	s->chain = chain_at(s, s->n_block);
	s->n_token = s->n_block * KV_BLOCK;
	p->counts.n_hit_tok += s->n_token;
	p->counts.n_miss_tok += n - s->n_token;
	return s->n_token;
}

/* For block b of a sequence: kv_can_evict. */
static uint32_t take(KvPool *p, uint32_t b, bool is_local)
{
	KvSlabIndex slab = kv_slab_for(p, b, is_local);
	kv_evict(p, slab, 1);
	return kv_block_take(p, slab);
}

bool kv_sequence_reserve(KvSequence *s, uint32_t n_more)
{
	KvPool *p = s->pool;
	if (n_more > UINT32_MAX - KV_BLOCK - s->n_token)
		return false;
	uint32_t want = (s->n_token + n_more) / KV_BLOCK, first = !s->n_block && want && p->slab[SLAB_FIRST].n;
	if (want <= s->n_block)
		return true;
	for (int is_local = 0; is_local <= kv_has_local(p); is_local++)
		if (!kv_can_evict(p, kv_slab_for(p, 0, is_local), first) ||
		    !kv_can_evict(p, kv_slab_for(p, 1, is_local), want - s->n_block - first))
			return false;
	/* One by one: those that go lie in their order, and so will those that come. Blocks below a first block that goes are
	 * free then, so first blocks cost none. */
	while (s->n_block < want) {
		uint32_t id = take(p, s->n_block, false), local = kv_has_local(p) ? take(p, s->n_block, true) : KV_NONE;
		push_block(s, id, local);
	}
	return true;
}

/* A block that was computed anew, to the same bits: note [hit equals miss]. The sequence holds it instead of *mine. */
static void use_there(KvPool *p, uint32_t there, uint32_t *mine, uint64_t tick)
{
	kv_block(p, there)->made_s = p->now_s;
	kv_block_hold(p, there);
	kv_block_use(p, there, tick);
	kv_block_release(p, *mine);
	*mine = there;
}

/* The open block is full: its bytes are those of an equal block that is there, or become the table's. */
static void seal_open(KvSequence *s, uint32_t b, const uint32_t ids[KV_BLOCK])
{
	KvPool *p = s->pool;
	if (!is_shared(p))
		return;
	uint32_t parent = b ? s->block[b - 1] : KV_NONE;
	s->chain = kv_hash_block(s->chain, ids);
	uint32_t there = kv_table_find(p, s->group, parent, s->chain, ids);
	if (there == KV_NONE)
		kv_block_seal(p, s->block[b], s->group, parent, s->chain, ids);
	else
		use_there(p, there, &s->block[b], p->tick);
	if (s->local[b] == KV_NONE)
		return;
	uint32_t twin = kv_block(p, s->block[b])->twin;
	if (twin == KV_NONE)
		kv_block_seal_local(p, s->local[b], s->block[b], slot_of(s)->begun);
	else
		use_there(p, twin, &s->local[b], slot_of(s)->begun);
}

void kv_sequence_commit(KvSequence *s, const uint32_t *ids, uint32_t n)
{
	KvSlot *slot = slot_of(s);
	s->pool->tick++;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = s->n_token++ % KV_BLOCK;
		slot->open_ids[at] = ids[i];
		if (at == KV_BLOCK - 1) {
			assert(sealed_blocks(s) <= s->n_block);
			seal_open(s, sealed_blocks(s) - 1, slot->open_ids);
		}
	}
	window_move(s);
}

uint32_t kv_sequence_rewind(KvSequence *s, uint32_t n_keep)
{
	uint32_t n_sealed = sealed_blocks(s), keep = n_keep / KV_BLOCK;
	if (n_keep >= s->n_token)
		n_keep = s->n_token, keep = n_sealed;
	else if (keep < n_sealed)
		n_keep = keep * KV_BLOCK;
	keep_blocks(s, keep);
	uint32_t n_whole = kv_with_window(s->pool, s->block, s->local, keep);
	if (n_whole < keep)
		n_keep = n_whole * KV_BLOCK;
	keep_blocks(s, n_whole);
	window_begin(s, n_whole);
	s->n_token = n_keep;
	s->chain = chain_at(s, n_whole);
	return n_keep;
}
