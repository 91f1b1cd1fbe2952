/*
 * Regex: ECMA-262 patterns (the `u` flag's reading) as JSON Schema, `text ~ "..."` and conditions use
 * them. A Thompson automaton over code points, run in lock step: time is pattern x text, never more.
 *
 * Backreferences, look-around and what the syntax does not know are refused by name with an offset;
 * nothing is ever weakened silently. Search semantics: unanchored unless the pattern says ^ or $.
 */
#ifndef SEED_BASE_REGEX_H
#define SEED_BASE_REGEX_H

#include "runtime/base/str.h"

#define REGEX_DEPTH_MAX 200      /* nested groups */
#define REGEX_STATES_MAX 100000  /* after counted repeats are written out */

typedef struct Regex Regex;

typedef struct RegexError {
	Str message;
	uint32_t offset;  /* byte in the pattern */
} RegexError;

/* NULL on error. The pattern must outlive the arena's use. */
Regex *regex_new(Arena *a, Str pattern, RegexError *err);
/* True if the pattern matches somewhere in text. Invalid UTF-8 never matches. */
bool regex_search(const Regex *re, Str text);
/* Leftmost-longest match at or after from: its bytes in *lo, *hi. */
bool regex_find(const Regex *re, Str text, size_t from, size_t *lo, size_t *hi);

#endif
