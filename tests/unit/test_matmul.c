/*
 * Packed products: every instruction set of this machine gives the bits of the portable one, at every width
 * of a panel and every kind of weights, and they are what the weights and activations say in doubles.
 */
#include <math.h>
#include <stdlib.h>

#include "runtime/base/arena.h"
#include "runtime/base/f16.h"
#include "runtime/cpu/kernels.h"
#include "runtime/model/model.h"

#include "tests/unit/check.h"
#include "tests/unit/noise.h"

typedef struct Case {
	Arena a;
	ModelTensor w;
	PackedMatrix m;
	float *x;        /* [n_token][n_col] */
	uint32_t n_token;
} Case;

static const GgufTensorType types[] = {
	GGUF_TENSOR_F32, GGUF_TENSOR_F16, GGUF_TENSOR_BF16, GGUF_TENSOR_Q4_0, GGUF_TENSOR_Q4_1, GGUF_TENSOR_Q5_0, GGUF_TENSOR_Q5_1,
	GGUF_TENSOR_Q8_0, GGUF_TENSOR_Q4_K, GGUF_TENSOR_Q5_K, GGUF_TENSOR_Q6_K,
};

/* Where a block of the type has its half-precision scales: the random bytes there must be finite and small. */
static void scales_tame(GgufTensorType t, uint8_t *b)
{
	uint32_t at = t == GGUF_TENSOR_Q6_K ? 208 : 0, n = 1;
	if (t == GGUF_TENSOR_Q4_1 || t == GGUF_TENSOR_Q5_1 || t == GGUF_TENSOR_Q4_K || t == GGUF_TENSOR_Q5_K)
		n = 2;
	for (uint32_t i = at; i < at + 2 * n; i += 2)
		b[i + 1] = (uint8_t)((b[i + 1] & 0x83) | 0x24);
}

static uint8_t *weights_make(Arena *a, GgufTensorType t, uint32_t n_row, uint32_t n_col, uint32_t seed)
{
	size_t n_block = (size_t)n_row * n_col / gguf_block_len(t), size = gguf_block_bytes(t);
	uint8_t *w = arena_alloc(a, n_block * size);
	Noise noise = { seed };
	for (size_t i = 0; i < n_block * size; i++)
		w[i] = (uint8_t)noise_next(&noise);
	for (size_t i = 0; i < n_block; i++) {
		float f = noise_float(&noise);
		uint16_t h = t == GGUF_TENSOR_F16 ? f16_from_f32(f) : (uint16_t)(f32_to_bits(f) >> 16);
		if (gguf_block_len(t) > 1)
			scales_tame(t, w + i * size);
		else if (size == 4)
			memcpy(w + i * 4, &f, 4);
		else
			memcpy(w + i * 2, &h, 2);
	}
	return w;
}

static void case_make(Case *c, GgufTensorType t, uint32_t n_term, uint32_t n_row, uint32_t n_col, uint32_t n_token)
{
	*c = (Case){ .n_token = n_token };
	if (!pack_plan(t, n_row, n_col, &c->m))
		exit(2);
	c->m.n_term = pack_is_float(c->m.kind) ? 1 : n_term;
	c->m.data = arena_alloc(&c->a, packed_bytes(&c->m) + 64);
	c->m.data += 63 - ((uintptr_t)c->m.data + 63) % 64;
	const uint8_t *w = weights_make(&c->a, t, n_row, n_col, n_row + n_col);
	c->w = (ModelTensor){ t, n_row, n_col, w };
	uint32_t cut = c->m.n_tile / 2;
	pack_tiles(&c->m, t, w, 0, cut, c->m.n_tile);
	pack_tiles(&c->m, t, w, 0, 0, cut);
	c->x = arena_array(&c->a, float, n_token * n_col);
	Noise noise = { 7 };
	for (uint32_t i = 0; i < n_token * n_col; i++)
		c->x[i] = noise_float(&noise) * (i % 97 ? 1 : 20);
}

