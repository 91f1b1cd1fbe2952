/* The f32 operators: what goes in tiles, in vectors and by several threads has the bits of one product, one channel after
 * the other. */
#include "runtime/oracle/ops.h"

#include "tests/unit/check.h"
#include "tests/unit/noise.h"

enum { ROWS_MAX = 19, TOKENS_MAX = 11, WIDE = 531 };

static float w[ROWS_MAX * WIDE], x[TOKENS_MAX * WIDE], bias[ROWS_MAX], out[TOKENS_MAX * ROWS_MAX];

static void noise_all(void)
{
	Noise n = { 7 };
	for (size_t i = 0; i < sizeof w / sizeof *w; i++)
		w[i] = noise_float(&n);
	for (size_t i = 0; i < sizeof x / sizeof *x; i++)
		x[i] = noise_float(&n);
	for (int i = 0; i < ROWS_MAX; i++)
		bias[i] = noise_float(&n);
}

TEST(a_product_is_its_dots)
{
	static const uint32_t wide[] = { 1, 15, 16, 17, 64, WIDE };
	noise_all();
	uint32_t n_other = 0, n = 0;
	for (size_t k = 0; k < sizeof wide / sizeof *wide; k++)
		for (uint32_t rows = 1; rows <= ROWS_MAX; rows++)
			for (uint32_t tokens = 1; tokens <= TOKENS_MAX; tokens++) {
				op_product((OpMatrix){ w, rows, wide[k] }, rows % 2 ? bias : NULL, x, tokens, out, NULL);
				for (uint32_t r = 0; r < rows; r++)
					for (uint32_t t = 0; t < tokens; t++, n++)
						n_other += out[t * rows + r] != op_dot(w + r * wide[k], x + t * wide[k], wide[k]) + (rows % 2 ? bias[r] : 0);
			}
	CHECK_INT(n_other, 0);
	CHECK_INT(n, 6 * (ROWS_MAX * (ROWS_MAX + 1) / 2) * (TOKENS_MAX * (TOKENS_MAX + 1) / 2));
}

/* Large enough that threads are worth their while. */
TEST(threads_change_no_bit)
{
	enum { ROWS = 1000, TOKENS = 3, COLS = 256 };
	Arena a = { 0 };
	Noise n = { 9 };
	CpuThreads *threads = cpu_threads_new(&a, 3);
	float *m = arena_array(&a, float, ROWS * COLS), *got = arena_array(&a, float, 2 * TOKENS * ROWS);
	for (int i = 0; i < ROWS * COLS; i++)
		m[i] = noise_float(&n);
	op_product((OpMatrix){ m, ROWS, COLS }, NULL, m, TOKENS, got, NULL);
	op_product((OpMatrix){ m, ROWS, COLS }, NULL, m, TOKENS, got + TOKENS * ROWS, threads);
	CHECK(!memcmp(got, got + TOKENS * ROWS, sizeof(float) * TOKENS * ROWS));
	op_activate(MODEL_ACT_SILU, NULL, got, TOKENS, ROWS, NULL);
	op_activate(MODEL_ACT_SILU, NULL, got + TOKENS * ROWS, TOKENS, ROWS, threads);
	CHECK(!memcmp(got, got + TOKENS * ROWS, sizeof(float) * TOKENS * ROWS));
	cpu_threads_free(threads);
	arena_free(&a);
}

TEST(a_mix_is_its_channels)
{
	noise_all();
	for (uint32_t len = 1; len <= 70; len++) {
		float got[70];
		op_mix(x, w, 80, 50, len, got);
		for (uint32_t c = 0; c < len; c++) {
			float want = 0;
			for (uint32_t j = 0; j < 50; j++)
				want += x[j] * w[j * 80 + c];
			CHECK(got[c] == want);
		}
	}
}

CHECK_MAIN(a_product_is_its_dots, threads_change_no_bit, a_mix_is_its_channels)
