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
		slot->s = (KvSequence){ .pool = p, .id = i, .group = group, .block = slot->s.block, .chain = p->group[group].root };
		return &slot->s;
	}
	return NULL;
}

/* From the end, so that leaves become evictable before what they hang on. */
static void keep_blocks(KvSequence *s, uint32_t n)
{
	while (s->n_block > n)
		kv_block_release(s->pool, s->block[--s->n_block]);
}

void kv_sequence_free(KvSequence *s)
{
	keep_blocks(s, 0);
	slot_of(s)->is_taken = false;
}

static void push_block(KvSequence *s, uint32_t id)
{
	KvSlot *slot = slot_of(s);
	if (s->n_block == slot->cap) {
		slot->cap = slot->cap ? 2 * slot->cap : 16;
		s->block = mem_must_grow(s->block, slot->cap * sizeof *s->block);
	}
	s->block[s->n_block++] = id;
}

void kv_sequence_ids(const KvSequence *s, uint32_t *ids)
{
	uint32_t n = sealed_blocks(s);
	for (uint32_t b = 0; b < n; b++)
		memcpy(ids + (size_t)b * KV_BLOCK, kv_block(s->pool, s->block[b])->ids, sizeof(uint32_t) * KV_BLOCK);
	memcpy(ids + (size_t)n * KV_BLOCK, slot_of(s)->open_ids, (s->n_token % KV_BLOCK) * sizeof *ids);
}

uint32_t kv_sequence_match(KvSequence *s, const uint32_t *ids, uint32_t n)
{
	KvPool *p = s->pool;
	assert(!s->n_token && !s->n_block);
	p->tick++;
	p->group[s->group].likeness = kv_likeness(ids, n < 256 ? n : 256);
	uint32_t parent = KV_NONE, at = 0;
	for (; is_shared(p) && at + KV_BLOCK < n; at += KV_BLOCK) {
		KvHash next = kv_hash_block(s->chain, ids + at);
		uint32_t id = kv_table_find(p, s->group, parent, next, ids + at);
		if (id == KV_NONE || kv_block_expired(p, kv_block(p, id)))
			break;
		kv_block_hold(p, id);
		kv_block_use(p, id);
		push_block(s, id);
		s->chain = next;
		parent = id;
	}
	s->n_token = at;
	p->counts.n_hit_tok += at;
	p->counts.n_miss_tok += n - at;
	return at;
}

bool kv_sequence_reserve(KvSequence *s, uint32_t n_more)
{
	KvPool *p = s->pool;
	if (n_more > UINT32_MAX - KV_BLOCK - s->n_token)
		return false;
	uint32_t want = (s->n_token + n_more) / KV_BLOCK, first = !s->n_block && want && kv_slab_for(p, 0) == SLAB_FIRST;
	if (want <= s->n_block)
		return true;
	if (!kv_can_evict(p, SLAB_FIRST, first) || !kv_can_evict(p, SLAB_REST, want - s->n_block - first))
		return false;
	/* Blocks below a first block that goes are free then, so the order costs none. */
	kv_evict(p, SLAB_FIRST, first);
	kv_evict(p, SLAB_REST, want - s->n_block - first);
	while (s->n_block < want)
		push_block(s, kv_block_take(p, kv_slab_for(p, s->n_block)));
	return true;
}

/* The open block is full: its bytes are those of an equal block that is there, or become the table's. */
static void seal_open(KvSequence *s, uint32_t b, const uint32_t ids[KV_BLOCK])
{
	KvPool *p = s->pool;
	if (!is_shared(p))
		return;
	uint32_t parent = b ? s->block[b - 1] : KV_NONE, mine = s->block[b];
	s->chain = kv_hash_block(s->chain, ids);
	uint32_t there = kv_table_find(p, s->group, parent, s->chain, ids);
	if (there == KV_NONE) {
		kv_block_seal(p, mine, s->group, parent, s->chain, ids);
		return;
	}
	kv_block(p, there)->made_s = p->now_s;  /* computed anew, to the same bits: note [hit equals miss] */
	kv_block_hold(p, there);
	kv_block_use(p, there);
	s->block[b] = there;
	kv_block_release(p, mine);
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
}

uint32_t kv_sequence_rewind(KvSequence *s, uint32_t n_keep)
{
	uint32_t n_sealed = sealed_blocks(s), keep = n_keep / KV_BLOCK;
	if (n_keep >= s->n_token)
		n_keep = s->n_token, keep = n_sealed;
	else if (keep < n_sealed)
		n_keep = keep * KV_BLOCK;
	keep_blocks(s, keep);
	s->n_token = n_keep;
	if (is_shared(s->pool))
		s->chain = keep ? kv_block(s->pool, s->block[keep - 1])->hash : s->pool->group[s->group].root;
	return n_keep;
}
