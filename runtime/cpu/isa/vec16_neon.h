/* vec16.h by NEON (AArch64, ASIMD; the dot product extension where the compiler is told of it). */
#ifndef SEED_CPU_VEC16_NEON_H
#define SEED_CPU_VEC16_NEON_H

#include <arm_neon.h>

typedef struct F32x16 { float32x4_t q[4]; } F32x16;
typedef struct I32x16 { int32x4_t q[4]; } I32x16;
typedef struct Bytes64 { uint8x16_t q[4]; } Bytes64;
typedef I32x16 NibbleSum;

#define EACH _Pragma("GCC unroll 4") for (int k = 0; k < 4; k++)
#define QUADS(type, value) \
	type quads;        \
	EACH quads.q[k] = (value); \
	return quads

static inline F32x16 v_set(float x) { QUADS(F32x16, vdupq_n_f32(x)); }
static inline F32x16 v_load(const float *p) { QUADS(F32x16, vld1q_f32(p + 4 * k)); }
static inline void v_store(float *p, F32x16 a) { EACH vst1q_f32(p + 4 * k, a.q[k]); }
static inline F32x16 v_add(F32x16 a, F32x16 b) { QUADS(F32x16, vaddq_f32(a.q[k], b.q[k])); }
static inline F32x16 v_sub(F32x16 a, F32x16 b) { QUADS(F32x16, vsubq_f32(a.q[k], b.q[k])); }
static inline F32x16 v_mul(F32x16 a, F32x16 b) { QUADS(F32x16, vmulq_f32(a.q[k], b.q[k])); }
static inline F32x16 v_div(F32x16 a, F32x16 b) { QUADS(F32x16, vdivq_f32(a.q[k], b.q[k])); }
static inline F32x16 v_fma(F32x16 a, F32x16 b, F32x16 c) { QUADS(F32x16, vfmaq_f32(c.q[k], a.q[k], b.q[k])); }
/* FMAX gives NaN where either is NaN: the selection is spelled out. */
static inline F32x16 v_max(F32x16 a, F32x16 b) { QUADS(F32x16, vbslq_f32(vcgtq_f32(a.q[k], b.q[k]), a.q[k], b.q[k])); }
static inline F32x16 v_min(F32x16 a, F32x16 b) { QUADS(F32x16, vbslq_f32(vcltq_f32(a.q[k], b.q[k]), a.q[k], b.q[k])); }
static inline F32x16 v_abs(F32x16 a) { QUADS(F32x16, vabsq_f32(a.q[k])); }
static inline F32x16 v_sqrt(F32x16 a) { QUADS(F32x16, vsqrtq_f32(a.q[k])); }

static inline F32x16 v_load_f16(const uint16_t *p)
{
	QUADS(F32x16, vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(p + 4 * k))));
}

static inline void v_store_f16(uint16_t *p, F32x16 a)
{
	EACH vst1_u16(p + 4 * k, vreinterpret_u16_f16(vcvt_f16_f32(a.q[k])));
}

static inline I32x16 v_round(F32x16 a) { QUADS(I32x16, vcvtnq_s32_f32(a.q[k])); }
static inline F32x16 v_from_i32(I32x16 a) { QUADS(F32x16, vcvtq_f32_s32(a.q[k])); }
static inline I32x16 v_bits(F32x16 a) { QUADS(I32x16, vreinterpretq_s32_f32(a.q[k])); }
static inline F32x16 v_from_bits(I32x16 a) { QUADS(F32x16, vreinterpretq_f32_s32(a.q[k])); }

/* y where x >= limit, else 0. */
static inline F32x16 v_zero_below(F32x16 x, float limit, F32x16 y)
{
	float32x4_t l = vdupq_n_f32(limit), zero = vdupq_n_f32(0);
	QUADS(F32x16, vbslq_f32(vcgeq_f32(x.q[k], l), y.q[k], zero));
}

static inline F32x16 v_swap(F32x16 a, int h)
{
	switch (h) {
	case 1: { QUADS(F32x16, vrev64q_f32(a.q[k])); }
	case 2: { QUADS(F32x16, vextq_f32(a.q[k], a.q[k], 2)); }
	default: { QUADS(F32x16, a.q[k ^ h / 4]); }
	}
}

