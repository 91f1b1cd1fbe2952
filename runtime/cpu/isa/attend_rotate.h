/*
 * The Hadamard transform that rotates channels: spread over many, one large channel costs a format of few bits
 * less. Over the greatest power of two up to 64 that divides the head's length; its own inverse but for factors,
 * which are powers of two, and so exact: rotate_forward's times rotate_back's is 1 / length.
 */
#ifndef SEED_CPU_ATTEND_ROTATE_H
#define SEED_CPU_ATTEND_ROTATE_H

#include <stddef.h>

#include "runtime/cpu/isa/vec16.h"

static inline uint32_t rotate_len(uint32_t head_len) { return head_len % 64 == 0 ? 64 : head_len % 32 == 0 ? 32 : 16; }
static inline float rotate_forward(uint32_t head_len) { return rotate_len(head_len) == 64 ? 0.125f : 0.25f; }
static inline float rotate_back(uint32_t head_len) { return rotate_len(head_len) == 16 ? 0.25f : 0.125f; }

/* The transform of 16 lanes: lower minus upper where a lane's bit h is set. */
static inline F32x16 rotate_lanes(F32x16 x)
{
	static const float sign[4][16] = {
		{ 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1 },
		{ 1, 1, -1, -1, 1, 1, -1, -1, 1, 1, -1, -1, 1, 1, -1, -1 },
		{ 1, 1, 1, 1, -1, -1, -1, -1, 1, 1, 1, 1, -1, -1, -1, -1 },
		{ 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1, -1 },
	};
	x = v_fma(x, v_load(sign[0]), v_swap(x, 1));
	x = v_fma(x, v_load(sign[1]), v_swap(x, 2));
	x = v_fma(x, v_load(sign[2]), v_swap(x, 4));
	return v_fma(x, v_load(sign[3]), v_swap(x, 8));
}

static inline void rotate_pair(F32x16 *a, F32x16 *b)
{
	F32x16 sum = v_add(*a, *b);
	*b = v_sub(*a, *b);
	*a = sum;
}

/* n vectors of 16. */
static inline __attribute__((always_inline)) void rotate_block(const uint32_t n, const float *from, F32x16 factor, float *to)
{
	F32x16 x[4];
	for (uint32_t i = 0; i < n; i++)
		x[i] = rotate_lanes(v_load(from + 16 * i));
	for (uint32_t i = 0; i + 1 < n; i += 2)
		rotate_pair(&x[i], &x[i + 1]);
	for (uint32_t i = 0; i + 2 < n; i++)
		rotate_pair(&x[i], &x[i + 2]);
	for (uint32_t i = 0; i < n; i++)
		v_store(to + 16 * i, v_mul(x[i], factor));
}

/* to = the transform of from, times factor; to may be from. */
static inline void rotate(uint32_t head_len, const float *from, float factor, float *to)
{
	uint32_t n = rotate_len(head_len);
	F32x16 f = v_set(factor);
	for (uint32_t c = 0; c < head_len; c += n)
		switch (n) {
		case 64: rotate_block(4, from + c, f, to + c); break;
		case 32: rotate_block(2, from + c, f, to + c); break;
		default: rotate_block(1, from + c, f, to + c); break;
		}
}

#endif
