/*
 * Joining the symbols of a SentencePiece word, and what their ids are; see spm.h.
 *
 * Short words keep their symbols side by side; long ones a linked list and a heap of (order of the
 * score, place), so that a million equal characters stay cheap. A symbol is a piece's id, or a mark
 * and a number: a character that is no piece, or a user-defined token, which joins nothing.
 */
#include "runtime/token/spm.h"

#include <stdlib.h>

#include "runtime/base/utf8.h"
#include "runtime/token/heap.h"
#include "runtime/token/piece_hash.h"

enum { SPM_SHORT = 64 };
#define SYMBOL_CHAR 0x80000000u   /* and the code point */
#define SYMBOL_FROZEN 0x40000000u /* and the id */

static uint32_t symbol_find(const Vocab *v, Str c)
{
	uint32_t cp, id = vocab_find(v, str_is(c, " ") ? STR("\xe2\x96\x81") : c);
	if (id != TOKEN_NONE)
		return id;
	utf8_decode(c, 0, &cp);
	return SYMBOL_CHAR | (cp == ' ' ? 0x2581 : cp);
}

/* Some token is of the kind that is taken apart again. */
static bool has_unused(const Vocab *v)
{
	for (const uint8_t *at = v->token_type, *end = at + v->n_token; at < end; at++) {
		at = memchr(at, TOKEN_UNUSED, (size_t)(end - at));
		if (!at)
			return false;
		if (vocab_token(v, (uint32_t)(at - v->token_type)).n)
			return true;
	}
	return false;
}

void spm_init(const Vocab *v, SpmScratch *s)
{
	*s = (SpmScratch){ 0 };
	for (uint32_t c = 0; c < SPM_ASCII; c++) {
		char byte = (char)c;
		s->ascii[c] = symbol_find(v, (Str){ &byte, 1 });
	}
	if (has_unused(v))
		s->unmerge = mem_must_alloc(v->n_token * sizeof *s->unmerge);
	spm_init_user(v, s);
}

void spm_free(SpmScratch *s)
{
	free(s->user);
	free(s->user_bytes);
	free(s->text);
	free(s->heap);
	free(s->unmerge);
	free(s->id);
	free(s->join);
	free(s->next);
	free(s->prev);
	*s = (SpmScratch){ 0 };
}

static void scratch_reserve(SpmScratch *s, size_t n)
{
	if (s->cap >= n)
		return;
	size_t cap = n + n / 2;
	s->heap = mem_must_grow(s->heap, 3 * cap * sizeof *s->heap);
	s->id = mem_must_grow(s->id, cap * sizeof *s->id);
	s->join = mem_must_grow(s->join, cap * sizeof *s->join);
	s->next = mem_must_grow(s->next, cap * sizeof *s->next);
	s->prev = mem_must_grow(s->prev, cap * sizeof *s->prev);
	s->cap = cap;
}

/* ---- joining ------------------------------------------------------------------------------------ */

/* The symbols that a word starts as. */
static size_t start_symbols(const Vocab *v, const SpmScratch *s, Str word, uint32_t *id)
{
	size_t k = 0;
	for (size_t at = 0; at < word.n;) {
		uint32_t cp, n = 1;
		uint8_t c = (uint8_t)word.p[at];
		if (c < SPM_ASCII) {
			id[k++] = s->ascii[c];
		} else {
			n = utf8_decode(word, at, &cp);
			id[k++] = symbol_find(v, str_sub(word, at, at + n));
		}
		at += n;
	}
	return k;
}

/* The piece that two neighbours make, or TOKEN_NONE. */
static inline uint32_t join_of(const Vocab *v, uint32_t left, uint32_t right)
{
	return (left | right) >> PIECE_ID_BITS ? TOKEN_NONE : vocab_find_pair(v, left, right);
}

static inline uint32_t order_of(const Vocab *v, uint32_t join)
{
	return join < v->n_token ? v->score[join] : TOKEN_NONE;
}

