/*
 * Index: a text's ids with a mark at every cut (token.h), for what asks often about parts of one text, such as an
 * editor. The ids between two marks are a slice; their number is a subtraction. After an edit only what stands between
 * the nearest marks round it is encoded again, and the index is the one that the new text would get.
 *
 *     TokenIndex ix = { 0 };
 *     token_index(e, text, &ix);
 *     size_t lo = token_index_find(&ix, 4), hi = token_index_find(&ix, 12);
 *     printf("%zu tokens in bytes %zu to %zu\n", token_index_count(&ix, lo, hi), ix.mark[lo].at, ix.mark[hi].at);
 *     token_index_edit(e, &ix, edited, (TokenEdit){ .lo = 4, .hi = 9, .n = 3 });
 *     printf("%zu tokens after the edit\n", ix.n_id);
 *     token_index_free(&ix);
 *
 * The text is not kept. A text without cuts has two marks, at its ends; an empty text one.
 */
#ifndef SEED_TOKEN_INDEX_H
#define SEED_TOKEN_INDEX_H

#include "runtime/token/token.h"

typedef struct TokenMark {
	size_t at;         /* byte */
	size_t n_token;    /* ids before it */
} TokenMark;

/* Zeroed is valid to be given to token_index. */
typedef struct TokenIndex {
	TokenMark *mark;   /* the start, every cut, the end */
	uint32_t *ids;
	size_t n_mark, n_id, mark_cap, id_cap;
	bool is_well;      /* cuts are cuts everywhere: token_cut_well */
} TokenIndex;

/* Bytes [lo, hi) were replaced by n bytes, which stand at lo of the new text. */
typedef struct TokenEdit { size_t lo, hi, n; } TokenEdit;

/* Indexes a text; what *ix held is gone. */
void token_index(Encoder *e, Str text, TokenIndex *ix);
/* text: the whole of it after the edit; ix is of the text before, by an encoder of the same vocabulary. */
void token_index_edit(Encoder *e, TokenIndex *ix, Str text, TokenEdit edit);
void token_index_free(TokenIndex *ix);

/* The last mark at or before a byte. */
size_t token_index_find(const TokenIndex *ix, size_t at);
/* Tokens between two marks, lo <= hi; they are ids[mark[lo].n_token] and on. */
static inline size_t token_index_count(const TokenIndex *ix, size_t lo, size_t hi)
{
	return ix->mark[hi].n_token - ix->mark[lo].n_token;
}

#endif
