/*
 * VEC(T): a growable array in an arena. Zero is a valid empty one. Pointers into it are good until
 * the next push.
 */
#ifndef SEED_BASE_VEC_H
#define SEED_BASE_VEC_H

#include "runtime/base/arena.h"

#define VEC(T) struct { T *v; uint32_t n, cap; }

#define vec_push(arena, vec, ...) \
	(vec_reserve((arena), (vec), (vec)->n + 1u), (vec)->v[(vec)->n++] = (__VA_ARGS__))

/* A zeroed new last element, as a pointer. */
#define vec_add(arena, vec) \
	(vec_reserve((arena), (vec), (vec)->n + 1u), \
	 memset(&(vec)->v[(vec)->n], 0, sizeof *(vec)->v), &(vec)->v[(vec)->n++])

#define vec_reserve(arena, vec, want) \
	((vec)->cap >= (want) ? (void)0 : \
	 (void)((vec)->v = vec_grow((arena), (vec)->v, sizeof *(vec)->v, (vec)->n, (want), &(vec)->cap)))

static inline void *vec_grow(Arena *a, void *v, size_t size, uint32_t n, uint32_t want, uint32_t *cap)
{
#ifdef SEED_STRESS
	uint32_t to = *cap + *cap / 4;
#else
	uint32_t to = *cap ? *cap * 2 : 4;
#endif
	if (to < want)
		to = want;
	*cap = to;
	return arena_grow(a, v, size * n, size * to);
}

#endif
