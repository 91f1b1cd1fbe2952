/*
 * Units: a part's text cut into what a reader compares: headings, sentences, list items, code lines.
 * Each with the facts that decide severity: modality, polarity, numbers, quoted literals, formats,
 * variables. Built from the text layer, so Markdown and .sd are judged alike.
 */
#ifndef SEED_DIFF_UNITS_H
#define SEED_DIFF_UNITS_H

#include "compiler/diff/align.h"
#include "compiler/text/text_layer.h"

typedef struct DiffUnit {
	Str text;            /* trimmed, borrowed */
	uint32_t off;        /* in the part's text */
	Str section;         /* titles of the headings above, " > " between, empty if none */
	Str squeezed;        /* white space runs as one blank: equal texts differ in white space only */
	Str letters;         /* case folded letters and digits: equal texts differ in punctuation or markup only */
	Modality modality;   /* MOD_NONE for a plain statement */
	bool is_negative;    /* says that something is not done */
	bool is_code, is_heading;
	Str predicate;       /* what it is about, without modal and negation */
	Str numbers, literals, formats, variables; /* canonical lists, ", " between; empty if none */
} DiffUnit;

typedef struct Units {
	VEC(DiffUnit) unit;
	AlignUnit *align;    /* one per unit; hash of the exact text */
} Units;

void units_build(Arena *a, Units *out, Str text);
/* Dice over the words of two texts, for matching whole parts. */
double units_similarity(Arena *a, Str x, Str y);
/* Characters that no reader sees: tag characters, bidi controls, zero-width ones outside emoji. */
uint32_t units_count_hidden(Str s);

#endif
