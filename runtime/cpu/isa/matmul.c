/* matmul.h: one inner loop a kind, compiled for each width of a panel. note [one result] in isa.h. */
#include "runtime/cpu/isa/kernels_isa.h"
#include "runtime/cpu/isa/vec16.h"

#define EACH_TOKEN UNROLL for (int t = 0; t < width; t++)

static void quantise_group(const float *x, PanelGroup *g)
{
	F32x16 a = v_load(x), b = v_load(x + 16);
	float peak = v_peak_bits(a, b);
	if (!(peak < INFINITY)) {
		*g = (PanelGroup){ .scale = NAN, .scaled_sum = NAN };
		return;
	}
	F32x16 by = v_set(peak > 0 ? 127.0f / peak : 0);
	I32x16 qa = v_round(v_mul(a, by)), qb = v_round(v_mul(b, by));
	int32_t sa = i_sum(qa), sb = i_sum(qb);
	i_store_i8(g->q, qa);
	i_store_i8(g->q + 16, qb);
	g->scale = peak / 127.0f;
	g->scaled_sum = g->scale * (float)(sa + sb);
	g->base = -128 * (sa + sb);
	g->base_half[0] = -128 * sa;
	g->base_half[1] = -128 * sb;
}

/* What q and scale leave of x. */
static void group_rest(const float *x, const PanelGroup *g, float *rest)
{
	F32x16 by = v_set(-g->scale);
	for (int i = 0; i < GROUP_COLS; i += 16)
		v_store(rest + i, v_fma(v_from_i32(i_load_i8(g->q + i)), by, v_load(x + i)));
}

static void quantise(const float *x, uint32_t n_col, uint32_t width, uint32_t n_term, PanelGroup *panel)
{
	float rest[GROUP_COLS];
	for (uint32_t i = 0; i < n_col; i += GROUP_COLS, panel += n_term * width) {
		quantise_group(x + i, panel);
		if (n_term == 1)
			continue;
		group_rest(x + i, panel, rest);
		quantise_group(rest, panel + width);
	}
}

/* ---- products of one tile: param, code as they stand in it; results into acc ---- */

/* Into the second level: the first is too small for what must be on its way. */
TILE void prefetch(const uint8_t *p)
{
	__builtin_prefetch(p, 0, 2);
}

/* Dots of the group's 32 columns, from zero; bytes of two codes. */
TILE void nibble_dots(const uint8_t *code, const PanelGroup *x, const int width, NibbleSum s[])
{
	EACH_TOKEN s[t] = n_zero();
	for (int k = 0; k < 4; k++) {
		Bytes64 both = b_load(code + 64 * k), low = b_low(both), high = b_high(both);
		EACH_TOKEN s[t] = n_dot(s[t], low, x[t].q + 8 * k);
		EACH_TOKEN s[t] = n_dot(s[t], high, x[t].q + 8 * k + 4);
	}
}

/* Of n * 4 columns from `first` on. */
TILE void byte_dots(const uint8_t *code, const PanelGroup *x, const int first, const int n, const int width, I32x16 s[])
{
	for (int k = first; k < first + n; k++) {
		Bytes64 u = b_load(code + 64 * k);
		EACH_TOKEN s[t] = i_dot_any(s[t], u, x[t].q + 4 * k);
	}
}

TILE void scaled_add(F32x16 acc[], const I32x16 s[], F32x16 d, const PanelGroup *x, const int width)
{
	EACH_TOKEN acc[t] = v_fma(v_from_i32(s[t]), v_mul(d, v_set(x[t].scale)), acc[t]);
}

TILE void min_add(F32x16 acc[], F32x16 m, const PanelGroup *x, const int width)
{
	EACH_TOKEN acc[t] = v_fma(m, v_set(x[t].scaled_sum), acc[t]);
}

TILE void nibble_group(const uint8_t *code, const PanelGroup *x, F32x16 d, F32x16 m, const int width, F32x16 acc[])
{
	NibbleSum s[PANEL_WIDTH];
	nibble_dots(code, x, width, s);
	EACH_TOKEN {
		acc[t] = v_fma(v_from_i32(n_sum(s[t])), v_mul(d, v_set(x[t].scale)), acc[t]);
		acc[t] = v_fma(m, v_set(x[t].scaled_sum), acc[t]);
	}
}

TILE void group_Q4(const uint8_t *param, const uint8_t *code, const PanelGroup *x, const int width, F32x16 acc[])
{
	const uint16_t *p = (const void *)param;
	nibble_group(code, x, v_load_f16(p), v_load_f16(p + 16), width, acc);
}

