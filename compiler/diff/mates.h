/*
 * Mates by equal keys: each of a, in order, gets the first of b with the same key that has none yet.
 * One pass over each side, so that files with tens of thousands of nodes of one kind stay linear.
 */
#ifndef SEED_DIFF_MATES_H
#define SEED_DIFF_MATES_H

#include "runtime/base/str.h"

#define MATE_NONE UINT32_MAX

/* For each of a its index in b or MATE_NONE. A key without bytes to point at (p NULL) has no mate. */
uint32_t *mates_by_key(Arena *arena, const Str *a, uint32_t n_a, const Str *b, uint32_t n_b);

#endif
