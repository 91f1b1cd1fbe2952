/*
 * What executes a model: tokens in, logits out, the KV cache in between. The one interface behind which
 * the CPU engine stands, and others will.
 *
 *     engine->ops->forward(engine, &batch, &why)
 *
 * A batch is any mixture of tokens of any sequences: a decode step of eight sequences, a chunk of one
 * prefill, or both. The result for a token does not depend on what it is batched with (note [hit equals
 * miss] in kv.h). An engine belongs to one caller at a time; its threads are its own.
 */
#ifndef SEED_ENGINE_ENGINE_H
#define SEED_ENGINE_ENGINE_H

#include "runtime/kv/kv.h"
#include "runtime/model/model.h"

typedef struct Engine Engine;

/* n consecutive tokens of one sequence, behind what it has committed. Blocks for them are reserved. */
typedef struct EngineRun {
	KvSequence *sequence;
	const uint32_t *ids;
	uint32_t n;
} EngineRun;

/* Values on their way through the model, for analysis; either may be NULL. Pointers are good during the call. Of the
 * tokens of a batch alone: of those found in the cache nothing is told. attention may be called by several threads. */
typedef struct EngineTap {
	void *user;
	/* n_embd floats behind a layer. */
	void (*hidden)(void *user, uint32_t layer, uint32_t position, const float *x);
	/* What the token gives to keys key .. key + n - 1; sums to 1. */
	void (*attention)(void *user, uint32_t layer, uint32_t head, uint32_t position, uint32_t key, const float *share, uint32_t n);
} EngineTap;

typedef struct EngineBatch {
	const EngineRun *run;
	uint32_t n_run;
	/* Rows whose logits are wanted, as indices of tokens in the order of the runs, ascending. */
	const uint32_t *logit_row;
	uint32_t n_logit;
	float *logits;              /* [n_logit][n_vocab] */
	/* Where only some ids can come (a mask): their bits, [n_logit][(n_vocab + 63) / 64] or NULL. Other logits
	 * are then -INFINITY or computed, as the engine likes. */
	const uint64_t *allowed;
	const EngineTap *tap;       /* or NULL; the f32 engine has taps (oracle_engine.h), the fast one refuses them */
} EngineBatch;

typedef struct EngineOps {
	/* Computes and commits. False with *why (memory, NaN): nothing is committed then, and the sequences of the
	 * batch are good for freeing alone. */
	bool (*forward)(Engine *e, const EngineBatch *b, Str *why);
	void (*free)(Engine *e);
} EngineOps;

struct Engine {
	const EngineOps *ops;
	const Model *model;
	KvPool *pool;
	uint32_t chunk_tok;  /* tokens that one forward takes at the most */
};

/* Tokens of one sequence: what the model's context and the pool both take. */
uint32_t engine_max_tok(const Engine *e);
/* n tokens behind what the sequence has, in chunks, blocks reserved for them; the logits of the last, unless logits is
 * NULL. False with *why; the sequence is good for freeing alone then. */
bool engine_prefill(Engine *e, KvSequence *s, const uint32_t *ids, uint32_t n, float *logits, Str *why);

#endif