/* The first place of the lowest order among order[0, k). */
static inline size_t lowest(const uint32_t *order, size_t k)
{
	size_t at = 0;
	uint32_t low = order[0];
	for (size_t i = 1; i < k; i++)
		if (order[i] < low) {
			low = order[i];
			at = i;
		}
	return at;
}

static size_t merge_short(const Vocab *v, uint32_t *id, size_t k)
{
	uint32_t join[SPM_SHORT], order[SPM_SHORT];
	for (size_t i = 0; i < k; i++) {
		join[i] = i + 1 < k ? join_of(v, id[i], id[i + 1]) : TOKEN_NONE;
		order[i] = order_of(v, join[i]);
	}
	while (k > 1) {
		size_t at = lowest(order, k);
		if (order[at] == TOKEN_NONE)
			break;
		id[at] = join[at];
		k--;
		memmove(id + at + 1, id + at + 2, (k - at - 1) * sizeof *id);
		memmove(join + at + 1, join + at + 2, (k - at - 1) * sizeof *join);
		memmove(order + at + 1, order + at + 2, (k - at - 1) * sizeof *order);
		for (size_t i = at ? at - 1 : 0; i <= at; i++) {
			join[i] = i + 1 < k ? join_of(v, id[i], id[i + 1]) : TOKEN_NONE;
			order[i] = order_of(v, join[i]);
		}
	}
	return k;
}

/* Sees what the symbol at a place makes with the next one. The last way in which a piece of type TOKEN_UNUSED
 * could have been made is the way it is taken apart, as `sentencepiece` has it. */
static void renew(const Vocab *v, SpmScratch *s, uint32_t at, uint32_t end, size_t *n_heap)
{
	uint32_t next = s->next[at], join = next < end ? join_of(v, s->id[at], s->id[next]) : TOKEN_NONE;
	uint32_t order = order_of(v, join);
	s->join[at] = join;
	if (order == TOKEN_NONE)
		return;
	if (s->unmerge && v->token_type[join] == TOKEN_UNUSED)
		s->unmerge[join] = (uint64_t)s->id[at] << 32 | s->id[next];
	heap_put(s->heap, n_heap, (uint64_t)order << 32 | at);
}

/* Joins the k symbols of s->id; what is left is linked from 0 by next. An entry of the heap is stale when the
 * place has since changed what it makes. */
static void merge_long(const Vocab *v, SpmScratch *s, size_t k)
{
	size_t n_heap = 0;
	uint32_t end = (uint32_t)k;
	for (uint32_t i = 0; i < end; i++) {
		s->next[i] = i + 1;
		s->prev[i] = i - 1;
		renew(v, s, i, end, &n_heap);
	}
	while (n_heap) {
		uint64_t top = heap_take(s->heap, &n_heap);
		uint32_t at = (uint32_t)top, gone = s->next[at];
		if (order_of(v, s->join[at]) != top >> 32)
			continue;
		s->id[at] = s->join[at];
		s->next[at] = s->next[gone];
		if (s->next[at] < end)
			s->prev[s->next[at]] = at;
		s->join[gone] = TOKEN_NONE;
		if (at)
			renew(v, s, s->prev[at], end, &n_heap);
		renew(v, s, at, end, &n_heap);
	}
}

/* ---- ids ---------------------------------------------------------------------------------------- */

/* A character that is no piece: its bytes, or the unknown token. */
static size_t put_char(const Vocab *v, uint32_t cp, uint32_t *ids)
{
	char c[4];
	uint32_t n = utf8_encode(cp, c);
	if (v->header->flags & VOCAB_BYTE_FALLBACK) {
		for (uint32_t i = 0; i < n; i++)
			ids[i] = v->byte[(uint8_t)c[i]];
		return n;
	}
	ids[0] = v->header->unk;
	return v->header->unk != TOKEN_NONE;
}

static size_t put_symbol(const Vocab *v, uint32_t symbol, uint32_t *ids)
{
	if (symbol & SYMBOL_CHAR)
		return put_char(v, symbol & ~SYMBOL_CHAR, ids);
	ids[0] = symbol & ~SYMBOL_FROZEN;
	return 1;
}

