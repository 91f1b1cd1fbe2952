/*
 * oracle_logits MODEL CHUNK ID...: the logits of every token, raw floats, the ids run CHUNK at a time.
 * oracle_logits --engine MODEL ID...: the logits of every token by the engine that the oracle is behind, of a sequence
 *   that takes turns with another one and then begins anew behind what the cache has; and the taps on the way must add up.
 * oracle_logits --greedy N MODEL ID...: N ids that follow, each the likeliest (the lowest of equals), and how far in nats
 *   the second is behind.
 */
#include "runtime/oracle/oracle.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime/oracle/oracle_engine.h"

static uint32_t best_of(const float *x, uint32_t n, uint32_t but)
{
	uint32_t best = but == 0 ? 1 : 0;
	for (uint32_t i = best + 1; i < n; i++)
		if (i != but && x[i] > x[best])
			best = i;
	return best;
}

static void print_logits(Oracle *o, const Model *m, const uint32_t *ids, uint32_t n, uint32_t chunk)
{
	float *row = malloc(m->shape.n_vocab * sizeof *row);
	for (uint32_t at = 0; at < n; at += chunk) {
		uint32_t take = n - at < chunk ? n - at : chunk;
		oracle_forward(o, ids + at, take, at);
		for (uint32_t t = 0; t < take; t++) {
			oracle_logits(o, t, 1, row);
			fwrite(row, sizeof *row, m->shape.n_vocab, stdout);
		}
	}
	free(row);
}

static void print_greedy(Oracle *o, const Model *m, const uint32_t *ids, uint32_t n, uint32_t n_more)
{
	float *row = malloc(m->shape.n_vocab * sizeof *row);
	oracle_forward(o, ids, n, 0);
	for (uint32_t i = 0, last = n - 1; i < n_more; i++, last = 0) {
		oracle_logits(o, last, 1, row);
		uint32_t best = best_of(row, m->shape.n_vocab, UINT32_MAX), next = best_of(row, m->shape.n_vocab, best);
		printf("%u %.4f\n", best, (double)(row[best] - row[next]));
		oracle_forward(o, &best, 1, n + i);
	}
	free(row);
}

/* ---- through the engine ------------------------------------------------------------------------------------ */

typedef struct Tapped {
	const Model *m;
	uint32_t lo, hi;   /* positions that are being computed */
	uint32_t n_hidden;
	_Atomic uint32_t n_attention;
	_Atomic bool is_bad;
} Tapped;

static void tap_hidden(void *user, uint32_t layer, uint32_t position, const float *x)
{
	Tapped *t = user;
	t->n_hidden++;
	t->is_bad |= layer >= t->m->shape.n_layer || position < t->lo || position >= t->hi || !isfinite(x[t->m->shape.n_embd - 1]);
}

static void tap_attention(void *user, uint32_t layer, uint32_t head, uint32_t position, uint32_t key, const float *share, uint32_t n)
{
	Tapped *t = user;
	double sum = 0;
	for (uint32_t i = 0; i < n; i++)
		sum += (double)share[i];
	t->n_attention++;
	if (fabs(sum - 1) > 1e-4 || key + n != position + 1 || layer >= t->m->shape.n_layer || head >= t->m->shape.n_head)
		t->is_bad = true;
}

static void engine_step(Engine *e, KvSequence *s, const uint32_t *ids, uint32_t n, float *logits)
{
	const ModelShape *m = &e->model->shape;
	Tapped t = { .m = e->model, .lo = s->n_token, .hi = s->n_token + n };
	EngineTap tap = { &t, tap_hidden, tap_attention };
	EngineRun run = { s, ids, n };
	uint32_t row[16];
	EngineBatch batch = { .run = &run, .n_run = 1, .logit_row = row, .n_logit = n, .logits = logits, .tap = &tap };
	Str why = STR("no room");
	for (uint32_t i = 0; i < n; i++)
		row[i] = i;
	if (!kv_sequence_reserve(s, n) || !e->ops->forward(e, &batch, &why) || t.is_bad || t.n_hidden != n * m->n_layer ||
	    t.n_attention != n * m->n_layer * m->n_head) {
		fprintf(stderr, "engine: %.*s; %u hidden states, %u rows of attention\n", STR_ARG(why), t.n_hidden, t.n_attention);
		exit(1);
	}
}

static int print_engine(const Model *m, const uint32_t *ids, uint32_t n)
{
	Arena a = { 0 };
	Str why;
	KvConfig config = { .shape = { m->shape.n_layer, m->shape.n_kv_head, m->shape.head_len, KV_F16, 0, 0 }, .n_block = 2 * (n / KV_BLOCK + 1), .n_sequence = 2 };
	KvPool *pool = kv_pool_new(&a, &config, &why);
	if (!pool)
		return fprintf(stderr, "%.*s\n", STR_ARG(why)), 1;
	Engine *e = oracle_engine_open(m, pool, 2);
	KvSequence *s = kv_sequence_new(pool, 0), *other = kv_sequence_new(pool, 0);
	size_t n_vocab = m->shape.n_vocab;
	float *logits = malloc(n * n_vocab * sizeof *logits), *rest = malloc(16 * n_vocab * sizeof *rest);
	for (uint32_t at = 0, take; at < n; at += take) {
		take = n - at < 5 ? n - at : 5;
		engine_step(e, s, ids + at, take, logits + at * n_vocab);
		engine_step(e, other, ids + n - 1 - at, 1, rest);
	}
	kv_sequence_free(s);
	s = kv_sequence_new(pool, 0);
	for (uint32_t at = kv_sequence_match(s, ids, n), take; at < n; at += take) {
		take = n - at < 16 ? n - at : 16;
		engine_step(e, s, ids + at, take, rest);
		if (memcmp(rest, logits + at * n_vocab, take * n_vocab * sizeof *rest))
			return fprintf(stderr, "engine: behind a hit the logits are others\n"), 1;
	}
	fwrite(logits, sizeof *logits, n * n_vocab, stdout);
	e->ops->free(e);
	kv_pool_free(pool);
	arena_free(&a);
	free(logits);
	free(rest);
	return 0;
}

int main(int argc, char **argv)
{
	bool is_greedy = argc > 4 && !strcmp(argv[1], "--greedy"), is_engine = argc > 3 && !strcmp(argv[1], "--engine");
	if (argc < 4)
		return 2;
	const char *path = argv[is_greedy ? 3 : is_engine ? 2 : 1];
	uint32_t count = (uint32_t)strtoul(argv[2], NULL, 10), first = is_greedy ? 4 : 3, n = (uint32_t)argc - first;
	uint32_t *ids = malloc(n * sizeof *ids);
	for (uint32_t i = 0; i < n; i++)
		ids[i] = (uint32_t)strtoul(argv[first + i], NULL, 10);
	Arena a = { 0 };
	Model m;
	Str why;
	size_t offset;
	if (!model_open(&a, path, &m, &why, &offset))
		return fprintf(stderr, "byte %zu: %.*s\n", offset, STR_ARG(why)), 1;
	int status = is_engine ? print_engine(&m, ids, n) : 0;
	Oracle *o = oracle_new(&m, n + count + 2, 2);
	if (is_greedy)
		print_greedy(o, &m, ids, n, count);
	else if (!is_engine)
		print_logits(o, &m, ids, n, count);
	oracle_free(o);
	model_close(&m);
	arena_free(&a);
	free(ids);
	return status;
}
