/* Map: see map.h. The hash is XXH3 (xxHash, header only). */
#include "runtime/base/map.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t hash_bytes(Str s)
{
	return XXH3_64bits(s.p, s.n);
}

static MapSlot *map_find(const Map *m, Str key, uint64_t h)
{
	for (uint32_t i = (uint32_t)h & (m->cap - 1);; i = (i + 1) & (m->cap - 1)) {
		MapSlot *s = &m->slot[i];
		if (!s->value || (s->hash == h && str_eq(s->key, key)))
			return s;
	}
}

void *map_get(const Map *m, Str key)
{
	return m->cap ? map_find(m, key, hash_bytes(key))->value : NULL;
}

static void map_widen(Arena *a, Map *m)
{
	Map old = *m;
	m->cap = old.cap ? old.cap * 2 : 16;
	m->slot = arena_array(a, MapSlot, m->cap);
	for (uint32_t i = 0; i < old.cap; i++)
		if (old.slot[i].value)
			*map_find(m, old.slot[i].key, old.slot[i].hash) = old.slot[i];
}

static MapSlot *map_claim(Arena *a, Map *m, Str key)
{
	if (m->n * 4 >= m->cap * 3)
		map_widen(a, m);
	uint64_t h = hash_bytes(key);
	MapSlot *s = map_find(m, key, h);
	if (!s->value) {
		s->key = key;
		s->hash = h;
		m->n++;
	}
	return s;
}

void *map_add(Arena *a, Map *m, Str key, void *value)
{
	MapSlot *s = map_claim(a, m, key);
	if (s->value)
		return s->value;
	s->value = value;
	return NULL;
}

void map_set(Arena *a, Map *m, Str key, void *value)
{
	map_claim(a, m, key)->value = value;
}
