/*
 * What goes first. Each group lists what it can lose: leaves of its chains that no sequence holds, first blocks that
 * none holds (with all below them), and blocks of local layers that none holds, the longest unused in front. The group
 * that has most cached blocks to each of its slots loses one: of the first few of its list, by its policy.
 *
 * note [left behind]. Of local layers all that a request used counts as used when it began. Of these what its window left
 * goes first, in its order; then the front of the text, from its end; then the window it ended with. So what stays of a long
 * text is its front, where later stages and other values part from it, and its end, where the same text with another
 * question does and where the next turn goes on. A window with a hole is of no use, so what blocks are like does not count.
 */
#include "runtime/kv/kv_pool.h"

enum { WINDOW = 32, USE = 256 };

static KvList *list_of(KvPool *p, uint32_t id) { return &p->group[kv_block(p, id)->group].evictable[kv_slab_of(id)]; }

/* Of local layers. */
static bool goes_after(const KvBlock *there, const KvBlock *b, KvPush how)
{
	return there->used > b->used || (there->used == b->used && how != PUSH_USED && there->is_kept);
}

/* What was used goes last; a leaf that lost its children is as old as they. note [left behind] */
void kv_list_push(KvPool *p, uint32_t id, KvPush how)
{
	KvList *l = list_of(p, id);
	KvBlock *b = kv_block(p, id);
	b->is_kept = how != PUSH_LEFT;
	b->before = how == PUSH_LEAF ? KV_NONE : l->last;
	while (kv_is_local(id) && b->before != KV_NONE && goes_after(kv_block(p, b->before), b, how))
		b->before = kv_block(p, b->before)->before;
	b->after = b->before == KV_NONE ? l->first : kv_block(p, b->before)->after;
	*(b->before == KV_NONE ? &l->first : &kv_block(p, b->before)->after) = id;
	*(b->after == KV_NONE ? &l->last : &kv_block(p, b->after)->before) = id;
	b->is_listed = true;
}

void kv_list_remove(KvPool *p, uint32_t id)
{
	KvList *l = list_of(p, id);
	KvBlock *b = kv_block(p, id);
	*(b->before == KV_NONE ? &l->first : &kv_block(p, b->before)->after) = b->after;
	*(b->after == KV_NONE ? &l->last : &kv_block(p, b->after)->before) = b->before;
	b->is_listed = false;
}

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

/* 64 bits, of which two lists of ids share the more the more ids they share: each bit is what most ids say. */
uint64_t kv_likeness(const uint32_t *ids, uint32_t n)
{
	int vote[64] = { 0 };
	for (uint32_t i = 0; i < n; i++) {
		uint64_t h = mix(ids[i] + 0x9e3779b97f4a7c15u);
		for (int k = 0; k < 64; k++)
			vote[k] += h >> k & 1 ? 1 : -1;
	}
	uint64_t like = 0;
	for (int k = 0; k < 64; k++)
		like |= (uint64_t)(vote[k] > 0) << k;
	return like;
}

bool kv_block_expired(const KvPool *p, const KvBlock *b)
{
	uint64_t ttl = p->group[b->group].group.ttl_s;
	return ttl && p->now_s - b->made_s >= ttl;
}

/* Halves with each quarter of the TTL. */
static uint32_t heat_now(const KvPool *p, const KvBlock *b)
{
	uint64_t ttl = p->group[b->group].group.ttl_s, half = ttl ? ttl / 4 + 1 : 3600, n = (p->now_s - b->heat_s) / half;
	return n < 32 ? b->heat >> n : 0;
}

void kv_block_use(KvPool *p, uint32_t id, uint64_t tick)
{
	KvBlock *b = kv_block(p, id);
	uint32_t heat = heat_now(p, b);
	b->heat = heat > UINT32_MAX - USE ? heat : heat + USE;
	b->heat_s = p->now_s;
	b->used = tick;
}

/* The greatest goes first. */
static uint64_t score(const KvPool *p, const KvBlock *b, bool is_local)
{
	const KvGroupState *g = &p->group[b->group];
	if (kv_block_expired(p, b))
		return UINT64_MAX;
	if (g->group.evict == KV_EVICT_LFU)
		return UINT32_MAX - heat_now(p, b);
	uint64_t unlike = is_local ? 0 : (uint64_t)__builtin_popcountll(b->likeness ^ g->likeness);
	return (p->tick - b->used + 1) * (64 + unlike);
}

static uint32_t victim_of(const KvPool *p, const KvGroupState *g, KvSlabIndex slab)
{
	uint32_t best = KV_NONE, id = g->evictable[slab].first;
	for (int i = 0; i < WINDOW && id != KV_NONE; i++, id = kv_block(p, id)->after)
		if (best == KV_NONE || score(p, kv_block(p, id), slab >= SLAB_LOCAL) > score(p, kv_block(p, best), slab >= SLAB_LOCAL))
			best = id;
	return best;
}

static const KvGroupState *fattest_group(const KvPool *p, KvSlabIndex slab)
{
	const KvGroupState *best = NULL;
	uint64_t best_slots = 1;
	for (uint32_t i = 0; i < p->n_group; i++) {
		const KvGroupState *g = &p->group[i];
		uint64_t slots = g->group.slot_hi - g->group.slot_lo + 1;
		if (g->n_cached[slab] && (!best || g->n_cached[slab] * best_slots > best->n_cached[slab] * slots))
			best = g, best_slots = slots;
	}
	return best;
}

bool kv_can_evict(const KvPool *p, KvSlabIndex slab, uint32_t n)
{
	uint64_t cached = 0;
	for (uint32_t i = 0; i < p->n_group; i++)
		cached += p->group[i].n_cached[slab];
	return p->slab[slab].n_free + cached >= n;
}

void kv_evict(KvPool *p, KvSlabIndex slab, uint32_t n)
{
	while (p->slab[slab].n_free < n) {
		uint32_t before = p->counts.free;
		kv_block_drop(p, victim_of(p, fattest_group(p, slab), slab));
		p->counts.n_evicted += p->counts.free - before;
	}
}

void kv_pool_set_clock(KvPool *p, uint64_t now_s)
{
	p->now_s = now_s > p->now_s ? now_s : p->now_s;
	for (int s = 0; s < SLAB_COUNT; s++)
		for (uint32_t i = 0; i < p->slab[s].n; i++) {
			const KvBlock *b = &p->slab[s].block[i];
			if (b->is_sealed && !b->n_holder && kv_block_expired(p, b))
				kv_block_drop(p, kv_id((KvSlabIndex)s, i));
		}
}
