/*
 * PairMap: (pointer, pointer) -> pointer, open addressing in an arena. Walks over schema graphs keep
 * what they have seen here (node alone: b is NULL), so that shared and recursive parts cost once.
 */
#ifndef SEED_SCHEMA_PAIR_MAP_H
#define SEED_SCHEMA_PAIR_MAP_H

#include "runtime/base/arena.h"

typedef struct PairSlot {
	const void *a, *b;
	void *value;
} PairSlot;

typedef struct PairMap {
	PairSlot *slot;
	uint32_t n, cap;  /* cap is a power of two or 0 */
} PairMap;

/* NULL when absent. */
void *pair_get(const PairMap *m, const void *a, const void *b);
/* Inserts or replaces; a and value are not NULL. */
void pair_set(Arena *arena, PairMap *m, const void *a, const void *b, void *value);

#endif
