/* See weights.h. */
#include "runtime/oracle/weights.h"

static const float *floats_of(Arena *a, const ModelTensor *t)
{
	if (!t->data)
		return NULL;
	float *out = arena_array(a, float, (size_t)t->n_row * t->n_col);
	for (uint32_t r = 0; r < t->n_row; r++)
		model_dequant_row(t, r, out + (size_t)r * t->n_col);
	return out;
}

static void read_layer(Arena *a, const ModelLayer *l, LayerFloats *w)
{
#define MODEL_TENSOR(field, gguf, hf, rows, cols, with)
#define LAYER_TENSOR(field, gguf, hf, rows, cols, with) w->field = floats_of(a, &l->field);
#define UNREAD_TENSOR(name)
#include "runtime/model/tensors.def"
#undef MODEL_TENSOR
#undef LAYER_TENSOR
}

void weights_read(Arena *a, const Model *m, ModelFloats *w)
{
	Model own = *m;
	bool is_tied = m->output.data == m->token_embd.data;
	if (is_tied)
		own.output.data = NULL;
#define MODEL_TENSOR(field, gguf, hf, rows, cols, with) w->field = floats_of(a, &own.field);
#define LAYER_TENSOR(field, gguf, hf, rows, cols, with)
#include "runtime/model/tensors.def"
#undef MODEL_TENSOR
#undef LAYER_TENSOR
#undef UNREAD_TENSOR
	if (is_tied)
		w->output = w->token_embd;
	w->layer = arena_array(a, LayerFloats, m->shape.n_layer);
	for (uint32_t i = 0; i < m->shape.n_layer; i++)
		read_layer(a, &m->layer[i], &w->layer[i]);
}
