/*
 * The operators of a forward pass, in f32. Rows are tokens: x is n rows of the width that is named. Sums run over
 * 16 lanes and are added up in pairs, so that a product of a thousand terms keeps six digits.
 */
#ifndef SEED_ORACLE_OPS_H
#define SEED_ORACLE_OPS_H

#include <stdint.h>

#include "runtime/cpu/threads.h"
#include "runtime/model/model.h"

/* fn over 0 .. n - 1 in pieces that the threads share; NULL: by the caller alone. */
typedef void OpRange(void *job, uint32_t lo, uint32_t hi);
void op_split(CpuThreads *threads, uint32_t n, OpRange *fn, void *job);

float op_dot(const float *a, const float *b, uint32_t n);

/* out[len]: the sum of n rows v, `row` floats apart, each times its share. */
void op_mix(const float *share, const float *v, size_t row, uint32_t n, uint32_t len, float *out);

/* A matrix of n_out rows of n_in. */
typedef struct OpMatrix { const float *w; uint32_t n_out, n_in; } OpMatrix;
/* out[t][r] = w[r] . x[t] + bias[r]; bias may be NULL. */
void op_product(OpMatrix w, const float *bias, const float *x, uint32_t n, float *out, CpuThreads *threads);

/* Each row of x in place. bias may be NULL. */
void op_norm(ModelNorm kind, const float *weight, const float *bias, float eps, float *x, uint32_t n, uint32_t width);

/* x of n tokens, n_head heads each, turned by position + t at frequencies base^(-2i / len) * scale / factor[i]; factor
 * may be NULL. */
typedef struct OpRope { ModelRope form; float base, scale; const float *factor; uint32_t position; } OpRope;
void op_rotate(const OpRope *r, float *x, uint32_t n, uint32_t n_head, uint32_t len);

/* x[i] = act(x[i]); with gate: act(gate[i]) * x[i]. n rows. */
void op_activate(ModelAct act, const float *gate, float *x, uint32_t n, uint32_t width, CpuThreads *threads);

void op_add(float *x, const float *y, size_t n);
void op_scale(float *x, float by, size_t n);
/* exp(x - max) / sum, in place. */
void op_softmax(float *x, uint32_t n);

#endif
