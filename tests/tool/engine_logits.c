/*
 * engine_logits MODEL KV N: the logits of N tokens by the CPU engine in format KV, raw floats, after the same tokens in
 * chunks of 1, 7, 32 and 512, among seven other sequences, behind a prefix that the cache has from before, on 1 and 2
 * threads and by every instruction set have given the same bits (else a line on standard error for each that has not, and
 * status 1); and the ids that a mask allows, one or few or most of them, have theirs. The ids are (37 i + 11) mod 280 + 5,
 * as in tests/model/oracle.py.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime/cpu/cpu_engine.h"
#include "runtime/cpu/kernels.h"

enum { N_SEQUENCE = 8, CHUNK_MOST = 512 };

typedef struct Bench {
	const Model *m;
	KvFormat format;
	uint32_t n;
	uint32_t *ids[N_SEQUENCE];
	float *want[N_SEQUENCE], *got[N_SEQUENCE];  /* [n][n_vocab] */
} Bench;

/* How a run goes about it. */
typedef struct Way {
	const char *isa;
	unsigned threads;
	uint32_t chunk;      /* 0: all sequences side by side, a few tokens of each at a time */
	uint32_t n_sequence;
	bool is_hit;         /* the one sequence has been run before */
	uint32_t n_allowed;  /* of 256 ids, in each row others; 0: no mask */
} Way;

static void stop(Str why)
{
	fprintf(stderr, "engine_logits: %.*s\n", STR_ARG(why));
	exit(2);
}

static bool is_allowed(uint32_t row, uint32_t id, uint32_t n_allowed)
{
	return ((id * 2654435761u + row * 40503u) >> 8 & 255) < n_allowed;
}

/* A mask for each of n rows. */
static uint64_t *masks_new(const Bench *b, uint32_t n, uint32_t n_allowed)
{
	uint32_t n_vocab = b->m->shape.n_vocab, n_word = (n_vocab + 63) / 64;
	uint64_t *mask = calloc((size_t)n * n_word, sizeof *mask);
	for (uint32_t row = 0; row < n; row++)
		for (uint32_t id = 0; id < n_vocab; id++)
			mask[(size_t)row * n_word + id / 64] |= (uint64_t)is_allowed(row, id, n_allowed) << id % 64;
	return mask;
}

/* One forward of n[i] tokens of each sequence; the logits of all of them behind out[i]. */
static void step(Bench *b, Way w, Engine *e, KvSequence **s, const uint32_t *n, float **out)
{
	EngineRun run[N_SEQUENCE];
	EngineBatch batch = { .run = run };
	uint32_t total = 0, row[512], n_vocab = b->m->shape.n_vocab;
	for (uint32_t i = 0; i < w.n_sequence; i++) {
		if (!n[i])
			continue;
		if (!kv_sequence_reserve(s[i], n[i]))
			stop(STR("no block left"));
		run[batch.n_run++] = (EngineRun){ s[i], b->ids[i] + s[i]->n_token, n[i] };
		for (uint32_t k = 0; k < n[i]; k++, total++)
			row[total] = total;
	}
	float *logits = malloc(sizeof *logits * total * n_vocab), *at = logits;
	batch.logit_row = row;
	batch.n_logit = total;
	batch.logits = logits;
	uint64_t *mask = w.n_allowed ? masks_new(b, total, w.n_allowed) : NULL;
	batch.allowed = mask;
	Str why;
	if (!e->ops->forward(e, &batch, &why))
		stop(why);
	free(mask);
	for (uint32_t i = 0; i < w.n_sequence; i++) {
		memcpy(out[i] + (size_t)(s[i]->n_token - n[i]) * n_vocab, at, sizeof *at * n[i] * n_vocab);
		at += (size_t)n[i] * n_vocab;
	}
	free(logits);
}

/* All tokens of the sequences. */
static void run_all(Bench *b, Way w, Engine *e, KvSequence **s, float **out)
{
	for (uint32_t k = 0, left = 1; left; k++) {
		uint32_t n[N_SEQUENCE], some = 0;
		left = 0;
		for (uint32_t i = 0; i < w.n_sequence; i++) {
			uint32_t rest = b->n - s[i]->n_token, take = w.chunk ? w.chunk : (i * 5 + k * 3) % 7 + (i != 3);
			n[i] = take < rest ? take : rest;
			left += rest;
			some += n[i];
		}
		if (some)
			step(b, w, e, s, n, out);
	}
}

/* The sequence again, behind what the cache has of it; rows before that stay as they are. */
static void run_again(Bench *b, Way w, Engine *e, KvSequence **s, float **out)
{
	kv_sequence_free(s[0]);
	s[0] = kv_sequence_new(e->pool, 0);
	uint32_t hit = kv_sequence_match(s[0], b->ids[0], b->n);
	if (hit != (b->n - 1) / KV_BLOCK * KV_BLOCK)
		stop(STR("the cache has not the prefix that was run"));
	memset(out[0] + (size_t)hit * b->m->shape.n_vocab, 0, sizeof(float) * (b->n - hit) * b->m->shape.n_vocab);
	run_all(b, w, e, s, out);
}

