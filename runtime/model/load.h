/*
 * Opening a model: what its parts share. A container (GGUF, safetensors) gives a table of tensors and the shape;
 * bind.c gives each field of the model its tensor and refuses what is missing, misshapen or left over.
 */
#ifndef SEED_MODEL_LOAD_H
#define SEED_MODEL_LOAD_H

#include "runtime/base/json.h"
#include "runtime/model/model.h"

typedef enum ModelDim {
	DIM_ONE, DIM_ANY, DIM_VOCAB, DIM_CTX, DIM_EMBD, DIM_Q, DIM_KV, DIM_HEAD, DIM_HALF_HEAD, DIM_FFN,
} ModelDim;

typedef enum ModelContainer { CONTAINER_GGUF, CONTAINER_SAFETENSORS } ModelContainer;

/* Tensors as the container has them; by_name: name -> index + 1. */
typedef struct TensorTable {
	ModelContainer container;
	const GgufTensor *v;
	uint32_t n;
	const Map *by_name;
} TensorTable;

typedef struct ModelLoad {
	Arena *a;
	Model *m;
	Str why;
	size_t offset;
} ModelLoad;

/* False, for `return`. The first failure stands. */
bool model_fail(ModelLoad *l, size_t offset, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* For messages: the first bytes. */
Str model_shown(Str name);

/* The row of arch.def; NULL with the failure told. */
const ModelArch *model_find_arch(ModelLoad *l, Str name, size_t offset);

/* The shape out of the keys of a GGUF, or of a config.json. */
bool model_shape_of_gguf(ModelLoad *l, const Gguf *g);
bool model_shape_of_config(ModelLoad *l, const JsonNode *config);
/* The tensors into their fields; n_vocab is the embedding's number of rows. */
bool model_bind(ModelLoad *l, const TensorTable *t);
/* bos, eos, eot, eog, template and name. */
bool model_read_special(ModelLoad *l, const Gguf *g);

bool model_load_gguf(ModelLoad *l, Str bytes);
/* bytes: the safetensors file at path; its config.json and vocab.txt lie beside it. */
bool model_load_safetensors(ModelLoad *l, Str bytes, const char *path);

/* $SEEDC_CACHE_DIR, else seedc under $XDG_CACHE_HOME, else under ~/.cache; empty when none is named. */
Str model_cache_folder(Arena *a);
/* SHA-256 of the mapped file at path, out of the cache where it has been taken before. */
void model_hash_file(Arena *a, const char *path, Str bytes, uint8_t out[SHA256_BYTES]);

#endif
