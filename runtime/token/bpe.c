#include "runtime/token/bpe.h"

#include <stdlib.h>

#include "runtime/token/heap.h"
#include "runtime/token/vocab_char.h"

void bpe_free(BpeScratch *s)
{
	free(s->heap);
	free(s->id);
	free(s->rank);
	free(s->next);
	free(s->prev);
	*s = (BpeScratch){ 0 };
}

static void scratch_reserve(BpeScratch *s, size_t n)
{
	if (s->cap >= n)
		return;
	size_t cap = n + n / 2;
	s->heap = mem_must_grow(s->heap, 3 * cap * sizeof *s->heap);
	s->id = mem_must_grow(s->id, cap * sizeof *s->id);
	s->rank = mem_must_grow(s->rank, cap * sizeof *s->rank);
	s->next = mem_must_grow(s->next, cap * sizeof *s->next);
	s->prev = mem_must_grow(s->prev, cap * sizeof *s->prev);
	s->cap = cap;
}

/* The token of the character of three bytes at p[i], or CHAR_ID_MASK; before: the number in VSEC_CHAR of one
 * that ends there, 0 at the piece's start. */
static inline uint32_t whole_char(const Vocab *v, const char *p, size_t n, size_t i, uint32_t before)
{
	uint32_t c = v->chars[char_place(p + i)];
	if (c & CHAR_FEARS_BEFORE && before & CHAR_FEARED_BEFORE)
		return CHAR_ID_MASK;
	if (i + 3 == n || (unsigned char)p[i + 3] < 0x80)
		return c & CHAR_ID_MASK;
	if (!char_is_3(p + i + 3, n - i - 3))
		return CHAR_ID_MASK;
	uint32_t behind = v->chars[char_place(p + i + 3)];
	return c & CHAR_FEARS_BEHIND && behind & CHAR_FEARED_BEHIND ? CHAR_ID_MASK : c & CHAR_ID_MASK;
}

/* The symbols that a piece starts as: bytes, and characters of three of them (note [whole characters]). */
static size_t start_symbols(const Vocab *v, const char *p, size_t n, uint32_t *id)
{
	size_t k = 0, bytes = 0;  /* up to where a character goes as bytes */
	uint32_t before = 0;
	bool known = v->chars;    /* what stands before is a character of three bytes, or nothing */
	for (size_t i = 0; i < n; i++) {
		if (i >= bytes && v->chars && char_is_3(p + i, n - i)) {
			uint32_t token = known ? whole_char(v, p, n, i, before) : CHAR_ID_MASK;
			before = v->chars[char_place(p + i)];
			known = true;
			if (token != CHAR_ID_MASK) {
				id[k++] = token;
				i += 2;
				continue;
			}
			bytes = i + 3;
		}
		known &= i < bytes;
		uint32_t token = v->byte[(uint8_t)p[i]];
		if (token == TOKEN_NONE)
			token = v->header->unk;
		if (token != TOKEN_NONE)
			id[k++] = token;
	}
	return k;
}

static void start_ranks(const Vocab *v, const char *p, size_t n, const uint32_t *id, size_t k, uint32_t *rank)
{
	if (k == n && v->byte_pair && v->header->unk == TOKEN_NONE)
		for (size_t i = 0; i + 1 < n; i++)
			rank[i] = v->byte_pair[(size_t)(uint8_t)p[i] << 8 | (uint8_t)p[i + 1]];
	else
		for (size_t i = 0; i + 1 < k; i++)
			rank[i] = vocab_find_pair(v, id[i], id[i + 1]);
	if (k)
		rank[k - 1] = TOKEN_NONE;
}

size_t bpe_start(const Vocab *v, const char *p, size_t n, uint32_t *id, uint32_t *rank)
{
	size_t k = start_symbols(v, p, n, id);
	start_ranks(v, p, n, id, k, rank);
	return k;
}

