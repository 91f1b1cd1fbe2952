/* See score_engine.h. */
#include "compiler/cmd/score_engine.h"

#include <math.h>
#include <stdlib.h>

enum { LOGIT_ROWS = 64 };

static bool run_oracle(void *engine, const uint32_t *ids, uint32_t n, uint32_t from, ScoreRow *row, void *user, Str *why)
{
	Oracle *o = engine;
	uint32_t n_vocab = oracle_shape(o)->n_vocab;
	float *logits = mem_must_alloc((size_t)LOGIT_ROWS * n_vocab * sizeof *logits);
	(void)why;
	oracle_forward(o, ids, n, 0);
	for (uint32_t at = from; at < n; at += LOGIT_ROWS) {
		uint32_t take = n - at < LOGIT_ROWS ? n - at : LOGIT_ROWS;
		oracle_logits(o, at, take, logits);
		for (uint32_t i = 0; i < take; i++)
			row(user, logits + (size_t)i * n_vocab);
	}
	free(logits);
	return true;
}

ScoreForward score_by_oracle(Oracle *o)
{
	return (ScoreForward){ o, oracle_shape(o)->n_vocab, run_oracle };
}

/* n tokens behind what the sequence has; the logits of those from `from` on. */
static bool run_chunk(RunSession *s, KvSequence *seq, const uint32_t *ids, uint32_t n, uint32_t from, float *logits, Str *why)
{
	uint32_t rows[LOGIT_ROWS];
	EngineRun run = { seq, ids, n };
	EngineBatch batch = { .run = &run, .n_run = 1, .logit_row = rows, .logits = logits };
	for (uint32_t i = from; i < n; i++)
		rows[batch.n_logit++] = i;
	if (kv_sequence_reserve(seq, n))
		return s->engine->ops->forward(s->engine, &batch, why);
	*why = STR("the KV cache has no room for the window");
	return false;
}

static bool run_session(void *engine, const uint32_t *ids, uint32_t n, uint32_t from, ScoreRow *row, void *user, Str *why)
{
	RunSession *s = engine;
	uint32_t n_vocab = s->model.shape.n_vocab;
	float *logits = mem_must_alloc((size_t)LOGIT_ROWS * n_vocab * sizeof *logits);
	KvSequence *seq = kv_sequence_new(s->pool, 0);
	bool ok = seq != NULL;
	for (uint32_t at = 0, take; ok && at < n; at += take) {
		uint32_t most = at < from ? s->engine->chunk_tok : LOGIT_ROWS, to = at < from ? from : n;
		take = to - at < most ? to - at : most;
		uint32_t first = at < from ? take : 0;
		ok = run_chunk(s, seq, ids + at, take, first, logits, why);
		for (uint32_t i = first; ok && i < take; i++)
			row(user, logits + (size_t)(i - first) * n_vocab);
	}
	if (seq)
		kv_sequence_free(seq);
	free(logits);
	return ok;
}

ScoreForward score_by_session(RunSession *s)
{
	return (ScoreForward){ s, s->model.shape.n_vocab, run_session };
}

/* ---- distances -------------------------------------------------------------------------------- */

typedef struct Comparing {
	const ScoreForward *reference, *engine;
	uint32_t n_engine, window;
	Score *own;
	ScoreDistance *distance;      /* by engine */
	const ScoreProgress *progress;
	float *rows;                  /* of the reference, of one window */
	/* the run at hand */
	const uint32_t *next;         /* the ids that rows are held against */
	size_t at;
	Score *score;
	ScoreDistance *out;           /* NULL: the reference's own run */
	bool is_bad;
} Comparing;

static void take_row(void *user, const float *logits)
{
	Comparing *c = user;
	uint32_t n_vocab = c->reference->n_vocab, top, own_top;
	float *own = c->rows + c->at++ * n_vocab;
	double z = score_log_sum(logits, n_vocab, &top), kl = 0;
	c->is_bad |= !score_add(c->score, z - (double)logits[*c->next++]);
	if (!c->out) {
		memcpy(own, logits, n_vocab * sizeof *own);
		return;
	}
	double own_z = score_log_sum(own, n_vocab, &own_top);
	for (uint32_t i = 0; i < n_vocab; i++) {
		double p = (double)own[i] - own_z;
		kl += exp(p) * (p - ((double)logits[i] - z));
	}
	c->out->kl += kl;
	c->out->n_same_top += top == own_top;
}

static bool run_window(Comparing *c, const ScoreForward *f, const uint32_t *ids, Score *score, ScoreDistance *out, Str *why)
{
	uint32_t from = c->window / 2;
	c->next = ids + from + 1;
	c->at = 0;
	c->score = score;
	c->out = out;
	if (!f->run(f->engine, ids, c->window - 1, from, take_row, c, why))
		return false;
	if (c->is_bad)
		*why = STR("logits that are no finite numbers");
	return !c->is_bad;
}

static bool compare_window(void *user, const uint32_t *ids, size_t w, Str *why)
{
	Comparing *c = user;
	bool ok = run_window(c, c->reference, ids, c->own, NULL, why);
	for (uint32_t i = 0; ok && i < c->n_engine; i++)
		ok = run_window(c, &c->engine[i], ids, &c->distance[i].score, &c->distance[i], why);
	if (c->progress && c->progress->tell)
		c->progress->tell(c->progress->user, w + 1, c->own->n_window);
	return ok;
}

bool score_compare(Arena *a, const ScoreForward *reference, const ScoreForward *engine, uint32_t n_engine, uint32_t *ids, size_t n,
                   uint32_t window, uint32_t bos, Score *own, ScoreDistance *out, const ScoreProgress *progress, Str *why)
{
	Comparing c = { .reference = reference, .engine = engine, .n_engine = n_engine, .window = window, .own = own, .distance = out,
	                .progress = progress };
	c.rows = mem_must_alloc((size_t)(window - window / 2) * reference->n_vocab * sizeof *c.rows);
	*own = (Score){ .n_token = n, .n_window = n / window, .n_left_out = n % window };
	memset(out, 0, n_engine * sizeof *out);
	bool ok = score_each_window(a, ids, n, window, bos, compare_window, &c, why);
	free(c.rows);
	return ok;
}
