/*
 * Sums of a block's values by the weights of a tile of queries: lane = channel. Packed values go in pairs of
 * positions as two int16, by weights of 15 bits that hold the positions' scales; a pair is taken out of its bytes
 * once for all queries where there are many. note [attention order] in attend.h.
 */
#include "runtime/cpu/isa/attend_call.h"
#include "runtime/cpu/isa/vec16.h"

/* Vectors of 16 channels that a tile sums at once: what registers hold. */
#if defined(SEED_ISA_AVX512)
enum { WIDE = 4 };
#else
enum { WIDE = 1 };
#endif

/* Where the pairs of positions (2 t, 2 t + 1) come from. */
enum { FROM_BYTES, FROM_HALVES, FROM_PAIRS };

typedef struct ValueTile {
	const AttendCall *c;
	uint32_t at;          /* of the block in the weights' rows */
	uint32_t n_group;     /* that have scales of their own */
	F32x16 up[ATTEND_GROUP_MAX][2];   /* what a weight is multiplied by: scale / greatest scale * 32767 */
	F32x16 low[ATTEND_GROUP_MAX][2];  /* minima */
	float step[ATTEND_GROUP_MAX];     /* what 1 is in the sums */
	bool has_low;
} ValueTile;

/* Scales [32] (and minima [32] behind them) of each group. */
static void read_scales(ValueTile *t, const uint16_t *scale, bool has_low)
{
	t->has_low = has_low;
	for (uint32_t g = 0; g < t->n_group; g++, scale += has_low ? 2 * KV_BLOCK : KV_BLOCK) {
		F32x16 lo = v_load_f16(scale), hi = v_load_f16(scale + 16);
		float most = v_peak(v_max(lo, hi)), up = most > 0 ? 32767 / most : 0;
		t->step[g] = most / 32767;
		t->up[g][0] = v_mul(lo, v_set(up));
		t->up[g][1] = v_mul(hi, v_set(up));
		if (has_low) {
			t->low[g][0] = v_load_f16(scale + KV_BLOCK);
			t->low[g][1] = v_load_f16(scale + KV_BLOCK + 16);
		}
	}
}

/* seed4: one group over all channels, its minimum is -8 steps. */
static void read_seed4_scales(ValueTile *t, const uint16_t *scale)
{
	read_scales(t, scale, false);
	t->has_low = true;
	UNROLL
	for (int h = 0; h < 2; h++)
		t->low[0][h] = v_mul(v_load_f16(scale + 16 * h), v_set(-8));
}

TILE I32x16 pair_at(const int from, const uint8_t *v, uint32_t n_vec, uint32_t t, uint32_t j)
{
	uint32_t word = from == FROM_BYTES ? t / 2 : from == FROM_HALVES ? t / 4 : t;
	I32x16 w = i_load((const int32_t *)(const void *)(v + ((size_t)word * n_vec + j) * 64));
	if (from == FROM_BYTES)
		return t % 2 ? i_high_pair(w) : i_low_pair(w);
	if (from == FROM_HALVES) {
		I32x16 mask = i_set(0x000F000F);
		switch (t % 4) {
		case 0: return i_and(w, mask);
		case 1: return i_and(i_shr(w, 4), mask);
		case 2: return i_and(i_shr(w, 8), mask);
		default: return i_and(i_shr(w, 12), mask);
		}
	}
	return w;
}

typedef int16_t Small[ATTEND_GROUP_MAX][KV_BLOCK];

/* A query's weights as 15 bits for each group, and their sums with the minima. */
TILE void weigh(const ValueTile *t, uint32_t query, Small small)
{
	const float *w = t->c->weight + (size_t)query * KV_PARTITION + t->at;
	F32x16 lo = v_load(w), hi = v_load(w + 16);
	for (uint32_t g = 0; g < t->n_group; g++) {
		i_store_i16(small[g], v_round(v_mul(lo, t->up[g][0])));
		i_store_i16(small[g] + 16, v_round(v_mul(hi, t->up[g][1])));
		if (t->has_low) {
			float *sum = t->c->low + ((size_t)query * t->c->n_group_v + g) * 16;
			v_store(sum, v_fma(hi, t->low[g][1], v_fma(lo, t->low[g][0], v_load(sum))));
		}
	}
}

/* Pairs that one word of packed values holds. */
TILE int pairs_of(const int from) { return from == FROM_BYTES ? 2 : from == FROM_HALVES ? 4 : 1; }

