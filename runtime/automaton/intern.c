/* See intern.h: open addressing over the lists. */
#include "runtime/automaton/intern.h"

#include <string.h>

static uint32_t hash_words(const uint32_t *w, uint32_t n)
{
	uint64_t h = n * 0x9e3779b97f4a7c15u;
	for (uint32_t i = 0; i < n; i++) {
		h = (h ^ w[i]) * 0xff51afd7ed558ccdu;
		h ^= h >> 32;
	}
	return (uint32_t)h;
}

const uint32_t *intern_get(const Interner *in, uint32_t id, uint32_t *n)
{
	uint32_t lo = id ? in->end.v[id - 1] : 0;
	*n = in->end.v[id] - lo;
	return in->data.n ? in->data.v + lo : NULL;
}

static uint32_t *find_slot(const Interner *in, const uint32_t *words, uint32_t n)
{
	uint32_t at = hash_words(words, n), m;
	for (;; at++) {
		uint32_t *s = &in->slot[at & (in->cap - 1)];
		if (!*s)
			return s;
		const uint32_t *w = intern_get(in, *s - 1, &m);
		if (m == n && (!n || !memcmp(w, words, n * sizeof *w)))
			return s;
	}
}

static void grow(Arena *a, Interner *in)
{
	in->cap = in->cap ? in->cap * 2 : 32;
	in->slot = arena_array(a, uint32_t, in->cap);
	for (uint32_t i = 0, n; i < in->end.n; i++) {
		const uint32_t *w = intern_get(in, i, &n);
		*find_slot(in, w, n) = i + 1;
	}
}

uint32_t intern_add(Arena *a, Interner *in, const uint32_t *words, uint32_t n)
{
	if (in->end.n * 2 >= in->cap)
		grow(a, in);
	uint32_t *s = find_slot(in, words, n);
	if (*s)
		return *s - 1;
	vec_reserve(a, &in->data, in->data.n + n);
	if (n)
		memcpy(in->data.v + in->data.n, words, n * sizeof *words);
	in->data.n += n;
	vec_push(a, &in->end, in->data.n);
	*s = in->end.n;
	return in->end.n - 1;
}
