/* bench.h. The ids are noise: what a product costs does not depend on them. */
#include "compiler/cmd/bench.h"

#include <stdlib.h>

#include "runtime/base/clock.h"

typedef struct Bench {
	Engine *e;
	const BenchPlan *plan;
	uint32_t *ids;     /* as many as the longest prefill; sequence i starts at the i-th, or they would share blocks */
	float *logits;     /* [batch][n_vocab] */
	Str *why;
} Bench;

static double now_s(void) { return (double)clock_now_ns() * 1e-9; }

uint32_t bench_blocks(const BenchPlan *p)
{
	uint32_t each = (p->depth + p->decode) / KV_BLOCK + 1, one = p->prefill / KV_BLOCK + 1;
	return each * p->batch > one ? each * p->batch : one;
}

static bool prefill_measure(Bench *b, double *speed)
{
	KvSequence *s = kv_sequence_new(b->e->pool, 0);
	double from = now_s();
	bool ok = engine_prefill(b->e, s, b->ids, b->plan->prefill, b->logits, b->why);
	*speed = b->plan->prefill / (now_s() - from);
	kv_sequence_free(s);
	return ok;
}

/* Every sequence one token on, behind which its logits are wanted. */
static bool decode_step(Bench *b, KvSequence **s)
{
	uint32_t n = b->plan->batch, row[BENCH_BATCH_MAX];
	EngineRun run[BENCH_BATCH_MAX];
	for (uint32_t i = 0; i < n; i++) {
		run[i] = (EngineRun){ s[i], b->ids + i, 1 };
		row[i] = i;
		if (!kv_sequence_reserve(s[i], 1)) {
			*b->why = STR("the pool has no block left");
			return false;
		}
	}
	EngineBatch batch = { .run = run, .n_run = n, .logit_row = row, .n_logit = n, .logits = b->logits };
	return b->e->ops->forward(b->e, &batch, b->why);
}

static bool decode_measure(Bench *b, double *speed)
{
	KvSequence *s[BENCH_BATCH_MAX];
	const BenchPlan *p = b->plan;
	bool ok = true;
	for (uint32_t i = 0; i < p->batch; i++) {
		s[i] = kv_sequence_new(b->e->pool, 0);
		ok = ok && engine_prefill(b->e, s[i], b->ids + i, p->depth, b->logits, b->why);
	}
	double from = now_s();
	for (uint32_t k = 0; ok && k < p->decode; k++)
		ok = decode_step(b, s);
	*speed = (double)p->decode * p->batch / (now_s() - from);
	for (uint32_t i = 0; i < p->batch; i++)
		kv_sequence_free(s[i]);
	return ok;
}

static int speed_order(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static bool rounds_run(Bench *b, BenchResult *r)
{
	for (int i = 0; i < BENCH_ROUNDS; i++) {
		if (b->plan->prefill && !prefill_measure(b, &r->prefill.v[i]))
			return false;
		if (b->plan->decode && !decode_measure(b, &r->decode.v[i]))
			return false;
	}
	qsort(r->prefill.v, BENCH_ROUNDS, sizeof(double), speed_order);
	qsort(r->decode.v, BENCH_ROUNDS, sizeof(double), speed_order);
	return true;
}

bool bench_run(Engine *e, const BenchPlan *p, BenchResult *r, Str *why)
{
	uint32_t n = p->prefill > p->depth ? p->prefill : p->depth, n_vocab = e->model->shape.n_vocab;
	n += p->batch;
	*r = (BenchResult){ 0 };
	Bench b = { .e = e, .plan = p, .why = why };
	b.ids = mem_must_alloc(n * sizeof *b.ids);
	b.logits = mem_must_alloc((size_t)p->batch * n_vocab * sizeof *b.logits);
	for (uint32_t i = 0; i < n; i++)
		b.ids[i] = (uint32_t)(((uint64_t)i * 2654435761u + 12345) % n_vocab);
	bool ok = rounds_run(&b, r);
	free(b.ids);
	free(b.logits);
	return ok;
}
