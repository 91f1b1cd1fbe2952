/* Interner: lists of words get numbers from 0, the same list the same number. */
#ifndef SEED_AUTOMATON_INTERN_H
#define SEED_AUTOMATON_INTERN_H

#include "runtime/base/vec.h"

typedef VEC(uint32_t) Words;

typedef struct Interner {
	Words data;           /* the lists, one behind another */
	Words end;            /* of list i in data */
	uint32_t *slot, cap;  /* number + 1, or 0; cap is a power of two or 0 */
} Interner;

uint32_t intern_add(Arena *a, Interner *in, const uint32_t *words, uint32_t n);
/* Good until the next intern_add. */
const uint32_t *intern_get(const Interner *in, uint32_t id, uint32_t *n);
static inline uint32_t intern_count(const Interner *in) { return in->end.n; }

#endif
