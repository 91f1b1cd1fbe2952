/* vec16.h by AVX-512 (F, BW, DQ, VL, VNNI). */
#ifndef SEED_CPU_VEC16_AVX512_H
#define SEED_CPU_VEC16_AVX512_H

#include <immintrin.h>

typedef __m512 F32x16;
typedef __m512i I32x16, Bytes64;

static inline F32x16 v_set(float x) { return _mm512_set1_ps(x); }
static inline F32x16 v_load(const float *p) { return _mm512_loadu_ps(p); }
static inline void v_store(float *p, F32x16 a) { _mm512_storeu_ps(p, a); }
static inline F32x16 v_add(F32x16 a, F32x16 b) { return _mm512_add_ps(a, b); }
static inline F32x16 v_sub(F32x16 a, F32x16 b) { return _mm512_sub_ps(a, b); }
static inline F32x16 v_mul(F32x16 a, F32x16 b) { return _mm512_mul_ps(a, b); }
static inline F32x16 v_div(F32x16 a, F32x16 b) { return _mm512_div_ps(a, b); }
static inline F32x16 v_fma(F32x16 a, F32x16 b, F32x16 c) { return _mm512_fmadd_ps(a, b, c); }
static inline F32x16 v_max(F32x16 a, F32x16 b) { return _mm512_max_ps(a, b); }
static inline F32x16 v_min(F32x16 a, F32x16 b) { return _mm512_min_ps(a, b); }
static inline F32x16 v_abs(F32x16 a) { return _mm512_abs_ps(a); }
static inline F32x16 v_sqrt(F32x16 a) { return _mm512_sqrt_ps(a); }

static inline F32x16 v_load_f16(const uint16_t *p)
{
	return _mm512_cvtph_ps(_mm256_loadu_si256((const void *)p));
}

static inline void v_store_f16(uint16_t *p, F32x16 a)
{
	_mm256_storeu_si256((void *)p, _mm512_cvtps_ph(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}

static inline I32x16 v_round(F32x16 a) { return _mm512_cvtps_epi32(a); }
static inline F32x16 v_from_i32(I32x16 a) { return _mm512_cvtepi32_ps(a); }
static inline I32x16 v_bits(F32x16 a) { return _mm512_castps_si512(a); }
static inline F32x16 v_from_bits(I32x16 a) { return _mm512_castsi512_ps(a); }

/* y where x >= limit, else 0. */
static inline F32x16 v_zero_below(F32x16 x, float limit, F32x16 y)
{
	return _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(x, _mm512_set1_ps(limit), _CMP_GE_OQ), y);
}

static inline F32x16 v_between(int lo, int hi, F32x16 a, F32x16 b)
{
	uint32_t to = hi <= 0 ? 0 : hi >= 16 ? 0xffff : (1u << hi) - 1, from = lo <= 0 ? 0 : lo >= 16 ? 0xffff : (1u << lo) - 1;
	return _mm512_mask_mov_ps(b, (__mmask16)(to & ~from), a);
}

static inline F32x16 v_swap(F32x16 a, int h)
{
	return h == 1 ? _mm512_permute_ps(a, 0xB1) : h == 2 ? _mm512_permute_ps(a, 0x4E) :
	       h == 4 ? _mm512_shuffle_f32x4(a, a, 0xB1) : _mm512_shuffle_f32x4(a, a, 0x4E);
}

static inline float v_sum(F32x16 a)
{
	__m256 b = _mm256_add_ps(_mm512_castps512_ps256(a), _mm512_extractf32x8_ps(a, 1));
	__m128 c = _mm_add_ps(_mm256_castps256_ps128(b), _mm256_extractf128_ps(b, 1));
	c = _mm_add_ps(c, _mm_movehl_ps(c, c));
	return _mm_cvtss_f32(_mm_add_ss(c, _mm_movehdup_ps(c)));
}

static inline float v_peak(F32x16 a) { return _mm512_reduce_max_ps(a); }

static inline I32x16 i_set(int32_t x) { return _mm512_set1_epi32(x); }
static inline I32x16 i_load(const int32_t *p) { return _mm512_loadu_si512(p); }
static inline void i_store(int32_t *p, I32x16 a) { _mm512_storeu_si512(p, a); }
static inline I32x16 i_add(I32x16 a, I32x16 b) { return _mm512_add_epi32(a, b); }
static inline I32x16 i_sub(I32x16 a, I32x16 b) { return _mm512_sub_epi32(a, b); }
#define i_shl(a, n) _mm512_slli_epi32(a, n)
#define i_shr(a, n) _mm512_srli_epi32(a, n)
static inline I32x16 i_and(I32x16 a, I32x16 b) { return _mm512_and_si512(a, b); }
static inline I32x16 i_low_pair(I32x16 a) { return _mm512_srai_epi16(_mm512_slli_epi16(a, 8), 8); }
static inline I32x16 i_high_pair(I32x16 a) { return _mm512_srai_epi16(a, 8); }
static inline void i_store_i16(int16_t *p, I32x16 a) { _mm256_storeu_si256((void *)p, _mm512_cvtepi32_epi16(a)); }
static inline I32x16 i_load_i8(const int8_t *p) { return _mm512_cvtepi8_epi32(_mm_loadu_si128((const void *)p)); }
static inline I32x16 i_load_u8(const uint8_t *p) { return _mm512_cvtepu8_epi32(_mm_loadu_si128((const void *)p)); }
/* The low byte of each lane. */
static inline void i_store_i8(int8_t *p, I32x16 a) { _mm_storeu_si128((void *)p, _mm512_cvtepi32_epi8(a)); }
static inline int32_t i_sum(I32x16 a) { return _mm512_reduce_add_epi32(a); }
static inline I32x16 i_max(I32x16 a, I32x16 b) { return _mm512_max_epi32(a, b); }
static inline int32_t i_peak(I32x16 a) { return _mm512_reduce_max_epi32(a); }

static inline Bytes64 b_load(const uint8_t *p) { return _mm512_loadu_si512(p); }
static inline Bytes64 b_low(Bytes64 b) { return _mm512_and_si512(b, _mm512_set1_epi8(15)); }
static inline Bytes64 b_high(Bytes64 b) { return _mm512_and_si512(_mm512_srli_epi16(b, 4), _mm512_set1_epi8(15)); }

/* The dots are in assembly because GCC 12 copies the accumulator of its intrinsics twice. */
static inline I32x16 i_dot(I32x16 s, Bytes64 u, const int8_t *four)
{
	int32_t x;
	memcpy(&x, four, 4);
	__m512i f = _mm512_set1_epi32(x);
	__asm__("vpdpbusd %2, %1, %0" : "+v"(s) : "v"(u), "v"(f));
	return s;
}

static inline I32x16 i_dot_pair(I32x16 s, I32x16 pairs, const int16_t *two)
{
	int32_t x;
	memcpy(&x, two, 4);
	__m512i t = _mm512_set1_epi32(x);
	__asm__("vpdpwssd %2, %1, %0" : "+v"(s) : "v"(pairs), "v"(t));
	return s;
}

static inline I32x16 i_dot_any(I32x16 s, Bytes64 u, const int8_t *four) { return i_dot(s, u, four); }

typedef I32x16 NibbleSum;
static inline NibbleSum n_zero(void) { return i_set(0); }
static inline NibbleSum n_dot(NibbleSum s, Bytes64 u, const int8_t *four) { return i_dot(s, u, four); }
static inline I32x16 n_sum(NibbleSum s) { return s; }

#endif
