/*
 * Scores of a tile of queries against the 32 keys of a block: lane = position, so a score never needs a sum over
 * lanes. note [attention order] in attend.h.
 */
#include "runtime/cpu/isa/attend_call.h"
#include "runtime/cpu/isa/vec16.h"

/* A tile: queries first .. first + n - 1 of a call, and where their scores go. */
typedef struct KeyTile {
	const AttendCall *c;
	uint32_t first, at;
} KeyTile;

TILE void put_scores(const KeyTile *t, int i, F32x16 lo, F32x16 hi)
{
	float *w = t->c->weight + (size_t)(t->first + (uint32_t)i) * KV_PARTITION + t->at;
	v_store(w, lo);
	v_store(w + 16, hi);
}

void ISA(attend_widen)(const uint16_t *halves, uint32_t n, float *out)
{
	for (uint32_t i = 0; i < n; i += 16)
		v_store(out + i, v_load_f16(halves + i));
}

/* K [head_len][32]: halves, or the call's wide floats. */
TILE void keys_f16(const KeyTile *t, const int n, const uint32_t head_len, const uint16_t *k, const bool is_wide)
{
	const float *wide = t->c->wide;
	const float *q = t->c->turned + (size_t)t->first * head_len;
	F32x16 s[ATTEND_TILE][2];
	UNROLL
	for (int i = 0; i < n; i++)
		s[i][0] = s[i][1] = v_set(0);
	for (uint32_t c = 0; c < head_len; c++) {
		F32x16 lo = is_wide ? v_load(wide + c * KV_BLOCK) : v_load_f16(k + c * KV_BLOCK);
		F32x16 hi = is_wide ? v_load(wide + c * KV_BLOCK + 16) : v_load_f16(k + c * KV_BLOCK + 16);
		if (!is_wide)
			attend_fetch(t->c, c * KV_BLOCK * sizeof *k);
		UNROLL
		for (int i = 0; i < n; i++) {
			F32x16 x = v_set(q[(uint32_t)i * head_len + c]);
			s[i][0] = v_fma(x, lo, s[i][0]);
			s[i][1] = v_fma(x, hi, s[i][1]);
		}
	}
	UNROLL
	for (int i = 0; i < n; i++)
		put_scores(t, i, s[i][0], s[i][1]);
}

/* Integer dots of packed queries q [n][head_len] with K's bytes, 4 channels to a lane. */
TILE void dot_bytes(const AttendCall *call, const int8_t *q, const int n, const uint32_t head_len, const uint8_t *k, I32x16 s[][2])
{
	for (uint32_t c = 0; c < head_len; c += 4) {
		Bytes64 lo = b_load(k + c * KV_BLOCK), hi = b_load(k + c * KV_BLOCK + 64);
		attend_fetch(call, c * KV_BLOCK);
		attend_fetch(call, c * KV_BLOCK + 64);
		UNROLL
		for (int i = 0; i < n; i++) {
			const int8_t *four = q + (uint32_t)i * head_len + c;
			s[i][0] = i_dot_any(s[i][0], lo, four);
			s[i][1] = i_dot_any(s[i][1], hi, four);
		}
	}
}

/* The same with half bytes, 8 channels to a lane. */
TILE void dot_halves(const AttendCall *call, const int8_t *q, const int n, const uint32_t head_len, const uint8_t *k, I32x16 s[][2])
{
	for (uint32_t c = 0; c < head_len; c += 8)
		UNROLL
		for (int h = 0; h < 2; h++) {
			Bytes64 both = b_load(k + c * KV_BLOCK / 2 + 64 * h), lo = b_low(both), hi = b_high(both);
			attend_fetch(call, c * KV_BLOCK / 2 + 64 * (size_t)h);
			UNROLL
			for (int i = 0; i < n; i++) {
				const int8_t *four = q + (uint32_t)i * head_len + c;
				s[i][h] = i_dot(i_dot(s[i][h], lo, four), hi, four + 4);
			}
		}
}

