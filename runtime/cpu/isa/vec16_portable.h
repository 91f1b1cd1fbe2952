/* vec16.h in plain C: the meaning of every operation, for machines without vectors and for the tests. */
#ifndef SEED_CPU_VEC16_PORTABLE_H
#define SEED_CPU_VEC16_PORTABLE_H

#include <math.h>

#include "runtime/base/f16.h"

typedef struct F32x16 { float f[16]; } F32x16;
typedef struct I32x16 { int32_t i[16]; } I32x16;
typedef struct Bytes64 { uint8_t b[64]; } Bytes64;

#define EACH(n) for (int k = 0; k < (n); k++)
#define LANES(type, member, value) \
	type lanes;                \
	EACH(16) lanes.member[k] = (value); \
	return lanes

static inline F32x16 v_set(float x) { LANES(F32x16, f, x); }
static inline F32x16 v_load(const float *p) { LANES(F32x16, f, p[k]); }
static inline void v_store(float *p, F32x16 a) { memcpy(p, a.f, sizeof a.f); }
static inline F32x16 v_add(F32x16 a, F32x16 b) { LANES(F32x16, f, a.f[k] + b.f[k]); }
static inline F32x16 v_sub(F32x16 a, F32x16 b) { LANES(F32x16, f, a.f[k] - b.f[k]); }
static inline F32x16 v_mul(F32x16 a, F32x16 b) { LANES(F32x16, f, a.f[k] * b.f[k]); }
static inline F32x16 v_div(F32x16 a, F32x16 b) { LANES(F32x16, f, a.f[k] / b.f[k]); }
static inline F32x16 v_fma(F32x16 a, F32x16 b, F32x16 c) { LANES(F32x16, f, fmaf(a.f[k], b.f[k], c.f[k])); }
static inline F32x16 v_max(F32x16 a, F32x16 b) { LANES(F32x16, f, a.f[k] > b.f[k] ? a.f[k] : b.f[k]); }
static inline F32x16 v_min(F32x16 a, F32x16 b) { LANES(F32x16, f, a.f[k] < b.f[k] ? a.f[k] : b.f[k]); }
static inline F32x16 v_abs(F32x16 a) { LANES(F32x16, f, fabsf(a.f[k])); }
static inline F32x16 v_sqrt(F32x16 a) { LANES(F32x16, f, sqrtf(a.f[k])); }
static inline F32x16 v_load_f16(const uint16_t *p) { LANES(F32x16, f, f32_from_f16(p[k])); }
static inline void v_store_f16(uint16_t *p, F32x16 a) { EACH(16) p[k] = f16_from_f32(a.f[k]); }
static inline I32x16 v_round(F32x16 a) { LANES(I32x16, i, (int32_t)rintf(a.f[k])); }
static inline F32x16 v_from_i32(I32x16 a) { LANES(F32x16, f, (float)a.i[k]); }

static inline I32x16 v_bits(F32x16 a)
{
	I32x16 y;
	memcpy(&y, &a, sizeof y);
	return y;
}

static inline F32x16 v_from_bits(I32x16 a)
{
	F32x16 y;
	memcpy(&y, &a, sizeof y);
	return y;
}

/* y where x >= limit, else 0. */
static inline F32x16 v_zero_below(F32x16 x, float limit, F32x16 y) { LANES(F32x16, f, x.f[k] >= limit ? y.f[k] : 0); }

static inline F32x16 v_swap(F32x16 a, int h) { LANES(F32x16, f, a.f[k ^ h]); }

static inline F32x16 v_between(int lo, int hi, F32x16 a, F32x16 b)
{
	LANES(F32x16, f, k >= lo && k < hi ? a.f[k] : b.f[k]);
}

static inline float v_sum(F32x16 a)
{
	for (int n = 8; n; n /= 2)
		EACH(n) a.f[k] += a.f[k + n];
	return a.f[0];
}

static inline float v_peak(F32x16 a)
{
	for (int n = 8; n; n /= 2)
		EACH(n) a.f[k] = a.f[k] > a.f[k + n] ? a.f[k] : a.f[k + n];
	return a.f[0];
}

