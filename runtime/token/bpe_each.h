/*
 * BPE of many short pieces side by side: while the memory that one piece asks for is on its way, others go on.
 * What a machine does better is the search for the lowest rank; the ids are the same with every set.
 */
#ifndef SEED_TOKEN_BPE_EACH_H
#define SEED_TOKEN_BPE_EACH_H

#include "runtime/token/bpe.h"

/* A piece, where its ids go, their number. */
typedef struct BpeJob {
	Str piece;
	uint32_t *ids;
	uint32_t n_id;
} BpeJob;

/* bpe_encode of every piece. */
typedef void BpeEach(const Vocab *v, BpeScratch *s, BpeJob *const *job, size_t n);
/* The best of this machine, or of the set that is named, as split_batch has it. */
BpeEach *bpe_each(const char *isa);

#endif
