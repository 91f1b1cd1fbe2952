/*
 * Tensors by name into the model's fields, by the rows of tensors.def. A tensor that the architecture has must be
 * there with its shape and a type that can be computed with; one that it has no place for is refused, since what
 * a forward pass leaves out makes wrong results without a word.
 */
#include "runtime/model/load.h"

#include <stddef.h>

enum { WITH_ALWAYS = 0, WITH_OPTIONAL = 1 << 30 };

typedef struct BindRow { const char *gguf, *hf; size_t field; ModelDim rows, cols; unsigned with; } BindRow;

#define BIND_ROW(type, field, gguf, hf, rows, cols, with) { gguf, hf, offsetof(type, field), DIM_##rows, DIM_##cols, WITH_##with },
#define WITH_PRE_NORM MODEL_PRE_NORM
#define WITH_BRANCH_NORM MODEL_BRANCH_NORM
#define WITH_SUM_NORM MODEL_SUM_NORM
#define WITH_GATED MODEL_GATED
#define WITH_QKV_BIAS MODEL_QKV_BIAS
#define WITH_BIAS MODEL_BIAS
#define WITH_QK_NORM MODEL_QK_NORM
#define WITH_POSITIONS MODEL_POSITIONS

static const BindRow model_row[] = {
#define MODEL_TENSOR(...) BIND_ROW(Model, __VA_ARGS__)
#define LAYER_TENSOR(...)
#define UNREAD_TENSOR(name)
#include "runtime/model/tensors.def"
#undef MODEL_TENSOR
#undef LAYER_TENSOR
#undef UNREAD_TENSOR
};

static const BindRow layer_row[] = {
#define MODEL_TENSOR(...)
#define LAYER_TENSOR(...) BIND_ROW(ModelLayer, __VA_ARGS__)
#define UNREAD_TENSOR(name)
#include "runtime/model/tensors.def"
#undef MODEL_TENSOR
#undef LAYER_TENSOR
#undef UNREAD_TENSOR
};

static const char *const unread[] = {
#define MODEL_TENSOR(...)
#define LAYER_TENSOR(...)
#define UNREAD_TENSOR(name) name,
#include "runtime/model/tensors.def"
#undef MODEL_TENSOR
#undef LAYER_TENSOR
#undef UNREAD_TENSOR
};

typedef struct Binder {
	ModelLoad *l;
	const TensorTable *t;
	uint8_t *is_bound;  /* by index of the table */
} Binder;

/* 0: any number. */
static uint64_t dim_of(const ModelShape *s, ModelDim d)
{
	switch (d) {
	case DIM_ONE: return 1;
	case DIM_VOCAB: return s->n_vocab;
	case DIM_CTX: return s->n_ctx;
	case DIM_EMBD: return s->n_embd;
	case DIM_Q: return (uint64_t)s->n_head * s->head_len;
	case DIM_KV: return (uint64_t)s->n_kv_head * s->head_len;
	case DIM_HEAD: return s->head_len;
	case DIM_HALF_HEAD: return s->head_len / 2;
	case DIM_FFN: return s->n_ffn;
	case DIM_ANY: break;
	}
	return 0;
}

static const GgufTensor *find(const TensorTable *t, Str name)
{
	uintptr_t i = (uintptr_t)map_get(t->by_name, name);
	return i ? &t->v[i - 1] : NULL;
}

