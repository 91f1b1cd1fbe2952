/* See oracle_engine.h. */
#include "runtime/oracle/oracle_engine.h"

#include <stdlib.h>

#include "runtime/oracle/oracle.h"

enum { CHUNK_TOK = 512 };

typedef struct OracleEngine {
	Engine engine;
	Oracle *oracle;
	uint32_t *ids, n;    /* whose keys the oracle has */
	uint32_t *wanted;    /* the ids of the sequence at hand */
} OracleEngine;

/* The oracle's keys become those of the sequence's committed tokens. */
static void recall(OracleEngine *e, const KvSequence *s)
{
	uint32_t same = 0;
	kv_sequence_ids(s, e->wanted);
	while (same < e->n && same < s->n_token && e->ids[same] == e->wanted[same])
		same++;
	oracle_set_taps(e->oracle, NULL);
	for (uint32_t at = same, take; at < s->n_token; at += take) {
		take = s->n_token - at < CHUNK_TOK ? s->n_token - at : CHUNK_TOK;
		oracle_forward(e->oracle, e->wanted + at, take, at);
	}
	memcpy(e->ids, e->wanted, s->n_token * sizeof *e->ids);
	e->n = s->n_token;
}

static bool run_fits(const OracleEngine *e, const EngineRun *r, Str *why)
{
	if (r->n > CHUNK_TOK || r->n > oracle_room(e->oracle) - r->sequence->n_token) {
		*why = STR("more tokens than the reference has room for");
		return false;
	}
	for (uint32_t i = 0; i < r->n; i++)
		if (r->ids[i] >= e->engine.model->shape.n_vocab) {
			*why = STR("a token id is not in the model's vocabulary");
			return false;
		}
	return true;
}

/* The rows of the run, which are first .. first + n - 1 of the batch; returns how many of them were wanted. */
static uint32_t run_one(OracleEngine *e, const EngineBatch *b, const EngineRun *r, uint32_t first, uint32_t at)
{
	uint32_t n = 0, n_vocab = e->engine.model->shape.n_vocab;
	recall(e, r->sequence);
	oracle_set_taps(e->oracle, b->tap);
	oracle_forward(e->oracle, r->ids, r->n, e->n);
	memcpy(e->ids + e->n, r->ids, r->n * sizeof *e->ids);
	e->n += r->n;
	for (; at + n < b->n_logit && b->logit_row[at + n] < first + r->n; n++)
		oracle_logits(e->oracle, b->logit_row[at + n] - first, 1, b->logits + (size_t)(at + n) * n_vocab);
	return n;
}

static bool forward(Engine *engine, const EngineBatch *b, Str *why)
{
	OracleEngine *e = (OracleEngine *)engine;
	uint32_t first = 0, n_logit = 0;
	for (uint32_t i = 0; i < b->n_run; i++)
		if (!run_fits(e, &b->run[i], why))
			return false;
	for (uint32_t i = 0; i < b->n_run; i++) {
		const EngineRun *r = &b->run[i];
		n_logit += run_one(e, b, r, first, n_logit);
		first += r->n;
	}
	for (uint32_t i = 0; i < b->n_run; i++)
		kv_sequence_commit(b->run[i].sequence, b->run[i].ids, b->run[i].n);
	return true;
}

static void release(Engine *engine)
{
	OracleEngine *e = (OracleEngine *)engine;
	oracle_free(e->oracle);
	free(e->ids);
	free(e->wanted);
	free(e);
}

Engine *oracle_engine_open(const Model *m, KvPool *pool, unsigned n_thread)
{
	static const EngineOps ops = { forward, release };
	uint32_t n_position = kv_pool_max_tok(pool);
	OracleEngine *e = mem_must_alloc(sizeof *e);
	*e = (OracleEngine){ .engine = { &ops, m, pool, CHUNK_TOK }, .oracle = oracle_new(m, n_position, n_thread) };
	e->ids = mem_must_alloc(n_position * sizeof *e->ids);
	e->wanted = mem_must_alloc(n_position * sizeof *e->wanted);
	return &e->engine;
}
