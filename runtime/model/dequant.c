/*
 * Rows of weights as floats, exactly as ggml's dequantizers give them: the same products in the same order, each
 * rounded once. Elements of a block lie as ggml has them, low nibbles in front of high ones.
 */
#include "runtime/base/f16.h"
#include "runtime/model/model.h"

static uint16_t load_u16(const uint8_t *p)
{
	return (uint16_t)(p[0] | p[1] << 8);
}

static uint32_t load_u32(const uint8_t *p)
{
	return (uint32_t)load_u16(p) | (uint32_t)load_u16(p + 2) << 16;
}

static float load_half(const uint8_t *p)
{
	return f32_from_f16(load_u16(p));
}

/* ---- plain ---------------------------------------------------------------------------------------- */

static void f32_block(const uint8_t *p, float *out)
{
	*out = f32_from_bits(load_u32(p));
}

static void f16_block(const uint8_t *p, float *out)
{
	*out = load_half(p);
}

static void bf16_block(const uint8_t *p, float *out)
{
	*out = f32_from_bf16(load_u16(p));
}

/* ---- blocks of 32 ---------------------------------------------------------------------------------- */

/* scale, 16 bytes of nibbles; q - 8 */
static void q4_0_block(const uint8_t *p, float *out)
{
	float d = load_half(p);
	for (int i = 0; i < 16; i++) {
		out[i] = (float)((p[2 + i] & 15) - 8) * d;
		out[i + 16] = (float)((p[2 + i] >> 4) - 8) * d;
	}
}

/* scale, minimum, nibbles */
static void q4_1_block(const uint8_t *p, float *out)
{
	float d = load_half(p), m = load_half(p + 2);
	for (int i = 0; i < 16; i++) {
		out[i] = (float)(p[4 + i] & 15) * d + m;
		out[i + 16] = (float)(p[4 + i] >> 4) * d + m;
	}
}

/* The nibble with bit i of high as its fifth. */
static int five(uint8_t nibble, uint32_t high, int i)
{
	return nibble | (int)(high >> i & 1) << 4;
}

/* scale, 32 high bits, nibbles; q - 16 */
static void q5_0_block(const uint8_t *p, float *out)
{
	float d = load_half(p);
	uint32_t high = load_u32(p + 2);
	for (int i = 0; i < 16; i++) {
		out[i] = (float)(five(p[6 + i] & 15, high, i) - 16) * d;
		out[i + 16] = (float)(five(p[6 + i] >> 4, high, i + 16) - 16) * d;
	}
}

/* scale, minimum, high bits, nibbles */
static void q5_1_block(const uint8_t *p, float *out)
{
	float d = load_half(p), m = load_half(p + 2);
	uint32_t high = load_u32(p + 4);
	for (int i = 0; i < 16; i++) {
		out[i] = (float)five(p[8 + i] & 15, high, i) * d + m;
		out[i + 16] = (float)five(p[8 + i] >> 4, high, i + 16) * d + m;
	}
}

static void q8_0_block(const uint8_t *p, float *out)
{
	float d = load_half(p);
	for (int i = 0; i < 32; i++)
		out[i] = (float)(int8_t)p[2 + i] * d;
}

/* ---- blocks of 256 --------------------------------------------------------------------------------- */

/* Scale and minimum i of 8, six bits each in 12 bytes: 0 to 3 whole, 4 to 7 with two bits on top of those. */
static void scale_min(const uint8_t *p, int i, float d, float dmin, float *scale, float *min)
{
	int s = i < 4 ? p[i] & 63 : (p[i + 4] & 15) | p[i - 4] >> 6 << 4;
	int m = i < 4 ? p[i + 4] & 63 : p[i + 4] >> 4 | p[i] >> 6 << 4;
	*scale = d * (float)s;
	*min = dmin * (float)m;
}

/* scale, scale of minima, 12 bytes of scales, nibbles: 32 low, 32 high */
static void q4_k_block(const uint8_t *p, float *out)
{
	float d = load_half(p), dmin = load_half(p + 2), s, m;
	const uint8_t *q = p + 16;
	for (int g = 0; g < 8; g++) {
		scale_min(p + 4, g, d, dmin, &s, &m);
		for (int i = 0; i < 32; i++)
			out[32 * g + i] = s * (float)(q[32 * (g / 2) + i] >> 4 * (g & 1) & 15) - m;
	}
}

/* as Q4_K with 32 bytes of high bits, bit g of each byte for group g, before the nibbles */
static void q5_k_block(const uint8_t *p, float *out)
{
	float d = load_half(p), dmin = load_half(p + 2), s, m;
	const uint8_t *high = p + 16, *q = p + 48;
	for (int g = 0; g < 8; g++) {
		scale_min(p + 4, g, d, dmin, &s, &m);
		for (int i = 0; i < 32; i++)
			out[32 * g + i] = s * (float)five(q[32 * (g / 2) + i] >> 4 * (g & 1) & 15, high[i], g) - m;
	}
}

/* 128 bytes of nibbles, 64 of two high bits, 16 scales of 16 elements, scale; q - 32 */
static void q6_k_block(const uint8_t *p, float *out)
{
	const uint8_t *low = p, *high = p + 128, *scale = p + 192;
	float d = load_half(p + 208);
	for (int e = 0; e < 256; e++) {
		int half = e / 128, part = e / 32 % 4, i = e % 32;
		int q = low[64 * half + 32 * (part & 1) + i] >> 4 * (part >> 1) & 15;
		q |= (high[32 * half + i] >> 2 * part & 3) << 4;
		out[e] = d * (float)(int8_t)scale[e / 16] * (float)(q - 32);
	}
}

/* ---- rows ------------------------------------------------------------------------------------------ */

typedef void BlockFn(const uint8_t *p, float *out);

static BlockFn *block_fn(GgufTensorType t)
{
	switch (t) {
	case GGUF_TENSOR_F32: return f32_block;
	case GGUF_TENSOR_F16: return f16_block;
	case GGUF_TENSOR_BF16: return bf16_block;
	case GGUF_TENSOR_Q4_0: return q4_0_block;
	case GGUF_TENSOR_Q4_1: return q4_1_block;
	case GGUF_TENSOR_Q5_0: return q5_0_block;
	case GGUF_TENSOR_Q5_1: return q5_1_block;
	case GGUF_TENSOR_Q8_0: return q8_0_block;
	case GGUF_TENSOR_Q4_K: return q4_k_block;
	case GGUF_TENSOR_Q5_K: return q5_k_block;
	case GGUF_TENSOR_Q6_K: return q6_k_block;
	default: return NULL;
	}
}

bool model_type_is_known(GgufTensorType t)
{
	return block_fn(t) != NULL;
}

size_t model_row_bytes(const ModelTensor *t)
{
	return (size_t)t->n_col / gguf_block_len(t->type) * gguf_block_bytes(t->type);
}

void model_dequant_row(const ModelTensor *t, uint32_t row, float *out)
{
	BlockFn *fn = block_fn(t->type);
	uint32_t len = gguf_block_len(t->type), bytes = gguf_block_bytes(t->type);
	const uint8_t *p = t->data + (size_t)row * model_row_bytes(t);
	for (uint32_t i = 0; i < t->n_col; i += len, p += bytes)
		fn(p, out + i);
}
