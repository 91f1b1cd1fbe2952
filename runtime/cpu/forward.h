/*
 * The parts of a forward pass: what the engine holds, and the phases of a layer. note [phases]: all threads
 * run the same list of phases (threads.h); between two phases everything that the first wrote can be read.
 * note [not finite]. A NaN or an infinity in q, k, v or a logit is an error of the step. In what lies between it
 * reaches one of these: int8 groups keep it as a NaN scale, but a score that is NaN would become a weight.
 * An architecture is facts: a norm or a bias that the model does not have is NULL here and is passed over.
 */
#ifndef SEED_CPU_FORWARD_H
#define SEED_CPU_FORWARD_H

#include <stdatomic.h>

#include "runtime/cpu/cpu_engine.h"
#include "runtime/cpu/step.h"
#include "runtime/cpu/weights.h"

enum {
	OWN_TOKENS = 2,        /* note [own panels] */
	FEW_TOKENS = 8,        /* steps of so many wait for memory, not for arithmetic */
	SHORT_TOKENS = 64,     /* steps of so many have few items, which must be small to be shared out evenly */
	ASK_BYTES = 16384,
	SPLIT_TOKENS = 16,     /* in steps of so many tokens, threads share the partitions of a query */
	HEAD_TILES = 8,        /* tiles of an item of the head */
	PRODUCT_ROWS = HEAD_TILES * TILE_ROWS,
};

/* Activations of all panels of a step, as int8 and as floats; a kind that no product reads is never touched. */
typedef struct CpuPanels { uint8_t *of[2]; } CpuPanels;

/* What a thread has to itself. note [own panels]: in steps of very few tokens each thread makes the panels it
 * reads, which is cheaper than waiting for one that does. */
typedef struct CpuSeat {
	float *product[2];       /* [PANEL_WIDTH][product_rows] */
	float *row;
	CpuPanels own;
	void *attend;
	float *parts;            /* [n_part][KV_BLOCK * n_group_q][attend_part_floats] */
	KvSpot *sealed;          /* [blocks of the longest sequence] */
} CpuSeat;

typedef struct CpuEngine {
	Engine engine;
	const CpuKernels *k;
	CpuThreads *threads;
	CpuWeights w;
	KvShape kv;
	Step step;
	const EngineBatch *batch;
	CpuSeat *seat;
	uint32_t n_group_q;       /* query heads to a KV head */
	uint32_t product_rows, n_part_max;
	float *x, *y;             /* [chunk][n_embd]: the stream; a branch's result before its own norm */
	float *q;                 /* [KV head][chunk][n_group_q][head_len] */
	float *attended;          /* [chunk][n_head * head_len] */
	CpuPanels in, hidden;     /* of rows as wide as the stream or the heads; of n_ffn */
	uint16_t *slot;           /* [slot][KV head][open halves] */
	float *parts;             /* of SPLIT_TOKENS tokens: [span][KV head][n_part][queries][attend_part_floats] */
	_Atomic uint32_t *parts_done;  /* [span][KV head] */
	double *frequency[2];     /* [head_len / 2], of global and of local layers */
	float *angle[2];          /* [chunk][cosines, sines][head_len / 2] */
	_Atomic bool is_bad;      /* note [not finite] */
	uint8_t *mapping;         /* of all these arrays */
	size_t mapping_bytes;
} CpuEngine;

/* note [not finite] */
static inline void cpu_check_finite(CpuEngine *e, const float *x, uint32_t n)
{
	if (!e->k->op->is_finite(x, n))
		atomic_store(&e->is_bad, true);
}

/* One thread's view of a layer. */
typedef struct CpuPass {
	CpuEngine *e;
	uint32_t layer;
	const CpuLayer *w;
} CpuPass;

/* Phases; by every thread alike. */
void cpu_embed(CpuEngine *e, unsigned thread);
/* False: q, k or v are not finite, and the step ends. */
bool cpu_attention_block(CpuPass *p, unsigned thread);
void cpu_ffn_block(CpuPass *p, unsigned thread);
void cpu_head(CpuEngine *e, unsigned thread);
/* Asks for the first weights that the thread will read of w, in steps that wait for memory. note [ahead]: called when
 * its items of the phase before are done and others' may not be, so that memory does not idle at a barrier. */
void cpu_weights_ask(const CpuEngine *e, unsigned thread, const PackedMatrix *w);
/* Of cpu_attention_block: attention.c. */
void cpu_attend(CpuPass *p, unsigned thread);
uint16_t *cpu_open_block(const CpuEngine *e, const StepSpan *s, uint32_t layer, uint32_t head);

/* ---- rows.c: what goes into a product ---- */

/* How a token's row comes about: what the branch before it still lacks, then the norm. */
typedef struct CpuRows {
	const float *post_norm;             /* of y, which is then added to x */
	const float *sum_norm, *sum_bias;   /* of x, in place */
	const float *norm;                  /* of x, into the row; NULL: the row is taken from `from` */
	const float *from;                  /* [chunk][n_col] */
	uint32_t n_col;
	unsigned forms;                     /* bit 0: int8 panels are read, bit 1: float ones */
} CpuRows;

static inline unsigned cpu_forms_of(const CpuProduct *p) { return p->w.data ? 1u << pack_is_float(p->w.kind) : 0; }

/* Panels of all tokens, in e->in or in the seat's own; returns which. */
const CpuPanels *cpu_rows_make(CpuEngine *e, unsigned thread, const CpuRows *r);
/* The row of one token; seat->row or a place that must not be written. */
const float *cpu_row_make(CpuEngine *e, unsigned thread, const CpuRows *r, uint32_t token);
/* n_col floats of a token into its panel of single terms, from column `first` of n_all on. */
void cpu_row_put(const CpuEngine *e, const CpuPanels *to, const StepPanel *panel, uint32_t t, unsigned forms, const float *x,
                 uint32_t first, uint32_t n_col, uint32_t n_all);

static inline const void *cpu_panel_at(const CpuPanels *p, const StepPanel *panel, const PackedMatrix *w)
{
	return p->of[pack_is_float(w->kind)] + (size_t)panel->at * w->n_group * panel_group_bytes(w);
}

#endif
