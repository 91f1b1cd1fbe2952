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
 *   v_swap(a, h)          lane k of a ^ h, h 1, 2, 4 or 8
 *   v_between(lo, hi, a, b)   lanes lo .. hi - 1 of a, the others of b; lo and hi may lie outside 0 .. 16
 *   i_low_pair, i_high_pair(a)   bytes 0 and 2, or 1 and 3, of each lane as two signed 16-bit numbers
 *   i_dot_pair(s, p, two) s + two products in each lane: the pairs of p by two that are the same in all
 *   i_store_i16           the low 16 bits of each lane
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

/* 2^x for x in [-100, 0], 2^-100 below and so never 0; 1 at 0; relative error under 2^-21. The polynomial of least
 * error on [-1/2, 1/2] that is 1 at 0. */
static inline F32x16 v_exp2(F32x16 x)
{
	F32x16 in = v_max(x, v_set(-100.0f));
	I32x16 n = v_round(in);
	F32x16 r = v_sub(in, v_from_i32(n)), p = v_set(1.11255077e-3f);
	p = v_fma(p, r, v_set(9.66628252e-3f));
	p = v_fma(p, r, v_set(5.55740047e-2f));
	p = v_fma(p, r, v_set(2.40223507e-1f));
	p = v_fma(p, r, v_set(6.93142831e-1f));
	p = v_fma(p, r, v_set(1.0f));
	return v_from_bits(i_add(v_bits(p), i_shl(n, 23)));
}

/* x / (1 + e^-g): silu where g is x. */
static inline F32x16 v_gate(F32x16 x, F32x16 g)
{
	return v_div(x, v_add(v_set(1.0f), v_exp(v_min(v_sub(v_set(0), g), v_set(80.0f)))));
}

#endif
