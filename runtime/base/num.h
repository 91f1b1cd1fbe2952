/*
 * Exact decimals as JSON spells them. A number is sign, digits and a power of ten; nothing is ever
 * rounded to a double, so 0.1 is 0.1, 1 = 1.0 and 1e400 is finite.
 *
 * Digits are borrowed from the spelling. num_parse refuses an exponent of more than 18 digits.
 */
#ifndef SEED_BASE_NUM_H
#define SEED_BASE_NUM_H

#include "runtime/base/str.h"

#define NUM_DIVISOR_DIGITS 64

typedef struct Num {
	bool negative;
	Str digits;      /* from the first to the last non-zero digit, a '.' may stand inside; empty is 0 */
	uint32_t n_digit;  /* digits without the '.' */
	int64_t exp10;   /* value = 0.d1d2d3... x 10^exp10 with d1 != 0 */
} Num;

/* JSON's grammar for numbers, all of s. */
bool num_parse(Str s, Num *out);
int num_cmp(const Num *x, const Num *y);
bool num_is_integer(const Num *x);
bool num_is_zero(const Num *x);
/* x / by is an integer, exactly. by > 0 with at most NUM_DIVISOR_DIGITS digits (else false); signs do
 * not count. Time is linear in x's spelling. */
bool num_is_multiple(const Num *x, const Num *by);
/* Whole and within int64. */
bool num_to_i64(const Num *x, int64_t *out);
/* Nearest double (correctly rounded by strtod), for arithmetic that may round. */
double num_to_double(Str spelled);

#endif
