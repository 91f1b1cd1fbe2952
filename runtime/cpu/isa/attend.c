/*
 * One partition of the attention of a few queries, and the partitions' merge. note [attention order] in attend.h.
 */
#include <float.h>

#include "runtime/cpu/isa/attend_call.h"
#include "runtime/cpu/isa/attend_rotate.h"
#include "runtime/cpu/isa/kernels_isa.h"

/* What a masked score is: far below any other, and finite. */
#define NONE (-FLT_MAX)

static void turn_query(const AttendHead *h, const float *q, float *to)
{
	float factor = h->scale * 1.44269504f;
	if (kv_format_rotates(h->format)) {
		rotate(h->head_len, q, factor * rotate_back(h->head_len), to);
		return;
	}
	for (uint32_t c = 0; c < h->head_len; c += 16)
		v_store(to + c, v_mul(v_load(q + c), v_set(factor)));
}

static void pack_query(const float *q, uint32_t head_len, int8_t *to, float *step, int32_t *sum)
{
	F32x16 peak = v_set(0);
	for (uint32_t c = 0; c < head_len; c += 16)
		peak = v_max(v_abs(v_load(q + c)), peak);
	float most = v_peak(peak), up = most > 0x1p-100f ? 127 / most : 0;
	I32x16 total = i_set(0);
	for (uint32_t c = 0; c < head_len; c += 16) {
		I32x16 x = v_round(v_mul(v_load(q + c), v_set(up)));
		i_store_i8(to + c, x);
		total = i_add(total, x);
	}
	*step = most / 127;
	*sum = i_sum(total);
}

static void take_queries(const AttendHead *h, const float *q, const AttendCall *c)
{
	for (uint32_t i = 0; i < c->n_query; i++) {
		float *turned = c->turned + (size_t)i * h->head_len;
		turn_query(h, q + (size_t)i * h->head_len, turned);
		if (h->format != KV_F16)
			pack_query(turned, h->head_len, c->packed + (size_t)i * h->head_len, &c->packed_step[i], &c->packed_sum[i]);
	}
}

/* x, or `else_` where a vector's positions are outside lo .. hi - 1. */
static inline F32x16 within(int at, int lo, int hi, F32x16 x, float else_)
{
	return at >= lo && at + 16 <= hi ? x : v_between(lo - at, hi - at, x, v_set(else_));
}

/* Scores of positions lo .. hi - 1 of a row into weights; those of from .. to - 1 besides are 0. */
static void weights_of(float *w, int from, int to, int lo, int hi, AttendPart *part)
{
	int first = lo / 16 * 16, last = (hi + 15) / 16 * 16;
	F32x16 top = v_set(NONE), sum = v_set(0);
	for (int i = first; i < last; i += 16)
		top = v_max(within(i, lo, hi, v_load(w + i), NONE), top);
	float max = v_peak(top);
	for (int i = first; i < last; i += 16) {
		F32x16 e = within(i, lo, hi, v_exp2(v_sub(v_load(w + i), v_set(max))), 0);
		v_store(w + i, e);
		sum = v_add(sum, e);
	}
	for (int i = from; i < to; i += 16)
		if (i < first || i >= last)
			v_store(w + i, v_set(0));
	part->max = max;
	part->sum = v_sum(sum);
}

/* The blocks of a partition that any query of a call reads. */
typedef struct Reach {
	uint32_t base, lo, hi;  /* positions: of the partition; whole blocks lo .. hi - 1, none where lo >= hi */
	uint32_t own;           /* of the own block */
} Reach;

static Reach reach_of(const AttendHead *h, uint32_t part)
{
	Reach r = { .base = part * KV_PARTITION, .own = h->first / KV_BLOCK * KV_BLOCK };
	uint32_t from = h->window && h->first + 1 > h->window ? h->first + 1 - h->window : 0;
	r.lo = from > r.base ? from / KV_BLOCK * KV_BLOCK : r.base;
	r.hi = r.own + KV_BLOCK < r.base + KV_PARTITION ? r.own + KV_BLOCK : r.base + KV_PARTITION;
	return r;
}

static KvSpot block_of(const AttendHead *h, const Reach *r, uint32_t at, KvFormat *format)
{
	uint32_t b = at / KV_BLOCK;
	*format = at == r->own ? KV_F16 : kv_block_format(h->format, b);
	return at == r->own ? kv_spot(h->open, KV_F16, h->head_len) : h->sealed[b];
}

/* Part k of what a call reads, in its order: the keys of its blocks, their values, the keys of the blocks behind. Where
 * there is none, something that is at hand. */
