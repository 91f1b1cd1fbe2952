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

/* A piece, where its ids go, their number. */
typedef struct BpeJob {
	Str piece;
	uint32_t *ids;
	uint32_t n_id;
} BpeJob;

/* The same for many pieces, side by side: while the memory that one asks for is on its way, others go on. */
void bpe_encode_each(const Vocab *v, BpeScratch *s, BpeJob *const *job, size_t n);

/* The last join that makes a token of its own bytes; false where joins do not lead to it.
 *
 * note [canonical joins]: joins inside a token's span happen in the order that they do on the span
 * alone, since a join across its border would have kept the token from forming. So whatever stands
 * around it a token is only ever made by this one pair, and a table needs no other. */
bool bpe_last_join(const Vocab *v, BpeScratch *s, Str token, uint32_t *left, uint32_t *right);

#endif
