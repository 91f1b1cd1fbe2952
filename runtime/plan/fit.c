/* fit.h: times of passes, and the constants out of them. */
#include "runtime/plan/fit.h"

#include <math.h>

#include "runtime/base/clock.h"
#include "runtime/cpu/bandwidth.h"

enum {
	DEPTH_TOK = 2048, CHUNK_TOK = 256, MADE_UP_BYTE = 0x11,
	BANDWIDTH_ROUNDS = 16, PEAK_ROUNDS = 100, TRIES = 4, ROUNDS_MIN = 2, STEPS_MAX = 4,
};
static const double STEPS_S = 0.015, CHUNK_S = 0.08, ENOUGH_S = 1.6, ALIKE = 1.02;

/* ---- passes ----------------------------------------------------------------------------------- */

typedef struct FitRun {
	Engine *engine;
	KvSequence *flat, *deep;   /* nothing before, DEPTH_TOK tokens before */
	uint32_t *ids;
	float *logits;
	uint32_t n_chunk, n_step;
	Str *why;
} FitRun;

static double now_s(void) { return (double)clock_now_ns() * 1e-9; }

/* Seconds of one pass of n tokens, out of n_times that follow each other. */
static bool passes_time(FitRun *f, KvSequence *s, uint32_t n, uint32_t n_logit, uint32_t n_times, double *each)
{
	uint32_t before = s->n_token, last = n - 1;
	EngineRun run = { s, f->ids, n };
	EngineBatch batch = { .run = &run, .n_run = 1, .logit_row = &last, .n_logit = n_logit, .logits = f->logits };
	double from = now_s();
	for (uint32_t i = 0; i < n_times; i++) {
		if (!kv_sequence_reserve(s, n)) {
			*f->why = STR("the pool has no block left");
			return false;
		}
		if (!f->engine->ops->forward(f->engine, &batch, f->why))
			return false;
		if (kv_sequence_rewind(s, before) != before) {
			*f->why = STR("the pool has lost what was measured behind");
			return false;
		}
	}
	*each = (now_s() - from) / n_times;
	return true;
}

static bool pass_time(FitRun *f, FitPass which, double *s)
{
	switch (which) {
	case FIT_TOKEN: return passes_time(f, f->flat, 1, 1, f->n_step, s);
	case FIT_TOKEN_HEADLESS: return passes_time(f, f->flat, 1, 0, f->n_step, s);
	case FIT_TOKEN_DEEP: return passes_time(f, f->deep, 1, 1, f->n_step, s);
	case FIT_CHUNK: return passes_time(f, f->flat, f->n_chunk, 0, 1, s);
	default: return passes_time(f, f->deep, f->n_chunk, 0, 1, s);
	}
}

/* As many steps and tokens as a round has time for. */
static bool sizes_choose(FitRun *f)
{
	double token = INFINITY, block = INFINITY, s = 0;
	for (int i = 0; i < TRIES; i++) {
		if (!passes_time(f, f->flat, 1, 1, 1, &s))
			return false;
		token = fmin(token, s);
		if (!passes_time(f, f->flat, KV_BLOCK, 0, 1, &s))
			return false;
		block = fmin(block, s);
	}
	double n_step = STEPS_S / token, n_block = CHUNK_S / block;
	f->n_step = n_step < 1 ? 1 : n_step > STEPS_MAX ? STEPS_MAX : (uint32_t)n_step;
	f->n_chunk = KV_BLOCK * (n_block < 1 ? 1 : n_block > CHUNK_TOK / KV_BLOCK ? CHUNK_TOK / KV_BLOCK : (uint32_t)n_block);
	return true;
}

/* Until the two least of every pass are alike: then no neighbour was in the way. */
static bool rounds_run(FitRun *f, FitTimes *t)
{
	double from = now_s(), second[FIT_PASS_COUNT], s = 0;
	bool is_sure = false;
	for (int i = 0; i < FIT_PASS_COUNT; i++)
		t->s[i] = second[i] = INFINITY;
	for (int round = 0; round < ROUNDS_MIN || (!is_sure && now_s() - from < ENOUGH_S); round++) {
		is_sure = true;
		for (int i = 0; i < FIT_PASS_COUNT; i++) {
			if (!pass_time(f, (FitPass)i, &s))
				return false;
			second[i] = fmin(second[i], fmax(s, t->s[i]));
			t->s[i] = fmin(t->s[i], s);
			is_sure = is_sure && second[i] <= ALIKE * t->s[i];
		}
	}
	return true;
}

/* A sequence of DEPTH_TOK tokens whose keys and values nobody computed. */
static bool depth_make(FitRun *f)
{
	KvSequence *s = f->deep;
	const KvShape *shape = kv_pool_shape(s->pool);
	if (!kv_sequence_reserve(s, DEPTH_TOK)) {
		*f->why = STR("the pool has no block left");
		return false;
	}
	for (uint32_t b = 0; b < s->n_block; b++)
		for (uint32_t layer = 0; layer < shape->n_layer; layer++)
			for (uint32_t head = 0; head < shape->n_head; head++) {
				KvLayout l = kv_layout(kv_block_format(shape->format, b), shape->head_len);
				KvSpot at = kv_block_at(s, b, layer, head);
				memset(at.k, MADE_UP_BYTE, l.v);
				memset(at.v, MADE_UP_BYTE, l.n_bytes - l.v);
			}
	kv_sequence_commit(s, f->ids, DEPTH_TOK);
	return true;
}

static void ids_make(uint32_t *ids, uint32_t n, uint32_t n_vocab)
{
	for (uint32_t i = 0; i < n; i++)
		ids[i] = (uint32_t)(((uint64_t)i * 2654435761u + 12345) % n_vocab);
}