/* The first place of the lowest rank among rank[0, k). */
static inline size_t lowest(const uint32_t *rank, size_t k)
{
	size_t at = 0;
	uint32_t low = rank[0];
	for (size_t i = 1; i < k; i++)
		if (rank[i] < low) {
			low = rank[i];
			at = i;
		}
	return at;
}

/* Joins until stop symbols are left, or none can. */
static size_t merge_short(const Vocab *v, uint32_t *id, uint32_t *rank, size_t k, size_t stop)
{
	while (k > stop) {
		size_t at = lowest(rank, k);
		if (rank[at] == TOKEN_NONE)
			break;
		id[at] = bpe_joined(v, rank[at]);
		k--;
		memmove(id + at + 1, id + at + 2, (k - at - 1) * sizeof *id);
		memmove(rank + at + 1, rank + at + 2, (k - at - 1) * sizeof *rank);
		rank[at] = at + 1 < k ? vocab_find_pair(v, id[at], id[at + 1]) : TOKEN_NONE;
		if (at)
			rank[at - 1] = vocab_find_pair(v, id[at - 1], id[at]);
	}
	return k;
}

/* One place's new rank; an older entry of the heap for it is stale and will not match. */
static void renew(const Vocab *v, BpeScratch *s, size_t *n_heap, uint32_t at, uint32_t end)
{
	uint32_t next = s->next[at];
	s->rank[at] = next < end ? vocab_find_pair(v, s->id[at], s->id[next]) : TOKEN_NONE;
	if (s->rank[at] != TOKEN_NONE)
		heap_put(s->heap, n_heap, (uint64_t)s->rank[at] << 32 | at);
}

static size_t merge_long(const Vocab *v, BpeScratch *s, size_t k, uint32_t *ids)
{
	size_t n_heap = 0, n = 0;
	uint32_t end = (uint32_t)k;
	for (uint32_t i = 0; i < end; i++) {
		s->next[i] = i + 1;
		s->prev[i] = i - 1;
		if (s->rank[i] != TOKEN_NONE)
			s->heap[n_heap++] = (uint64_t)s->rank[i] << 32 | i;
	}
	for (size_t i = n_heap / 2; i-- > 0;)
		heap_down(s->heap, n_heap, i);
	while (n_heap) {
		uint64_t top = heap_take(s->heap, &n_heap);
		uint32_t rank = top >> 32, at = (uint32_t)top;
		if (s->rank[at] != rank)
			continue;
		uint32_t gone = s->next[at];
		s->id[at] = bpe_joined(v, rank);
		s->next[at] = s->next[gone];
		if (s->next[at] < end)
			s->prev[s->next[at]] = at;
		s->rank[gone] = TOKEN_NONE;
		renew(v, s, &n_heap, at, end);
		if (at)
			renew(v, s, &n_heap, s->prev[at], end);
	}
	for (uint32_t i = 0; i < end; i = s->next[i])
		ids[n++] = s->id[i];
	return n;
}

size_t bpe_encode(const Vocab *v, BpeScratch *s, const char *p, size_t n, uint32_t *ids)
{
	if (n <= BPE_SHORT) {
		uint32_t rank[BPE_SHORT];
		size_t k = bpe_start(v, p, n, ids, rank);
		return merge_short(v, ids, rank, k, 1);
	}
	scratch_reserve(s, n);
	size_t k = bpe_start(v, p, n, s->id, s->rank);
	return merge_long(v, s, k, ids);
}

bool bpe_last_join(const Vocab *v, BpeScratch *s, Str token, uint32_t *left, uint32_t *right)
{
	scratch_reserve(s, token.n);
	size_t k = bpe_start(v, token.p, token.n, s->id, s->rank);
	k = merge_short(v, s->id, s->rank, k, 2);
	*left = s->id[0];
	*right = s->id[1];
	return k == 2 && s->rank[0] != TOKEN_NONE && str_eq(vocab_token(v, bpe_joined(v, s->rank[0])), token);
}