/* A scale a position; what is stored is `bias` too great. */
TILE void keys_by_position(const KeyTile *t, const int n, const uint32_t head_len, const uint8_t *k,
                             const uint16_t *scale, const int bias)
{
	I32x16 s[ATTEND_TILE][2];
	const AttendCall *call = t->c;
	UNROLL
	for (int i = 0; i < n; i++)
		s[i][0] = s[i][1] = i_set(-bias * call->packed_sum[t->first + (uint32_t)i]);
	const int8_t *q = call->packed + (size_t)t->first * head_len;
	if (bias == 128)
		dot_bytes(call, q, n, head_len, k, s);
	else
		dot_halves(call, q, n, head_len, k, s);
	F32x16 lo = v_load_f16(scale), hi = v_load_f16(scale + 16);
	UNROLL
	for (int i = 0; i < n; i++) {
		F32x16 step = v_set(call->packed_step[t->first + (uint32_t)i]);
		put_scores(t, i, v_mul(v_mul(v_from_i32(s[i][0]), lo), step), v_mul(v_mul(v_from_i32(s[i][1]), hi), step));
	}
}

/* q times the channels' scales, in int8; *step is what 1 is, *low the query's dot with the minima. */
TILE void pack_scaled(const float *q, const uint32_t head_len, const uint16_t *scale, int8_t *to, float *step, float *low)
{
	F32x16 peak = v_set(0), sum = v_set(0);
	for (uint32_t c = 0; c < head_len; c += 16) {
		F32x16 x = v_load(q + c);
		peak = v_max(v_abs(v_mul(x, v_load_f16(scale + c))), peak);
		sum = v_fma(x, v_load_f16(scale + head_len + c), sum);
	}
	float most = v_peak(peak), up = most > 0x1p-100f ? 127 / most : 0;
	for (uint32_t c = 0; c < head_len; c += 16)
		i_store_i8(to + c, v_round(v_mul(v_mul(v_load(q + c), v_load_f16(scale + c)), v_set(up))));
	*step = most / 127;
	*low = v_sum(sum);
}

/* A scale and a minimum a channel. */
TILE void keys_by_channel(const KeyTile *t, const int n, const uint32_t head_len, const uint8_t *k, const uint16_t *scale)
{
	float step[ATTEND_TILE], low[ATTEND_TILE];
	I32x16 s[ATTEND_TILE][2];
	int8_t *scaled = t->c->scaled;
	UNROLL
	for (int i = 0; i < n; i++) {
		const float *q = t->c->turned + (size_t)(t->first + (uint32_t)i) * head_len;
		pack_scaled(q, head_len, scale, scaled + (uint32_t)i * head_len, &step[i], &low[i]);
		s[i][0] = s[i][1] = i_set(0);
	}
	dot_halves(t->c, scaled, n, head_len, k, s);
	UNROLL
	for (int i = 0; i < n; i++) {
		F32x16 x = v_set(step[i]), add = v_set(low[i]);
		put_scores(t, i, v_fma(v_from_i32(s[i][0]), x, add), v_fma(v_from_i32(s[i][1]), x, add));
	}
}

TILE void keys_tile(const KeyTile *t, const int n, const uint32_t head_len, KvFormat format, const uint8_t *k)
{
	const uint16_t *scale = (const void *)(k + kv_layout(format, head_len).k_scale);
	switch (format) {
	case KV_INT8: case KV_K8V4: keys_by_position(t, n, head_len, k, scale, 128); break;
	case KV_SEED4: keys_by_position(t, n, head_len, k, scale, 8); break;
	case KV_INT4: keys_by_channel(t, n, head_len, k, scale); break;
	default:
		if (t->c->n_query > ATTEND_TILE)
			keys_f16(t, n, head_len, NULL, true);
		else
			keys_f16(t, n, head_len, (const void *)k, false);
	}
}

TILE void keys_tiles(const AttendCall *c, const uint32_t head_len, KvFormat format, const uint8_t *k, uint32_t at)
{
	if (format == KV_F16 && c->n_query > ATTEND_TILE)
		ISA(attend_widen)((const void *)k, KV_BLOCK * head_len, c->wide);
	for (uint32_t q = 0; q < c->n_query; q += ATTEND_TILE) {
		KeyTile t = { c, q, at };
		switch (c->n_query - q) {
		case 1: keys_tile(&t, 1, head_len, format, k); break;
		case 2: keys_tile(&t, 2, head_len, format, k); break;
		case 3: keys_tile(&t, 3, head_len, format, k); break;
		default: keys_tile(&t, 4, head_len, format, k); break;
		}
	}
}

void ISA(attend_keys)(const AttendCall *c, KvFormat block_format, const uint8_t *k, uint32_t at)
{
	if (c->head_len == 64)
		keys_tiles(c, 64, block_format, k, at);
	else
		keys_tiles(c, c->head_len, block_format, k, at);
}
