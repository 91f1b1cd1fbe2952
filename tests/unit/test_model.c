/* Halves, and blocks of every weight type worked out by hand; opening is tests/model/open.py's. */
#include "runtime/base/f16.h"
#include "runtime/model/model.h"
#include "tests/unit/check.h"

TEST(half_there_and_back)
{
	int wrong = 0;
	for (uint32_t h = 0; h < 65536; h++) {
		bool is_nan = (h & 0x7c00) == 0x7c00 && h & 0x3ff;
		float f = f32_from_f16((uint16_t)h);
		wrong += is_nan ? f == f : f16_from_f32(f) != h;
	}
	CHECK_INT(wrong, 0);
	CHECK(f32_from_f16(0x3c00) == 1.0f && f32_from_f16(0x0001) == 0x1p-24f && f32_from_f16(0xfbff) == -65504.0f);
}

/* Half to even at every middle of two neighbours, up above it, down below. */
TEST(half_rounds_to_even)
{
	int wrong = 0;
	for (uint32_t h = 0; h < 0x7bff; h++) {
		float lo = f32_from_f16((uint16_t)h), hi = f32_from_f16((uint16_t)(h + 1)), mid = (lo + hi) / 2;
		wrong += f16_from_f32(mid) != (h & 1 ? h + 1 : h);
		wrong += f16_from_f32(f32_from_bits(f32_to_bits(mid) + 1)) != h + 1;
		wrong += f16_from_f32(f32_from_bits(f32_to_bits(mid) - 1)) != h;
	}
	CHECK_INT(wrong, 0);
	CHECK_INT(f16_from_f32(65519.0f), 0x7bff);
	CHECK_INT(f16_from_f32(65520.0f), 0x7c00);
	CHECK_INT(f16_from_f32(-1e30f), 0xfc00);
	CHECK_INT(f16_from_f32(f32_from_bits(0x7f800001)), 0x7e00);
}

enum { TWO = 0x4000, ONE = 0x3c00 };  /* as halves */

static void put_half(uint8_t *p, unsigned h)
{
	p[0] = (uint8_t)h;
	p[1] = (uint8_t)(h >> 8);
}

static void dequant(GgufTensorType t, const uint8_t *block, float *out)
{
	ModelTensor x = { t, 1, gguf_block_len(t), block };
	model_dequant_row(&x, 0, out);
}

TEST(blocks_of_32)
{
	uint8_t b[64] = { 0 };
	float x[32];
	put_half(b, TWO);
	b[2] = 0x3f; /* Q4_0: element 0 is 15, 16 is 3 */
	dequant(GGUF_TENSOR_Q4_0, b, x);
	CHECK(x[0] == 14 && x[16] == -10 && x[1] == -16);
	put_half(b + 2, ONE);
	b[4] = 0x3f;
	dequant(GGUF_TENSOR_Q4_1, b, x);
	CHECK(x[0] == 31 && x[16] == 7 && x[1] == 1);
	memset(b + 2, 0, sizeof b - 2);
	b[2] = 1;    /* Q5_0: the fifth bits of elements 0 and 31 */
	b[5] = 0x80;
	b[6] = 0x3f;
	dequant(GGUF_TENSOR_Q5_0, b, x);
	CHECK(x[0] == 30 && x[16] == -26 && x[31] == 0 && x[1] == -32);
	memset(b + 2, 0, sizeof b - 2);
	put_half(b + 2, ONE);
	b[4] = 1;
	b[7] = 0x80;
	b[8] = 0x3f;
	dequant(GGUF_TENSOR_Q5_1, b, x);
	CHECK(x[0] == 63 && x[16] == 7 && x[31] == 33 && x[1] == 1);
	memset(b + 2, 0, sizeof b - 2);
	b[2] = 0x80;
	b[33] = 127;
	dequant(GGUF_TENSOR_Q8_0, b, x);
	CHECK(x[0] == -256 && x[31] == 254 && x[1] == 0);
}

/* Scales 1 and 2 of six bits: groups 0 to 3 whole, group 4 from the low nibble of byte 8 and the top of byte 0. */
TEST(blocks_of_256)
{
	uint8_t b[210] = { 0 };
	float x[256];
	put_half(b, TWO);
	put_half(b + 2, ONE);
	b[4] = 0xc0 | 5;   /* scale 0 is 5; the high bits of scale 4 are 3 */
	b[8] = 7;          /* minimum 0 */
	b[12] = 0x21;      /* scale 4 is 48 + 1, minimum 4 is 2 */
	b[16] = 0x09;      /* element 0 */
	b[16 + 64] = 0x02; /* element 128 */
	dequant(GGUF_TENSOR_Q4_K, b, x);
	CHECK(x[0] == 2 * 5 * 9 - 7 && x[1] == -7 && x[32] == 0 && x[128] == 2 * 49 * 2 - 2 && x[129] == -2);
	b[16] = 0x11;      /* Q5_K: the fifth bits of elements 0 and 128 */
	b[80] = 0;
	b[48] = 0x09;
	b[112] = 0x02;
	dequant(GGUF_TENSOR_Q5_K, b, x);
	CHECK(x[0] == 2 * 5 * 25 - 7 && x[128] == 2 * 49 * 18 - 2 && x[1] == -7);
	memset(b, 0, sizeof b);
	put_half(b + 208, TWO);
	b[192] = 3;        /* scale of elements 0 to 15 */
	b[192 + 6] = 0xff; /* -1, of 96 to 111 */
	b[0] = 0x0f;       /* element 0: 15, and bits 0 and 1 of byte 128 above it */
	b[32] = 0x50;      /* element 96: 5, and bits 6 and 7 */
	b[128] = 0x81;
	dequant(GGUF_TENSOR_Q6_K, b, x);
	CHECK(x[0] == 2 * 3 * (31 - 32) && x[1] == 2 * 3 * -32 && x[96] == 2 * -1 * (37 - 32) && x[16] == 0);
}

TEST(plain_types)
{
	uint8_t b[4] = { 0, 0, 0x80, 0x3f };
	float x;
	dequant(GGUF_TENSOR_F32, b, &x);
	CHECK(x == 1);
	dequant(GGUF_TENSOR_BF16, b + 2, &x);
	CHECK(x == 1);
	put_half(b, TWO);
	dequant(GGUF_TENSOR_F16, b, &x);
	CHECK(x == 2);
	CHECK(model_type_is_known(GGUF_TENSOR_Q6_K) && !model_type_is_known(GGUF_TENSOR_IQ4_XS) && !model_type_is_known(GGUF_TENSOR_I32));
}

/* Layers 5, 11, 17 of six read all; the others a window, at another base. */
TEST(layers_of_a_window)
{
	ModelShape s = { .window = 512, .global_every = 6, .rope_base = 1e6f, .rope_base_local = 1e4f, .rope_scale = 0.125f };
	CHECK_INT(model_layer_window(&s, 0), 512);
	CHECK_INT(model_layer_window(&s, 5), 0);
	CHECK(model_layer_rope_base(&s, 4) == 1e4f && model_layer_rope_base(&s, 11) == 1e6f);
	CHECK(model_layer_rope_scale(&s, 4) == 1 && model_layer_rope_scale(&s, 11) == 0.125f);
	s.global_every = 1;
	CHECK_INT(model_layer_window(&s, 3), 0);
}

CHECK_MAIN(half_there_and_back, half_rounds_to_even, blocks_of_32, blocks_of_256, plain_types, layers_of_a_window)