static void run(Bench *b, Way w, float **out)
{
	Arena a = { 0 };
	Str why;
	KvSequence *s[N_SEQUENCE];
	KvConfig config = { .shape = cpu_engine_kv_shape(b->m, b->format), .n_block = N_SEQUENCE * (b->n / KV_BLOCK + 2),
	                    .n_sequence = N_SEQUENCE };
	config.n_local = kv_local_blocks(&config.shape, N_SEQUENCE, b->n);  /* no more than they need at once */
	KvPool *pool = kv_pool_new(&a, &config, &why);
	Engine *e = pool ? cpu_engine_open(&a, b->m, pool, &(CpuEngineConfig){ w.threads, CHUNK_MOST, w.isa }, &why) : NULL;
	if (!e)
		stop(why);
	for (uint32_t i = 0; i < w.n_sequence; i++)
		s[i] = kv_sequence_new(pool, 0);
	run_all(b, w, e, s, out);
	if (w.is_hit)
		run_again(b, w, e, s, out);
	for (uint32_t i = 0; i < w.n_sequence; i++)
		kv_sequence_free(s[i]);
	if (!kv_pool_verify(pool, &a, &why))
		stop(why);
	e->ops->free(e);
	kv_pool_free(pool);
	arena_free(&a);
}

/* As wanted, bit for bit; of an id that no mask allows, -INFINITY will do. */
static bool is_wanted(const Bench *b, Way w, uint32_t sequence, size_t at)
{
	uint32_t n_vocab = b->m->shape.n_vocab;
	float got = b->got[sequence][at];
	return !memcmp(&got, &b->want[sequence][at], 4) ||
	       (w.n_allowed && got == -INFINITY && !is_allowed((uint32_t)(at / n_vocab), (uint32_t)(at % n_vocab), w.n_allowed));
}

/* Against what a single sequence in one chunk gave. */
static int way_check(Bench *b, Way w)
{
	size_t size = sizeof(float) * b->n * b->m->shape.n_vocab;
	int n_bad = 0;
	for (uint32_t i = 0; i < w.n_sequence; i++)
		memset(b->got[i], 0, size);
	run(b, w, b->got);
	for (uint32_t i = 0; i < w.n_sequence; i++) {
		size_t at = 0;
		while (at < size / 4 && is_wanted(b, w, i, at))
			at++;
		if (at == size / 4)
			continue;
		fprintf(stderr, "%s, %u threads, chunk %u, %u sequences, %u of 256 ids allowed: sequence %u differs at token %zu, id %zu: %g, not %g\n", w.isa,
		        w.threads, w.chunk, w.n_sequence, w.n_allowed, i, at / b->m->shape.n_vocab, at % b->m->shape.n_vocab, (double)b->got[i][at],
		        (double)b->want[i][at]);
		n_bad++;
	}
	return n_bad;
}

static int ways_check(Bench *b)
{
	static const uint32_t chunk[] = { 1, 7, 32, CHUNK_MOST };
	int n_bad = 0;
	const CpuKernels *k;
	for (unsigned i = 0; (k = cpu_kernels_at(i)); i++)
		for (unsigned threads = 1; threads <= 2; threads++) {
			for (int c = 0; c < 4; c++)
				n_bad += way_check(b, (Way){ k->name, threads, chunk[c], 1, .is_hit = false });
			n_bad += way_check(b, (Way){ k->name, threads, 0, N_SEQUENCE, .n_allowed = 0 });
			n_bad += way_check(b, (Way){ k->name, threads, 13, 1, .is_hit = true });
			for (uint32_t n_allowed = 1; n_allowed < 256; n_allowed *= 6)
				n_bad += way_check(b, (Way){ k->name, threads, 512, 1, .n_allowed = n_allowed });
		}
	return n_bad;
}

static void want_make(Bench *b)
{
	for (uint32_t i = 0; i < N_SEQUENCE; i++) {
		uint32_t *ids = b->ids[0];
		b->ids[0] = b->ids[i];
		run(b, (Way){ NULL, 1, 512, 1, .is_hit = false }, &b->want[i]);
		b->ids[0] = ids;
	}
}

int main(int argc, char **argv)
{
	Arena a = { 0 };
	Model m;
	Str why;
	size_t offset;
	Bench b = { .m = &m };
	if (argc != 4 || !kv_format_find(str_from(argv[2]), &b.format))
		return 2;
	if (!model_open(&a, argv[1], &m, &why, &offset))
		stop(why);
	b.n = (uint32_t)atoi(argv[3]);
	for (uint32_t i = 0; i < N_SEQUENCE; i++) {
		b.ids[i] = arena_array(&a, uint32_t, b.n);
		b.want[i] = arena_array(&a, float, (size_t)b.n * m.shape.n_vocab);
		b.got[i] = arena_array(&a, float, (size_t)b.n * m.shape.n_vocab);
		for (uint32_t k = 0; k < b.n; k++)
			b.ids[i][k] = (37 * (k + 3 * i) + 11) % 280 + 5;
	}
	want_make(&b);
	int n_bad = ways_check(&b);
	fwrite(b.want[0], sizeof(float), (size_t)b.n * m.shape.n_vocab, stdout);
	model_close(&m);
	arena_free(&a);
	return n_bad != 0;
}
