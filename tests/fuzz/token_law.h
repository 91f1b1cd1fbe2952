/* What must hold of any text and any vocabulary: pieces encoded apart are the whole at every offered cut, cuts of a part
 * are cuts of the whole, a text in pieces is the text, an edited index is the new text's, a byte-level vocabulary gives
 * every byte back. Shared by the fuzz target of the encoders, tests/unit/test_law.c and the tool that runs over the real
 * vocabularies. */
#ifndef SEED_TESTS_TOKEN_LAW_H
#define SEED_TESTS_TOKEN_LAW_H

#include <stdlib.h>

#include "runtime/token/index.h"

enum { LAW_EACH_BYTES = 600, LAW_PREFIXES = 7, LAW_EDITS = 6 };

typedef struct Law {
	Encoder *e;
	Str text, well;        /* well: the start in which cuts are cuts */
	uint32_t *whole, *part;
	size_t n;              /* ids of the whole */
	uint32_t n_cut, n_wrong;
} Law;

static inline void law_must(Law *l, bool ok)
{
	l->n_wrong += !ok;
}

static inline bool law_is_whole(const Law *l, size_t n)
{
	return n == l->n && !memcmp(l->whole, l->part, n * sizeof *l->part);
}

/* Cut at every place at once, encoded and counted. */
static inline void law_all_cuts(Law *l)
{
	size_t at = 0, n = 0, count = 0;
	while (at < l->text.n || !at) {
		size_t to = token_cut(l->e, l->well, at + 1);
		Str part = str_sub(l->text, at, to < l->well.n ? to : l->text.n);
		n += (at ? token_encode_behind : token_encode)(l->e, part, l->part + n);
		count += (at ? token_count_behind : token_count)(l->e, part);
		if (to >= l->well.n)
			break;
		l->n_cut++;
		at = to;
	}
	law_must(l, law_is_whole(l, n) && count == l->n);
}

static inline void law_each_cut(Law *l)
{
	for (size_t at = 1; (at = token_cut(l->e, l->well, at)) < l->well.n; at++) {
		size_t n = token_encode(l->e, str_sub(l->text, 0, at), l->part);
		n += token_encode_behind(l->e, str_sub(l->text, at, l->text.n), l->part + n);
		law_must(l, law_is_whole(l, n));
	}
}

/* What a text that arrives in pieces may be cut at is a cut of the whole. */
static inline void law_last_cut(Law *l)
{
	for (size_t i = 1; i <= LAW_PREFIXES; i++) {
		size_t n = l->text.n * i / LAW_PREFIXES, last = token_cut_last(l->e, str_sub(l->text, 0, n), 0);
		law_must(l, last <= n && (!last || token_cut(l->e, l->well, last) == last));
	}
}

/* Cuts that a part of the text offers far enough inside it are cuts of the whole, whatever stands around the part:
 * shipped ids (runtime/wire/shipped.h) lie between such. */
static inline void law_inner_cuts(Law *l)
{
	size_t reach = token_cut_reach(l->e), step = l->well.n / LAW_PREFIXES + 1;
	for (size_t lo = 0; lo < l->well.n; lo += step) {
		if ((l->well.p[lo] & 0xc0) == 0x80)
			continue;
		Str part = str_sub(l->well, lo, lo + 3 * step);
		size_t last = token_cut_last(l->e, part, 0), first = token_cut(l->e, part, reach);
		if (first + reach <= part.n && first < part.n)
			law_must(l, token_cut(l->e, l->well, lo + first) == lo + first);
		if (last >= reach)
			law_must(l, token_cut(l->e, l->well, lo + last) == lo + last);
	}
}

/* In pieces of 1, 2, 3, … bytes. */
static inline void law_stream(Law *l)
{
	TokenStream s = { .e = l->e };
	size_t n = 0, k;
	for (size_t at = 0, size = 1;; at += size++) {
		bool is_end = at + size >= l->text.n;
		k = token_stream_put(&s, str_sub(l->text, at, is_end ? l->text.n : at + size));
		if (k)
			memcpy(l->part + n, s.ids, k * sizeof *s.ids);
		n += k;
		if (is_end)
			break;
	}
	k = token_stream_end(&s);
	if (k)
		memcpy(l->part + n, s.ids, k * sizeof *s.ids);
	law_must(l, law_is_whole(l, n + k));
	token_stream_free(&s);
}

