/*
 * The automaton of a pattern: what regex_parse.c makes and regex.c runs. Instruction 0 is the start;
 * every path ends in I_MATCH. Classes are code point ranges, a set of general categories, or both.
 */
#ifndef SEED_BASE_REGEX_PROG_H
#define SEED_BASE_REGEX_PROG_H

#include "runtime/base/regex.h"
#include "runtime/base/vec.h"

typedef enum RegexOp {
	I_CHAR,    /* x = code point, then the next instruction */
	I_CLASS,   /* x = index of the class */
	I_SPLIT,   /* to x and to y */
	I_JUMP,    /* to x */
	I_ASSERT,  /* x = RegexAssert */
	I_MATCH,
} RegexOp;

typedef enum RegexAssert { ASSERT_START, ASSERT_END, ASSERT_WORD_EDGE, ASSERT_NO_WORD_EDGE } RegexAssert;

typedef struct RegexInst {
	RegexOp op;
	uint32_t x, y;
} RegexInst;

typedef struct RegexRange {
	uint32_t lo, hi;  /* both inside */
} RegexRange;

typedef VEC(RegexRange) RegexRanges;

typedef struct RegexClass {
	RegexRanges range;    /* in any order */
	uint32_t categories;  /* bit per utf8proc category */
	bool negated;
	uint64_t ascii[2];    /* the answer for code points below 128, negation included */
} RegexClass;

struct Regex {
	VEC(RegexInst) inst;
	VEC(RegexClass) class;
};

bool regex_class_has(const RegexClass *c, uint32_t cp);

#endif
