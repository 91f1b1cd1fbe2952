/* align.h: addresses, sectors, the report. */
#include "runtime/plan/align.h"

void align_init(Arena *a, uint32_t boundary, AlignReport *r)
{
	*r = (AlignReport){ .arena = a, .boundary = boundary };
}

static AlignRow *row_of(AlignReport *r, const AlignArray *array)
{
	for (uint32_t i = 0; i < r->row.n; i++)
		if (!strcmp(r->row.v[i].name, array->name))
			return &r->row.v[i];
	AlignRow *row = vec_add(r->arena, &r->row);
	row->name = array->name;
	row->stride = array->stride;
	row->width = array->width;
	return row;
}

/* ---- sectors ---------------------------------------------------------------------------------- */

static uint64_t sectors_of(uint64_t addr, uint64_t n_bytes)
{
	return (addr + n_bytes - 1) / ALIGN_SECTOR - addr / ALIGN_SECTOR + 1;
}

static void count_access(AlignSectors *s, uint64_t n_sector, uint64_t n_bytes)
{
	s->n_access++;
	s->n_sector += n_sector;
	s->n_best += (n_bytes + ALIGN_SECTOR - 1) / ALIGN_SECTOR;
}

/* A warp on its way through an array: the sectors of its lanes so far. */
typedef struct Warp { uint64_t n_lane, n_sector, n_bytes, next; } Warp;  /* next: behind the last sector touched */

static void warp_end(AlignRow *row, Warp *w)
{
	if (w->n_lane)
		count_access(&row->warp, w->n_sector, w->n_bytes);
	*w = (Warp){ 0 };
}

static void warp_lane(AlignRow *row, Warp *w, uint64_t addr, uint32_t n_bytes)
{
	uint64_t first = addr / ALIGN_SECTOR, end = (addr + n_bytes - 1) / ALIGN_SECTOR + 1;
	first = w->n_lane && first < w->next ? w->next : first;
	w->n_sector += end > first ? end - first : 0;
	w->next = end > w->next ? end : w->next;
	w->n_bytes += n_bytes;
	if (++w->n_lane == ALIGN_LANES)
		warp_end(row, w);
}

static void add_sectors(AlignRow *row, const AlignArray *a)
{
	Warp warp = { 0 };
	for (uint64_t i = 0; i < a->count; i++) {
		uint64_t addr = a->base + i * a->stride;
		count_access(&row->load, sectors_of(addr, a->width), a->width);
		for (uint32_t at = 0; at < a->width; at += ALIGN_LANE_BYTES)
			warp_lane(row, &warp, addr + at, a->width - at < ALIGN_LANE_BYTES ? a->width - at : ALIGN_LANE_BYTES);
	}
	warp_end(row, &warp);
}

/* ---- addresses -------------------------------------------------------------------------------- */

void align_add(AlignReport *r, const AlignArray *a)
{
	AlignRow *row = row_of(r, a);
	row->n += a->count;
	for (uint64_t i = 0; i < a->count; i++) {
		uint64_t offset = i * a->stride;
		if (!((a->base + offset) % r->boundary))
			continue;
		if (row->n_fault++ < ALIGN_SHOWN)
			vec_push(r->arena, &r->fault, (AlignFault){ a->name, a->base + offset, offset });
	}
	if (a->width)
		add_sectors(row, a);
}

uint64_t align_faults(const AlignReport *r)
{
	uint64_t n = 0;
	for (uint32_t i = 0; i < r->row.n; i++)
		n += r->row.v[i].n_fault;
	return n;
}

/* ---- the report ------------------------------------------------------------------------------- */

static double mean(uint64_t sum, const AlignSectors *s) { return s->n_access ? (double)sum / (double)s->n_access : 0; }

static void print_row(Buf *out, const AlignReport *r, const AlignRow *row)
{
	Str what = row->width ? str_fmt(r->arena, "loads of %u B,", row->width) : STR("pointers,");
	buf_printf(out, "%-22s %8llu %-14.*s stride %7llu B: ", row->name, (unsigned long long)row->n, STR_ARG(what), (unsigned long long)row->stride);
	if (row->n_fault)
		buf_printf(out, "%llu not at a multiple of %u B", (unsigned long long)row->n_fault, r->boundary);
	else
		buf_printf(out, "aligned to %u B", r->boundary);
	if (row->width)
		buf_printf(out, "; sectors %.2f a load (%.2f at best), %.2f a warp (%.2f)", mean(row->load.n_sector, &row->load),
		           mean(row->load.n_best, &row->load), mean(row->warp.n_sector, &row->warp), mean(row->warp.n_best, &row->warp));
	buf_byte(out, '\n');
}

static void print_faults(Buf *out, const AlignReport *r, const AlignRow *row)
{
	for (uint32_t i = 0; i < r->fault.n; i++) {
		const AlignFault *f = &r->fault.v[i];
		if (!strcmp(f->name, row->name))
			buf_printf(out, "addr=0x%llx (offset=%llu) \xe2\x86\x92 misaligned by %lluB (expected %uB boundary)\n", (unsigned long long)f->addr,
			           (unsigned long long)f->offset, (unsigned long long)(f->addr % r->boundary), r->boundary);
	}
	if (row->n_fault > ALIGN_SHOWN)
		buf_printf(out, "and %llu more of them\n", (unsigned long long)(row->n_fault - ALIGN_SHOWN));
}

void align_print(Buf *out, const AlignReport *r)
{
	for (uint32_t i = 0; i < r->row.n; i++) {
		print_row(out, r, &r->row.v[i]);
		print_faults(out, r, &r->row.v[i]);
	}
}

static void print_json_row(Buf *out, const AlignRow *row)
{
	buf_lit(out, "{\"name\":");
	buf_json_str(out, str_from(row->name));
	buf_printf(out, ",\"count\":%llu,\"stride\":%llu,\"width\":%u,\"misaligned\":%llu", (unsigned long long)row->n, (unsigned long long)row->stride,
	           row->width, (unsigned long long)row->n_fault);
	if (row->width)
		buf_printf(out, ",\"load_sectors\":%.6g,\"load_sectors_best\":%.6g,\"warp_sectors\":%.6g,\"warp_sectors_best\":%.6g",
		           mean(row->load.n_sector, &row->load), mean(row->load.n_best, &row->load), mean(row->warp.n_sector, &row->warp),
		           mean(row->warp.n_best, &row->warp));
	buf_byte(out, '}');
}

void align_print_json(Buf *out, const AlignReport *r)
{
	buf_lit(out, "\"kinds\":[");
	for (uint32_t i = 0; i < r->row.n; i++) {
		buf_putz(out, i ? "," : "");
		print_json_row(out, &r->row.v[i]);
	}
	buf_lit(out, "],\"misaligned\":[");
	for (uint32_t i = 0; i < r->fault.n; i++) {
		const AlignFault *f = &r->fault.v[i];
		buf_printf(out, "%s{\"kind\":", i ? "," : "");
		buf_json_str(out, str_from(f->name));
		buf_printf(out, ",\"addr\":\"0x%llx\",\"offset\":%llu,\"by\":%llu}", (unsigned long long)f->addr, (unsigned long long)f->offset,
		           (unsigned long long)(f->addr % r->boundary));
	}
	buf_byte(out, ']');
}
