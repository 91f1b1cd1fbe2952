/*
 * attend_speed [DEPTH [ROUNDS]]: one core's milliseconds in attention for SmolLM2-135M's shape (30 layers, 3 KV heads,
 * 3 query heads to each, head 64), every format and instruction set: a decoded token at DEPTH (2048), out of a pool, and the prefill
 * of 512 tokens; sealing and writing one token. The least of ROUNDS (7) of processor time. Formats take turns within
 * a round.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "runtime/cpu/kernels.h"
#include "runtime/kv/kv.h"

enum { LAYERS = 30, HEADS = 3, GROUP = 3, HEAD_LEN = 64, PREFILL = 512, SPOTS = LAYERS * HEADS };

typedef struct Load {
	const AttendKernels *k;
	KvFormat format;
	Arena arena;
	KvPool *pool;
	KvSequence *sequence;
	KvSpot *sealed;            /* [SPOTS][n_block] */
	uint32_t n_block;
	float *q, *parts, *out;
	void *scratch;
} Load;

static double now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void *room(size_t n)
{
	void *p = aligned_alloc(64, (n + 63) / 64 * 64);
	if (!p)
		exit(3);
	return memset(p, 0, n);
}

static void fill(float *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		x[i] = (float)(rand() % 2001 - 1000) / 500;
}

/* A sequence of DEPTH tokens in a pool: the open block is every sealed one's. */
static void fill_pool(Load *l)
{
	for (uint32_t s = 0; s < SPOTS; s++) {
		uint16_t *open = kv_tail_at(l->sequence, s / HEADS, s % HEADS);
		for (uint32_t t = 0; t < KV_BLOCK; t++) {
			float kv[2][HEAD_LEN];
			fill(kv[0], 2 * HEAD_LEN);
			l->k->write(l->format, HEAD_LEN, kv[0], kv[1], t, open);
		}
		for (uint32_t b = 0; b < l->n_block; b++) {
			KvSpot at = kv_block_at(l->sequence, b, s / HEADS, s % HEADS);
			l->k->seal(kv_block_format(l->format, b), HEAD_LEN, open, at);
			l->sealed[s * l->n_block + b] = at;
		}
	}
}

static void load_init(Load *l, const AttendKernels *k, KvFormat format, uint32_t depth)
{
	KvConfig config = { .shape = { LAYERS, HEADS, HEAD_LEN, format, 0, 0 }, .n_block = depth / KV_BLOCK + 1, .n_sequence = 1 };
	Str why;
	*l = (Load){ .k = k, .format = format, .n_block = depth / KV_BLOCK };
	l->pool = kv_pool_new(&l->arena, &config, &why);
	l->sequence = l->pool ? kv_sequence_new(l->pool, 0) : NULL;
	if (!l->sequence || !kv_sequence_reserve(l->sequence, depth))
		exit(3);
	l->sealed = room(sizeof *l->sealed * SPOTS * l->n_block);
	fill_pool(l);
	uint32_t n_query = KV_BLOCK * GROUP;
	size_t n_part = depth / KV_PARTITION + 1;
	l->q = room(sizeof *l->q * n_query * HEAD_LEN);
	fill(l->q, (size_t)n_query * HEAD_LEN);
	l->parts = room(sizeof *l->parts * n_part * n_query * attend_part_floats(HEAD_LEN));
	l->out = room(sizeof *l->out * HEAD_LEN);
	l->scratch = room(attend_scratch_bytes(HEAD_LEN, n_query));
}

static void load_free(Load *l)
{
	kv_pool_free(l->pool);
	arena_free(&l->arena);
	free(l->sealed), free(l->q), free(l->parts), free(l->out), free(l->scratch);
}

static void attend(Load *l, uint32_t spot, uint32_t first, uint32_t n_token)
{
	uint32_t n_part = first / KV_PARTITION + 1, n_query = n_token * GROUP;
	size_t row = attend_part_floats(HEAD_LEN);
	AttendHead h = { .format = l->format, .head_len = HEAD_LEN, .n_group = GROUP, .sealed = l->sealed + spot * l->n_block,
		.open = kv_tail_at(l->sequence, spot / HEADS, spot % HEADS), .first = first, .n_token = n_token, .scale = 0.125f };
	for (uint32_t p = 0; p < n_part; p++)
		l->k->part(&h, p, l->q, l->scratch, l->parts + p * n_query * row);
	for (uint32_t i = 0; i < n_query; i++)
		l->k->merge(l->format, HEAD_LEN, l->parts + i * row, n_part, n_query * row, l->out);
}

static double decode_ms(Load *l, uint32_t depth)
{
	double from = now_ms();
	for (uint32_t s = 0; s < SPOTS; s++)
		attend(l, s, depth - 1, 1);
	return now_ms() - from;
}

static double prefill_ms(Load *l)
{
	double from = now_ms();
	for (uint32_t s = 0; s < SPOTS; s++)
		for (uint32_t t = 0; t < PREFILL; t += KV_BLOCK)
			attend(l, s, t, KV_BLOCK);
	return now_ms() - from;
}

/* One token: its share of a block's sealing, and its writing. */
static double store_ms(Load *l)
{
	double from = now_ms();
	for (uint32_t s = 0; s < SPOTS; s++) {
		uint16_t *open = kv_tail_at(l->sequence, s / HEADS, s % HEADS);
		for (uint32_t t = 0; t < KV_BLOCK; t++)
			l->k->write(l->format, HEAD_LEN, l->q, l->q + HEAD_LEN, t, open);
		l->k->seal(kv_block_format(l->format, 1), HEAD_LEN, open, l->sealed[s * l->n_block + 1]);
	}
	return (now_ms() - from) / KV_BLOCK;
}

static void measure(const char *set, const AttendKernels *k, uint32_t depth, int n_round)
{
	Load load[KV_FORMAT_COUNT];
	double best[KV_FORMAT_COUNT][3];
	for (int f = 0; f < KV_FORMAT_COUNT; f++) {
		load_init(&load[f], k, (KvFormat)f, depth);
		best[f][0] = best[f][1] = best[f][2] = 1e9;
	}
	for (int r = 0; r < n_round; r++)
		for (int f = 0; f < KV_FORMAT_COUNT; f++) {
			double ms[3] = { decode_ms(&load[f], depth), prefill_ms(&load[f]), store_ms(&load[f]) };
			for (int i = 0; i < 3; i++)
				best[f][i] = ms[i] < best[f][i] ? ms[i] : best[f][i];
		}
	for (int f = 0; f < KV_FORMAT_COUNT; f++) {
		load_free(&load[f]);
		printf("%-9s %-6s decode at %u: %.3f ms   prefill of %u: %.1f ms   write and seal: %.4f ms a token\n", set,
		       kv_format_name((KvFormat)f), depth, best[f][0], PREFILL, best[f][1], best[f][2]);
	}
}

int main(int n_arg, char **arg)
{
	uint32_t depth = n_arg > 1 ? (uint32_t)atoi(arg[1]) : 2048;
	int n_round = n_arg > 2 ? atoi(arg[2]) : 7;
	if (depth < PREFILL || depth % KV_BLOCK || depth > 1 << 20 || n_round < 1) {
		fprintf(stderr, "attend_speed: DEPTH is a multiple of 32, 512 at the least\n");
		return 2;
	}
	for (unsigned i = 0; cpu_kernels_at(i); i++)
		measure(cpu_kernels_at(i)->name, cpu_kernels_at(i)->attend, depth, cpu_kernels_at(i + 1) ? n_round : 1);
	return 0;
}
