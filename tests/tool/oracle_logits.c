/*
 * oracle_logits MODEL CHUNK ID...: the logits of every token, raw floats, the ids run CHUNK at a time.
 * oracle_logits --greedy N MODEL ID...: N ids that follow, each the likeliest (the lowest of equals), and how far in nats
 *   the second is behind.
 */
#include "runtime/oracle/oracle.h"

#include <stdio.h>
#include <stdlib.h>

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

int main(int argc, char **argv)
{
	bool is_greedy = argc > 4 && !strcmp(argv[1], "--greedy");
	if (argc < 4)
		return 2;
	const char *path = argv[is_greedy ? 3 : 1];
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
	Oracle *o = oracle_new(&m, n + count, 2);
	if (is_greedy)
		print_greedy(o, &m, ids, n, count);
	else
		print_logits(o, &m, ids, n, count);
	oracle_free(o);
	model_close(&m);
	arena_free(&a);
	free(ids);
	return 0;
}