/* n queries by vectors j .. j + wide - 1 of channels. */
TILE void values_packed(const ValueTile *t, const int n, const int wide, const int from, const uint8_t *v, uint32_t n_vec,
                        uint32_t j, Small *small, float *out, size_t stride)
{
	I32x16 s[ATTEND_TILE][WIDE];
	uint32_t per_group = t->n_group == 1 ? n_vec : 2;
	UNROLL
	for (int i = 0; i < n; i++)
		UNROLL
		for (int x = 0; x < wide; x++)
			s[i][x] = i_set(0);
	for (uint32_t p = 0; p < KV_BLOCK / 2; p += (uint32_t)pairs_of(from))
		UNROLL
		for (int u = 0; u < pairs_of(from); u++)
			UNROLL
			for (int x = 0; x < wide; x++) {
				if (!u && from != FROM_PAIRS)
					attend_fetch(t->c, ((size_t)(p / (uint32_t)pairs_of(from)) * n_vec + j + (uint32_t)x) * 64);
				I32x16 pair = pair_at(from, v, n_vec, p + (uint32_t)u, j + (uint32_t)x);
				const int16_t *w = small[0][(j + (uint32_t)x) / per_group] + 2 * (p + (uint32_t)u);
				UNROLL
				for (int i = 0; i < n; i++)
					s[i][x] = i_dot_pair(s[i][x], pair, w + i * ATTEND_GROUP_MAX * KV_BLOCK);
			}
	UNROLL
	for (int i = 0; i < n; i++)
		UNROLL
		for (int x = 0; x < wide; x++) {
			float *o = out + (size_t)i * stride + 16 * (j + (uint32_t)x);
			F32x16 step = v_set(t->step[(j + (uint32_t)x) / per_group]);
			v_store(o, v_fma(v_from_i32(s[i][x]), step, v_load(o)));
		}
}

TILE void tile_packed(const ValueTile *t, uint32_t first, const int n, const int from, const uint8_t *v, uint32_t n_vec,
                      float *out, size_t stride)
{
	Small small[ATTEND_TILE];
	for (int i = 0; i < n; i++)
		weigh(t, first + (uint32_t)i, small[i]);
	uint32_t j = 0;
	for (; j + WIDE <= n_vec; j += WIDE)
		values_packed(t, n, WIDE, from, v, n_vec, j, small, out, stride);
	for (; WIDE > 1 && j < n_vec; j++)
		values_packed(t, n, 1, from, v, n_vec, j, small, out, stride);
}

TILE void tiles_packed(const ValueTile *t, const int from, const uint8_t *v, uint32_t n_vec, float *out, size_t stride)
{
	for (uint32_t q = 0; q < t->c->n_query; q += ATTEND_TILE, out += ATTEND_TILE * stride)
		switch (t->c->n_query - q) {
		case 1: tile_packed(t, q, 1, from, v, n_vec, out, stride); break;
		case 2: tile_packed(t, q, 2, from, v, n_vec, out, stride); break;
		case 3: tile_packed(t, q, 3, from, v, n_vec, out, stride); break;
		default: tile_packed(t, q, 4, from, v, n_vec, out, stride); break;
		}
}

/* The one tile, straight from the bytes; or the pairs out of the bytes, for many tiles. */
TILE void block_packed(const ValueTile *t, const int from, const uint8_t *v, uint32_t n_vec, float *out, size_t stride)
{
	if (t->c->n_query <= ATTEND_TILE) {
		tiles_packed(t, from, v, n_vec, out, stride);
		return;
	}
	int32_t *pairs = t->c->pairs;
	for (uint32_t p = 0; p < KV_BLOCK / 2; p += (uint32_t)pairs_of(from))
		for (uint32_t j = 0; j < n_vec; j++)
			UNROLL
			for (int u = 0; u < pairs_of(from); u++)
				i_store(pairs + ((size_t)(p + (uint32_t)u) * n_vec + j) * 16, pair_at(from, v, n_vec, p + (uint32_t)u, j));
}

