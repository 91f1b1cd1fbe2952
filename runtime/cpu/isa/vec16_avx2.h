/* vec16.h by AVX2, FMA and F16C: sixteen lanes are two registers. */
#ifndef SEED_CPU_VEC16_AVX2_H
#define SEED_CPU_VEC16_AVX2_H

#include <immintrin.h>

typedef struct F32x16 { __m256 lo, hi; } F32x16;
typedef struct I32x16 { __m256i lo, hi; } I32x16;
typedef I32x16 Bytes64;
typedef I32x16 NibbleSum;  /* 16-bit sums: eight times 2 * 15 * 127 is below 2^15 */

static inline F32x16 v_set(float x) { return (F32x16){ _mm256_set1_ps(x), _mm256_set1_ps(x) }; }
static inline F32x16 v_load(const float *p) { return (F32x16){ _mm256_loadu_ps(p), _mm256_loadu_ps(p + 8) }; }

static inline void v_store(float *p, F32x16 a)
{
	_mm256_storeu_ps(p, a.lo);
	_mm256_storeu_ps(p + 8, a.hi);
}

#define PAIRWISE(name, f) \
	static inline F32x16 name(F32x16 a, F32x16 b) { return (F32x16){ f(a.lo, b.lo), f(a.hi, b.hi) }; }
PAIRWISE(v_add, _mm256_add_ps)
PAIRWISE(v_sub, _mm256_sub_ps)
PAIRWISE(v_mul, _mm256_mul_ps)
PAIRWISE(v_div, _mm256_div_ps)
PAIRWISE(v_max, _mm256_max_ps)
PAIRWISE(v_min, _mm256_min_ps)
#undef PAIRWISE

static inline F32x16 v_fma(F32x16 a, F32x16 b, F32x16 c)
{
	return (F32x16){ _mm256_fmadd_ps(a.lo, b.lo, c.lo), _mm256_fmadd_ps(a.hi, b.hi, c.hi) };
}

static inline F32x16 v_abs(F32x16 a)
{
	__m256 sign = _mm256_set1_ps(-0.0f);
	return (F32x16){ _mm256_andnot_ps(sign, a.lo), _mm256_andnot_ps(sign, a.hi) };
}

static inline F32x16 v_sqrt(F32x16 a) { return (F32x16){ _mm256_sqrt_ps(a.lo), _mm256_sqrt_ps(a.hi) }; }

static inline F32x16 v_load_f16(const uint16_t *p)
{
	return (F32x16){ _mm256_cvtph_ps(_mm_loadu_si128((const void *)p)),
	                 _mm256_cvtph_ps(_mm_loadu_si128((const void *)(p + 8))) };
}