static bool engine_measure(Arena *a, Engine *e, KvPool *pool, FitTimes *t, Str *why)
{
	uint32_t n_vocab = e->model->shape.n_vocab;
	FitRun f = { .engine = e, .flat = kv_sequence_new(pool, 0), .deep = kv_sequence_new(pool, 0), .why = why };
	f.ids = arena_array(a, uint32_t, DEPTH_TOK);
	f.logits = arena_array(a, float, n_vocab);
	ids_make(f.ids, DEPTH_TOK, n_vocab);
	bool ok = depth_make(&f) && sizes_choose(&f) && rounds_run(&f, t);
	t->depth = DEPTH_TOK;
	t->chunk = f.n_chunk;
	kv_sequence_free(f.flat);
	kv_sequence_free(f.deep);
	t->flop_per_s = cpu_engine_peak(e, PEAK_ROUNDS);
	return ok;
}

bool fit_measure(Arena *a, const PlanFitting *f, FitTimes *t, Str *why)
{
	uint32_t n_block = (DEPTH_TOK + 4 * CHUNK_TOK) / KV_BLOCK;
	KvConfig config = { .shape = cpu_engine_kv_shape(f->model, f->kv), .n_block = n_block, .n_local = n_block, .n_sequence = 2 };
	KvPool *pool = kv_pool_new(a, &config, why);
	if (!pool)
		return false;
	Engine *e = cpu_engine_open(a, f->model, pool, &f->cpu, why);
	bool ok = e && engine_measure(a, e, pool, t, why);
	if (ok)
		t->bytes_per_s = cpu_read_bandwidth(a, cpu_engine_threads(e), BANDWIDTH_ROUNDS);
	if (e)
		e->ops->free(e);
	kv_pool_free(pool);
	if (ok && !(t->bytes_per_s > 0))
		*why = STR("no memory to measure the bandwidth in");
	return ok && t->bytes_per_s > 0;
}

/* ---- constants -------------------------------------------------------------------------------- */

static double at_least(double x, double least) { return x > least ? x : least; }

/* Two passes that differ by the head: bytes · x + phases · sync, twice. A model that lies in a cache makes their difference
 * small; then the phases get what x, at the fastest a cache can be, leaves. */
static void solve_memory(const PlanModel *m, const FitTimes *t, PlanProfile *p)
{
	const double CACHE_GAIN = 16;
	PlanPass whole = plan_pass(m, 0, 1, 1), headless = plan_pass(m, 0, 1, 0);
	double b1 = headless.work[PLAN_PRODUCTS].bytes, b2 = whole.work[PLAN_HEAD].bytes, n1 = headless.n_phase, n2 = whole.n_phase - n1;
	double t1 = t->s[FIT_TOKEN_HEADLESS], t2 = t->s[FIT_TOKEN] - t1;
	double x = (t2 * n1 - t1 * n2) / (b2 * n1 - b1 * n2);  /* seconds a byte */
	x = at_least(x, 1 / (CACHE_GAIN * t->bytes_per_s));
	x = fmin(x, t->s[FIT_TOKEN] / (b1 + b2));
	p->fit.sync_s = at_least((t->s[FIT_TOKEN] - (b1 + b2) * x) / whole.n_phase, 0);
	p->fit.e_bw = 1 / (x * t->bytes_per_s);
}

/* A position's price for a lone token is one of keys and values taken out and one token's flops; for a chunk the first is
 * paid once for each block of its tokens. */
static void solve_attention(const PlanModel *m, const FitTimes *t, PlanProfile *p)
{
	PlanPass one = plan_pass(m, t->depth, 1, 0), many = plan_pass(m, t->depth, t->chunk, 0), none = plan_pass(m, 0, t->chunk, 0);
	double f1 = one.work[PLAN_ATTENTION].flop, f2 = many.work[PLAN_ATTENTION].flop - none.work[PLAN_ATTENTION].flop;
	double b1 = one.taken_bytes, b2 = many.taken_bytes - none.taken_bytes;
	double t1 = at_least(t->s[FIT_TOKEN_DEEP] - t->s[FIT_TOKEN], 1e-9), t2 = at_least(t->s[FIT_CHUNK_DEEP] - t->s[FIT_CHUNK], 1e-9);
	double a_flop = (t2 * b1 - t1 * b2) / (f2 * b1 - f1 * b2);  /* seconds each */
	a_flop = fmin(at_least(a_flop, t1 / f1 / 64), fmin(t1 / f1, t2 / f2));
	p->fit.e_attend = 1 / (a_flop * t->flop_per_s);
	p->fit.take_s = at_least((t1 - f1 * a_flop) / b1, 0);
}

static void solve_products(const PlanModel *m, const FitTimes *t, PlanProfile *p)
{
	PlanPass chunk = plan_pass(m, 0, t->chunk, 0);
	double attention_s = chunk.work[PLAN_ATTENTION].flop / (p->flop_per_s * p->fit.e_attend) + chunk.taken_bytes * p->fit.take_s;
	double s = t->s[FIT_CHUNK] - attention_s - chunk.n_phase * p->fit.sync_s;
	p->fit.e_f = chunk.work[PLAN_PRODUCTS].flop / (at_least(s, t->s[FIT_CHUNK] / 4) * p->flop_per_s);
}

void fit_solve(const PlanModel *m, const FitTimes *t, PlanProfile *p)
{
	p->bytes_per_s = t->bytes_per_s;
	p->flop_per_s = t->flop_per_s;
	solve_memory(m, t, p);
	solve_attention(m, t, p);
	solve_products(m, t, p);
	p->is_fitted = true;
}
