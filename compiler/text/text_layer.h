/*
 * The text layer: what a reader sees in any prompt's text, whatever front end it came from: sections,
 * blocks (headings, items, paragraphs, fences, tables), sentences, modal statements, numbers with a
 * direction, quoted literals, code, URLs, output formats.
 *
 * One linear pass over lines, then over the characters of each prose block; no recursion, no regex.
 * Everything is byte ranges into the text given, so it works on an AST text node, on a file and on the
 * text of a compiled prompt alike; a caller with a Text maps ranges back through its runs.
 *
 * Invariants: blocks tile the text (each byte is in exactly one); sections tile it too; sentences are in
 * order, inside one block, and cut neither a code span nor a URL; statements point at their sentence.
 */
#ifndef SEED_TEXT_LAYER_H
#define SEED_TEXT_LAYER_H

#include "runtime/base/str.h"
#include "runtime/base/vec.h"
#include "runtime/bin/bin.h" /* Modality */

#define TEXT_NONE UINT32_MAX

typedef enum BlockKind {
	BLOCK_BLANK,      /* blank lines */
	BLOCK_HEADING,    /* ATX or setext, one or two lines */
	BLOCK_TITLE,      /* a "Title:" line alone before a list or a paragraph */
	BLOCK_PARAGRAPH,
	BLOCK_ITEM,       /* a list item with its continuation lines, without nested items */
	BLOCK_FENCE,      /* with its fence lines */
	BLOCK_TABLE,      /* pipe table rows */
	BLOCK_RULE,       /* --- *** ___ */
	BLOCK_COMMENT,    /* <!-- … --> on its own lines */
} BlockKind;

typedef struct TextBlock {
	BlockKind kind;
	uint32_t lo, hi;            /* whole lines, LF included */
	uint32_t body_lo, body_hi;  /* without marker, heading signs, fence lines */
	uint32_t level;             /* heading: 1..6, title: 7; item: depth from 1; quote depth is apart */
	uint32_t quote;             /* depth of > marks */
	uint32_t section;
	bool is_ordered;            /* item with a number or letter */
	bool is_open;               /* fence without an end */
	uint32_t info_lo, info_hi;  /* fence's info string */
} TextBlock;

typedef struct TextSection {
	uint32_t lo, hi;            /* from its heading to the next of the same or a higher level */
	uint32_t title_lo, title_hi; /* empty for the text before the first heading */
	uint32_t level;             /* 0 for that one */
	uint32_t parent;            /* TEXT_NONE at the top */
} TextSection;

typedef enum RegionKind { REGION_CODE, REGION_URL, REGION_LITERAL, REGION_HOLE } RegionKind;

/* A run inside prose that word rules leave alone. Fences are blocks, not regions. */
typedef struct TextRegion {
	RegionKind kind;
	uint32_t lo, hi;            /* with its marks */
	uint32_t body_lo, body_hi;
} TextRegion;

typedef struct TextSentence {
	uint32_t lo, hi;            /* trimmed */
	uint32_t block;
	uint32_t statement;         /* TEXT_NONE if it says nothing modal */
} TextSentence;

typedef enum NumberDirection { NUMBER_EXACT, NUMBER_AT_MOST, NUMBER_AT_LEAST } NumberDirection;

typedef struct TextNumber {
	uint32_t lo, hi;            /* the digits */
	uint32_t unit_lo, unit_hi;  /* the word after it, or empty */
	NumberDirection direction;
	bool is_strict;             /* under, more than */
	uint32_t sentence;
} TextNumber;

typedef struct TextStatement {
	uint32_t sentence;
	Modality modality;          /* of the strongest marker */
	bool is_negative;           /* must not, never, avoid */
	uint32_t marker_lo, marker_hi;
} TextStatement;

typedef struct TextFormat {
	const char *name;           /* "json", "markdown", … */
	uint32_t lo, hi;
} TextFormat;

typedef enum TextLanguage { LANGUAGE_UNKNOWN, LANGUAGE_LATIN, LANGUAGE_CJK, LANGUAGE_CYRILLIC, LANGUAGE_OTHER } TextLanguage;

typedef struct TextLayer {
	Str text;
	VEC(TextBlock) block;
	VEC(TextSection) section;
	VEC(TextRegion) region;     /* in order, not nested */
	VEC(TextSentence) sentence;
	VEC(TextStatement) statement;
	VEC(TextNumber) number;
	VEC(TextFormat) format;
	TextLanguage language;      /* by the script of most letters outside code */
} TextLayer;

void text_layer_build(Arena *a, TextLayer *out, Str text);
/* Blocks, sections and regions only: what asks whether a place is code needs no sentences. */
void text_layer_build_shape(Arena *a, TextLayer *out, Str text);

/* Index of the region that covers off, or TEXT_NONE. */
uint32_t text_region_at(const TextLayer *t, uint32_t off);
/* Index of the block that covers off; TEXT_NONE only in an empty text. */
uint32_t text_block_at(const TextLayer *t, uint32_t off);
/* off stands in a fence, a code span or a URL. */
bool text_is_code(const TextLayer *t, uint32_t off);

/* Words of [lo, hi) without modal markers, negations and fillers, case folded, one space between:
 * equal predicates are about the same thing. */
Str text_predicate(Arena *a, const TextLayer *t, uint32_t sentence);

static inline Str text_at(const TextLayer *t, uint32_t lo, uint32_t hi) { return str_sub(t->text, lo, hi); }

#endif
