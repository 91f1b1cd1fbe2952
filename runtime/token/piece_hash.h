/*
 * The hash of a piece: part of the table's format (VSEC_PIECE), so it never changes within a version.
 * A piece of 16 bytes or fewer is two zero-padded words and its length; a longer one is folded in
 * steps of 16 bytes, the last step overlapping. One 64x64->128 multiplication a step.
 */
#ifndef SEED_TOKEN_PIECE_HASH_H
#define SEED_TOKEN_PIECE_HASH_H

#include <stdint.h>
#include <string.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "tables are little-endian and mapped as they are"
#endif

typedef unsigned __int128 Wide;

static inline uint64_t hash_fold(uint64_t a, uint64_t b)
{
	Wide m = (Wide)(a ^ 0x9e3779b97f4a7c15u) * (b ^ 0xe7037ed1a0b428dbu);
	return (uint64_t)m ^ (uint64_t)(m >> 64);
}

/* lo, hi: the bytes, little-endian, zero-padded; n <= 16. */
static inline uint64_t hash_short(uint64_t lo, uint64_t hi, size_t n)
{
	return hash_fold(lo + n, hi ^ (uint64_t)n << 56);
}

static inline void piece_words(const char *p, size_t n, uint64_t *lo, uint64_t *hi)
{
	*lo = *hi = 0;
	memcpy(lo, p, n < 8 ? n : 8);
	if (n > 8)
		memcpy(hi, p + 8, n - 8);
}

static inline uint64_t piece_hash(const char *p, size_t n)
{
	uint64_t lo, hi, h = n;
	if (n <= 16) {
		piece_words(p, n, &lo, &hi);
		return hash_short(lo, hi, n);
	}
	for (size_t i = 0; i < n; i += 16) {
		size_t at = i + 16 <= n ? i : n - 16;
		memcpy(&lo, p + at, 8);
		memcpy(&hi, p + at + 8, 8);
		h = hash_fold(h ^ lo, hi + 0x8bb84b93962eacc9u * (h | 1));
	}
	return h;
}

/* A slot of VSEC_PIECE: 46 bits of the hash (the highest clear, so that no slot looks empty) and an id. */
enum { PIECE_ID_BITS = 18 };
#define PIECE_EMPTY UINT64_MAX
static inline uint64_t piece_tag(uint64_t hash)
{
	return hash << PIECE_ID_BITS & ~((uint64_t)1 << 63);
}

/* A slot of VSEC_PAIR: left and right id, then the rank. A pair stands in the first free slot from the start of
 * its row on; a row is a cache line. */
enum { PAIR_RANK_BITS = 28, PAIR_ROW = 8 };
#define PAIR_EMPTY UINT64_MAX
static inline uint64_t pair_key(uint32_t left, uint32_t right)
{
	return (uint64_t)left << PIECE_ID_BITS | right;
}
/* mask: slots - 1. */
static inline uint64_t pair_start(uint64_t key, uint64_t mask)
{
	return (key * 0x9e3779b97f4a7c15u) >> 40 & mask & ~(uint64_t)(PAIR_ROW - 1);
}

#endif
