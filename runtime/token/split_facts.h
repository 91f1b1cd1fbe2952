/* In which facts the patterns of the GPT family differ; the rows are split_facts.def. */
#ifndef SEED_TOKEN_SPLIT_FACTS_H
#define SEED_TOKEN_SPLIT_FACTS_H

#include "runtime/token/split.h"

typedef enum Contraction {
	CONTRACTION_NONE,
	CONTRACTION_LOWER,   /* '(?:[sdmt]|ll|ve|re), a piece of its own, lower case only */
	CONTRACTION_ANY,     /* the same in any case */
	CONTRACTION_BEHIND,  /* in any case, the end of the word before it */
} Contraction;

typedef struct SplitFacts {
	VocabSplit id;
	Contraction contraction;
	bool any_before_word;   /* [^\r\n\p{L}\p{N}]? before a word; else a space */
	bool cased_words;       /* words end where lower case meets upper case, and hold marks */
	unsigned max_digits;    /* of a piece of digits; 0: any number of them, and a space before */
	bool lines;             /* \s*[\r\n]+ ends white space at its last line end; punctuation takes [\r\n]* */
	bool slash;             /* ... and [\r\n/]* */
	bool end_takes_spaces;  /* \s+$ stands before \s*[\r\n] */
	bool digits_apart;      /* digits are cut out first: white space before one stays whole */
} SplitFacts;

#endif
