/*
 * Model: the weights of one language model over a mapped file, and the facts that a forward pass needs.
 *
 *     Model m;  Str why;  size_t offset;
 *     if (!model_open(arena, "SmolLM2.gguf", &m, &why, &offset)) …
 *     model_dequant_row(&m.token_embd, id, row);        n_embd floats
 *     …
 *     model_close(&m);
 *
 * A GGUF, or a safetensors file of a BERT with its config.json beside it. Weights are never copied and never
 * converted here: an engine packs what it wants from ModelTensor. An architecture is a row of arch.def, its
 * tensors are rows of tensors.def; what neither names is refused.
 *
 * Invariant after model_open: every number of the shape is in range and agrees with the others, every tensor
 * that the architecture has is there, of its shape, of a type that model_dequant_row knows, inside the mapping;
 * every special id is below n_vocab. Values are not looked at: a weight may be NaN.
 */
#ifndef SEED_MODEL_MODEL_H
#define SEED_MODEL_MODEL_H

#include "runtime/base/sha256.h"
#include "runtime/gguf/gguf.h"
#include "runtime/token/vocab.h"

enum {
	MODEL_LAYERS_MAX = 1024,
	MODEL_HEAD_MAX = 512,    /* of head_len */
	MODEL_DIM_MAX = 1 << 24, /* of any other number of the shape */
	MODEL_EOG_MAX = 16,
};

typedef enum ModelNorm {
	MODEL_NORM_RMS,   /* x / sqrt(mean(x^2) + eps) * weight */
	MODEL_NORM_LAYER, /* (x - mean) / sqrt(variance + eps) * weight + bias */
} ModelNorm;

typedef enum ModelRope {
	MODEL_ROPE_NONE,
	MODEL_ROPE_PAIRS,   /* elements 2i and 2i + 1 */
	MODEL_ROPE_HALVES,  /* elements i and i + head_len / 2 */
} ModelRope;

typedef enum ModelAct {
	MODEL_ACT_SILU,      /* x * sigmoid(x) */
	MODEL_ACT_GELU_TANH, /* the approximation by tanh */
	MODEL_ACT_GELU_ERF,
} ModelAct;

enum ModelFeature {
	MODEL_CAUSAL = 1,       /* a token reads what stands before it; else all of its text */
	MODEL_PRE_NORM = 2,     /* a norm before each branch, and one before the head */
	MODEL_BRANCH_NORM = 4,  /* also one behind each branch, before it is added */
	MODEL_SUM_NORM = 8,     /* a norm of each sum instead, and one of the embedding */
	MODEL_GATED = 16,       /* down(act(gate(x)) * up(x)); else down(act(up(x))) */
	MODEL_QKV_BIAS = 32,
	MODEL_BIAS = 64,        /* of the other products */
	MODEL_QK_NORM = 128,    /* a norm of each head of Q and K before the rotary */
	MODEL_EMBD_SCALE = 256, /* the embedding times sqrt(n_embd) */
	MODEL_WINDOW = 512,     /* most layers read a window only */
	MODEL_POSITIONS = 1024, /* embeddings of positions and of token type 0 are added */
};

typedef struct ModelArch {
	const char *name;
	ModelNorm norm;
	ModelRope rope;
	ModelAct act;
	unsigned features;  /* ModelFeature */
} ModelArch;

typedef struct ModelShape {
	uint32_t n_layer, n_embd, n_head, n_kv_head, head_len, n_ffn, n_vocab;
	uint32_t n_ctx;          /* that it was trained for; a bound only where there are position embeddings */
	uint32_t window;         /* keys that a local layer reads, its own included; 0: no layer is local */
	uint32_t global_every;   /* layer i is global where (i + 1) % global_every == 0; 1: each is */
	float norm_eps;
	float rope_base, rope_base_local;  /* of global and of local layers */
	float rope_scale;        /* times the position, in global layers */
	float query_scale;       /* of the scores */
	float embd_scale;        /* of the token's embedding; 1 where it is taken as it is */
} ModelShape;

/* n_row rows of n_col elements, each row whole blocks; a vector is one row. data NULL: not in this model. */
typedef struct ModelTensor {
	GgufTensorType type;
	uint32_t n_row, n_col;
	const uint8_t *data;     /* need not be aligned */
} ModelTensor;

typedef struct ModelLayer {
#define MODEL_TENSOR(field, gguf, hf, rows, cols, with)
#define LAYER_TENSOR(field, gguf, hf, rows, cols, with) ModelTensor field;
#define UNREAD_TENSOR(name)
#include "runtime/model/tensors.def"
#undef MODEL_TENSOR
#undef LAYER_TENSOR
} ModelLayer;

typedef struct Model {
	const ModelArch *arch;
	ModelShape shape;
#define MODEL_TENSOR(field, gguf, hf, rows, cols, with) ModelTensor field;
#define LAYER_TENSOR(field, gguf, hf, rows, cols, with)
#include "runtime/model/tensors.def"
#undef MODEL_TENSOR
#undef LAYER_TENSOR
#undef UNREAD_TENSOR
	ModelLayer *layer;       /* output is token_embd's where they are tied, and absent in an encoder */
	uint32_t bos, eos, eot;  /* or TOKEN_NONE */
	uint32_t eog[MODEL_EOG_MAX], n_eog;  /* what ends a reply: eos, eot and others by their text; sorted */
	Str name, chat_template; /* empty where the file has none */
	Str file;                /* the mapping */
	Str tokenizer;           /* bytes that a loader of runtime/token reads: the GGUF, or vocab.txt */
	uint8_t fingerprint[SHA256_BYTES];   /* of the file, and of what lies beside it */
} Model;

/* Maps the file; the arena keeps what is read of it. False with *why and the byte it is about. */
bool model_open(Arena *a, const char *path, Model *m, Str *why, size_t *offset);
/* A GGUF in memory, which must outlive m; no fingerprint, nothing to close. */
bool model_init(Arena *a, Str bytes, Model *m, Str *why, size_t *offset);
void model_close(Model *m);

/* The tokenizer of the model as a table, mapped from the cache folder; built and put there the first time. The
 * owner closes it. */
bool model_vocab(Arena *a, const Model *m, Vocab *v, Str *why);

/* n_col floats, exactly what ggml's dequantizers give. row < n_row. */
void model_dequant_row(const ModelTensor *t, uint32_t row, float *out);
/* Whether model_dequant_row knows it. */
bool model_type_is_known(GgufTensorType t);
size_t model_row_bytes(const ModelTensor *t);

static inline bool model_has(const Model *m, enum ModelFeature f) { return m->arch->features & (unsigned)f; }
static inline bool model_layer_is_local(const ModelShape *s, uint32_t layer) { return (layer + 1) % s->global_every != 0; }
/* Keys that a token of the layer reads, its own included; 0: all. */
static inline uint32_t model_layer_window(const ModelShape *s, uint32_t layer)
{
	return model_layer_is_local(s, layer) ? s->window : 0;
}
static inline float model_layer_rope_base(const ModelShape *s, uint32_t layer)
{
	return model_layer_is_local(s, layer) ? s->rope_base_local : s->rope_base;
}
static inline float model_layer_rope_scale(const ModelShape *s, uint32_t layer)
{
	return model_layer_is_local(s, layer) ? 1.0f : s->rope_scale;
}

#endif
