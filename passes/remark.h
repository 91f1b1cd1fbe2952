/*
 * Remarks: what the passes changed, or would have changed, one row each (-Rpass, --remarks=json).
 *
 * A change asks first: remark_change gives it an ID, `PASS.N`, counted per pass in the order the pass
 * meets its candidates, whether they are made or not, so that the IDs of one input do not shift when
 * some are switched off by --disable-change=ID.
 */
#ifndef SEED_PASSES_REMARK_H
#define SEED_PASSES_REMARK_H

#include "compiler/source/source.h"
#include "runtime/base/buf.h"

typedef enum RemarkState {
	REMARK_MADE,
	REMARK_OFF,     /* would have been made; switched off by its ID */
	REMARK_MISSED,  /* not made: `what` says why */
	REMARK_NOTE,    /* no change to make: says what is */
} RemarkState;

typedef struct Remark {
	RemarkState state;
	const char *pass;
	Str id;          /* empty for MISSED and NOTE */
	Span span;
	Str what;
	int64_t bytes;   /* gained (positive: fewer) */
	int64_t tokens;  /* gained; REMARK_NO_TOKENS without a vocabulary */
} Remark;

#define REMARK_NO_TOKENS INT64_MIN

typedef struct Remarks {
	Arena *arena;
	const char *pass;   /* set by the loop */
	uint32_t n_change;  /* of this pass */
	const Str *disabled;
	uint32_t n_disabled;
	VEC(Remark) list;
} Remarks;

/* True: make the change. Either way the remark is recorded. */
bool remark_change(Remarks *r, Span at, int64_t bytes, int64_t tokens, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));
void remark_add(Remarks *r, RemarkState state, Span at, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* `file:line:col: remark: [schema.1] what (-12 bytes)`, one a line, in the order made. */
void remark_print(Buf *out, const Remarks *r, const Sources *ss);
/* One JSON array. */
void remark_print_json(Buf *out, const Remarks *r, const Sources *ss);

#endif
