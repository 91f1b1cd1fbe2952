/*
 * model_facts FILE: what model_open makes of a file, or why not (exit 1).
 * model_facts --cuts N FILE: opens every prefix of the file from a buffer of its size alone, each of the first N
 *   (0: all), and counts. --flips N: each byte of the first N with all of its bits turned, and with one. A GGUF only.
 * model_facts --rows TENSOR FILE: the floats of a tensor of the first layer or of the model, raw, on standard output.
 */
#include "runtime/base/file.h"
#include "runtime/model/model.h"

#include <stdio.h>
#include <stdlib.h>

static void print_facts(const Model *m)
{
	const ModelShape *s = &m->shape;
	printf("%s: %.*s\n", m->arch->name, STR_ARG(m->name));
	printf("layers %u, embedding %u, heads %u over %u of %u, ffn %u, vocabulary %u, context %u\n", s->n_layer, s->n_embd, s->n_head,
		s->n_kv_head, s->head_len, s->n_ffn, s->n_vocab, s->n_ctx);
	printf("window %u, global every %u, bases %g %g, scale %g, scores %.9g, embedding %.9g, epsilon %g\n", s->window, s->global_every,
		(double)s->rope_base, (double)s->rope_base_local, (double)s->rope_scale, (double)s->query_scale, (double)s->embd_scale,
		(double)s->norm_eps);
	printf("bos %d, eos %d, eot %d, ends", (int)m->bos, (int)m->eos, (int)m->eot);
	for (uint32_t i = 0; i < m->n_eog; i++)
		printf(" %u", m->eog[i]);
	printf("; template of %zu bytes; %s\n", m->chat_template.n, m->output.data == m->token_embd.data ? "tied" : "own head");
}

/* ---- hostile ------------------------------------------------------------------------------------------- */

typedef struct Count { size_t opened, refused, bad; } Count;

/* From a buffer of exactly its size, so that a read behind it shows. */
static void try(Count *c, const char *p, size_t n)
{
	Arena a = { 0 };
	Model m;
	Str why;
	size_t offset;
	char *own = malloc(n ? n : 1);
	memcpy(own, p, n);
	bool ok = model_init(&a, (Str){ own, n }, &m, &why, &offset);
	if (ok)
		c->opened++;
	else
		c->refused++;
	c->bad += !ok && (!why.n || offset > n);
	arena_free(&a);
	free(own);
}

static void try_cuts(Count *c, Str file, size_t n)
{
	for (size_t i = 0; i < n; i++)
		try(c, file.p, i);
}

static void try_flips(Count *c, Str file, size_t n)
{
	char *copy = malloc(file.n);
	memcpy(copy, file.p, file.n);
	for (size_t i = 0; i < n; i++)
		for (int turn = 0; turn < 2; turn++) {
			copy[i] = (char)(file.p[i] ^ (turn ? 0xff : 1 << i % 8));
			try(c, copy, file.n);
			copy[i] = file.p[i];
		}
	free(copy);
}

static int run_hostile(const char *how, size_t n, const char *path)
{
	Arena a = { 0 };
	Count c = { 0 };
	Str file, why;
	if (!file_read(&a, path, &file, &why))
		return fprintf(stderr, "%s: %.*s\n", path, STR_ARG(why)), 2;
	n = n && n < file.n ? n : file.n;
	if (!strcmp(how, "--cuts"))
		try_cuts(&c, file, n);
	else
		try_flips(&c, file, n);
	printf("%zu opened, %zu refused, %zu without a reason\n", c.opened, c.refused, c.bad);
	arena_free(&a);
	return c.bad != 0;
}

/* ---- facts and rows --------------------------------------------------------------------------------------- */

static const ModelTensor *find_tensor(const Model *m, const char *name)
{
#define MODEL_TENSOR(field, gguf, hf, rows, cols, with) if (!strcmp(name, #field)) return &m->field;
#define LAYER_TENSOR(field, gguf, hf, rows, cols, with) if (!strcmp(name, #field)) return &m->layer[0].field;
#define UNREAD_TENSOR(name)
#include "runtime/model/tensors.def"
	return NULL;
}

static int print_rows(const Model *m, const char *name)
{
	const ModelTensor *t = find_tensor(m, name);
	if (!t || !t->data)
		return 1;
	float *row = malloc(t->n_col * sizeof *row);
	for (uint32_t r = 0; r < t->n_row; r++) {
		model_dequant_row(t, r, row);
		fwrite(row, sizeof *row, t->n_col, stdout);
	}
	free(row);
	return 0;
}

static int run_open(const char *path, const char *tensor)
{
	Arena a = { 0 };
	Model m;
	Str why;
	size_t offset;
	int status = 0;
	if (!model_open(&a, path, &m, &why, &offset)) {
		printf("byte %zu: %.*s\n", offset, STR_ARG(why));
		status = 1;
	} else if (tensor) {
		status = print_rows(&m, tensor);
	} else {
		print_facts(&m);
	}
	model_close(&m);
	arena_free(&a);
	return status;
}

int main(int argc, char **argv)
{
	if (argc == 4 && (!strcmp(argv[1], "--cuts") || !strcmp(argv[1], "--flips")))
		return run_hostile(argv[1], strtoul(argv[2], NULL, 10), argv[3]);
	if (argc == 4 && !strcmp(argv[1], "--rows"))
		return run_open(argv[3], argv[2]);
	return argc == 2 ? run_open(argv[1], NULL) : 2;
}
