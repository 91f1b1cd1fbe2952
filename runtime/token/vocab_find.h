/* The look-ups of a table that encoding waits for, to be inlined; vocab.h says what they give. */
#ifndef SEED_TOKEN_VOCAB_FIND_H
#define SEED_TOKEN_VOCAB_FIND_H

#include "runtime/token/piece_hash.h"
#include "runtime/token/vocab.h"

/* The token of a piece with this hash, unless another piece has the same; TOKEN_NONE: no token is it. */
static inline uint32_t piece_guess(const Vocab *v, uint64_t hash)
{
	uint64_t tag = piece_tag(hash), mask = v->piece_mask, i = hash >> 40 & mask;
	for (uint64_t n = 0; n <= mask && v->piece[i] != PIECE_EMPTY; n++, i = (i + 1) & mask)
		if (!((v->piece[i] ^ tag) >> PIECE_ID_BITS))
			return v->piece[i] & ((1u << PIECE_ID_BITS) - 1);
	return TOKEN_NONE;
}

static inline void piece_expect(const Vocab *v, uint64_t hash)
{
	__builtin_prefetch(&v->piece[hash >> 40 & v->piece_mask]);
}

/* The rank of the pair, or TOKEN_NONE; i: where its row starts. */
static inline uint32_t pair_find(const Vocab *v, uint64_t key, uint64_t i)
{
	uint64_t mask = v->pair_mask;
	for (uint64_t n = 0; n <= mask && v->pair[i] != PAIR_EMPTY; n++, i = (i + 1) & mask)
		if (v->pair[i] >> PAIR_RANK_BITS == key)
			return v->pair[i] & ((1u << PAIR_RANK_BITS) - 1);
	return TOKEN_NONE;
}

#endif