static inline bool law_same_index(const TokenIndex *x, const TokenIndex *y)
{
	return x->n_mark == y->n_mark && x->n_id == y->n_id && x->is_well == y->is_well &&
	       !memcmp(x->mark, y->mark, x->n_mark * sizeof *x->mark) && (!x->n_id || !memcmp(x->ids, y->ids, x->n_id * sizeof *x->ids));
}

/* Replaces some bytes of b by bytes of the text, all chosen by *seed. */
static inline TokenEdit law_edit(Buf *b, Str text, uint32_t *seed)
{
	uint32_t r[4];
	for (int i = 0; i < 4; i++)
		r[i] = (*seed = *seed * 1103515245u + 12345u) >> 8;
	TokenEdit edit = { .lo = r[0] % (b->n + 1) };
	size_t left = b->n - edit.lo, from = r[1] % (text.n + 1);
	edit.hi = edit.lo + r[2] % ((r[3] & 1 ? left : left < 8 ? left : 8) + 1);
	edit.n = r[3] % 20 < text.n - from ? r[3] % 20 : text.n - from;
	Buf made = { 0 };
	buf_put(&made, str_sub(buf_str(b), 0, edit.lo));
	buf_put(&made, str_sub(text, from, from + edit.n));
	buf_put(&made, str_sub(buf_str(b), edit.hi, b->n));
	buf_free(b);
	*b = made;
	return edit;
}

static inline void law_index(Law *l)
{
	TokenIndex edited = { 0 }, whole = { 0 };
	Buf b = { 0 };
	uint32_t seed = (uint32_t)(l->text.n * 2654435761u + l->n);
	token_index(l->e, l->text, &edited);
	law_must(l, edited.n_id == l->n && (!l->n || !memcmp(edited.ids, l->whole, l->n * sizeof *l->whole)));
	law_must(l, token_index_count(&edited, 0, token_index_find(&edited, l->text.n)) == l->n);
	buf_put(&b, l->text);
	for (int i = 0; i < LAW_EDITS; i++) {
		TokenEdit edit = law_edit(&b, l->text, &seed);
		token_index_edit(l->e, &edited, buf_str(&b), edit);
		token_index(l->e, buf_str(&b), &whole);
		law_must(l, law_same_index(&edited, &whole));
	}
	token_index_free(&edited);
	token_index_free(&whole);
	buf_free(&b);
}

/* Whether no byte is lost on the way to ids: the model is byte-level and has them all (SmolLM2 lacks some). */
static inline bool law_keeps_bytes(const Vocab *v)
{
	const VocabHeader *h = v->header;
	bool keeps = (h->model == VOCAB_RANKS || h->model == VOCAB_MERGES) && h->norm == NORM_NONE;
	for (int b = 0; keeps && b < 256; b++)
		keeps = v->byte[b] != TOKEN_NONE;
	return keeps;
}

static inline void law_bytes_back(Law *l)
{
	Buf out = { 0 };
	size_t bad;
	law_must(l, token_decode(encoder_vocab(l->e), l->whole, l->n, &out, &bad));
	if (law_keeps_bytes(encoder_vocab(l->e)))
		law_must(l, str_eq(buf_str(&out), l->text));
	buf_free(&out);
}

static inline Law law_check(Encoder *e, Str text)
{
	size_t room = 2 * token_bound(encoder_vocab(e), text.n) + (text.n + 2) * TOKEN_PART_ROOM;
	Law l = { .e = e, .text = text, .well = str_sub(text, 0, token_cut_well(e, text)) };
	l.whole = mem_must_alloc(room * sizeof *l.whole);
	l.part = mem_must_alloc(room * sizeof *l.part);
	l.n = token_encode(e, text, l.whole);
	law_must(&l, token_count(e, text) == l.n);
	law_all_cuts(&l);
	if (text.n <= LAW_EACH_BYTES)
		law_each_cut(&l);
	law_last_cut(&l);
	law_inner_cuts(&l);
	law_stream(&l);
	law_index(&l);
	law_bytes_back(&l);
	free(l.whole);
	free(l.part);
	return l;
}

#endif
