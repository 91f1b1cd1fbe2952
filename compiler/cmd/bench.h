/* Speeds of an engine: rounds of prefill and of decoding, taken in turn. */
#ifndef SEED_BENCH_H
#define SEED_BENCH_H

#include "runtime/engine/engine.h"

enum { BENCH_ROUNDS = 5, BENCH_BATCH_MAX = 256 };

typedef struct BenchPlan {
	uint32_t prefill, decode, depth, batch;  /* tokens, steps, tokens, sequences; 0: leave it out */
} BenchPlan;

/* Tokens a second, ascending. */
typedef struct BenchSpeed { double v[BENCH_ROUNDS]; } BenchSpeed;
typedef struct BenchResult { BenchSpeed prefill, decode; } BenchResult;

static inline double bench_median(const BenchSpeed *s) { return s->v[BENCH_ROUNDS / 2]; }

/* Blocks that a pool needs for the plan. */
uint32_t bench_blocks(const BenchPlan *p);
/* The pool must be empty. False with *why where the engine fails. */
bool bench_run(Engine *e, const BenchPlan *p, BenchResult *r, Str *why);

#endif
