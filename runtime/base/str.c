/* Str: see str.h. */
#include "runtime/base/str.h"

#include <stdio.h>

int str_cmp(Str a, Str b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int c = n ? memcmp(a.p, b.p, n) : 0;
	if (c)
		return c;
	return a.n < b.n ? -1 : a.n > b.n;
}

bool str_starts(Str s, Str prefix)
{
	return s.n >= prefix.n && (!prefix.n || !memcmp(s.p, prefix.p, prefix.n));
}

bool str_ends(Str s, Str suffix)
{
	return s.n >= suffix.n && (!suffix.n || !memcmp(s.p + s.n - suffix.n, suffix.p, suffix.n));
}

size_t str_find(Str s, Str needle, size_t from)
{
	if (!needle.n)
		return from <= s.n ? from : s.n;
	while (from + needle.n <= s.n) {
		const char *hit = memchr(s.p + from, needle.p[0], s.n - needle.n - from + 1);
		if (!hit)
			return s.n;
		if (!memcmp(hit, needle.p, needle.n))
			return (size_t)(hit - s.p);
		from = (size_t)(hit - s.p) + 1;
	}
	return s.n;
}

Str str_sub(Str s, size_t lo, size_t hi)
{
	if (hi > s.n)
		hi = s.n;
	if (lo > hi)
		lo = hi;
	return (Str){ lo ? s.p + lo : s.p, hi - lo };  /* no arithmetic on NULL */
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

Str str_trim(Str s)
{
	while (s.n && is_space(s.p[0]))
		s.p++, s.n--;
	while (s.n && is_space(s.p[s.n - 1]))
		s.n--;
	return s;
}

bool str_line(Str *rest, Str *line)
{
	if (!rest->n)
		return false;
	const char *lf = memchr(rest->p, '\n', rest->n);
	line->p = rest->p;
	line->n = lf ? (size_t)(lf - rest->p) : rest->n;
	size_t step = line->n + (lf != NULL);
	rest->p += step;
	rest->n -= step;
	return true;
}

Str str_dup(Arena *a, Str s)
{
	return (Str){ arena_dup(a, s.p, s.n), s.n };
}

char *str_z(Arena *a, Str s)
{
	char *z = arena_alloc(a, s.n + 1);
	if (s.n)
		memcpy(z, s.p, s.n);
	return z;
}

Str str_vfmt(Arena *a, const char *fmt, va_list ap)
{
	va_list again;
	va_copy(again, ap);
	int n = vsnprintf(NULL, 0, fmt, ap);
	if (n < 0)
		n = 0;
	char *z = arena_alloc(a, (size_t)n + 1);
	vsnprintf(z, (size_t)n + 1, fmt, again);
	va_end(again);
	return (Str){ z, (size_t)n };
}

Str str_fmt(Arena *a, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	Str s = str_vfmt(a, fmt, ap);
	va_end(ap);
	return s;
}

enum { NEAR_LEN_MAX = 64 };

int str_distance(Str a, Str b, int max)
{
	if (a.n > NEAR_LEN_MAX || b.n > NEAR_LEN_MAX)
		return max + 1;
	int row[3][NEAR_LEN_MAX + 1];
	int *before = row[0], *prev = row[1], *cur = row[2];
	for (size_t j = 0; j <= b.n; j++)
		prev[j] = (int)j;
	for (size_t i = 1; i <= a.n; i++) {
		cur[0] = (int)i;
		for (size_t j = 1; j <= b.n; j++) {
			int d = prev[j - 1] + (a.p[i - 1] != b.p[j - 1]);
			if (prev[j] + 1 < d)
				d = prev[j] + 1;
			if (cur[j - 1] + 1 < d)
				d = cur[j - 1] + 1;
			bool swap = i > 1 && j > 1 && a.p[i - 1] == b.p[j - 2] && a.p[i - 2] == b.p[j - 1];
			if (swap && before[j - 2] + 1 < d)
				d = before[j - 2] + 1;
			cur[j] = d;
		}
		int *t = before;
		before = prev;
		prev = cur;
		cur = t;
	}
	return prev[b.n] > max ? max + 1 : prev[b.n];
}

const Str *str_nearest(Str word, const Str *cand, size_t n)
{
	/* one edit makes any letter of any other */
	int max = word.n < 2 ? 0 : word.n < 6 ? 1 : word.n < 9 ? 2 : 3;
	const Str *best = NULL;
	int best_d = max + 1;
	for (size_t i = 0; i < n; i++) {
		int d = str_distance(word, cand[i], max);
		if (d < best_d)
			best_d = d, best = &cand[i];
	}
	return best;
}
