/* A binary heap of numbers, the least first: which neighbours of a long piece join next. */
#ifndef SEED_TOKEN_HEAP_H
#define SEED_TOKEN_HEAP_H

#include <stddef.h>
#include <stdint.h>

/* Puts h[i] where it belongs below i. */
static inline void heap_down(uint64_t *h, size_t n, size_t i)
{
	uint64_t x = h[i];
	for (size_t kid; (kid = 2 * i + 1) < n; i = kid) {
		kid += kid + 1 < n && h[kid + 1] < h[kid];
		if (h[kid] >= x)
			break;
		h[i] = h[kid];
	}
	h[i] = x;
}

static inline void heap_put(uint64_t *h, size_t *n, uint64_t x)
{
	size_t i = (*n)++;
	for (; i && h[(i - 1) / 2] > x; i = (i - 1) / 2)
		h[i] = h[(i - 1) / 2];
	h[i] = x;
}

static inline uint64_t heap_take(uint64_t *h, size_t *n)
{
	uint64_t least = h[0];
	h[0] = h[--*n];
	heap_down(h, *n, 0);
	return least;
}

#endif
