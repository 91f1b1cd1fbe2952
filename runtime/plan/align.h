/*
 * The alignment of what a kernel reads (T-11): every address of a described layout against a boundary, and how many
 * sectors of memory its loads touch.
 *
 *     AlignReport r;
 *     align_init(arena, 16, &r);
 *     align_add(&r, &(AlignArray){ "K", base, 64, n, 64 });    or align_pool, align_file
 *     align_print(out, &r);
 *
 * note [sectors]. Memory is fetched in sectors of 32 bytes. A load of a vector touches those that it lies in; a warp's 32
 * lanes load 16 bytes each, from consecutive pieces of an array, and touch each sector of them once. At best is what
 * as many bytes would take, side by side from a sector's start.
 */
#ifndef SEED_PLAN_ALIGN_H
#define SEED_PLAN_ALIGN_H

#include "runtime/base/vec.h"
#include "runtime/kv/kv.h"

enum { ALIGN_BOUNDARY = 16, ALIGN_SECTOR = 32, ALIGN_LANES = 32, ALIGN_LANE_BYTES = 16, ALIGN_SHOWN = 16 };

/* `count` addresses, `stride` apart. Arrays of one name are one row of the report. */
typedef struct AlignArray {
	const char *name;      /* static */
	uint64_t base, stride, count;
	uint32_t width;        /* bytes that are loaded from each; 0: a pointer, from which others are reckoned */
} AlignArray;

typedef struct AlignSectors { uint64_t n_access, n_sector, n_best; } AlignSectors;

typedef struct AlignRow {
	const char *name;
	uint64_t n, n_fault, stride;
	uint32_t width;
	AlignSectors load, warp;
} AlignRow;

typedef struct AlignFault { const char *name; uint64_t addr, offset; } AlignFault;  /* offset: from its array's base */

typedef struct AlignReport {
	Arena *arena;
	uint32_t boundary;     /* a power of two */
	VEC(AlignRow) row;
	VEC(AlignFault) fault; /* the first ALIGN_SHOWN of each row */
} AlignReport;

void align_init(Arena *a, uint32_t boundary, AlignReport *r);
void align_add(AlignReport *r, const AlignArray *array);
uint64_t align_faults(const AlignReport *r);
void align_print(Buf *out, const AlignReport *r);
/* The members "kinds" and "misaligned". */
void align_print_json(Buf *out, const AlignReport *r);

/* What attention reads of a sequence, from the pool's own pointers: its reserved blocks, its tail. */
void align_pool(AlignReport *r, const KvSequence *s);
/* A saved cache at `offset` of a file, which is mapped at a page's start. False where it is damaged. */
bool align_file(AlignReport *r, Str saved, uint64_t offset);

#endif
