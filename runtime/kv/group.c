/* Cache groups: slots, TTL and policy under a name. A name is the root of its blocks' chains. */
#include "runtime/kv/kv_pool.h"

static bool is_same(const KvGroup *a, const KvGroup *b)
{
	return a->slot_lo == b->slot_lo && a->slot_hi == b->slot_hi && a->ttl_s == b->ttl_s && a->evict == b->evict;
}

static bool fail(Str *why, Str text)
{
	*why = text;
	return false;
}

bool kv_group_open(KvPool *p, const KvGroup *g, uint32_t *group, Str *why)
{
	for (uint32_t i = 0; i < p->n_group; i++)
		if (str_eq(p->group[i].group.name, g->name)) {
			*group = i;
			return is_same(&p->group[i].group, g) ||
			       fail(why, str_fmt(p->arena, "cache group '%.*s' is open with other slots, TTL or eviction", STR_ARG(g->name)));
		}
	if (g->slot_lo > g->slot_hi || g->slot_hi >= p->n_slot)
		return fail(why, str_fmt(p->arena, "cache group '%.*s' wants slots %u-%u, the pool has 0-%u", STR_ARG(g->name), g->slot_lo,
		                         g->slot_hi, p->n_slot - 1));
	if (p->n_group == KV_GROUP_MAX)
		return fail(why, str_fmt(p->arena, "more than %d cache groups", KV_GROUP_MAX));
	KvGroupState *s = &p->group[*group = p->n_group++];
	memset(s, 0, sizeof *s);
	s->group = *g;
	s->group.name = str_dup(p->arena, g->name);
	s->root = kv_hash_root(&p->root, &p->shape, g->name);
	for (int i = 0; i < SLAB_COUNT; i++)
		s->evictable[i] = (KvList){ KV_NONE, KV_NONE };
	atomic_init(&s->stamp, 0);
	return true;
}

uint64_t kv_group_stamp(const KvPool *p, uint32_t group) { return atomic_load(&p->group[group].stamp); }