TILE void group_Q4_WIDE(const uint8_t *param, const uint8_t *code, const PanelGroup *x, const int width, F32x16 acc[])
{
	const float *p = (const void *)param;
	nibble_group(code, x, v_load(p), v_load(p + 16), width, acc);
}

TILE void group_Q8(const uint8_t *param, const uint8_t *code, const PanelGroup *x, const int width, F32x16 acc[])
{
	I32x16 s[PANEL_WIDTH];
	EACH_TOKEN s[t] = i_set(x[t].base);
	byte_dots(code, x, 0, 8, width, s);
	scaled_add(acc, s, v_load_f16((const void *)param), x, width);
}

TILE void group_Q8_MIN(const uint8_t *param, const uint8_t *code, const PanelGroup *x, const int width, F32x16 acc[])
{
	const float *p = (const void *)param;
	I32x16 s[PANEL_WIDTH];
	EACH_TOKEN s[t] = i_set(0);
	byte_dots(code, x, 0, 8, width, s);
	scaled_add(acc, s, v_load(p), x, width);
	min_add(acc, v_load(p + 16), x, width);
}

TILE void group_Q8_HALF(const uint8_t *param, const uint8_t *code, const PanelGroup *x, const int width, F32x16 acc[])
{
	const float *p = (const void *)param;
	for (int half = 0; half < 2; half++) {
		I32x16 s[PANEL_WIDTH];
		EACH_TOKEN s[t] = i_set(x[t].base_half[half]);
		byte_dots(code, x, 4 * half, 4, width, s);
		scaled_add(acc, s, v_load(p + 16 * half), x, width);
	}
}

typedef struct FloatGroup { float x[GROUP_COLS]; } FloatGroup;

TILE void group_F16(const uint8_t *param, const uint8_t *code, const FloatGroup *x, const int width, F32x16 acc[])
{
	(void)param;
	for (int c = 0; c < GROUP_COLS; c++) {
		F32x16 w = v_load_f16((const uint16_t *)(const void *)code + c * TILE_ROWS);
		EACH_TOKEN acc[t] = v_fma(w, v_set(x[t].x[c]), acc[t]);
	}
}

TILE void group_F32(const uint8_t *param, const uint8_t *code, const FloatGroup *x, const int width, F32x16 acc[])
{
	(void)param;
	for (int c = 0; c < GROUP_COLS; c++) {
		F32x16 w = v_load((const float *)(const void *)code + c * TILE_ROWS);
		EACH_TOKEN acc[t] = v_fma(w, v_set(x[t].x[c]), acc[t]);
	}
}

/* ---- tiles ---- */

/* How far ahead of the reads a group's bytes are asked for: products of few tokens are bound by memory. */
enum { AHEAD_BYTES = 8192 };

#define TILES(kind, type, w, term) \
	static void tiles_##kind##_##w##_##term(const PackedMatrix *m, const uint8_t *tile, uint32_t n_tile, const void *panel, \
	                                        float *out, size_t stride, bool adds) \
	{ \
		const int width = w; \
		const uint32_t param_bytes = PARAM_BYTES_##kind, code_bytes = CODE_BYTES_##kind; \
		size_t code_at = m->tile_bytes - (size_t)m->n_group * code_bytes; \
		const uint8_t *ahead = tile + AHEAD_BYTES; \
		for (uint32_t i = 0; i < n_tile; i++, tile += m->tile_bytes, out += TILE_ROWS) { \
			const uint8_t *param = tile, *code = tile + code_at; \
			const type *x = panel; \
			F32x16 acc[w]; \
			EACH_TOKEN acc[t] = v_set(0); \
			for (uint32_t g = 0; g < m->n_group; g++, param += param_bytes, code += code_bytes) { \
				for (uint32_t line = 0; line < param_bytes + code_bytes; line += 64, ahead += 64) \
					prefetch(ahead); \
				for (int k = 0; k < term; k++, x += w) \
					group_##kind(param, code, x, w, acc); \
			} \
			if (adds) \
				EACH_TOKEN acc[t] = v_add(v_load(out + t * stride), acc[t]); \
			EACH_TOKEN v_store(out + t * stride, acc[t]); \
		} \
	}
#define TILES_OF(kind, type, term) \
	TILES(kind, type, 1, term) TILES(kind, type, 2, term) TILES(kind, type, 4, term) TILES(kind, type, 8, term)

enum {
#define PACK_KIND(name, param_bytes, code_bytes) PARAM_BYTES_##name = param_bytes, CODE_BYTES_##name = code_bytes,
#include "runtime/cpu/pack_kinds.def"
#undef PACK_KIND
};