/* The panel of tokens first .. first + n - 1. */
static void *panel_make(const MatmulKernels *k, const Case *c, Arena *a, uint32_t first, uint32_t n)
{
	uint32_t width = panel_width(n);
	size_t group = panel_group_bytes(&c->m);
	uint8_t *panel = arena_alloc(a, group * width * c->m.n_group);
	for (uint32_t t = 0; t < n; t++) {
		const float *x = c->x + (size_t)(first + t) * c->m.n_col;
		if (!pack_is_float(c->m.kind))
			k->quantise(x, c->m.n_col, width, c->m.n_term, (PanelGroup *)(void *)panel + t);
		else
			for (uint32_t g = 0; g < c->m.n_group; g++)
				memcpy(panel + (g * width + t) * group, x + g * GROUP_COLS, group);
	}
	return panel;
}

/* All rows for all tokens, by panels of n. */
static float *product_make(const MatmulKernels *k, const Case *c, Arena *a, uint32_t n)
{
	uint32_t stride = c->m.n_tile * TILE_ROWS;
	float *out = arena_array(a, float, (c->n_token + PANEL_WIDTH) * stride);
	for (uint32_t first = 0; first < c->n_token; first += n) {
		uint32_t left = c->n_token - first < n ? c->n_token - first : n;
		void *panel = panel_make(k, c, a, first, left);
		k->product(&c->m, 0, 1, panel, panel_width(left), out + first * stride, stride, false);
		if (c->m.n_tile > 1)
			k->product(&c->m, 1, c->m.n_tile - 1, panel, panel_width(left), out + first * stride + TILE_ROWS, stride, false);
	}
	return out;
}

TEST(sets_and_widths_agree)
{
	for (size_t i = 0; i < 2 * sizeof types / sizeof *types; i++) {
		Case c;
		case_make(&c, types[i / 2], 1 + i % 2, 37, gguf_block_len(types[i / 2]) == 256 ? 512 : 96, 13);
		unsigned n_set = 0;
		while (cpu_kernels_at(n_set))
			n_set++;
		const float *want = product_make(cpu_kernels_at(n_set - 1)->matmul, &c, &c.a, 1);
		for (unsigned s = 0; s < n_set; s++)
			for (uint32_t n = 1; n <= 8; n++) {
				const CpuKernels *k = cpu_kernels_at(s);
				const float *got = product_make(k->matmul, &c, &c.a, n);
				if (!CHECK(!memcmp(got, want, c.n_token * c.m.n_tile * TILE_ROWS * sizeof *got)))
					printf("\t%s %s width %u, %u terms\n", k->name, gguf_tensor_type_name(types[i / 2]), n, c.m.n_term);
			}
		arena_free(&c.a);
	}
}

/* A product that is added to what is there gives the sum of the two, rounded once. */
TEST(products_add_to_what_is_there)
{
	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		Case c;
		case_make(&c, types[i], 1, 37, 512, PANEL_WIDTH);
		uint32_t n = PANEL_WIDTH * c.m.n_tile * TILE_ROWS;
		for (unsigned s = 0; cpu_kernels_at(s); s++) {
			const MatmulKernels *k = cpu_kernels_at(s)->matmul;
			const float *alone = product_make(k, &c, &c.a, PANEL_WIDTH);
			float *sum = arena_array(&c.a, float, n);
			uint32_t same = 0;
			for (uint32_t x = 0; x < n; x++)
				sum[x] = (float)x / 3;
			k->product(&c.m, 0, c.m.n_tile, panel_make(k, &c, &c.a, 0, PANEL_WIDTH), PANEL_WIDTH, sum, c.m.n_tile * TILE_ROWS, true);
			for (uint32_t x = 0; x < n; x++)
				same += sum[x] == (float)x / 3 + alone[x];
			CHECK_INT(same, n);
		}
		arena_free(&c.a);
	}
}

