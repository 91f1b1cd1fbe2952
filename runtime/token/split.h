/*
 * Pre-tokenizers: where a text is cut into pieces before BPE. Written by hand from the patterns that
 * split.def names; no regex engine runs. A piece never crosses another, pieces fill the text.
 *
 * split_next is the portable one, a piece at a time over valid UTF-8. split_batch finds the pieces of
 * up to 64 ASCII bytes at once with bit arithmetic (split_bits.h) and leaves the rest to split_next.
 */
#ifndef SEED_TOKEN_SPLIT_H
#define SEED_TOKEN_SPLIT_H

#include "runtime/token/vocab.h"

typedef enum TokenClass {  /* general category of Unicode 16.0; the order is classes.py's */
	CLASS_OTHER,   /* C* and what is not listed */
	CLASS_PUNCT,   /* P*, S* */
	CLASS_UPPER,   /* Lu, Lt */
	CLASS_LOWER,   /* Ll */
	CLASS_LETTER,  /* Lm, Lo */
	CLASS_MARK,    /* M* */
	CLASS_NUMBER,  /* N* */
	CLASS_SPACE,   /* White_Space but for the two below */
	CLASS_NEWLINE, /* LF, CR */
} TokenClass;

enum { CLASS_BLOCK = 128 };
extern const uint8_t token_class_block[0x110000 / CLASS_BLOCK];
extern const uint8_t token_class_of[];

static inline TokenClass token_class(uint32_t cp)
{
	return token_class_of[(size_t)token_class_block[cp / CLASS_BLOCK] * CLASS_BLOCK + cp % CLASS_BLOCK];
}

/* The end of the piece that starts at at (< n); text is valid UTF-8. NULL where split.c has none. */
typedef size_t SplitNext(const char *text, size_t n, size_t at);
SplitNext *split_next(VocabSplit split);

/* The ends of up to cap pieces (cap >= SPLIT_ROOM) from at on, as many as come easily but one at the
 * least; their number. */
enum { SPLIT_ROOM = 64 };
typedef size_t SplitBatch(const Vocab *v, Str text, size_t at, uint32_t *end, size_t cap);
/* The best of this machine, or of the set that is named ("avx512", "avx2", "scalar"; NULL: the best). */
SplitBatch *split_batch(VocabSplit split, const char *isa);

#endif
