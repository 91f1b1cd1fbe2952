/*
 * Products of packed weights and activations. note [panels]: the activations of 1, 2, 4 or 8 tokens stand
 * together, group after group of 32 columns, in a group token after token; for quantised weights as
 * PanelGroup, for float weights as 32 floats.
 *
 * note [terms]. A matrix whose n_term is 2 takes activations as int8 and what that left over, again as int8: in
 * its panels a group of a token is PanelGroup `width` places apart. For the head, where a third of the loss of int8
 * comes from (KL of SmolLM2 0.0034, 0.0022 with two terms) and which waits for memory anyway.
 *
 * A result is a chain over the groups in order: acc = fma(float(dot), d * scale, acc), then, where the
 * kind has minima, acc = fma(m, scaled_sum, acc); term after term in a group. The chain of a (row, token) is the same whatever else is
 * computed with it, so chunk, batch and threads change nothing.
 */
#ifndef SEED_CPU_MATMUL_H
#define SEED_CPU_MATMUL_H

#include "runtime/cpu/pack.h"

enum { PANEL_WIDTH = 8, PANEL_FLOAT_BYTES = GROUP_COLS * 4 };

/* 32 activations of one token as int8, by their greatest magnitude over 127, rounded half to even. */
typedef struct PanelGroup {
	int8_t q[GROUP_COLS];
	float scale, scaled_sum;     /* a NaN or an infinity among them makes both NaN */
	int32_t base, base_half[2];  /* -128 times the sum of q, of its halves */
	int32_t unused[3];
} PanelGroup;

typedef struct MatmulKernels {
	/* n_col floats of one token into its place in a panel of `width` tokens; panel: the token's first group. */
	void (*quantise)(const float *x, uint32_t n_col, uint32_t width, uint32_t n_term, PanelGroup *panel);
	/* out[t * stride + r]: row r of tile `tile` and the n_tile - 1 behind it, for the tokens of a panel; added to what is
	 * there where `adds`. */
	void (*product)(const PackedMatrix *m, uint32_t tile, uint32_t n_tile, const void *panel, uint32_t width, float *out,
	                size_t stride, bool adds);
	/* One row as floats. */
	void (*row)(const PackedMatrix *m, uint32_t row, float *out);
} MatmulKernels;

/* The least width that holds n <= PANEL_WIDTH tokens. */
static inline uint32_t panel_width(uint32_t n) { return n > 4 ? 8 : n > 2 ? 4 : n; }
/* Of one group of one token. */
static inline size_t panel_group_bytes(const PackedMatrix *m)
{
	return pack_is_float(m->kind) ? PANEL_FLOAT_BYTES : m->n_term * sizeof(PanelGroup);
}

#endif