static inline F32x16 v_between(int lo, int hi, F32x16 a, F32x16 b)
{
	static const int32_t lane[4] = { 0, 1, 2, 3 };
	int32x4_t at = vld1q_s32(lane);
	QUADS(F32x16, vbslq_f32(vandq_u32(vcgeq_s32(at, vdupq_n_s32(lo - 4 * k)), vcltq_s32(at, vdupq_n_s32(hi - 4 * k))),
	                        a.q[k], b.q[k]));
}

static inline float v_sum(F32x16 a)
{
	float32x4_t b = vaddq_f32(vaddq_f32(a.q[0], a.q[2]), vaddq_f32(a.q[1], a.q[3]));
	float32x2_t c = vadd_f32(vget_low_f32(b), vget_high_f32(b));
	return vget_lane_f32(c, 0) + vget_lane_f32(c, 1);
}

static inline float v_peak(F32x16 a)
{
	float x[16];
	v_store(x, a);
	for (int n = 8; n; n /= 2)
		for (int k = 0; k < n; k++)
			x[k] = x[k] > x[k + n] ? x[k] : x[k + n];
	return x[0];
}

static inline I32x16 i_set(int32_t x) { QUADS(I32x16, vdupq_n_s32(x)); }
static inline I32x16 i_load(const int32_t *p) { QUADS(I32x16, vld1q_s32(p + 4 * k)); }
static inline void i_store(int32_t *p, I32x16 a) { EACH vst1q_s32(p + 4 * k, a.q[k]); }
static inline I32x16 i_add(I32x16 a, I32x16 b) { QUADS(I32x16, vaddq_s32(a.q[k], b.q[k])); }
static inline I32x16 i_sub(I32x16 a, I32x16 b) { QUADS(I32x16, vsubq_s32(a.q[k], b.q[k])); }
static inline I32x16 i_max(I32x16 a, I32x16 b) { QUADS(I32x16, vmaxq_s32(a.q[k], b.q[k])); }
static inline I32x16 i_shl(I32x16 a, int n) { QUADS(I32x16, vshlq_s32(a.q[k], vdupq_n_s32(n))); }

static inline I32x16 i_shr(I32x16 a, int n)
{
	QUADS(I32x16, vreinterpretq_s32_u32(vshlq_u32(vreinterpretq_u32_s32(a.q[k]), vdupq_n_s32(-n))));
}

static inline I32x16 i_and(I32x16 a, I32x16 b) { QUADS(I32x16, vandq_s32(a.q[k], b.q[k])); }

static inline I32x16 i_high_pair(I32x16 a)
{
	QUADS(I32x16, vreinterpretq_s32_s16(vshrq_n_s16(vreinterpretq_s16_s32(a.q[k]), 8)));
}

static inline I32x16 i_low_pair(I32x16 a) { return i_high_pair(i_shl(a, 8)); }

static inline void i_store_i16(int16_t *p, I32x16 a) { EACH vst1_s16(p + 4 * k, vmovn_s32(a.q[k])); }

static inline I32x16 i_load_i8(const int8_t *p)
{
	int8x16_t b = vld1q_s8(p);
	int16x8_t lo = vmovl_s8(vget_low_s8(b)), hi = vmovl_s8(vget_high_s8(b));
	return (I32x16){ { vmovl_s16(vget_low_s16(lo)), vmovl_s16(vget_high_s16(lo)), vmovl_s16(vget_low_s16(hi)),
	                   vmovl_s16(vget_high_s16(hi)) } };
}

static inline I32x16 i_load_u8(const uint8_t *p)
{
	uint8x16_t b = vld1q_u8(p);
	uint16x8_t lo = vmovl_u8(vget_low_u8(b)), hi = vmovl_u8(vget_high_u8(b));
	I32x16 y = { { vreinterpretq_s32_u32(vmovl_u16(vget_low_u16(lo))), vreinterpretq_s32_u32(vmovl_u16(vget_high_u16(lo))),
	               vreinterpretq_s32_u32(vmovl_u16(vget_low_u16(hi))), vreinterpretq_s32_u32(vmovl_u16(vget_high_u16(hi))) } };
	return y;
}