/* A row out of the tiles is what the reader of the file's type gives. */
TEST(rows_come_back)
{
	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		Case c;
		float got[512], want[512];
		case_make(&c, types[i], 1, 37, 512, 0);
		for (uint32_t r = 0; r < 37; r++) {
			cpu_kernels_at(0)->matmul->row(&c.m, r, got);
			model_dequant_row(&c.w, r, want);
			uint32_t same = 0;
			for (uint32_t col = 0; col < 512; col++)
				same += got[col] == want[col];
			if (!CHECK_INT(same, 512))
				printf("\t%s row %u\n", gguf_tensor_type_name(types[i]), r);
		}
		arena_free(&c.a);
	}
}

/* Rows times the activations as they were, in doubles: the only distance is that of int8 activations. */
static double distance(GgufTensorType type, uint32_t n_term)
{
	Case c;
	case_make(&c, type, n_term, 20, 512, 2);
	const float *got = product_make(cpu_kernels_at(0)->matmul, &c, &c.a, 2);
	float row[512];
	double err = 0, all = 0;
	for (uint32_t r = 0; r < 20; r++)
		for (uint32_t t = 0; t < 2; t++) {
			double sum = 0;
			model_dequant_row(&c.w, r, row);
			for (uint32_t col = 0; col < 512; col++)
				sum += (double)row[col] * c.x[t * 512 + col];
			double d = sum - got[t * c.m.n_tile * TILE_ROWS + r];
			err += d * d;
			all += sum * sum;
		}
	arena_free(&c.a);
	return sqrt(err / all);
}

TEST(product_is_near_doubles)
{
	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		double one = distance(types[i], 1), two = distance(types[i], 2);
		if (!CHECK(one < (gguf_block_len(types[i]) == 1 ? 1e-6 : 0.02)) || !CHECK(two < 2e-4))
			printf("\t%s: %g, %g\n", gguf_tensor_type_name(types[i]), one, two);
	}
}

/* A group that holds a NaN or an infinity makes every result of its token a NaN or an infinity. */
TEST(nan_is_not_lost)
{
	static const float bad[] = { NAN, INFINITY, -INFINITY };
	for (int b = 0; b < 3; b++)
		for (unsigned s = 0; cpu_kernels_at(s); s++) {
			Case c;
			case_make(&c, GGUF_TENSOR_Q4_1, 1, 16, 64, 1);
			c.x[33 + b] = bad[b];
			const float *out = product_make(cpu_kernels_at(s)->matmul, &c, &c.a, 1);
			for (int r = 0; r < 16; r++)
				CHECK(!isfinite(out[r]));
			arena_free(&c.a);
		}
}

/* Rows 2i and 2i + 1 of each head of 32 come to stand 16 apart. */
TEST(pairs_are_taken_apart)
{
	Case c;
	float got[64], want[64];
	case_make(&c, GGUF_TENSOR_F32, 1, 64, 64, 0);
	pack_tiles(&c.m, GGUF_TENSOR_F32, c.w.data, 32, 0, c.m.n_tile);
	for (uint32_t r = 0; r < 64; r++) {
		cpu_kernels_at(0)->matmul->row(&c.m, r, got);
		model_dequant_row(&c.w, r / 32 * 32 + r % 16 * 2 + r % 32 / 16, want);
		CHECK(!memcmp(got, want, sizeof got));
	}
	arena_free(&c.a);
}

TEST(shapes_that_do_not_fit_are_refused)
{
	PackedMatrix m;
	CHECK(!pack_plan(GGUF_TENSOR_F32, 4, 40, &m));
	CHECK(!pack_plan(GGUF_TENSOR_Q2_K, 4, 256, &m));
	CHECK(pack_plan(GGUF_TENSOR_Q4_K, 4, 256, &m));
	CHECK_INT(m.n_tile, 1);
}

CHECK_MAIN(sets_and_widths_agree, products_add_to_what_is_there, rows_come_back, product_is_near_doubles, nan_is_not_lost, pairs_are_taken_apart,
           shapes_that_do_not_fit_are_refused)
