/*
 * Aligning two lists of text units (sentences, items, headings): what is the same, what was reworded,
 * what moved, what is new and what is gone.
 *
 * One idea: equal ends first, then units that occur once on both sides as anchors (patience), then
 * inside each gap an exact LCS, then the nearest wording (Dice on words >= 0.7) in the same gap, and
 * last equal units elsewhere as moves. Anchors make it linear on big files; a gap too large for the
 * quadratic steps is compared by neighbours and counted in n_coarse, never silently.
 */
#ifndef SEED_DIFF_ALIGN_H
#define SEED_DIFF_ALIGN_H

#include "runtime/base/str.h"
#include "runtime/base/vec.h"

typedef struct AlignUnit {
	uint64_t hash;           /* of the normalised text: equal means the same */
	const uint32_t *word;    /* sorted hashes of its words */
	uint32_t n_word;
} AlignUnit;

typedef enum AlignOp { ALIGN_SAME, ALIGN_REWORDED, ALIGN_MOVED, ALIGN_REMOVED, ALIGN_ADDED } AlignOp;

typedef struct AlignPair {
	AlignOp op;
	uint32_t a, b;           /* UINT32_MAX on the absent side */
} AlignPair;

typedef struct Alignment {
	VEC(AlignPair) pair;     /* in the order of b, removed units where they stood in a */
	uint32_t n_coarse;       /* gaps compared by neighbours only */
} Alignment;

#define ALIGN_NONE UINT32_MAX

void align_run(Arena *arena, Alignment *out, const AlignUnit *a, uint32_t n_a, const AlignUnit *b, uint32_t n_b);
/* 2·|common| / (|x| + |y|) over word multisets; 1 for two empty units. */
double align_similarity(const AlignUnit *x, const AlignUnit *y);

#endif
