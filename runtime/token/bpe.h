/*
 * Byte-level BPE of one piece: which tokens a piece becomes.
 *
 * One idea: neighbours whose pair has the lowest rank join, leftmost first, until no pair has a rank.
 * Short pieces keep symbols and ranks side by side in two small arrays; long ones keep a linked list
 * and a heap of (rank, position), O(n log n), so that a million equal characters stay cheap.
 */
#ifndef SEED_TOKEN_BPE_H
#define SEED_TOKEN_BPE_H

#include "runtime/token/vocab.h"

enum { BPE_SHORT = 96 };  /* bytes of a piece that is short */

/* Memory for long pieces, grown when needed, kept between calls. Zeroed is valid. */
typedef struct BpeScratch {
	uint64_t *heap;
	uint32_t *id, *rank, *next, *prev;
	size_t cap;
} BpeScratch;

void bpe_free(BpeScratch *s);

/* Writes the ids of the piece, n at the most, and returns their number. A byte that has no token is
 * left out, or is the unknown token where the vocabulary has one. Does not look for the whole piece. */
size_t bpe_encode(const Vocab *v, BpeScratch *s, const char *p, size_t n, uint32_t *ids);

/* The last join that makes a token of its own bytes; false where joins do not lead to it.
 *
 * note [canonical joins]: joins inside a token's span happen in the order that they do on the span
 * alone, since a join across its border would have kept the token from forming. So whatever stands
 * around it a token is only ever made by this one pair, and a table needs no other. */
bool bpe_last_join(const Vocab *v, BpeScratch *s, Str token, uint32_t *left, uint32_t *right);

/* The symbols that a piece starts as and the ranks of their pairs, the last one's TOKEN_NONE; room for n of each. */
size_t bpe_start(const Vocab *v, const char *p, size_t n, uint32_t *id, uint32_t *rank);

/* The token that a join of this rank makes. */
static inline uint32_t bpe_joined(const Vocab *v, uint32_t rank)
{
	return v->join && rank < v->n_rank ? v->join[rank] : rank;
}

#endif
