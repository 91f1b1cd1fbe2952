/*
 * Choosing the next token from logits.
 *
 * note [same seed, same tokens]. Chance comes from a counter, not from a stream: the draw for a token is
 * a function of the seed and the token's position, and all arithmetic is explicit float32, so a request
 * gives the same tokens in any batch, with any number of threads, on any machine. Ties go to the lowest
 * id, top-k of 1 is greedy, a NaN is an error and never a token.
 *
 * Order: repetition penalty, temperature, top-k, min-p, top-p, then the draw.
 */
#ifndef SEED_DECODE_SAMPLE_H
#define SEED_DECODE_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct SampleRules {
	float temperature;         /* 0: greedy, and nothing below is looked at but the penalty */
	uint32_t top_k;            /* 0: all */
	float top_p;               /* 1: all. The fewest likeliest tokens whose probabilities reach it, one at the least */
	float min_p;               /* 0: all. Tokens at least this share of the likeliest one's probability */
	float repetition_penalty;  /* 1: none. Positive logits of seen tokens are divided by it, negative multiplied */
	uint64_t seed;
} SampleRules;

#define SAMPLE_GREEDY (SampleRules){ .top_p = 1, .repetition_penalty = 1 }

typedef struct Sampler Sampler;

Sampler *sampler_new(uint32_t n_vocab);
void sampler_free(Sampler *s);
/* Forgets which tokens the penalty is for. */
void sampler_reset(Sampler *s);
void sampler_saw(Sampler *s, uint32_t id);

typedef enum SampleStatus {
	SAMPLE_DONE,
	SAMPLE_NAN,      /* a logit is NaN, or +infinity */
	SAMPLE_NONE,     /* every token is masked */
} SampleStatus;

/* The token for `position`. allowed: a bit for each id, or NULL. logits are changed. */
SampleStatus sampler_choose(Sampler *s, const SampleRules *rules, float *logits, const uint64_t *allowed,
                            uint64_t position, uint32_t *id);

/* The probability of id among n logits as they stand. */
double sample_share(const float *logits, uint32_t n, uint32_t id);
/* e^x to float precision, in explicit arithmetic: the same bits everywhere. */
float sample_exp(float x);
/* In [0, 1): 53 bits of SplitMix64's finalizer over both numbers (Steele, Lea, Flood 2014). */
double sample_uniform(uint64_t seed, uint64_t position);

#endif