#define TILES_OF_INT(kind) TILES_OF(kind, PanelGroup, 1) TILES_OF(kind, PanelGroup, 2)
TILES_OF_INT(Q4)
TILES_OF_INT(Q4_WIDE)
TILES_OF_INT(Q8)
TILES_OF_INT(Q8_MIN)
TILES_OF_INT(Q8_HALF)
TILES_OF(F16, FloatGroup, 1)
TILES_OF(F32, FloatGroup, 1)

typedef void Tiles(const PackedMatrix *m, const uint8_t *tile, uint32_t n_tile, const void *panel, float *out, size_t stride,
                   bool adds);

static void product(const PackedMatrix *m, uint32_t tile, uint32_t n_tile, const void *panel, uint32_t width, float *out,
                    size_t stride, bool adds)
{
#define WIDTHS(kind, term) { tiles_##kind##_1_##term, tiles_##kind##_2_##term, tiles_##kind##_4_##term, tiles_##kind##_8_##term }
	static Tiles *const of[][2][4] = {
		[PACK_Q4] = { WIDTHS(Q4, 1), WIDTHS(Q4, 2) },
		[PACK_Q4_WIDE] = { WIDTHS(Q4_WIDE, 1), WIDTHS(Q4_WIDE, 2) },
		[PACK_Q8] = { WIDTHS(Q8, 1), WIDTHS(Q8, 2) },
		[PACK_Q8_MIN] = { WIDTHS(Q8_MIN, 1), WIDTHS(Q8_MIN, 2) },
		[PACK_Q8_HALF] = { WIDTHS(Q8_HALF, 1), WIDTHS(Q8_HALF, 2) },
		[PACK_F16] = { WIDTHS(F16, 1), WIDTHS(F16, 1) },
		[PACK_F32] = { WIDTHS(F32, 1), WIDTHS(F32, 1) },
	};
#undef WIDTHS
	of[m->kind][m->n_term - 1][width == 8 ? 3 : width / 2](m, packed_tile(m, tile), n_tile, panel, out, stride,
	                                                            adds);
}

/* ---- one row, for the embedding ---- */

static float param_of(const uint8_t *param, int is_half, uint32_t at)
{
	uint16_t h;
	float f;
	if (is_half) {
		memcpy(&h, param + 2 * at, sizeof h);
		return f32_from_f16(h);
	}
	memcpy(&f, param + 4 * at, sizeof f);
	return f;
}

static float float_at(PackKind kind, const uint8_t *code, uint32_t lane, uint32_t col)
{
	return param_of(code, kind == PACK_F16, col * TILE_ROWS + lane);
}

static int code_at(PackKind kind, const uint8_t *code, uint32_t lane, uint32_t col)
{
	if (kind == PACK_Q4 || kind == PACK_Q4_WIDE)
		return code[col / 8 * 64 + lane * 4 + col % 4] >> (col & 4) & 15;
	int byte = code[col / 4 * 64 + lane * 4 + col % 4];
	return kind == PACK_Q8_MIN ? byte : byte - 128;
}

static void row_group(PackKind kind, const uint8_t *param, const uint8_t *code, uint32_t lane, float *out)
{
	int is_half = kind == PACK_Q4 || kind == PACK_Q8;
	float d[2] = { param_of(param, is_half, lane) }, m = 0;
	d[1] = kind == PACK_Q8_HALF ? param_of(param, 0, TILE_ROWS + lane) : d[0];
	if (kind == PACK_Q4 || kind == PACK_Q4_WIDE || kind == PACK_Q8_MIN)
		m = param_of(param, is_half, TILE_ROWS + lane);
	for (uint32_t c = 0; c < GROUP_COLS; c++)
		out[c] = (float)code_at(kind, code, lane, c) * d[c / 16] + m;
}

static void row(const PackedMatrix *m, uint32_t r, float *out)
{
	const uint8_t *tile = packed_tile(m, r / TILE_ROWS), *code = tile + m->tile_bytes - m->n_group * pack_code_bytes(m->kind);
	uint32_t lane = r % TILE_ROWS;
	for (uint32_t g = 0; g < m->n_group; g++, out += GROUP_COLS) {
		const uint8_t *at = code + g * pack_code_bytes(m->kind);
		if (!pack_is_float(m->kind))
			row_group(m->kind, tile + g * pack_param_bytes(m->kind), at, lane, out);
		else
			for (uint32_t c = 0; c < GROUP_COLS; c++)
				out[c] = float_at(m->kind, at, lane, c);
	}
}

const MatmulKernels ISA(matmul_kernels) = { quantise, product, row };
