/*
 * TextRun: one text made of many source runs. Dedent, escapes, JSON strings and folded scalars all
 * decode to arena bytes plus a table of these; it is what `--map` and the `.bin` debug map print.
 *
 * Invariant: runs are in text order, touch (text_off of the next = text_off + len), and cover the
 * text. Byte text_off + i comes from source byte src_off + i. What an escape decodes to is never
 * longer than the escape, so those bytes too point into it.
 */
#ifndef SEED_BASE_RUN_H
#define SEED_BASE_RUN_H

#include "runtime/base/vec.h"

typedef struct TextRun {
	uint32_t text_off, src_off, len;
} TextRun;

typedef VEC(TextRun) RunVec;

/* Source offset of text byte off; the end of the last run for off at or past the text's end. */
uint32_t run_source(const TextRun *run, uint32_t n_run, uint32_t off);

#endif
