/* What must hold of any text and any vocabulary: pieces encoded apart are the whole at every offered cut. Shared
 * by the fuzz target of the encoders, tests/unit/test_law.c and the tool that runs over the real vocabularies. */
#ifndef SEED_TESTS_TOKEN_LAW_H
#define SEED_TESTS_TOKEN_LAW_H

#include <stdlib.h>

#include "runtime/token/token.h"

enum { LAW_EACH_BYTES = 600, LAW_PREFIXES = 7 };

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
		size_t n = l->text.n * i / LAW_PREFIXES, last = token_cut_last(l->e, str_sub(l->text, 0, n));
		law_must(l, last <= n && (!last || token_cut(l->e, l->well, last) == last));
	}
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
	free(l.whole);
	free(l.part);
	return l;
}

#endif