/* A piece of type TOKEN_UNUSED that was made of n_char characters, in the parts that it was made of. The heap,
 * empty by now, is the stack. */
static size_t put_parts(const Vocab *v, SpmScratch *s, uint32_t symbol, size_t n_char, uint32_t *ids)
{
	size_t n = 0, n_part = 1, depth = 0;
	s->heap[depth++] = symbol;
	while (depth) {
		uint32_t top = (uint32_t)s->heap[--depth];
		if (top < v->n_token && v->token_type[top] == TOKEN_UNUSED && s->unmerge[top] && n_part < n_char) {
			s->heap[depth++] = (uint32_t)s->unmerge[top];
			s->heap[depth++] = s->unmerge[top] >> 32;
			n_part++;
		} else {
			n += put_symbol(v, top, ids + n);
		}
	}
	return n;
}

static size_t put_linked(const Vocab *v, SpmScratch *s, size_t k, uint32_t *ids)
{
	size_t n = 0;
	for (uint32_t i = 0; i < k; i = s->next[i])
		n += s->unmerge ? put_parts(v, s, s->id[i], s->next[i] - i, ids + n) : put_symbol(v, s->id[i], ids + n);
	return n;
}

size_t spm_encode_word(const Vocab *v, SpmScratch *s, Str word, uint32_t *ids)
{
	size_t n = 0;
	if (word.n > SPM_SHORT) {
		scratch_reserve(s, word.n);
		size_t k = start_symbols(v, s, word, s->id);
		merge_long(v, s, k);
		return put_linked(v, s, k, ids);
	}
	uint32_t id[SPM_SHORT];
	size_t k = merge_short(v, id, start_symbols(v, s, word, id));
	for (size_t i = 0; i < k; i++)
		n += put_symbol(v, id[i], ids + n);
	return n;
}

/* The whole text as one word: how a piece is taken apart may depend on what stands elsewhere. */
static size_t encode_unused(const Vocab *v, SpmScratch *s, Str text, uint32_t *ids)
{
	size_t k = 0;
	scratch_reserve(s, text.n);
	memset(s->unmerge, 0, v->n_token * sizeof *s->unmerge);
	for (size_t at = 0; at < text.n;) {
		const SpmUser *user = NULL;
		size_t to = spm_find_user(s, text, at, &user);
		k += start_symbols(v, s, str_sub(text, at, to), s->id + k);
		if (user)
			s->id[k++] = SYMBOL_FROZEN | user->id;
		at = to + (user ? user->n : 0);
	}
	merge_long(v, s, k);
	return put_linked(v, s, k, ids);
}

size_t spm_fuse_unknown(const Vocab *v, uint32_t *ids, size_t n)
{
	uint32_t unk = v->header->unk;
	size_t out = 0;
	if (!(v->header->flags & VOCAB_FUSE_UNKNOWN) || unk == TOKEN_NONE)
		return n;
	for (size_t i = 0; i < n; i++)
		if (ids[i] != unk || !i || ids[i - 1] != unk)
			ids[out++] = ids[i];
	return out;
}

size_t spm_encode(const Vocab *v, SpmScratch *s, Str text, uint32_t *ids)
{
	size_t n = 0;
	text = spm_prepare(s, v->header->flags, text);
	if (s->unmerge)
		return spm_fuse_unknown(v, ids, encode_unused(v, s, text, ids));
	for (size_t at = 0; at < text.n;) {
		const SpmUser *user = NULL;
		size_t end, to = spm_find_user(s, text, at, &user);
		for (; at < to; at = end) {
			end = spm_next_word(v, text.p, to, at);
			n += spm_encode_word(v, s, str_sub(text, at, end), ids + n);
		}
		if (user) {
			ids[n++] = user->id;
			at += user->n;
		}
	}
	return spm_fuse_unknown(v, ids, n);
}
