/*
 * Map: Str -> pointer, open addressing, in an arena. Keys are borrowed. Insertion order is not kept:
 * walk the array that owns the values, never the map, so that outputs stay deterministic.
 */
#ifndef SEED_BASE_MAP_H
#define SEED_BASE_MAP_H

#include "runtime/base/str.h"

typedef struct MapSlot {
	Str key;
	void *value;
	uint64_t hash;
} MapSlot;

typedef struct Map {
	MapSlot *slot;
	uint32_t n, cap;  /* cap is a power of two or 0 */
} Map;

/* NULL when absent. */
void *map_get(const Map *m, Str key);
/* The value that was there before (kept, not replaced), or NULL after inserting. value != NULL. */
void *map_add(Arena *a, Map *m, Str key, void *value);
/* Inserts or replaces. */
void map_set(Arena *a, Map *m, Str key, void *value);

uint64_t hash_bytes(Str s);

#endif
