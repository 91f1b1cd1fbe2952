/* See score_engine.h. */
#include "compiler/cmd/score_engine.h"

#include <math.h>
#include <stdlib.h>

#include "runtime/token/vocab.h"

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
	uint32_t n_vocab;
	const uint32_t *next;  /* the ids that rows are held against */
	float *rows;           /* of the reference, of one window */
	size_t at;
	Score *score;
	ScoreDistance *out;    /* NULL: the reference's own run */
	bool is_bad;
} Comparing;

static double log_sum(const float *logits, uint32_t n, uint32_t *top)
{
	double sum = 0;
	*top = 0;
	for (uint32_t i = 1; i < n; i++)
		if (logits[i] > logits[*top])
			*top = i;
	for (uint32_t i = 0; i < n; i++)
		sum += exp((double)logits[i] - (double)logits[*top]);
	return (double)logits[*top] + log(sum);
}

static void take_row(void *user, const float *logits)
{
	Comparing *c = user;
	float *own = c->rows + c->at++ * c->n_vocab;
	uint32_t top, own_top;
	double z = log_sum(logits, c->n_vocab, &top), loss = z - (double)logits[*c->next++], kl = 0;
	c->is_bad |= !isfinite(loss);
	c->score->sum += loss;
	c->score->square += loss * loss;
	c->score->n_scored++;
	if (!c->out) {
		memcpy(own, logits, c->n_vocab * sizeof *own);
		return;
	}
	double own_z = log_sum(own, c->n_vocab, &own_top);
	for (uint32_t i = 0; i < c->n_vocab; i++) {
		double p = (double)own[i] - own_z;
		kl += exp(p) * (p - ((double)logits[i] - z));
	}
	c->out->kl += kl;
	c->out->n_same_top += top == own_top;
}

static bool run_window(Comparing *c, const ScoreForward *f, const uint32_t *ids, uint32_t window, Str *why)
{
	uint32_t from = window / 2;
	c->next = ids + from + 1;
	c->at = 0;
	if (!f->run(f->engine, ids, window - 1, from, take_row, c, why))
		return false;
	if (c->is_bad)
		*why = STR("logits that are no finite numbers");
	return !c->is_bad;
}

bool score_compare(Arena *a, const ScoreForward *reference, const ScoreForward *engine, uint32_t n_engine, uint32_t *ids, size_t n,
                   uint32_t window, uint32_t bos, Score *own, ScoreDistance *out, const ScoreProgress *progress, Str *why)
{
	Comparing c = { .n_vocab = reference->n_vocab };
	size_t n_window = n / window;
	bool ok = n_window != 0;
	c.rows = mem_must_alloc((size_t)(window - window / 2) * c.n_vocab * sizeof *c.rows);
	*own = (Score){ .n_token = n, .n_window = n_window, .n_left_out = n % window };
	memset(out, 0, n_engine * sizeof *out);
	if (!ok)
		*why = str_fmt(a, "%zu tokens are fewer than a window of %u; --window takes a smaller one", n, window);
	for (size_t w = 0; ok && w < n_window; w++) {
		uint32_t *at = ids + w * window, first = at[0];
		at[0] = bos == TOKEN_NONE ? first : bos;
		c.score = own;
		c.out = NULL;
		ok = run_window(&c, reference, at, window, why);
		for (uint32_t i = 0; ok && i < n_engine; i++) {
			c.score = &out[i].score;
			c.out = &out[i];
			ok = run_window(&c, &engine[i], at, window, why);
		}
		at[0] = first;
		if (progress && progress->tell)
			progress->tell(progress->user, w + 1, n_window);
	}
	free(c.rows);
	return ok;
}
