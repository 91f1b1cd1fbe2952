/*
 * The weights of a model as the CPU engine reads them: products packed (pack.h) into one mapping in the order of
 * use, small vectors as floats. The file's own pages are given back once they have been packed.
 */
#ifndef SEED_CPU_WEIGHTS_H
#define SEED_CPU_WEIGHTS_H

#include "runtime/cpu/kernels.h"
#include "runtime/cpu/threads.h"

/* A product: NULL bias where it has none. data NULL: the model does not have it. */
typedef struct CpuProduct {
	PackedMatrix w;
	const float *bias;
} CpuProduct;

/* Rows of Q and K stand as halves whatever the file has (pack_tiles). Norms are NULL where there are none. */
typedef struct CpuLayer {
	CpuProduct q, k, v, out, gate, up, down;
	const float *attn_norm, *q_norm, *k_norm, *attn_post_norm, *attn_sum_norm, *attn_sum_norm_bias;
	const float *ffn_norm, *ffn_post_norm, *ffn_sum_norm, *ffn_sum_norm_bias;
} CpuLayer;

typedef struct CpuWeights {
	const Model *model;
	CpuLayer *layer;
	PackedMatrix head;         /* data NULL in an encoder */
	bool is_tied;              /* a token's embedding is a row of head */
	const float *output_norm, *embd_norm, *embd_norm_bias;
	size_t n_bytes;            /* packed */
	uint8_t *mapping;
	size_t mapping_bytes;
} CpuWeights;

/* False with *why: a type or a shape that the kernels do not have, or no memory. */
bool cpu_weights_load(Arena *a, const Model *m, CpuThreads *threads, CpuWeights *w, Str *why);
void cpu_weights_free(CpuWeights *w);
/* The token's embedding, as it stands in the file. */
void cpu_weights_embed(const CpuWeights *w, const MatmulKernels *k, uint32_t id, float *out);

#endif
