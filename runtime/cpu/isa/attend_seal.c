/*
 * Into the cache: one position's key and value into an open block, a full open block into its sealed bytes. The
 * layouts are kv_format.h's. A scale is rounded to f16 before it divides, so what is stored is nearest under the
 * scale that readers see.
 */
#include "runtime/cpu/isa/attend_call.h"
#include "runtime/cpu/isa/attend_rotate.h"

void ISA(attend_write)(KvFormat format, uint32_t head_len, const float *k, const float *v, uint32_t at, uint16_t *open)
{
	float turned[2][KV_HEAD_MAX];
	if (kv_format_rotates(format)) {
		rotate(head_len, k, rotate_forward(head_len), turned[0]);
		rotate(head_len, v, rotate_forward(head_len), turned[1]);
		k = turned[0], v = turned[1];
	}
	uint16_t *row = open + (size_t)KV_BLOCK * head_len + (size_t)at * head_len, column[KV_HEAD_MAX];
	for (uint32_t c = 0; c < head_len; c += 16) {
		v_store_f16(column + c, v_load(k + c));
		v_store_f16(row + c, v_load(v + c));
	}
	for (uint32_t c = 0; c < head_len; c++)
		open[c * KV_BLOCK + at] = column[c];
}

/* Sixteen scales, rounded and stored as f16; *inverse has 1 / scale, or 0 for 0. */
static inline F32x16 put_scale(F32x16 scale, uint16_t *to, F32x16 *inverse)
{
	v_store_f16(to, scale);
	F32x16 s = v_load_f16(to);
	*inverse = v_zero_below(s, 0x1p-24f, v_div(v_set(1.0f), v_max(s, v_set(0x1p-24f))));
	return s;
}

static inline I32x16 quantise(F32x16 x, F32x16 inverse, float lo, float hi)
{
	return v_round(v_max(v_min(v_mul(x, inverse), v_set(hi)), v_set(lo)));
}

/* One scale a position: its greatest channel over `top`. */
static void scale_columns(const uint16_t *k, uint32_t head_len, float top, uint16_t *scale, F32x16 inverse[2])
{
	F32x16 peak[2] = { v_set(0), v_set(0) };
	for (uint32_t c = 0; c < head_len; c++)
		for (int h = 0; h < 2; h++)
			peak[h] = v_max(v_abs(v_load_f16(k + c * KV_BLOCK + 16 * h)), peak[h]);
	for (int h = 0; h < 2; h++)
		put_scale(v_div(peak[h], v_set(top)), scale + 16 * h, &inverse[h]);
}

static void seal_k_int8(uint32_t head_len, const uint16_t *k, uint8_t *to, uint16_t *scale)
{
	F32x16 inverse[2];
	scale_columns(k, head_len, 127, scale, inverse);
	for (uint32_t c = 0; c < head_len; c += 4)
		for (int h = 0; h < 2; h++) {
			I32x16 w = i_set(0);
			for (uint32_t i = 4; i--;) {
				I32x16 x = quantise(v_load_f16(k + (c + i) * KV_BLOCK + 16 * h), inverse[h], -127, 127);
				w = i_add(i_shl(w, 8), i_add(x, i_set(128)));
			}
			i_store((int32_t *)(void *)(to + c * KV_BLOCK + 64 * h), w);
		}
}

/* Half bytes: (x - minimum) * inverse, of one channel. */
static inline I32x16 half_byte(const uint16_t *k, F32x16 minimum, F32x16 inverse)
{
	return quantise(v_sub(v_load_f16(k), minimum), inverse, 0, 15);
}

/* Minimum and inverse scale of 16 channels, for positions 0 .. 15 and 16 .. 31. */
typedef struct HalfScales { F32x16 low[2][16], inverse[2][16]; } HalfScales;

