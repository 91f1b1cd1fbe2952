/* Repeatable noise for tests: a small generator (SplitMix64). */
#ifndef SEED_TESTS_NOISE_H
#define SEED_TESTS_NOISE_H

#include <stdint.h>

typedef struct Noise { uint64_t at; } Noise;

static inline uint64_t noise_next(Noise *n)
{
	uint64_t x = n->at += 0x9e3779b97f4a7c15u;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

/* In (-1, 1). */
static inline float noise_float(Noise *n)
{
	return (float)((int64_t)noise_next(n) >> 40) * 0x1p-23f;
}

#endif
