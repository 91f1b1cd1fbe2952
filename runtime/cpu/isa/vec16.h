/*
 * Sixteen lanes: the arithmetic that kernels are written in. v_ works on 16 floats, i_ on 16 int32, b_ on
 * 64 bytes (16 lanes of four). Loads and stores need no alignment. note [one result] in isa.h.
 *
 *   v_fma(a, b, c)        a * b + c, rounded once
 *   v_max(a, b)           b where either is NaN
 *   v_sum(a)              ((0+8 4+12) (2+10 6+14)) …: halves folded onto each other, the upper half added
 *   v_load_f16, v_store_f16   16 halves, rounded half to even
 *   v_round(a)            to int32, half to even; |a| < 2^31
 *   i_dot(s, u, four)     s + four products in each lane: bytes of u, 0 .. 127, by four signed bytes that
 *                         are the same in all lanes
 *   i_dot_any(s, u, four) the same for u 0 .. 255 and four in -127 .. 127
 *   i_peak(a)             the greatest lane
 *   b_low, b_high(b)      the lower and the upper half of each byte
 *   n_zero, n_dot, n_sum  as i_dot from zero, for bytes 0 .. 15 and eight dots at the most
 */
#ifndef SEED_CPU_VEC16_H
#define SEED_CPU_VEC16_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "runtime/base/f16.h"
#include "runtime/cpu/isa/isa.h"

#if defined(SEED_ISA_AVX512)
#include "runtime/cpu/isa/vec16_avx512.h"
#elif defined(SEED_ISA_AVX2)
#include "runtime/cpu/isa/vec16_avx2.h"
#elif defined(SEED_ISA_NEON)
#include "runtime/cpu/isa/vec16_neon.h"
#else
#include "runtime/cpu/isa/vec16_portable.h"
#endif

/* The greatest magnitude of both; NaN where one is NaN. */
static inline float v_peak_bits(F32x16 a, F32x16 b)
{
	int32_t peak = i_peak(i_max(v_bits(v_abs(a)), v_bits(v_abs(b))));
	float f;
	memcpy(&f, &peak, sizeof f);
	return f;
}

/* e^x for x in [-87, 88], 0 below; relative error under 2^-21.9. Cody-Waite with ln 2 in two parts, then the
 * polynomial of least error on [-ln2/2, ln2/2]. */
static inline F32x16 v_exp(F32x16 x)
{
	F32x16 in = v_min(v_max(x, v_set(-87.0f)), v_set(88.0f));
	I32x16 n = v_round(v_mul(in, v_set(1.44269504f)));
	F32x16 k = v_from_i32(n), r = v_fma(k, v_set(-0.693145752f), in);
	r = v_fma(k, v_set(-1.42860677e-6f), r);
	F32x16 p = v_set(1.3981999e-3f);
	p = v_fma(p, r, v_set(8.3333478e-3f));
	p = v_fma(p, r, v_set(4.1666515e-2f));
	p = v_fma(p, r, v_set(1.6666665e-1f));
	p = v_fma(p, r, v_set(0.5f));
	p = v_fma(p, r, v_set(1.0f));
	p = v_fma(p, r, v_set(1.0f));
	F32x16 y = v_from_bits(i_add(v_bits(p), i_shl(n, 23)));
	return v_zero_below(x, -87.0f, y);
}

/* x / (1 + e^-g): silu where g is x. */
static inline F32x16 v_gate(F32x16 x, F32x16 g)
{
	return v_div(x, v_add(v_set(1.0f), v_exp(v_min(v_sub(v_set(0), g), v_set(80.0f)))));
}

#endif
