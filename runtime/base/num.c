/* Num: exact decimals. The idea: strip zeros at both ends once, then order and integrality are
 * questions about digit strings and one exponent.
 *
 * Divisibility works on the divisor's digits only (at most NUM_DIVISOR_DIGITS of them), one digit of
 * the dividend at a time, so cost is linear in the spelling. */
#include "runtime/base/num.h"

#include <stdlib.h>

enum { EXP_DIGITS_MAX = 18 };

static bool is_digit(Str s, size_t i)
{
	return i < s.n && s.p[i] >= '0' && s.p[i] <= '9';
}

/* Exponent part at i, if any; -1 on bad grammar or a magnitude past 18 digits, else the new index. */
static ptrdiff_t parse_exponent(Str s, size_t i, int64_t *exp10)
{
	*exp10 = 0;
	if (i == s.n || (s.p[i] != 'e' && s.p[i] != 'E'))
		return (ptrdiff_t)i;
	bool minus = ++i < s.n && s.p[i] == '-';
	if (i < s.n && (s.p[i] == '-' || s.p[i] == '+'))
		i++;
	if (!is_digit(s, i))
		return -1;
	while (i + 1 < s.n && s.p[i] == '0')
		i++;
	size_t from = i;
	for (; is_digit(s, i); i++) {
		if (i - from == EXP_DIGITS_MAX)
			return -1;
		*exp10 = *exp10 * 10 + (s.p[i] - '0');
	}
	if (minus)
		*exp10 = -*exp10;
	return (ptrdiff_t)i;
}

bool num_parse(Str s, Num *out)
{
	*out = (Num){ 0 };
	size_t i = 0, n_int, dot;
	if (s.n && s.p[0] == '-') {
		out->negative = true;
		i++;
	}
	size_t lo = i;
	while (is_digit(s, i))
		i++;
	n_int = i - lo;
	if (!n_int || (n_int > 1 && s.p[lo] == '0'))
		return false;
	dot = i;
	if (i < s.n && s.p[i] == '.') {
		if (!is_digit(s, ++i))
			return false;
		while (is_digit(s, i))
			i++;
	}
	size_t hi = i;
	int64_t exp10;
	ptrdiff_t end = parse_exponent(s, i, &exp10);
	if (end != (ptrdiff_t)s.n)
		return false;
	while (lo < hi && (s.p[lo] == '0' || s.p[lo] == '.'))
		lo++;
	while (hi > lo && (s.p[hi - 1] == '0' || s.p[hi - 1] == '.'))
		hi--;
	if (lo == hi) {
		out->negative = false;
		return true;
	}
	out->digits = str_sub(s, lo, hi);
	out->n_digit = (uint32_t)(hi - lo - (lo < dot && dot < hi));
	out->exp10 = exp10 + (lo < dot ? (int64_t)(dot - lo) : -(int64_t)(lo - dot - 1));
	return true;
}

typedef struct DigitCursor {
	Str s;
	size_t at;
} DigitCursor;

/* -1 past the end. */
static int next_digit(DigitCursor *c)
{
	if (c->at < c->s.n && c->s.p[c->at] == '.')
		c->at++;
	return c->at < c->s.n ? c->s.p[c->at++] - '0' : -1;
}

static int cmp_digits(Str x, Str y)
{
	DigitCursor a = { x, 0 }, b = { y, 0 };
	for (;;) {
		int da = next_digit(&a), db = next_digit(&b);
		if (da != db)
			return da < db ? -1 : 1;
		if (da < 0)
			return 0;
	}
}

static int sign_of(const Num *x)
{
	return !x->digits.n ? 0 : x->negative ? -1 : 1;
}

int num_cmp(const Num *x, const Num *y)
{
	int sx = sign_of(x), sy = sign_of(y);
	if (sx != sy)
		return sx < sy ? -1 : 1;
	if (!sx)
		return 0;
	if (x->exp10 != y->exp10)
		return x->exp10 < y->exp10 ? -sx : sx;
	return sx * cmp_digits(x->digits, y->digits);
}

bool num_is_zero(const Num *x)
{
	return !x->digits.n;
}

bool num_is_integer(const Num *x)
{
	return !x->digits.n || x->exp10 >= (int64_t)x->n_digit;
}

/* A remainder in base ten, most significant digit first, one digit wider than the divisor. */
typedef struct Remainder {
	int8_t d[NUM_DIVISOR_DIGITS + 1], by[NUM_DIVISOR_DIGITS + 1];
	uint32_t n;
} Remainder;

static void take_digit(Remainder *r, int digit)
{
	memmove(r->d, r->d + 1, r->n - 1);
	r->d[r->n - 1] = (int8_t)digit;
	while (memcmp(r->d, r->by, r->n) >= 0) {
		int borrow = 0;
		for (uint32_t i = r->n; i-- > 0;) {
			int v = r->d[i] - r->by[i] - borrow;
			borrow = v < 0;
			r->d[i] = (int8_t)(borrow ? v + 10 : v);
		}
	}
}

bool num_is_multiple(const Num *x, const Num *by)
{
	if (!x->digits.n)
		return true;
	if (!by->digits.n || by->n_digit > NUM_DIVISOR_DIGITS)
		return false;
	/* x = X * 10^ex, by = B * 10^eb, X and B whole and not divisible by ten */
	int64_t zeros = (x->exp10 - (int64_t)x->n_digit) - (by->exp10 - (int64_t)by->n_digit);
	if (zeros < 0)
		return false;
	/* 10^k with k past B's bits holds every 2 and 5 of B: more zeros change nothing */
	if (zeros > 4 * (int64_t)by->n_digit)
		zeros = 4 * (int64_t)by->n_digit;
	Remainder r = { .n = by->n_digit + 1 };
	DigitCursor c = { by->digits, 0 };
	for (uint32_t i = 1; i < r.n; i++)
		r.by[i] = (int8_t)next_digit(&c);
	c = (DigitCursor){ x->digits, 0 };
	for (int d; (d = next_digit(&c)) >= 0;)
		take_digit(&r, d);
	while (zeros-- > 0)
		take_digit(&r, 0);
	for (uint32_t i = 0; i < r.n; i++)
		if (r.d[i])
			return false;
	return true;
}

bool num_to_i64(const Num *x, int64_t *out)
{
	*out = 0;
	if (!x->digits.n)
		return true;
	if (!num_is_integer(x) || x->exp10 > 19)
		return false;
	DigitCursor c = { x->digits, 0 };
	uint64_t v = 0, limit = x->negative ? (uint64_t)INT64_MAX + 1 : (uint64_t)INT64_MAX;
	for (int64_t i = 0; i < x->exp10; i++) {
		int d = next_digit(&c);
		if (d < 0)
			d = 0;
		if (v > (limit - (uint64_t)d) / 10)
			return false;
		v = v * 10 + (uint64_t)d;
	}
	*out = x->negative ? (int64_t)(0 - v) : (int64_t)v;
	return true;
}

double num_to_double(Str spelled)
{
	Arena scratch = { 0 };
	double v = strtod(str_z(&scratch, spelled), NULL);
	arena_free(&scratch);
	return v;
}