/* The low byte of each lane. */
static inline void i_store_i8(int8_t *p, I32x16 a)
{
	int16x8_t lo = vcombine_s16(vmovn_s32(a.q[0]), vmovn_s32(a.q[1]));
	int16x8_t hi = vcombine_s16(vmovn_s32(a.q[2]), vmovn_s32(a.q[3]));
	vst1q_s8(p, vcombine_s8(vmovn_s16(lo), vmovn_s16(hi)));
}

static inline int32_t i_sum(I32x16 a) { return vaddvq_s32(vaddq_s32(vaddq_s32(a.q[0], a.q[1]), vaddq_s32(a.q[2], a.q[3]))); }

static inline int32_t i_peak(I32x16 a)
{
	return vmaxvq_s32(vmaxq_s32(vmaxq_s32(a.q[0], a.q[1]), vmaxq_s32(a.q[2], a.q[3])));
}

static inline Bytes64 b_load(const uint8_t *p) { QUADS(Bytes64, vld1q_u8(p + 16 * k)); }
static inline Bytes64 b_low(Bytes64 b) { QUADS(Bytes64, vandq_u8(b.q[k], vdupq_n_u8(15))); }
static inline Bytes64 b_high(Bytes64 b) { QUADS(Bytes64, vshrq_n_u8(b.q[k], 4)); }

/* s + four products of signed bytes in each lane. */
static inline int32x4_t dot_quad(int32x4_t s, int8x16_t u, int8x16_t four)
{
#if defined(__ARM_FEATURE_DOTPROD)
	return vdotq_s32(s, u, four);
#else
	int16x8_t lo = vmull_s8(vget_low_s8(u), vget_low_s8(four)), hi = vmull_high_s8(u, four);
	return vaddq_s32(s, vpaddq_s32(vpaddlq_s16(lo), vpaddlq_s16(hi)));
#endif
}

static inline int8x16_t four_set(const int8_t *four)
{
	int32_t x;
	memcpy(&x, four, 4);
	return vreinterpretq_s8_s32(vdupq_n_s32(x));
}

static inline I32x16 i_dot(I32x16 s, Bytes64 u, const int8_t *four)
{
	int8x16_t f = four_set(four);
	QUADS(I32x16, dot_quad(s.q[k], vreinterpretq_s8_u8(u.q[k]), f));
}

/* u as 128 + (u - 128), which is signed. */
static inline I32x16 i_dot_any(I32x16 s, Bytes64 u, const int8_t *four)
{
	int8x16_t f = four_set(four);
	int32x4_t base = vdupq_n_s32(128 * (four[0] + four[1] + four[2] + four[3]));
	QUADS(I32x16, dot_quad(vaddq_s32(s.q[k], base), vreinterpretq_s8_u8(veorq_u8(u.q[k], vdupq_n_u8(128))), f));
}

static inline int32x4_t dot_pairs(int32x4_t s, int16x8_t pairs, int16x8_t two)
{
	int32x4_t lo = vmull_s16(vget_low_s16(pairs), vget_low_s16(two)), hi = vmull_high_s16(pairs, two);
	return vaddq_s32(s, vpaddq_s32(lo, hi));
}

static inline I32x16 i_dot_pair(I32x16 s, I32x16 pairs, const int16_t *two)
{
	int32_t x;
	memcpy(&x, two, 4);
	int16x8_t t = vreinterpretq_s16_s32(vdupq_n_s32(x));
	QUADS(I32x16, dot_pairs(s.q[k], vreinterpretq_s16_s32(pairs.q[k]), t));
}

static inline NibbleSum n_zero(void) { return i_set(0); }
static inline NibbleSum n_dot(NibbleSum s, Bytes64 u, const int8_t *four) { return i_dot(s, u, four); }
static inline I32x16 n_sum(NibbleSum s) { return s; }

#undef EACH
#undef QUADS

#endif