/* Channels c0 .. c0 + 15, eight to a lane: byte i has channel i below, channel 4 + i above. */
static void pack_k_halves(uint32_t c0, const uint16_t *k, const HalfScales *s, uint8_t *to)
{
	for (uint32_t c = 0; c < 16; c += 8)
		for (uint32_t h = 0; h < 2; h++) {
			I32x16 w = i_set(0);
			for (uint32_t i = 8; i--;) {
				uint32_t at = c + i / 2 + i % 2 * 4;
				w = i_add(i_shl(w, 4), half_byte(k + (c0 + at) * KV_BLOCK + 16 * h, s->low[h][at], s->inverse[h][at]));
			}
			i_store((int32_t *)(void *)(to + (c0 + c) * KV_BLOCK / 2 + 64 * h), w);
		}
}

static void scale_channels(const uint16_t *k, uint16_t *scale, uint16_t *minimum, HalfScales *s)
{
	float lo[16], step[16], inverse[16];
	for (uint32_t i = 0; i < 16; i++) {
		F32x16 a = v_load_f16(k + i * KV_BLOCK), b = v_load_f16(k + i * KV_BLOCK + 16);
		lo[i] = -v_peak(v_max(v_sub(v_set(0), a), v_sub(v_set(0), b)));
		step[i] = v_peak(v_max(a, b)) - lo[i];
	}
	F32x16 each;
	put_scale(v_div(v_load(step), v_set(15)), scale, &each);
	v_store(inverse, each);
	v_store_f16(minimum, v_load(lo));
	v_store(lo, v_load_f16(minimum));
	for (uint32_t i = 0; i < 16; i++) {
		s->low[0][i] = s->low[1][i] = v_set(lo[i]);
		s->inverse[0][i] = s->inverse[1][i] = v_set(inverse[i]);
	}
}

static void seal_k_int4(uint32_t head_len, const uint16_t *k, uint8_t *to, uint16_t *scale)
{
	for (uint32_t c = 0; c < head_len; c += 16) {
		HalfScales s;
		scale_channels(k + c * KV_BLOCK, scale + c, scale + head_len + c, &s);
		pack_k_halves(c, k, &s, to);
	}
}

/* -8 .. 7, stored plus 8: the minimum is 8 steps below 0. */
static void seal_k_seed4(uint32_t head_len, const uint16_t *k, uint8_t *to, uint16_t *scale)
{
	F32x16 inverse[2];
	HalfScales s;
	scale_columns(k, head_len, 7, scale, inverse);
	for (int h = 0; h < 2; h++)
		for (int i = 0; i < 16; i++) {
			s.low[h][i] = v_mul(v_load_f16(scale + 16 * h), v_set(-8));
			s.inverse[h][i] = inverse[h];
		}
	for (uint32_t c = 0; c < head_len; c += 16)
		pack_k_halves(c, k, &s, to);
}

/* The greatest and the least of n channels. */
static inline void row_range(const uint16_t *v, uint32_t n, float *lo, float *hi)
{
	F32x16 top = v_load_f16(v), bottom = v_sub(v_set(0), top);
	for (uint32_t c = 16; c < n; c += 16) {
		F32x16 x = v_load_f16(v + c);
		top = v_max(x, top);
		bottom = v_max(v_sub(v_set(0), x), bottom);
	}
	*hi = v_peak(top);
	*lo = -v_peak(bottom);
}

static void seal_v_int8(uint32_t head_len, const uint16_t *v, uint8_t *to, uint16_t *scale)
{
	static const uint8_t order[4] = { 0, 2, 1, 3 };
	float peak[KV_BLOCK], inverse[KV_BLOCK];
	for (uint32_t p = 0; p < KV_BLOCK; p++) {
		float lo, hi;
		row_range(v + p * head_len, head_len, &lo, &hi);
		peak[p] = -lo > hi ? -lo : hi;
	}
	for (int h = 0; h < KV_BLOCK; h += 16) {
		F32x16 each;
		put_scale(v_div(v_load(peak + h), v_set(127)), scale + h, &each);
		v_store(inverse + h, each);
	}
	for (uint32_t p = 0; p < KV_BLOCK; p += 4)
		for (uint32_t c = 0; c < head_len; c += 16) {
			I32x16 w = i_set(0);
			for (uint32_t i = 4; i--;) {
				uint32_t at = p + order[i];
				I32x16 x = quantise(v_load_f16(v + at * head_len + c), v_set(inverse[at]), -127, 127);
				w = i_add(i_shl(w, 8), i_and(x, i_set(255)));
			}
			i_store((int32_t *)(void *)(to + (size_t)p * head_len + 4 * c), w);
		}
}

