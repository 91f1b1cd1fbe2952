/* PairMap: see pair_map.h. */
#include "runtime/schema/pair_map.h"

static PairSlot *slot_of(const PairMap *m, const void *a, const void *b)
{
	uint64_t h = (uint64_t)(uintptr_t)a * 0x9E3779B97F4A7C15u ^ (uint64_t)(uintptr_t)b * 0xC2B2AE3D27D4EB4Fu;
	uint32_t i = (uint32_t)(h >> 32 ^ h >> 7) & (m->cap - 1);
	while (m->slot[i].a && (m->slot[i].a != a || m->slot[i].b != b))
		i = (i + 1) & (m->cap - 1);
	return &m->slot[i];
}

void *pair_get(const PairMap *m, const void *a, const void *b)
{
	return m->cap ? slot_of(m, a, b)->value : NULL;
}

static void grow(Arena *arena, PairMap *m)
{
	PairMap old = *m;
	m->cap = old.cap ? old.cap * 2 : 32;
	m->slot = arena_array(arena, PairSlot, m->cap);
	for (uint32_t i = 0; i < old.cap; i++)
		if (old.slot[i].a)
			*slot_of(m, old.slot[i].a, old.slot[i].b) = old.slot[i];
}

void pair_set(Arena *arena, PairMap *m, const void *a, const void *b, void *value)
{
	if (m->n * 4 >= m->cap * 3)
		grow(arena, m);
	PairSlot *s = slot_of(m, a, b);
	m->n += !s->a;
	*s = (PairSlot){ a, b, value };
}