static inline I32x16 i_set(int32_t x) { LANES(I32x16, i, x); }
static inline I32x16 i_load(const int32_t *p) { LANES(I32x16, i, p[k]); }
static inline void i_store(int32_t *p, I32x16 a) { memcpy(p, a.i, sizeof a.i); }
static inline I32x16 i_add(I32x16 a, I32x16 b) { LANES(I32x16, i, (int32_t)((uint32_t)a.i[k] + (uint32_t)b.i[k])); }
static inline I32x16 i_sub(I32x16 a, I32x16 b) { LANES(I32x16, i, (int32_t)((uint32_t)a.i[k] - (uint32_t)b.i[k])); }
static inline I32x16 i_shl(I32x16 a, int n) { LANES(I32x16, i, (int32_t)((uint32_t)a.i[k] << n)); }
static inline I32x16 i_shr(I32x16 a, int n) { LANES(I32x16, i, (int32_t)((uint32_t)a.i[k] >> n)); }
static inline I32x16 i_and(I32x16 a, I32x16 b) { LANES(I32x16, i, a.i[k] & b.i[k]); }
static inline void i_store_i16(int16_t *p, I32x16 a) { EACH(16) p[k] = (int16_t)a.i[k]; }

static inline int32_t i_two(int low, int high) { return (int32_t)((uint32_t)high << 16 | ((uint32_t)low & 0xffff)); }

static inline I32x16 i_low_pair(I32x16 a) { LANES(I32x16, i, i_two((int8_t)a.i[k], (int8_t)(a.i[k] >> 16))); }
static inline I32x16 i_high_pair(I32x16 a) { LANES(I32x16, i, i_two((int8_t)(a.i[k] >> 8), a.i[k] >> 24)); }

static inline I32x16 i_dot_pair(I32x16 s, I32x16 pairs, const int16_t *two)
{
	LANES(I32x16, i, s.i[k] + (int16_t)pairs.i[k] * two[0] + (pairs.i[k] >> 16) * two[1]);
}

static inline I32x16 i_load_i8(const int8_t *p) { LANES(I32x16, i, p[k]); }
static inline I32x16 i_load_u8(const uint8_t *p) { LANES(I32x16, i, p[k]); }
/* The low byte of each lane. */
static inline void i_store_i8(int8_t *p, I32x16 a) { EACH(16) p[k] = (int8_t)a.i[k]; }

static inline int32_t i_sum(I32x16 a)
{
	int32_t s = 0;
	EACH(16) s += a.i[k];
	return s;
}

static inline I32x16 i_max(I32x16 a, I32x16 b) { LANES(I32x16, i, a.i[k] > b.i[k] ? a.i[k] : b.i[k]); }

static inline int32_t i_peak(I32x16 a)
{
	int32_t s = a.i[0];
	EACH(16) s = a.i[k] > s ? a.i[k] : s;
	return s;
}

static inline Bytes64 b_load(const uint8_t *p)
{
	Bytes64 y;
	memcpy(y.b, p, sizeof y.b);
	return y;
}

static inline Bytes64 b_low(Bytes64 b)
{
	EACH(64) b.b[k] &= 15;
	return b;
}

static inline Bytes64 b_high(Bytes64 b)
{
	EACH(64) b.b[k] >>= 4;
	return b;
}

static inline I32x16 i_dot_any(I32x16 s, Bytes64 u, const int8_t *four)
{
	EACH(64) s.i[k / 4] += u.b[k] * four[k % 4];
	return s;
}

static inline I32x16 i_dot(I32x16 s, Bytes64 u, const int8_t *four) { return i_dot_any(s, u, four); }

typedef I32x16 NibbleSum;
static inline NibbleSum n_zero(void) { return i_set(0); }
static inline NibbleSum n_dot(NibbleSum s, Bytes64 u, const int8_t *four) { return i_dot_any(s, u, four); }
static inline I32x16 n_sum(NibbleSum s) { return s; }

#undef EACH
#undef LANES

#endif