/* V [32][head_len] halves, or the call's wide floats; positions 0 .. n_key - 1. */
TILE void values_f16(const AttendCall *c, const float *w, const int n, const int wide, const bool is_wide, const uint16_t *v,
                     uint32_t n_key, uint32_t n_vec, uint32_t j, float *out, size_t stride)
{
	F32x16 s[ATTEND_TILE][WIDE];
	UNROLL
	for (int i = 0; i < n; i++)
		UNROLL
		for (int x = 0; x < wide; x++)
			s[i][x] = v_load(out + (size_t)i * stride + 16 * (j + (uint32_t)x));
	for (uint32_t p = 0; p < n_key; p++)
		UNROLL
		for (int x = 0; x < wide; x++) {
			size_t at = ((size_t)p * n_vec + j + (uint32_t)x) * 16;
			F32x16 value = is_wide ? v_load(c->wide + at) : v_load_f16(v + at);
			if (x % 2 == 0 && !is_wide)
				attend_fetch(c, ((size_t)p * n_vec + j + (uint32_t)x) * 32);
			UNROLL
			for (int i = 0; i < n; i++)
				s[i][x] = v_fma(v_set(w[(uint32_t)i * KV_PARTITION + p]), value, s[i][x]);
		}
	UNROLL
	for (int i = 0; i < n; i++)
		UNROLL
		for (int x = 0; x < wide; x++)
			v_store(out + (size_t)i * stride + 16 * (j + (uint32_t)x), s[i][x]);
}

TILE void tile_f16(const AttendCall *c, const float *w, const int n, const bool is_wide, const uint16_t *v, uint32_t n_key, uint32_t n_vec, float *out, size_t stride)
{
	uint32_t j = 0;
	for (; j + WIDE <= n_vec; j += WIDE)
		values_f16(c, w, n, WIDE, is_wide, v, n_key, n_vec, j, out, stride);
	for (; j < n_vec; j++)
		values_f16(c, w, n, 1, is_wide, v, n_key, n_vec, j, out, stride);
}

TILE void tiles_f16(const AttendCall *c, const bool is_wide, const uint16_t *v, uint32_t at, uint32_t n_key, uint32_t n_vec, float *out,
                    size_t stride)
{
	for (uint32_t q = 0; q < c->n_query; q += ATTEND_TILE, out += ATTEND_TILE * stride) {
		const float *w = c->weight + (size_t)q * KV_PARTITION + at;
		switch (c->n_query - q) {
		case 1: tile_f16(c, w, 1, is_wide, v, n_key, n_vec, out, stride); break;
		case 2: tile_f16(c, w, 2, is_wide, v, n_key, n_vec, out, stride); break;
		case 3: tile_f16(c, w, 3, is_wide, v, n_key, n_vec, out, stride); break;
		default: tile_f16(c, w, 4, is_wide, v, n_key, n_vec, out, stride); break;
		}
	}
}

/* note [widening] */
TILE void block_f16(const AttendCall *c, const uint16_t *v, uint32_t at, uint32_t n_key, uint32_t n_vec, float *out, size_t stride)
{
	if (c->n_query > ATTEND_TILE) {
		ISA(attend_widen)(v, n_key * n_vec * 16, c->wide);
		tiles_f16(c, true, v, at, n_key, n_vec, out, stride);
	} else {
		tiles_f16(c, false, v, at, n_key, n_vec, out, stride);
	}
}

void ISA(attend_values)(const AttendCall *c, KvFormat block_format, const uint8_t *v, uint32_t at, uint32_t n_key,
                        float *out, size_t stride)
{
	KvLayout l = kv_layout(block_format, c->head_len);
	const uint16_t *scale = (const void *)(v + (l.v_scale - l.v));
	uint32_t n_vec = c->head_len / 16;
	if (block_format == KV_F16) {
		block_f16(c, (const void *)v, at, n_key, n_vec, out, stride);
		return;
	}
	ValueTile t;  /* not cleared: it is large */
	t.c = c, t.at = at, t.n_group = 1;
	if (block_format == KV_INT8) {
		read_scales(&t, scale, false);
		block_packed(&t, FROM_BYTES, v, n_vec, out, stride);
	} else {
		if (block_format == KV_SEED4) {
			read_seed4_scales(&t, scale);
		} else {
			t.n_group = c->n_group_v;
			read_scales(&t, scale, true);
		}
		block_packed(&t, FROM_HALVES, v, n_vec, out, stride);
	}
	if (c->n_query > ATTEND_TILE)
		tiles_packed(&t, FROM_PAIRS, (const void *)c->pairs, n_vec, out, stride);
}
