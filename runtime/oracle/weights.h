/* The weights of a model as floats: tensors.def's fields, NULL where the model has no such tensor. */
#ifndef SEED_ORACLE_WEIGHTS_H
#define SEED_ORACLE_WEIGHTS_H

#include "runtime/model/model.h"

typedef struct LayerFloats {
#define MODEL_TENSOR(field, gguf, hf, rows, cols, with)
#define LAYER_TENSOR(field, gguf, hf, rows, cols, with) const float *field;
#define UNREAD_TENSOR(name)
#include "runtime/model/tensors.def"
#undef MODEL_TENSOR
#undef LAYER_TENSOR
} LayerFloats;

typedef struct ModelFloats {
#define MODEL_TENSOR(field, gguf, hf, rows, cols, with) const float *field;
#define LAYER_TENSOR(field, gguf, hf, rows, cols, with)
#include "runtime/model/tensors.def"
#undef MODEL_TENSOR
#undef LAYER_TENSOR
#undef UNREAD_TENSOR
	LayerFloats *layer;
} ModelFloats;

/* In the arena; a head that is the embedding is the same floats. */
void weights_read(Arena *a, const Model *m, ModelFloats *w);

#endif
