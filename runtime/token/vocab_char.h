/*
 * Characters of three bytes that BPE may start with as one symbol (VSEC_CHAR): all of CJK, kana, Hangul.
 *
 * note [whole characters]: a character's bytes join to its token before anything joins across its borders if
 * no pair of a symbol at its edge with a neighbour comes before the join that ends that symbol, and if all
 * pairs with the token itself come after the join that makes it. Then joins go on elsewhere as they would,
 * and starting with the token changes nothing. Almost every such pair needs one certain character as the
 * neighbour, so the few characters that are feared carry a mark. Neighbours are only known where they are
 * three bytes too, or ASCII behind: elsewhere a character starts as its bytes. Derived from the pairs alone.
 */
#ifndef SEED_TOKEN_VOCAB_CHAR_H
#define SEED_TOKEN_VOCAB_CHAR_H

#include "runtime/token/vocab.h"

/* A number of VSEC_CHAR: the token, or CHAR_ID_MASK for none, and marks. */
enum {
	CHAR_COUNT = 1 << 16, CHAR_ID_MASK = (1 << 18) - 1,
	CHAR_FEARS_BEFORE = 1 << 18,   /* starts as bytes behind a character that is CHAR_FEARED_BEFORE */
	CHAR_FEARS_BEHIND = 1 << 19,   /* and before one that is CHAR_FEARED_BEHIND */
	CHAR_FEARED_BEFORE = 1 << 20,
	CHAR_FEARED_BEHIND = 1 << 21,
};

static inline bool char_is_next(unsigned char c) { return (c & 0xc0) == 0x80; }

/* Whether the n bytes at p start with a character of three bytes. */
static inline bool char_is_3(const char *p, size_t n)
{
	const unsigned char *c = (const unsigned char *)p;
	return n >= 3 && c[0] >> 4 == 0xe && char_is_next(c[1]) && char_is_next(c[2]);
}

/* Its place in VSEC_CHAR. */
static inline uint32_t char_place(const char *p)
{
	return ((uint32_t)p[0] & 15) << 12 | ((uint32_t)p[1] & 63) << 6 | ((uint32_t)p[2] & 63);
}

/* The section of a vocabulary whose other look-ups are there; empty where it would hold nothing. */
Str char_build(Arena *a, const Vocab *v);

#endif
