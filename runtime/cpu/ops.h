/*
 * What stands between the products: norms, rotary, activations. Lengths of norms and activations are
 * multiples of 16. out may be an input.
 */
#ifndef SEED_CPU_OPS_H
#define SEED_CPU_OPS_H

#include "runtime/model/model.h"

typedef struct OpKernels {
	/* x / sqrt(mean(x^2) + eps) * weight */
	void (*rms_norm)(const float *x, const float *weight, uint32_t n, float eps, float *out);
	/* (x - mean) / sqrt(variance + eps) * weight + bias */
	void (*layer_norm)(const float *x, const float *weight, const float *bias, uint32_t n, float eps, float *out);
	void (*add)(const float *x, uint32_t n, float *to);
	void (*scale)(float by, uint32_t n, float *x);
	/* act(gate) * up; act(gate) alone where up is NULL. */
	void (*activate)(ModelAct act, const float *gate, const float *up, uint32_t n, float *out);
	/* base^(-i / n) for i < n: the angles of position 1. */
	void (*frequencies)(float base, uint32_t n, double *out);
	/* Cosines and sines of position * frequency. */
	void (*angles)(const double *frequency, uint32_t n, double position, float *cosines, float *sines);
	/* Turns the pairs i, i + half of one head. */
	void (*rotate)(const float *cosines, const float *sines, uint32_t half, float *x);
	bool (*is_finite)(const float *x, uint32_t n);
} OpKernels;

#endif
