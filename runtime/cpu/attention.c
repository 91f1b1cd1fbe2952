/*
 * Attention of a step: items are spans by KV heads, in steps of few tokens also by partitions, where whoever
 * does a query's last partition merges them all. note [attention order] in attend.h.
 */
#include <string.h>

#include "runtime/cpu/forward.h"

uint16_t *cpu_open_block(const CpuEngine *e, const StepSpan *s, uint32_t layer, uint32_t head)
{
	if (s->slot == STEP_NO_SLOT)
		return kv_tail_at(s->sequence, layer, head);
	return e->slot + ((size_t)s->slot * e->kv.n_head + head) * kv_open_halves(&e->kv);
}

typedef struct AttendItem {
	const StepSpan *span;
	uint32_t head;
	AttendHead h;
	const float *q;
	uint32_t lo, hi;    /* partitions */
} AttendItem;

/* The earlier blocks of partitions lo .. hi - 1, and those behind them that are asked for. */
static void sealed_find(const CpuPass *p, const AttendItem *it, uint32_t lo, uint32_t hi, KvSpot *sealed)
{
	uint32_t per = KV_PARTITION / KV_BLOCK, end = hi * per + ATTEND_AHEAD;
	end = end < it->span->block ? end : it->span->block;
	for (uint32_t b = lo * per; b < end; b++)
		sealed[b] = kv_block_at(it->span->sequence, b, p->layer, it->head);
}

static AttendItem item_make(const CpuPass *p, unsigned thread, uint32_t index)
{
	const CpuEngine *e = p->e;
	const ModelShape *s = &e->engine.model->shape;
	AttendItem it = { .span = &e->step.span[index / e->kv.n_head], .head = index % e->kv.n_head };
	const StepSpan *span = it.span;
	uint32_t window = model_layer_window(s, p->layer), last = span->position + span->n - 1;
	it.h = (AttendHead){
		.format = e->kv.format, .head_len = e->kv.head_len, .n_group = e->n_group_q, .sealed = e->seat[thread].sealed,
		.open = cpu_open_block(e, span, p->layer, it.head), .first = span->position, .n_token = span->n, .window = window,
		.scale = s->query_scale,
	};
	it.q = e->q + ((size_t)it.head * e->engine.chunk_tok + span->token) * e->n_group_q * e->kv.head_len;
	it.lo = window && span->position >= window ? (span->position - window + 1) / KV_PARTITION : 0;
	it.hi = last / KV_PARTITION + 1;
	return it;
}

/* parts: of partition it->lo, the others behind it. */
static void item_end(const CpuPass *p, const AttendItem *it, float *parts)
{
	const CpuEngine *e = p->e;
	uint32_t len = e->kv.head_len, n_query = it->span->n * e->n_group_q;
	size_t row = attend_part_floats(len), n_all = (size_t)e->engine.model->shape.n_head * len;
	for (uint32_t i = 0; i < n_query; i++) {
		uint32_t token = it->span->token + i / e->n_group_q, head = it->head * e->n_group_q + i % e->n_group_q;
		e->k->attend->merge(e->kv.format, len, parts + i * row, it->hi - it->lo, n_query * row,
		                    e->attended + token * n_all + (size_t)head * len);
	}
	if (it->span->slot != STEP_NO_SLOT && !it->span->is_full)
		memcpy(kv_tail_at(it->span->sequence, p->layer, it->head), it->h.open, kv_open_halves(&e->kv) * sizeof(uint16_t));
}

static void whole_item(void *user, unsigned thread, uint32_t index)
{
	const CpuPass *p = user;
	CpuEngine *e = p->e;
	CpuSeat *seat = &e->seat[thread];
	AttendItem it = item_make(p, thread, index);
	size_t stride = (size_t)it.span->n * e->n_group_q * attend_part_floats(e->kv.head_len);
	sealed_find(p, &it, it.lo, it.hi, seat->sealed);
	for (uint32_t i = it.lo; i < it.hi; i++)
		e->k->attend->part(&it.h, i, it.q, seat->attend, seat->parts + (i - it.lo) * stride);
	item_end(p, &it, seat->parts);
}

static void part_item(void *user, unsigned thread, uint32_t index)
{
	const CpuPass *p = user;
	CpuEngine *e = p->e;
	CpuSeat *seat = &e->seat[thread];
	uint32_t n_part = e->step.n_part, spot = index / n_part, part = index % n_part;
	AttendItem it = item_make(p, thread, spot);
	size_t row = attend_part_floats(e->kv.head_len) * e->n_group_q, stride = row * it.span->n;
	float *parts = e->parts + ((size_t)it.span->token * e->kv.n_head + (size_t)it.head * it.span->n) * row * e->n_part_max;
	if (part >= it.lo && part < it.hi) {
		sealed_find(p, &it, part, part + 1, seat->sealed);
		e->k->attend->part(&it.h, part, it.q, seat->attend, parts + (part - it.lo) * stride);
	}
	if (atomic_fetch_add(&e->parts_done[spot], 1) + 1 == n_part) {
		atomic_store(&e->parts_done[spot], 0);
		item_end(p, &it, parts);
	}
}

void cpu_attend(CpuPass *p, unsigned thread)
{
	CpuEngine *e = p->e;
	uint32_t n = e->step.n_span * e->kv.n_head;
	if (e->step.n_token <= SPLIT_TOKENS && e->step.n_part > 1)
		cpu_phase(e->threads, thread, n * e->step.n_part, part_item, p);
	else
		cpu_phase(e->threads, thread, n, whole_item, p);
}