static const uint8_t *part_at(const AttendHead *h, const Reach *r, uint32_t k)
{
	uint32_t n = r->lo < r->hi ? (r->hi - r->lo) / KV_BLOCK : 0, at = r->lo + (k < n ? k : k - n) * KV_BLOCK;
	KvFormat format;
	if (!n || at > r->own)
		return (const void *)h->open;
	KvSpot spot = block_of(h, r, at, &format);
	return k < n || k >= 2 * n ? spot.k : spot.v;
}

static void weigh_queries(const AttendHead *h, const Reach *r, const AttendCall *c, float *parts, size_t stride)
{
	for (uint32_t i = 0; i < c->n_query; i++) {
		uint32_t at = h->first + i / h->n_group;
		uint32_t lo = h->window && at + 1 > h->window ? at + 1 - h->window : 0, hi = at + 1 < r->hi ? at + 1 : r->hi;
		lo = lo > r->base ? lo : r->base;
		lo = lo < hi ? lo : hi;
		weights_of(c->weight + (size_t)i * KV_PARTITION, (int)(r->lo - r->base), (int)(r->hi - r->base),
		           (int)(lo - r->base), (int)(hi - r->base), (AttendPart *)(parts + i * stride));
	}
}

/* The sums with minima, folded, onto their channels. */
static void add_low(const AttendHead *h, const AttendCall *c, float *out, size_t stride)
{
	uint32_t per_group = h->format == KV_SEED4 ? h->head_len : 32;
	for (uint32_t i = 0; i < c->n_query; i++, out += stride)
		for (uint32_t x = 0; x < h->head_len; x += 16) {
			float low = v_sum(v_load(c->low + ((size_t)i * c->n_group_v + x / per_group) * 16));
			v_store(out + x, v_add(v_load(out + x), v_set(low)));
		}
}

static void attend_part(const AttendHead *h, uint32_t part, const float *q, void *scratch, float *parts)
{
	AttendCall c;
	attend_call_init(&c, h->head_len, h->n_token * h->n_group, scratch);
	take_queries(h, q, &c);
	Reach r = reach_of(h, part);
	size_t stride = attend_part_floats(h->head_len);
	float *out = ((AttendPart *)parts)->out;
	KvFormat format;
	uint32_t k = ATTEND_AHEAD;
	for (uint32_t at = r.lo; at < r.hi; at += KV_BLOCK) {
		KvSpot block = block_of(h, &r, at, &format);
		c.ahead = part_at(h, &r, k++);
		ISA(attend_keys)(&c, format, block.k, at - r.base);
	}
	weigh_queries(h, &r, &c, parts, stride);
	for (uint32_t i = 0; i < c.n_query; i++)
		memset(out + i * stride, 0, h->head_len * sizeof *out);
	memset(c.low, 0, (size_t)c.n_query * c.n_group_v * 16 * sizeof *c.low);
	for (uint32_t at = r.lo; at < r.hi; at += KV_BLOCK) {
		KvSpot block = block_of(h, &r, at, &format);
		uint32_t n_key = at == r.own ? h->first + h->n_token - r.own : KV_BLOCK;
		c.ahead = part_at(h, &r, k++);
		ISA(attend_values)(&c, format, block.v, at - r.base, n_key, out, stride);
	}
	if (h->format == KV_K8V4 || h->format == KV_INT4 || h->format == KV_SEED4)
		add_low(h, &c, out, stride);
}

static void attend_merge(KvFormat format, uint32_t head_len, float *parts, uint32_t n_part, size_t stride, float *out)
{
	float max = NONE, sum = 0;
	for (uint32_t i = 0; i < n_part; i++)
		max = parts[i * stride] > max ? parts[i * stride] : max;
	for (uint32_t i = 0; i < n_part; i++) {
		AttendPart *p = (void *)(parts + i * stride);
		float each[16];
		v_store(each, v_exp2(v_set(p->max - max)));
		p->weight = each[0];
		sum += p->weight * p->sum;
	}
	for (uint32_t c = 0; c < head_len; c += 16) {
		F32x16 x = v_set(0);
		for (uint32_t i = 0; i < n_part; i++) {
			const AttendPart *p = (const void *)(parts + i * stride);
			x = v_fma(v_load(p->out + c), v_set(p->weight), x);
		}
		v_store(out + c, v_div(x, v_set(sum)));
	}
	if (kv_format_rotates(format))
		rotate(head_len, out, rotate_back(head_len), out);
}

const AttendKernels ISA(attend_kernels) = { ISA(attend_write), ISA(attend_seal), attend_part, attend_merge };