static bool check_shape(Binder *b, const GgufTensor *x, const BindRow *r)
{
	const ModelShape *s = &b->l->m->shape;
	uint64_t rows = dim_of(s, r->rows), cols = dim_of(s, r->cols);
	unsigned n_dim = r->rows == DIM_ONE ? 1 : 2;
	bool is_right = x->dim[0] == cols && (!rows || x->dim[1] == rows) && x->dim[2] == 1 && x->dim[3] == 1;
	if (!is_right || x->dim[1] > MODEL_DIM_MAX)
		return model_fail(b->l, x->offset, "tensor %.*s is %llu × %llu, not %llu × %llu", STR_ARG(model_shown(x->name)),
			(unsigned long long)x->dim[0], (unsigned long long)x->dim[1], (unsigned long long)cols,
			(unsigned long long)(n_dim == 1 ? 1 : rows));
	return model_type_is_known(x->type)
		|| model_fail(b->l, x->offset, "tensor %.*s is of type %s, which cannot be computed with", STR_ARG(model_shown(x->name)),
			gguf_tensor_type_name(x->type));
}

/* prefix: of the layer, else empty. */
static bool bind_row(Binder *b, const BindRow *r, Str prefix, void *owner)
{
	ModelLoad *l = b->l;
	const char *own = b->t->container == CONTAINER_GGUF ? r->gguf : r->hf;
	bool is_optional = r->with == WITH_OPTIONAL, is_wanted = is_optional || !r->with || l->m->arch->features & r->with;
	if (!is_wanted || !*own)
		return true;
	Str name = str_fmt(l->a, "%.*s%s", STR_ARG(prefix), own);
	const GgufTensor *x = find(b->t, name);
	if (!x)
		return is_optional || model_fail(l, 0, "tensor %.*s is not there", STR_ARG(name));
	if (!check_shape(b, x, r))
		return false;
	b->is_bound[x - b->t->v] = 1;
	*(ModelTensor *)(void *)((char *)owner + r->field) = (ModelTensor){
		x->type, (uint32_t)x->dim[1], (uint32_t)x->dim[0], (const uint8_t *)x->data.p,
	};
	return true;
}

static bool bind_rows(Binder *b)
{
	Model *m = b->l->m;
	for (size_t i = 0; i < sizeof model_row / sizeof *model_row; i++)
		if (!bind_row(b, &model_row[i], STR(""), m))
			return false;
	m->layer = arena_array(b->l->a, ModelLayer, m->shape.n_layer);
	for (uint32_t n = 0; n < m->shape.n_layer; n++) {
		Str prefix = str_fmt(b->l->a, b->t->container == CONTAINER_GGUF ? "blk.%u." : "encoder.layer.%u.", n);
		for (size_t i = 0; i < sizeof layer_row / sizeof *layer_row; i++)
			if (!bind_row(b, &layer_row[i], prefix, &m->layer[n]))
				return false;
	}
	return true;
}

static bool is_unread(const TensorTable *t, Str name)
{
	for (size_t i = 0; t->container == CONTAINER_SAFETENSORS && i < sizeof unread / sizeof *unread; i++)
		if (str_is(name, unread[i]))
			return true;
	return false;
}

static bool check_leftover(Binder *b)
{
	for (uint32_t i = 0; i < b->t->n; i++)
		if (!b->is_bound[i] && !is_unread(b->t, b->t->v[i].name))
			return model_fail(b->l, b->t->v[i].offset, "tensor %.*s has no place in the architecture %s",
				STR_ARG(model_shown(b->t->v[i].name)), b->l->m->arch->name);
	return true;
}

bool model_bind(ModelLoad *l, const TensorTable *t)
{
	Model *m = l->m;
	const char *name = t->container == CONTAINER_GGUF ? model_row[0].gguf : model_row[0].hf;
	const GgufTensor *x = find(t, str_from(name));
	if (x && (!x->dim[1] || x->dim[1] > MODEL_DIM_MAX))
		return model_fail(l, x->offset, "%llu rows of tensor %s are too many", (unsigned long long)x->dim[1], name);
	m->shape.n_vocab = x ? (uint32_t)x->dim[1] : 0;
	Binder b = { l, t, arena_alloc(l->a, t->n) };
	if (!bind_rows(&b) || !check_leftover(&b))
		return false;
	if (model_has(m, MODEL_CAUSAL) && !m->output.data)
		m->output = m->token_embd;
	return true;
}
