/* Whether a pool is whole: everything that is counted or linked twice, compared. */
#include <stdlib.h>

#include "runtime/kv/kv_pool.h"

typedef struct Verify {
	const KvPool *p;
	Arena *a;
	Str why;
	uint32_t *holder[SLAB_COUNT];  /* by sequences, counted anew */
} Verify;

static bool fault(Verify *v, const char *what, uint32_t id)
{
	v->why = str_fmt(v->a, "%s: block %u%s", what, id & ~KV_FIRST, id & KV_FIRST ? " of the first" : "");
	return false;
}

static bool sequences(Verify *v)
{
	for (uint32_t i = 0; i < v->p->n_slot; i++) {
		const KvSequence *s = &v->p->slot[i].s;
		for (uint32_t b = 0; v->p->slot[i].is_taken && b < s->n_block; b++) {
			const KvBlock *block = kv_block(v->p, s->block[b]);
			v->holder[kv_slab_of(s->block[b])][s->block[b] & ~KV_FIRST]++;
			if (kv_slab_of(s->block[b]) != kv_slab_for(v->p, b))
				return fault(v, "of the wrong slab", s->block[b]);
			if (block->in_table && (block->group != s->group || block->parent != (b ? s->block[b - 1] : KV_NONE)))
				return fault(v, "of another group or chain than its sequence", s->block[b]);
		}
	}
	return true;
}

static bool one_block(Verify *v, uint32_t id, KvCounts *n)
{
	const KvPool *p = v->p;
	const KvBlock *b = kv_block(p, id);
	if (b->n_holder != v->holder[kv_slab_of(id)][id & ~KV_FIRST])
		return fault(v, "held by more or fewer sequences than it counts", id);
	if (!b->is_taken) {
		n->free++;
		return !b->in_table && !b->n_holder ? true : fault(v, "free and not", id);
	}
	b->n_holder ? n->live++ : n->cached++;
	if (!b->in_table)
		return b->n_holder ? true : fault(v, "taken for nobody", id);
	if (kv_table_find(p, b->group, b->parent, b->hash, b->ids) != id)
		return fault(v, "not found by its own key", id);
	const KvBlock *up = b->parent == KV_NONE ? NULL : kv_block(p, b->parent);
	KvHash before = up ? up->hash : p->group[b->group].root;
	if (up && (!up->in_table || up->group != b->group || up->n_holder < b->n_holder))
		return fault(v, "hangs on what is not there", id);
	if (!kv_hash_eq(kv_hash_block(before, b->ids), b->hash))
		return fault(v, "of another hash than its tokens have", id);
	bool want = !b->n_holder && (b->child == KV_NONE || kv_slab_of(id) == SLAB_FIRST);
	return want == b->is_listed ? true : fault(v, "listed wrongly for eviction", id);
}

static bool lists(Verify *v, KvSlabIndex slab)
{
	for (uint32_t g = 0; g < v->p->n_group; g++) {
		uint32_t before = KV_NONE, n_cached = 0;
		for (uint32_t id = v->p->group[g].evictable[slab].first; id != KV_NONE; before = id, id = kv_block(v->p, id)->after)
			if (!kv_block(v->p, id)->is_listed || kv_block(v->p, id)->before != before || kv_block(v->p, id)->group != g)
				return fault(v, "in a broken list", id);
		for (uint32_t i = 0; i < v->p->slab[slab].n; i++) {
			const KvBlock *b = &v->p->slab[slab].block[i];
			n_cached += b->in_table && !b->n_holder && b->group == g;
		}
		if (before != v->p->group[g].evictable[slab].last || n_cached != v->p->group[g].n_cached[slab])
			return fault(v, "last of a list, or its group's count", before);
	}
	return true;
}

static bool all(Verify *v)
{
	KvCounts n = { 0 };
	if (!sequences(v))
		return false;
	for (int s = 0; s < SLAB_COUNT; s++) {
		uint32_t n_free = n.free;
		for (uint32_t i = 0; i < v->p->slab[s].n; i++)
			if (!one_block(v, i | (s == SLAB_FIRST ? KV_FIRST : 0), &n))
				return false;
		if (n.free - n_free != v->p->slab[s].n_free || !lists(v, (KvSlabIndex)s))
			return v->why.n ? false : fault(v, "more or fewer free than counted", 0);
	}
	const KvCounts *c = &v->p->counts;
	return n.free == c->free && n.cached == c->cached && n.live == c->live && n.free + n.cached + n.live == c->total ?
	       true : fault(v, "counts differ", 0);
}

bool kv_pool_verify(const KvPool *p, Arena *a, Str *why)
{
	Verify v = { .p = p, .a = a };
	for (int s = 0; s < SLAB_COUNT; s++)
		v.holder[s] = calloc(p->slab[s].n + 1, sizeof *v.holder[s]);
	bool ok = v.holder[0] && v.holder[1] && all(&v);
	for (int s = 0; s < SLAB_COUNT; s++)
		free(v.holder[s]);
	*why = v.why;
	return ok;
}
