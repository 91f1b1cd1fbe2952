/* The look-ups of a table that encoding waits for, to be inlined; vocab.h says what they give. */
#ifndef SEED_TOKEN_VOCAB_FIND_H
#define SEED_TOKEN_VOCAB_FIND_H

#include "runtime/token/piece_hash.h"
#include "runtime/token/vocab.h"

static inline void pair_expect(const Vocab *v, uint32_t left, uint32_t right)
{
	__builtin_prefetch(&v->pair[pair_hash(pair_key(left, right)) & v->pair_mask]);
}

static inline uint32_t pair_find(const Vocab *v, uint32_t left, uint32_t right)
{
	uint64_t key = pair_key(left, right), mask = v->pair_mask, i = pair_hash(key) & mask;
	for (uint64_t n = 0; v->pair && n <= mask; n++, i = (i + 1) & mask) {
		uint64_t slot = v->pair[i];
		if (slot >> PAIR_RANK_BITS == key)
			return slot & ((1u << PAIR_RANK_BITS) - 1);
		if (slot == PAIR_EMPTY)
			break;
	}
	return TOKEN_NONE;
}

#endif
