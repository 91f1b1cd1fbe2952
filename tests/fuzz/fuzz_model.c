/* Any bytes as a model: one whose promises hold (model.h), or a message about a byte of the file. */
#include <stdlib.h>

#include "runtime/model/model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The last row of each tensor is read: it lies inside. */
static void read_last_row(const ModelTensor *t)
{
	if (!t->data)
		return;
	float *row = malloc(t->n_col * sizeof *row);
	model_dequant_row(t, t->n_row - 1, row);
	free(row);
}

static void read_layer(const ModelLayer *l)
{
#define MODEL_TENSOR(field, gguf, hf, rows, cols, with)
#define LAYER_TENSOR(field, gguf, hf, rows, cols, with) read_last_row(&l->field);
#define UNREAD_TENSOR(name)
#include "runtime/model/tensors.def"
#undef MODEL_TENSOR
#undef LAYER_TENSOR
}

static void read_all(const Model *m)
{
#define MODEL_TENSOR(field, gguf, hf, rows, cols, with) read_last_row(&m->field);
#define LAYER_TENSOR(field, gguf, hf, rows, cols, with)
#include "runtime/model/tensors.def"
	for (uint32_t i = 0; i < m->shape.n_layer; i++)
		read_layer(&m->layer[i]);
}

static void check_promises(const Model *m)
{
	const ModelShape *s = &m->shape;
	if (s->n_head % s->n_kv_head || !s->global_every || !s->n_vocab || s->head_len > MODEL_HEAD_MAX)
		abort();
	for (uint32_t i = 0; i < m->n_eog; i++)
		if (m->eog[i] >= s->n_vocab)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Arena a = { 0 };
	Model m;
	Vocab v;
	Str why = { "", 0 };
	size_t offset = 0;
	if (model_init(&a, (Str){ (const char *)data, size }, &m, &why, &offset)) {
		check_promises(&m);
		read_all(&m);
		if (model_vocab(&a, &m, &v, &why))
			vocab_close(&v);
	} else if (!why.n || offset > size) {
		abort();
	}
	arena_free(&a);
	return 0;
}
