/*
 * The pool: its memory, and the one place where blocks change between free, live and cached (kv_pool.h).
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, madvise */
#include <assert.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "runtime/kv/kv_pool.h"

/* Pages that are not touched cost nothing. Large ones where the system has them: one layer and head of a sequence
 * lies in as many pages as it has runs. */
static uint8_t *map_new(size_t n_bytes)
{
	if (!n_bytes)
		return NULL;
	void *p = mmap(NULL, n_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		return NULL;
#ifdef MADV_HUGEPAGE
	(void)madvise(p, n_bytes, MADV_HUGEPAGE);
#endif
	return p;
}

static void map_free(uint8_t *p, size_t n_bytes)
{
	if (p)
		munmap(p, n_bytes);
}

/* Where the slab has block i. note [runs] */
static void place(const KvSlab *s, uint32_t i)
{
	if (!s->block_bytes)
		return;  /* every layer is local */
	size_t at = (size_t)i + s->lead, slot = at % s->run, v_bytes = s->head_bytes - s->k_bytes;
	uint8_t *run = s->bytes + at / s->run * s->run * s->block_bytes;
	s->block[i].spot = (KvSpot){ run + slot * s->k_bytes, run + s->run * s->k_bytes + slot * v_bytes };
	s->block[i].stride = s->run * s->head_bytes;
}

static bool slab_init(KvPool *p, KvSlabIndex index, uint32_t n, KvFormat format)
{
	KvSlab *s = &p->slab[index];
	s->n_layer = kv_n_layer(&p->shape, index >= SLAB_LOCAL);
	size_t heads = (size_t)s->n_layer * p->shape.n_head;
	s->format = format;
	s->head_bytes = kv_head_bytes(&p->shape, format);
	s->k_bytes = kv_layout(format, p->shape.head_len).v;
	s->n = s->n_free = n;
	s->free = KV_NONE;
	s->run = index % 2 ? 1 : KV_RUN;
	s->lead = !(index % 2) && kv_block_format(format, 0) != format;
	size_t n_placed = ((size_t)n + s->lead + s->run - 1) / s->run * s->run;
	if (__builtin_mul_overflow(heads, s->head_bytes, &s->block_bytes) || __builtin_mul_overflow(s->block_bytes, n_placed, &s->n_bytes))
		return false;
	s->bytes = map_new(s->n_bytes);
	if (s->n_bytes && !s->bytes)
		return false;
	s->block = mem_must_alloc(n * sizeof *s->block + 1);
	memset(s->block, 0, n * sizeof *s->block);
	for (uint32_t i = n; i--;) {
		place(s, i);
		s->block[i].chain = s->free;
		s->free = kv_id(index, i);
	}
	p->counts.free += n;
	p->counts.total += n;
	return true;
}

static bool tails_init(KvPool *p)
{
	size_t heads = (size_t)p->shape.n_layer * p->shape.n_head;
	p->tail_bytes = heads * kv_open_halves(&p->shape) * sizeof(uint16_t);
	if (__builtin_mul_overflow(p->tail_bytes, p->n_slot, &p->tails_bytes))
		return false;
	p->tails = map_new(p->tails_bytes);
	return p->tails != NULL;
}

static void table_init(KvPool *p)
{
	p->n_bucket = 16;
	while (p->n_bucket < p->counts.total)
		p->n_bucket *= 2;
	p->bucket = mem_must_alloc(p->n_bucket * sizeof *p->bucket);
	memset(p->bucket, 0xff, p->n_bucket * sizeof *p->bucket);
}

static Str fault_of(const KvConfig *c)
{
	const KvShape *s = &c->shape;
	if (!s->n_layer || s->n_layer > 4096 || !s->n_head || s->n_head > 4096)
		return STR("a cache needs 1 to 4096 layers and as many KV heads");
	if (!s->head_len || s->head_len % 16 || s->head_len > KV_HEAD_MAX)
		return STR("heads of the KV cache have a multiple of 16 channels, 512 at the most");
	if (!c->n_block || c->n_block > 1u << 30 || c->n_first > 1u << 30 || !c->n_sequence || c->n_sequence > 1u << 20)
		return STR("a cache needs blocks and sequences: 2^30 and 2^20 at the most");
	if (s->window && !s->global_every)
		return STR("a cache of windows needs to know which layers are global");
	if (c->n_local && c->n_local <= kv_window_blocks(s) && c->n_local < c->n_block)
		return STR("a cache needs more blocks of local layers than a window has");
	return (Str){ NULL, 0 };
}

static void keep_root(KvPool *p, Arena *a, const KvRoot *r)
{
	p->root = (KvRoot){ str_dup(a, r->model), str_dup(a, r->tokenizer), str_dup(a, r->rotary), str_dup(a, r->build),
	                    str_dup(a, r->adapters) };
}

static bool slabs_init(KvPool *p, const KvConfig *c)
{
	KvFormat format = p->shape.format, first = kv_block_format(format, 0);
	uint32_t n_first = c->n_first ? c->n_first : c->n_block / 8 + c->n_sequence, n_window = kv_window_blocks(&p->shape);
	uint64_t n_local = c->n_local ? c->n_local : (uint64_t)c->n_sequence * kv_local_blocks(&p->shape, 2, KV_STEP_TOK);
	n_local = !n_window ? 0 : n_local < c->n_block ? n_local : c->n_block;
	n_first = first == format ? 0 : n_first;
	return slab_init(p, SLAB_REST, c->n_block, format) && slab_init(p, SLAB_FIRST, n_first, first) &&
	       slab_init(p, SLAB_LOCAL, (uint32_t)n_local, format) && slab_init(p, SLAB_LOCAL_FIRST, n_window ? n_first : 0, first);
}

KvPool *kv_pool_new(Arena *a, const KvConfig *config, Str *why)
{
	*why = fault_of(config);
	if (why->n)
		return NULL;
	KvPool *p = arena_new(a, KvPool);
	p->shape = config->shape;
	if (!kv_n_layer(&p->shape, true))
		p->shape.window = p->shape.global_every = 0;
	p->arena = a;
	p->n_slot = config->n_sequence;
	p->slot = mem_must_alloc(p->n_slot * sizeof *p->slot);
	memset(p->slot, 0, p->n_slot * sizeof *p->slot);
	p->group = mem_must_alloc(KV_GROUP_MAX * sizeof *p->group);
	if (!slabs_init(p, config) || !tails_init(p)) {
		*why = STR("no memory for the KV cache: ask for fewer blocks");
		kv_pool_free(p);
		return NULL;
	}
	keep_root(p, a, &config->root);
	table_init(p);
	KvGroup all = { .slot_hi = p->n_slot - 1 };
	uint32_t group;
	bool ok = kv_group_open(p, &all, &group, why);
	assert(ok && group == 0);
	return ok ? p : NULL;
}

void kv_pool_free(KvPool *p)
{
	for (uint32_t i = 0; i < p->n_slot; i++) {
		free(p->slot[i].s.block);
		free(p->slot[i].s.local);
	}
	for (int s = 0; s < SLAB_COUNT; s++) {
		map_free(p->slab[s].bytes, p->slab[s].n_bytes);
		free(p->slab[s].block);
	}
	map_free(p->tails, p->tails_bytes);
	free(p->slot);
	free(p->group);
	free(p->bucket);
}

const KvShape *kv_pool_shape(const KvPool *p) { return &p->shape; }

KvCounts kv_pool_counts(const KvPool *p)
{
	KvCounts n = p->counts;
	for (int i = 0; i < SLAB_COUNT; i++) {
		const KvSlab *s = &p->slab[i];
		uint32_t n_cached = 0;
		for (uint32_t g = 0; g < p->n_group; g++)
			n_cached += p->group[g].n_cached[i];
		n.used_bytes += (uint64_t)(s->n - s->n_free) * s->block_bytes;
		if (i < SLAB_LOCAL)
			continue;
		n.local_cached += n_cached;
		n.local_live += s->n - s->n_free - n_cached;
		n.local_free += s->n_free;
	}
	return n;
}

uint32_t kv_pool_max_tok(const KvPool *p)
{
	uint64_t n = ((uint64_t)p->slab[SLAB_REST].n + (p->slab[SLAB_FIRST].n != 0) + 1) * KV_BLOCK - 1;
	return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

KvSpot kv_block_at(const KvSequence *s, uint32_t b, uint32_t layer, uint32_t head)
{
	const KvShape *shape = &s->pool->shape;
	uint32_t id = kv_layer_is_local(shape, layer) ? s->local[b] : s->block[b];
	if (id == KV_NONE)
		return (KvSpot){ NULL, NULL };
	const KvBlock *block = kv_block(s->pool, id);
	size_t at = ((size_t)kv_layer_index(shape, layer) * shape->n_head + head) * block->stride;
	return (KvSpot){ block->spot.k + at, block->spot.v + at };
}

uint16_t *kv_tail_at(const KvSequence *s, uint32_t layer, uint32_t head)
{
	const KvPool *p = s->pool;
	uint16_t *tail = (void *)(p->tails + s->id * p->tail_bytes);
	return tail + ((size_t)layer * p->shape.n_head + head) * kv_open_halves(&p->shape);
}

/* ---- states ---- */

enum { FRONT_SHARE = 3 };  /* of the blocks of local layers, for the front of a text */

static void check_counts(const KvPool *p)
{
	assert(p->counts.free + p->counts.cached + p->counts.live == p->counts.total);
	assert(p->slab[SLAB_REST].n_free + p->slab[SLAB_FIRST].n_free + p->slab[SLAB_LOCAL].n_free + p->slab[SLAB_LOCAL_FIRST].n_free ==
	       p->counts.free);
}

uint32_t kv_block_take(KvPool *p, KvSlabIndex slab)
{
	KvSlab *s = &p->slab[slab];
	uint32_t id = s->free;
	if (id == KV_NONE)
		return KV_NONE;
	KvBlock *b = kv_block(p, id);
	s->free = b->chain;
	s->n_free--;
	p->counts.free--;
	p->counts.live++;
	b->parent = b->child = b->older = b->younger = b->chain = b->twin = KV_NONE;
	b->n_holder = 1;
	b->is_taken = true;
	check_counts(p);
	return id;
}

static void block_free(KvPool *p, uint32_t id)
{
	KvSlab *s = &p->slab[kv_slab_of(id)];
	KvBlock *b = kv_block(p, id);
	*b = (KvBlock){ .chain = s->free };  /* the key is gone */
	place(s, kv_place_of(id));
	s->free = id;
	s->n_free++;
	p->counts.free++;
}

static bool is_evictable(uint32_t id, const KvBlock *b)
{
	return b->is_sealed && !b->n_holder && (b->child == KV_NONE || kv_is_first(id));
}

void kv_block_hold(KvPool *p, uint32_t id)
{
	KvBlock *b = kv_block(p, id);
	if (!b->n_holder++) {
		if (b->is_listed)
			kv_list_remove(p, id);
		p->group[b->group].n_cached[kv_slab_of(id)]--;
		p->counts.cached--;
		p->counts.live++;
	}
	check_counts(p);
}

static void release(KvPool *p, uint32_t id, KvPush how)
{
	KvBlock *b = kv_block(p, id);
	if (--b->n_holder)
		return;
	p->counts.live--;
	if (!b->is_sealed) {
		block_free(p, id);
	} else {
		p->group[b->group].n_cached[kv_slab_of(id)]++;
		p->counts.cached++;
		if (is_evictable(id, b))
			kv_list_push(p, id, how);
		if (kv_block_expired(p, b))
			kv_block_drop(p, id);
	}
	check_counts(p);
}

void kv_block_release(KvPool *p, uint32_t id) { release(p, id, PUSH_USED); }
void kv_block_leave(KvPool *p, uint32_t id, uint32_t b) { release(p, id, b < p->slab[SLAB_LOCAL].n / FRONT_SHARE ? PUSH_FRONT : PUSH_LEFT); }

static void unlink_child(KvPool *p, const KvBlock *b)
{
	if (b->younger != KV_NONE)
		kv_block(p, b->younger)->older = b->older;
	else if (b->parent != KV_NONE)
		kv_block(p, b->parent)->child = b->older;
	if (b->older != KV_NONE)
		kv_block(p, b->older)->younger = b->younger;
}

static void forget(KvPool *p, uint32_t id)
{
	KvBlock *b = kv_block(p, id);
	assert(!b->n_holder);
	if (b->is_listed)
		kv_list_remove(p, id);
	p->group[b->group].n_cached[kv_slab_of(id)]--;
	p->counts.cached--;
	block_free(p, id);
}

static void drop_local(KvPool *p, uint32_t id)
{
	kv_block(p, kv_block(p, id)->twin)->twin = KV_NONE;
	forget(p, id);
}

static void drop_leaf(KvPool *p, uint32_t id)
{
	const KvBlock *b = kv_block(p, id);
	uint32_t parent = b->parent;
	if (b->twin != KV_NONE)
		drop_local(p, b->twin);
	unlink_child(p, b);
	kv_table_remove(p, id);
	forget(p, id);
	if (parent != KV_NONE && is_evictable(parent, kv_block(p, parent)) && !kv_block(p, parent)->is_listed)
		kv_list_push(p, parent, PUSH_LEAF);
}

void kv_block_drop(KvPool *p, uint32_t id)
{
	if (kv_is_local(id)) {
		drop_local(p, id);
		return;
	}
	for (;;) {  /* leaf first */
		uint32_t leaf = id;
		while (kv_block(p, leaf)->child != KV_NONE)
			leaf = kv_block(p, leaf)->child;
		drop_leaf(p, leaf);
		if (leaf == id)
			break;
	}
	check_counts(p);
}

static void seal(KvPool *p, uint32_t id, uint32_t group, uint64_t likeness, uint64_t tick)
{
	KvBlock *b = kv_block(p, id);
	b->group = group;
	b->likeness = likeness;
	b->made_s = b->heat_s = p->now_s;
	b->is_sealed = true;
	kv_block_use(p, id, tick);
}

void kv_block_seal(KvPool *p, uint32_t id, uint32_t group, uint32_t parent, KvHash hash, const uint32_t ids[KV_BLOCK])
{
	KvBlock *b = kv_block(p, id);
	b->hash = hash;
	b->parent = parent;
	memcpy(b->ids, ids, sizeof b->ids);
	seal(p, id, group, kv_likeness(ids, KV_BLOCK), p->tick);
	if (parent != KV_NONE) {
		KvBlock *up = kv_block(p, parent);
		b->older = up->child;
		if (up->child != KV_NONE)
			kv_block(p, up->child)->younger = id;
		up->child = id;
	}
	kv_table_add(p, id);
	atomic_fetch_add(&p->group[group].stamp, 1);
}

void kv_block_seal_local(KvPool *p, uint32_t id, uint32_t twin, uint64_t begun)
{
	KvBlock *b = kv_block(p, id), *of = kv_block(p, twin);
	b->twin = twin;
	of->twin = id;
	seal(p, id, of->group, of->likeness, begun);
}