static inline void v_store_f16(uint16_t *p, F32x16 a)
{
	_mm_storeu_si128((void *)p, _mm256_cvtps_ph(a.lo, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
	_mm_storeu_si128((void *)(p + 8), _mm256_cvtps_ph(a.hi, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}

static inline I32x16 v_round(F32x16 a) { return (I32x16){ _mm256_cvtps_epi32(a.lo), _mm256_cvtps_epi32(a.hi) }; }
static inline F32x16 v_from_i32(I32x16 a) { return (F32x16){ _mm256_cvtepi32_ps(a.lo), _mm256_cvtepi32_ps(a.hi) }; }
static inline I32x16 v_bits(F32x16 a) { return (I32x16){ _mm256_castps_si256(a.lo), _mm256_castps_si256(a.hi) }; }
static inline F32x16 v_from_bits(I32x16 a) { return (F32x16){ _mm256_castsi256_ps(a.lo), _mm256_castsi256_ps(a.hi) }; }

/* y where x >= limit, else 0. */
static inline F32x16 v_zero_below(F32x16 x, float limit, F32x16 y)
{
	__m256 l = _mm256_set1_ps(limit);
	return (F32x16){ _mm256_and_ps(_mm256_cmp_ps(x.lo, l, _CMP_GE_OQ), y.lo),
	                 _mm256_and_ps(_mm256_cmp_ps(x.hi, l, _CMP_GE_OQ), y.hi) };
}

static inline __m256 from_half(int lo, int hi, __m256 a, __m256 b)
{
	__m256i k = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
	__m256i out = _mm256_or_si256(_mm256_cmpgt_epi32(_mm256_set1_epi32(lo), k),
	                              _mm256_cmpgt_epi32(k, _mm256_set1_epi32(hi - 1)));
	return _mm256_blendv_ps(a, b, _mm256_castsi256_ps(out));
}

static inline F32x16 v_between(int lo, int hi, F32x16 a, F32x16 b)
{
	return (F32x16){ from_half(lo, hi, a.lo, b.lo), from_half(lo - 8, hi - 8, a.hi, b.hi) };
}

static inline F32x16 v_swap(F32x16 a, int h)
{
	switch (h) {
	case 1: return (F32x16){ _mm256_permute_ps(a.lo, 0xB1), _mm256_permute_ps(a.hi, 0xB1) };
	case 2: return (F32x16){ _mm256_permute_ps(a.lo, 0x4E), _mm256_permute_ps(a.hi, 0x4E) };
	case 4: return (F32x16){ _mm256_permute2f128_ps(a.lo, a.lo, 1), _mm256_permute2f128_ps(a.hi, a.hi, 1) };
	default: return (F32x16){ a.hi, a.lo };
	}
}

static inline float v_sum(F32x16 a)
{
	__m256 b = _mm256_add_ps(a.lo, a.hi);
	__m128 c = _mm_add_ps(_mm256_castps256_ps128(b), _mm256_extractf128_ps(b, 1));
	c = _mm_add_ps(c, _mm_movehl_ps(c, c));
	return _mm_cvtss_f32(_mm_add_ss(c, _mm_movehdup_ps(c)));
}

static inline float v_peak(F32x16 a)
{
	__m256 b = _mm256_max_ps(a.lo, a.hi);
	__m128 c = _mm_max_ps(_mm256_castps256_ps128(b), _mm256_extractf128_ps(b, 1));
	c = _mm_max_ps(c, _mm_movehl_ps(c, c));
	return _mm_cvtss_f32(_mm_max_ss(c, _mm_movehdup_ps(c)));
}

static inline I32x16 i_set(int32_t x) { return (I32x16){ _mm256_set1_epi32(x), _mm256_set1_epi32(x) }; }

static inline I32x16 i_load(const int32_t *p)
{
	return (I32x16){ _mm256_loadu_si256((const void *)p), _mm256_loadu_si256((const void *)(p + 8)) };
}

static inline void i_store(int32_t *p, I32x16 a)
{
	_mm256_storeu_si256((void *)p, a.lo);
	_mm256_storeu_si256((void *)(p + 8), a.hi);
}

static inline I32x16 i_add(I32x16 a, I32x16 b)
{
	return (I32x16){ _mm256_add_epi32(a.lo, b.lo), _mm256_add_epi32(a.hi, b.hi) };
}

static inline I32x16 i_sub(I32x16 a, I32x16 b)
{
	return (I32x16){ _mm256_sub_epi32(a.lo, b.lo), _mm256_sub_epi32(a.hi, b.hi) };
}

static inline I32x16 i_shl(I32x16 a, int n)
{
	return (I32x16){ _mm256_slli_epi32(a.lo, n), _mm256_slli_epi32(a.hi, n) };
}

static inline I32x16 i_shr(I32x16 a, int n)
{
	return (I32x16){ _mm256_srli_epi32(a.lo, n), _mm256_srli_epi32(a.hi, n) };
}

static inline I32x16 i_and(I32x16 a, I32x16 b)
{
	return (I32x16){ _mm256_and_si256(a.lo, b.lo), _mm256_and_si256(a.hi, b.hi) };
}

static inline I32x16 i_high_pair(I32x16 a)
{
	return (I32x16){ _mm256_srai_epi16(a.lo, 8), _mm256_srai_epi16(a.hi, 8) };
}

static inline I32x16 i_low_pair(I32x16 a)
{
	return i_high_pair((I32x16){ _mm256_slli_epi16(a.lo, 8), _mm256_slli_epi16(a.hi, 8) });
}

/* Lanes outside -32768 .. 32767 saturate. */
static inline void i_store_i16(int16_t *p, I32x16 a)
{
	__m256i both = _mm256_permute4x64_epi64(_mm256_packs_epi32(a.lo, a.hi), 0xD8);
	_mm256_storeu_si256((void *)p, both);
}

static inline I32x16 i_load_i8(const int8_t *p)
{
	return (I32x16){ _mm256_cvtepi8_epi32(_mm_loadl_epi64((const void *)p)),
	                 _mm256_cvtepi8_epi32(_mm_loadl_epi64((const void *)(p + 8))) };
}

static inline I32x16 i_load_u8(const uint8_t *p)
{
	return (I32x16){ _mm256_cvtepu8_epi32(_mm_loadl_epi64((const void *)p)),
	                 _mm256_cvtepu8_epi32(_mm_loadl_epi64((const void *)(p + 8))) };
}

/* The low byte of each lane. */
static inline void i_store_i8(int8_t *p, I32x16 a)
{
	int32_t x[16];
	i_store(x, a);
	for (int i = 0; i < 16; i++)
		p[i] = (int8_t)x[i];
}

static inline int32_t i_sum(I32x16 a)
{
	__m256i b = _mm256_add_epi32(a.lo, a.hi);
	__m128i c = _mm_add_epi32(_mm256_castsi256_si128(b), _mm256_extracti128_si256(b, 1));
	c = _mm_add_epi32(c, _mm_shuffle_epi32(c, 0x4E));
	return _mm_cvtsi128_si32(_mm_add_epi32(c, _mm_shuffle_epi32(c, 0xB1)));
}

static inline I32x16 i_max(I32x16 a, I32x16 b)
{
	return (I32x16){ _mm256_max_epi32(a.lo, b.lo), _mm256_max_epi32(a.hi, b.hi) };
}

static inline int32_t i_peak(I32x16 a)
{
	__m256i b = _mm256_max_epi32(a.lo, a.hi);
	__m128i c = _mm_max_epi32(_mm256_castsi256_si128(b), _mm256_extracti128_si256(b, 1));
	c = _mm_max_epi32(c, _mm_shuffle_epi32(c, 0x4E));
	return _mm_cvtsi128_si32(_mm_max_epi32(c, _mm_shuffle_epi32(c, 0xB1)));
}

static inline Bytes64 b_load(const uint8_t *p)
{
	return (Bytes64){ _mm256_loadu_si256((const void *)p), _mm256_loadu_si256((const void *)(p + 32)) };
}

static inline Bytes64 b_low(Bytes64 b)
{
	__m256i m = _mm256_set1_epi8(15);
	return (Bytes64){ _mm256_and_si256(b.lo, m), _mm256_and_si256(b.hi, m) };
}

static inline Bytes64 b_high(Bytes64 b)
{
	return b_low((Bytes64){ _mm256_srli_epi16(b.lo, 4), _mm256_srli_epi16(b.hi, 4) });
}

static inline __m256i dot_half(__m256i s, __m256i u, __m256i four)
{
	__m256i pair = _mm256_maddubs_epi16(u, four);
	return _mm256_add_epi32(s, _mm256_madd_epi16(pair, _mm256_set1_epi16(1)));
}

static inline I32x16 i_dot(I32x16 s, Bytes64 u, const int8_t *four)
{
	int32_t x;
	memcpy(&x, four, 4);
	__m256i f = _mm256_set1_epi32(x);
	return (I32x16){ dot_half(s.lo, u.lo, f), dot_half(s.hi, u.hi, f) };
}

/* maddubs saturates where two products pass 32767, so u is taken as 128 + (u - 128). */
static inline I32x16 i_dot_any(I32x16 s, Bytes64 u, const int8_t *four)
{
	int32_t x;
	memcpy(&x, four, 4);
	__m256i f = _mm256_set1_epi32(x), top = _mm256_set1_epi8((char)0x80);
	__m256i lo = _mm256_xor_si256(u.lo, top), hi = _mm256_xor_si256(u.hi, top);
	I32x16 base = i_set(128 * (four[0] + four[1] + four[2] + four[3]));
	I32x16 sum = { dot_half(s.lo, _mm256_abs_epi8(lo), _mm256_sign_epi8(f, lo)),
	               dot_half(s.hi, _mm256_abs_epi8(hi), _mm256_sign_epi8(f, hi)) };
	return i_add(sum, base);
}

static inline NibbleSum n_zero(void) { return i_set(0); }

static inline NibbleSum n_dot(NibbleSum s, Bytes64 u, const int8_t *four)
{
	int32_t x;
	memcpy(&x, four, 4);
	__m256i f = _mm256_set1_epi32(x);
	return (NibbleSum){ _mm256_add_epi16(s.lo, _mm256_maddubs_epi16(u.lo, f)),
	                    _mm256_add_epi16(s.hi, _mm256_maddubs_epi16(u.hi, f)) };
}

static inline I32x16 n_sum(NibbleSum s)
{
	__m256i one = _mm256_set1_epi16(1);
	return (I32x16){ _mm256_madd_epi16(s.lo, one), _mm256_madd_epi16(s.hi, one) };
}

static inline I32x16 i_dot_pair(I32x16 s, I32x16 pairs, const int16_t *two)
{
	int32_t x;
	memcpy(&x, two, 4);
	__m256i t = _mm256_set1_epi32(x);
	return i_add(s, (I32x16){ _mm256_madd_epi16(pairs.lo, t), _mm256_madd_epi16(pairs.hi, t) });
}

#endif
