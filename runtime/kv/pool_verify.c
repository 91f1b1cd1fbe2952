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
	v->why = str_fmt(v->a, "%s: block %u%s%s", what, kv_place_of(id), kv_is_first(id) ? " of the first" : "",
	                 kv_is_local(id) ? " of local layers" : "");
	return false;
}

static bool local_block(Verify *v, const KvSequence *s, uint32_t b)
{
	uint32_t id = s->local[b];
	if ((id != KV_NONE) != (kv_has_local(v->p) && b >= s->local_lo))
		return fault(v, "before the window and held, or in it and not", s->block[b]);
	if (id == KV_NONE)
		return true;
	v->holder[kv_slab_of(id)][kv_place_of(id)]++;
	if (kv_slab_of(id) != kv_slab_for(v->p, b, true))
		return fault(v, "of the wrong slab", id);
	return !kv_block(v->p, id)->is_sealed || kv_block(v->p, id)->twin == s->block[b] ? true : fault(v, "twin of another block", id);
}

static bool sequence(Verify *v, const KvSequence *s)
{
	for (uint32_t b = 0; b < s->n_block; b++) {
		const KvBlock *block = kv_block(v->p, s->block[b]);
		v->holder[kv_slab_of(s->block[b])][kv_place_of(s->block[b])]++;
		if (kv_slab_of(s->block[b]) != kv_slab_for(v->p, b, false))
			return fault(v, "of the wrong slab", s->block[b]);
		if (block->is_sealed && (block->group != s->group || block->parent != (b ? s->block[b - 1] : KV_NONE)))
			return fault(v, "of another group or chain than its sequence", s->block[b]);
		if (!local_block(v, s, b))
			return false;
	}
	return s->local_lo == kv_window_first(&v->p->shape, s->n_token / KV_BLOCK) ? true : fault(v, "window in another place", 0);
}

static bool sequences(Verify *v)
{
	for (uint32_t i = 0; i < v->p->n_slot; i++)
		if (v->p->slot[i].is_taken && !sequence(v, &v->p->slot[i].s))
			return false;
	return true;
}

/* A sealed block of local layers and its twin. */
static bool twins(Verify *v, uint32_t id)
{
	const KvBlock *b = kv_block(v->p, id), *of = kv_block(v->p, b->twin);
	if (kv_is_local(b->twin) || kv_is_first(b->twin) != kv_is_first(id) || of->twin != id || !of->is_sealed)
		return fault(v, "twin of what is none of its own", id);
	return of->group == b->group && of->n_holder >= b->n_holder ? true : fault(v, "held without its twin, or of another group", id);
}

static bool in_table(Verify *v, uint32_t id)
{
	const KvPool *p = v->p;
	const KvBlock *b = kv_block(p, id);
	if (kv_table_find(p, b->group, b->parent, b->hash, b->ids) != id)
		return fault(v, "not found by its own key", id);
	const KvBlock *up = b->parent == KV_NONE ? NULL : kv_block(p, b->parent);
	KvHash before = up ? up->hash : p->group[b->group].root;
	if (up && (!up->is_sealed || up->group != b->group || up->n_holder < b->n_holder))
		return fault(v, "hangs on what is not there", id);
	if (!kv_hash_eq(kv_hash_block(before, b->ids), b->hash))
		return fault(v, "of another hash than its tokens have", id);
	return b->twin == KV_NONE || kv_block(p, b->twin)->twin == id ? true : fault(v, "twin of what is none of its own", id);
}

static bool one_block(Verify *v, uint32_t id, KvCounts *n)
{
	const KvPool *p = v->p;
	const KvBlock *b = kv_block(p, id);
	if (b->n_holder != v->holder[kv_slab_of(id)][kv_place_of(id)])
		return fault(v, "held by more or fewer sequences than it counts", id);
	if (!b->is_taken) {
		n->free++;
		return !b->is_sealed && !b->n_holder ? true : fault(v, "free and not", id);
	}
	b->n_holder ? n->live++ : n->cached++;
	if (!b->is_sealed)
		return b->n_holder && b->twin == KV_NONE ? true : fault(v, "taken for nobody", id);
	bool want = !b->n_holder && (b->child == KV_NONE || kv_is_first(id));
	if (want != b->is_listed)
		return fault(v, "listed wrongly for eviction", id);
	return kv_is_local(id) ? twins(v, id) : in_table(v, id);
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
			n_cached += b->is_sealed && !b->n_holder && b->group == g;
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
			if (!one_block(v, kv_id((KvSlabIndex)s, i), &n))
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
	bool ok = v.holder[0] && v.holder[1] && v.holder[2] && v.holder[3] && all(&v);
	for (int s = 0; s < SLAB_COUNT; s++)
		free(v.holder[s]);
	*why = v.why;
	return ok;
}
