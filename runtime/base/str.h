/*
 * Str: a borrowed run of bytes, not NUL-terminated, never owned. Whoever made the bytes keeps them
 * alive; a Str copied out of its arena is a bug.
 */
#ifndef SEED_BASE_STR_H
#define SEED_BASE_STR_H

#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#include "runtime/base/arena.h"

typedef struct Str {
	const char *p;
	size_t n;
} Str;

#define STR(lit) ((Str){ (lit), sizeof(lit) - 1 })
#define STR_INIT(lit) { (lit), sizeof(lit) - 1 }
/* printf: "%.*s", STR_ARG(s) */
#define STR_ARG(s) (int)((s).n > INT_MAX ? INT_MAX : (s).n), (s).p

static inline Str str_from(const char *z) { return (Str){ z, z ? strlen(z) : 0 }; }
static inline Str str_range(const char *lo, const char *hi) { return (Str){ lo, (size_t)(hi - lo) }; }
static inline bool str_eq(Str a, Str b) { return a.n == b.n && (!a.n || !memcmp(a.p, b.p, a.n)); }
static inline bool str_is(Str a, const char *z) { return str_eq(a, str_from(z)); }

/* <0, 0, >0 by bytes (UTF-8 code point order). */
int str_cmp(Str a, Str b);
bool str_starts(Str s, Str prefix);
bool str_ends(Str s, Str suffix);
/* Offset of the first needle at or after from; s.n when there is none. */
size_t str_find(Str s, Str needle, size_t from);
/* s[lo, hi), both clamped. */
Str str_sub(Str s, size_t lo, size_t hi);
/* Without ASCII space, tab, LF, CR at both ends. */
Str str_trim(Str s);
/* The next line of *rest without its LF; false when *rest is empty. */
bool str_line(Str *rest, Str *line);

Str str_dup(Arena *a, Str s);
/* NUL-terminated copy; an inner NUL cuts it. */
char *str_z(Arena *a, Str s);
Str str_fmt(Arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
Str str_vfmt(Arena *a, const char *fmt, va_list ap);

/* Damerau-Levenshtein distance capped at max + 1: for "did you mean". */
int str_distance(Str a, Str b, int max);
/* The nearest of the candidates within a third of the word's length (at least 1, at most 3); NULL if none. A word
 * of one byte has none. */
const Str *str_nearest(Str word, const Str *cand, size_t n);

#endif