typedef struct Range { float lo[KV_BLOCK], step[KV_BLOCK], inverse[KV_BLOCK]; } Range;

/* Channels c .. c + n - 1, half bytes: eight positions to a lane. */
static void pack_v_halves(uint32_t head_len, const uint16_t *v, uint32_t c, uint32_t n, const Range *r, uint8_t *to)
{
	static const uint8_t order[8] = { 0, 2, 4, 6, 1, 3, 5, 7 };
	for (uint32_t p = 0; p < KV_BLOCK; p += 8)
		for (uint32_t at_c = c; at_c < c + n; at_c += 16) {
			I32x16 w = i_set(0);
			for (uint32_t i = 8; i--;) {
				uint32_t at = p + order[i];
				I32x16 x = half_byte(v + at * head_len + at_c, v_set(r->lo[at]), v_set(r->inverse[at]));
				w = i_add(i_shl(w, 4), x);
			}
			i_store((int32_t *)(void *)(to + (size_t)p / 2 * head_len + 4 * at_c), w);
		}
}

static void seal_v_int4(uint32_t head_len, const uint16_t *v, uint8_t *to, uint16_t *scale)
{
	for (uint32_t c = 0; c < head_len; c += 32, scale += 2 * KV_BLOCK) {
		Range r;
		uint32_t n = head_len - c < 32 ? head_len - c : 32;
		for (uint32_t p = 0; p < KV_BLOCK; p++) {
			row_range(v + p * head_len + c, n, &r.lo[p], &r.step[p]);
			r.step[p] -= r.lo[p];
		}
		for (int h = 0; h < KV_BLOCK; h += 16) {
			F32x16 each;
			put_scale(v_div(v_load(r.step + h), v_set(15)), scale + h, &each);
			v_store(r.inverse + h, each);
			v_store_f16(scale + KV_BLOCK + h, v_load(r.lo + h));
			v_store(r.lo + h, v_load_f16(scale + KV_BLOCK + h));
		}
		pack_v_halves(head_len, v, c, n, &r, to);
	}
}

static void seal_v_seed4(uint32_t head_len, const uint16_t *v, uint8_t *to, uint16_t *scale)
{
	Range r;
	for (uint32_t p = 0; p < KV_BLOCK; p++) {
		float lo, hi;
		row_range(v + p * head_len, head_len, &lo, &hi);
		r.step[p] = -lo > hi ? -lo : hi;
	}
	for (int h = 0; h < KV_BLOCK; h += 16) {
		F32x16 each, s = put_scale(v_div(v_load(r.step + h), v_set(7)), scale + h, &each);
		v_store(r.inverse + h, each);
		v_store(r.lo + h, v_mul(s, v_set(-8)));
	}
	pack_v_halves(head_len, v, 0, head_len, &r, to);
}

void ISA(attend_seal)(KvFormat block_format, uint32_t head_len, const uint16_t *open, KvSpot to)
{
	KvLayout at = kv_layout(block_format, head_len);
	const uint16_t *v = open + (size_t)KV_BLOCK * head_len;
	uint8_t *to_k = to.k, *to_v = to.v;
	uint16_t *k_scale = (void *)(to.k + at.k_scale), *v_scale = (void *)(to.v + (at.v_scale - at.v));
	switch (block_format) {
	case KV_INT8:
		seal_k_int8(head_len, open, to_k, k_scale);
		seal_v_int8(head_len, v, to_v, v_scale);
		break;
	case KV_K8V4:
		seal_k_int8(head_len, open, to_k, k_scale);
		seal_v_int4(head_len, v, to_v, v_scale);
		break;
	case KV_INT4:
		seal_k_int4(head_len, open, to_k, k_scale);
		seal_v_int4(head_len, v, to_v, v_scale);
		break;
	case KV_SEED4:
		seal_k_seed4(head_len, open, to_k, k_scale);
		seal_v_seed4(head_len, v, to_v, v_scale);
		break;
	default:
		memcpy(to.k, open, at.v);
		memcpy(to.v, v, at.n_bytes - at.v);
	}
}
