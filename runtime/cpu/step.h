/*
 * One forward pass cut into what the kernels take. note [spans]: tokens of one sequence that stand in one KV
 * block are a span, the unit of attention and of sealing. Whole spans make a group of up to 32 tokens, the unit
 * in which keys and values are written; a group's tokens make panels of up to 8 (matmul.h).
 *
 * Where the keys and values of a span go meanwhile: into the sequence's tail when its tokens are all in this one
 * span (a step of decoding); else into a slot of their own, of which the last, when it is not full, becomes the
 * tail once the layer's attention no longer reads the old one.
 */
#ifndef SEED_CPU_STEP_H
#define SEED_CPU_STEP_H

#include "runtime/cpu/matmul.h"
#include "runtime/engine/engine.h"

enum { STEP_NO_SLOT = UINT32_MAX };

typedef struct StepSpan {
	KvSequence *sequence;
	uint32_t token, n;         /* of the step */
	uint32_t position, block;  /* of the first token; the block's index in the sequence */
	uint32_t slot;             /* or STEP_NO_SLOT: the tail itself */
	bool is_full;              /* its last token is the block's last */
} StepSpan;

typedef struct StepPanel { uint32_t token, n, width, at; } StepPanel;  /* at: sum of the widths before it */
typedef struct StepGroup { uint32_t span, n_span, panel, n_panel; } StepGroup;
typedef struct StepToken { uint32_t id, position; } StepToken;

typedef struct Step {
	StepToken *token;
	StepSpan *span;
	StepPanel *panel;
	StepGroup *group;
	uint32_t n_token, n_span, n_panel, n_group, n_slot;
	uint32_t n_row;            /* of panels: the sum of all widths */
	uint32_t n_part;           /* the most partitions that a token reads */
} Step;

/* Arrays for steps of up to max_tok tokens. */
void step_init(Arena *a, uint32_t max_tok, Step *s);
void step_cut(const EngineBatch *b, Step *s);
/* Room for the panels of a step of max_tok tokens; for those of as many logits in two terms, too. */
static inline uint32_t step_rows_max(uint32_t max_tok) { return 2 * max_tok + 2 * PANEL_WIDTH; }

#endif
