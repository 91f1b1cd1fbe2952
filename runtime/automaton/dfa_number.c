/* Numbers digit by digit. One state of the Dfa is what has been read: the phase, how many digits, for each
 * bound how the digits so far compare with its own, for each multipleOf a remainder. Bounds and multiples
 * need the digits' place: where there is one, no exponent is taken. */
#include "runtime/automaton/dfa_number.h"

enum { PARTS_MAX = 8, DIGITS = 20, BOUND_DIGITS_MAX = 400, DIVISOR_MAX = 100000 };

typedef enum Phase { AT_START, AT_SIGN, IN_ZERO, IN_WHOLE, AT_POINT, IN_FRACTION, AT_E, AT_E_SIGN, IN_EXPONENT } Phase;

/* How what was read compares with a bound's digits at the same places. Before the point, of the same many digits. */
enum { BELOW, SAME, ABOVE };

/* One state, as words. */
typedef struct Reading {
	uint32_t phase, negative, n_digit, nonzero;  /* n_digit: of this phase; nonzero: some digit behind the point is */
	uint32_t cmp[PARTS_MAX], rest[PARTS_MAX];
} Reading;

enum { READING_WORDS = sizeof(Reading) / sizeof(uint32_t) };

typedef struct Bound {
	bool is_min, exclusive, negative;
	Words whole, fraction;  /* digits; whole without leading zeros, "0" is none */
} Bound;

typedef struct Multiple { uint32_t divisor, places; } Multiple;  /* divisor / 10^places */

typedef struct Numbers {
	Arena *a;
	const NumberRule *rule;
	Bound bound[PARTS_MAX];
	Multiple multiple[PARTS_MAX];
	uint32_t n_bound, n_multiple, whole_max, fraction_max;
	bool has_exponent;
} Numbers;

/* ---- rules ---- */

static void read_bound(Numbers *n, const NumberBound *b, bool is_min)
{
	Bound *out = &n->bound[n->n_bound++];
	*out = (Bound){ .is_min = is_min, .exclusive = b->exclusive, .negative = b->num.negative && b->num.digits.n };
	for (int64_t i = b->num.exp10; b->num.digits.n && i < 0; i++)
		vec_push(n->a, &out->fraction, 0);
	int64_t place = 0;
	for (size_t i = 0; i < b->num.digits.n; i++) {
		if (b->num.digits.p[i] == '.')
			continue;
		uint32_t d = (uint32_t)(b->num.digits.p[i] - '0');
		if (place++ < b->num.exp10)
			vec_push(n->a, &out->whole, d);
		else
			vec_push(n->a, &out->fraction, d);
	}
	for (; b->num.digits.n && place < b->num.exp10; place++)
		vec_push(n->a, &out->whole, 0);
}

void number_rule_digits(const NumberRule *r, uint32_t *whole, uint32_t *fraction)
{
	*whole = r->whole > DIGITS ? r->whole : DIGITS;
	*fraction = r->fraction > DIGITS ? r->fraction : DIGITS;
	for (uint32_t i = 0; i < r->min.n + r->max.n; i++) {
		const Num *x = i < r->min.n ? &r->min.v[i].num : &r->max.v[i - r->min.n].num;
		int64_t behind = (int64_t)x->n_digit - x->exp10;
		if (x->exp10 >= *whole && x->exp10 <= BOUND_DIGITS_MAX)
			*whole = (uint32_t)x->exp10 + 1;
		if (behind >= *fraction && behind <= 2 * BOUND_DIGITS_MAX)
			*fraction = (uint32_t)behind + 1;
	}
}

static bool is_long(const Num *x)
{
	return x->n_digit > BOUND_DIGITS_MAX || x->exp10 > BOUND_DIGITS_MAX || x->exp10 < -BOUND_DIGITS_MAX;
}

static bool read_multiple(Numbers *n, const Num *x)
{
	Multiple *m = &n->multiple[n->n_multiple++];
	int64_t power = x->exp10 - (int64_t)x->n_digit;
	uint64_t v = 0;
	for (size_t i = 0; i < x->digits.n && v <= DIVISOR_MAX; i++)
		if (x->digits.p[i] != '.')
			v = v * 10 + (uint64_t)(x->digits.p[i] - '0');
	for (; power > 0 && v <= DIVISOR_MAX; power--)
		v *= 10;
	if (v > DIVISOR_MAX || power < -DIGITS)
		return false;
	*m = (Multiple){ (uint32_t)v, (uint32_t)-power };
	if (!n->rule->integer && n->n_multiple == 1)
		n->fraction_max = 0;
	if (!n->rule->integer && m->places > n->fraction_max)
		n->fraction_max = m->places;
	return true;
}

static bool read_rule(Numbers *n, Str *why)
{
	const NumberRule *r = n->rule;
	number_rule_digits(r, &n->whole_max, &n->fraction_max);
	n->has_exponent = !r->integer && !r->fraction_only && !r->by_value && !r->whole && !r->min.n && !r->max.n && !r->multiple.n;
	if (r->min.n + r->max.n > PARTS_MAX || r->multiple.n > PARTS_MAX) {
		*why = STR("more bounds on one number than can be held");
		return false;
	}
	for (uint32_t i = 0; i < r->multiple.n; i++)
		if (!read_multiple(n, &r->multiple.v[i])) {
			*why = STR("multipleOf is held up to 100000 times a power of ten down to 1e-20 only");
			return false;
		}
	for (uint32_t i = 0; i < r->min.n + r->max.n; i++) {
		const NumberBound *b = i < r->min.n ? &r->min.v[i] : &r->max.v[i - r->min.n];
		if (is_long(&b->num)) {
			*why = STR("bounds are held up to 400 digits only");
			return false;
		}
		read_bound(n, b, i < r->min.n);
	}
	return true;
}

/* ---- digits ---- */

static uint32_t digit_of(const Words *w, uint32_t i) { return i < w->n ? w->v[i] : 0; }

static void take_digit(const Numbers *n, Reading *x, uint32_t digit)
{
	for (uint32_t i = 0; i < n->n_bound; i++) {
		const Bound *b = &n->bound[i];
		uint32_t want = digit_of(x->phase == IN_FRACTION ? &b->fraction : &b->whole, x->n_digit);
		if (x->cmp[i] == SAME)
			x->cmp[i] = digit < want ? BELOW : digit > want ? ABOVE : SAME;
	}
	for (uint32_t i = 0; i < n->n_multiple; i++)
		x->rest[i] = (uint32_t)(((uint64_t)x->rest[i] * 10 + digit) % n->multiple[i].divisor);
	x->n_digit++;
}

/* The whole part is complete: more digits are a larger number. */
static void end_whole(const Numbers *n, Reading *x)
{
	uint32_t length = x->phase == IN_ZERO ? 0 : x->n_digit;
	for (uint32_t i = 0; i < n->n_bound; i++)
		if (length != n->bound[i].whole.n)
			x->cmp[i] = length < n->bound[i].whole.n ? BELOW : ABOVE;
	x->n_digit = 0;
}

static bool holds_bound(const Reading *x, const Bound *b, uint32_t i)
{
	uint32_t cmp = x->cmp[i];
	for (uint32_t j = x->n_digit; j < b->fraction.n && cmp == SAME; j++)  /* what it has further is more than nothing */
		if (b->fraction.v[j])
			cmp = BELOW;
	bool is_zero = !b->whole.n && !b->fraction.n;
	if (cmp == SAME && (x->negative == b->negative || is_zero))
		return !b->exclusive;
	bool greater = x->negative != b->negative ? b->negative : (cmp == ABOVE) != b->negative;
	return greater == b->is_min;
}

static bool holds_multiple(const Numbers *n, const Reading *x, uint32_t i, uint32_t n_fraction)
{
	uint64_t rest = x->rest[i];
	if (n_fraction > n->multiple[i].places)  /* another multipleOf has more places */
		return false;
	for (uint32_t j = n_fraction; j < n->multiple[i].places; j++)
		rest = rest * 10 % n->multiple[i].divisor;
	return !rest;
}

static bool is_complete(const Numbers *n, Reading x)
{
	uint32_t phase = x.phase, n_fraction = phase == IN_FRACTION ? x.n_digit : 0;
	if (phase == IN_EXPONENT)
		return true;
	if (phase != IN_ZERO && phase != IN_WHOLE && phase != IN_FRACTION)
		return false;
	if (n->rule->fraction_only ? !x.nonzero : n->rule->integer && x.nonzero)
		return false;
	if (phase != IN_FRACTION)
		end_whole(n, &x);
	for (uint32_t i = 0; i < n->n_bound; i++)
		if (!holds_bound(&x, &n->bound[i], i))
			return false;
	for (uint32_t i = 0; i < n->n_multiple; i++)
		if (!holds_multiple(n, &x, i, n_fraction))
			return false;
	return true;
}

static bool step_digit(const Numbers *n, Reading *x, uint32_t digit)
{
	switch (x->phase) {
	case AT_START: case AT_SIGN:
		if (!digit && x->phase == AT_SIGN && n->rule->integer && !n->rule->by_value)
			return false;
		x->phase = digit ? IN_WHOLE : IN_ZERO;
		if (digit)
			take_digit(n, x, digit);
		return true;
	case IN_WHOLE:
		if (x->n_digit >= n->whole_max)
			return false;
		take_digit(n, x, digit);
		return true;
	case AT_POINT: case IN_FRACTION:
		if (x->n_digit >= n->fraction_max)
			return false;
		x->phase = IN_FRACTION;
		x->nonzero |= digit > 0;
		take_digit(n, x, digit);
		return true;
	case AT_E: case AT_E_SIGN: case IN_EXPONENT:
		x->phase = IN_EXPONENT;
		return x->n_digit++ < 3;
	}
	return false;
}

static bool step(const Numbers *n, Reading *x, uint32_t byte)
{
	if (byte >= '0' && byte <= '9')
		return step_digit(n, x, byte - '0');
	if (byte == '-' && x->phase == AT_START) {
		x->phase = AT_SIGN;
		x->negative = 1;
		return true;
	}
	if (byte == '.' && (x->phase == IN_ZERO || x->phase == IN_WHOLE) && n->fraction_max
		&& (!n->rule->integer || n->rule->by_value)) {
		end_whole(n, x);
		x->phase = AT_POINT;
		return true;
	}
	bool has_digits = x->phase == IN_ZERO || x->phase == IN_WHOLE || x->phase == IN_FRACTION;
	if ((byte | 32) == 'e' && has_digits && n->has_exponent) {
		*x = (Reading){ .phase = AT_E };
		return true;
	}
	if ((byte == '-' || byte == '+') && x->phase == AT_E) {
		x->phase = AT_E_SIGN;
		return true;
	}
	return false;
}

Dfa *dfa_new_number(Arena *a, const NumberRule *rule, Str *why)
{
	static const char bytes[] = "+-.0123456789Ee";
	Numbers n = { .a = a, .rule = rule };
	Interner in = { 0 };
	Dfa *d = arena_new(a, Dfa);
	Reading x = { .phase = AT_START }, next;
	if (!read_rule(&n, why))
		return NULL;
	for (uint32_t i = 0; i < n.n_bound; i++)
		x.cmp[i] = SAME;
	intern_add(a, &in, (const uint32_t *)&x, READING_WORDS);
	for (uint32_t i = 0, n_word; i < intern_count(&in); i++) {
		if (i >= DFA_STATES_MAX) {
			*why = STR("bounds and multipleOf together need more states than can be held");
			return NULL;
		}
		memcpy(&x, intern_get(&in, i, &n_word), sizeof x);
		dfa_begin_state(a, d, is_complete(&n, x));
		for (const char *b = bytes; *b; b++) {
			next = x;
			if (step(&n, &next, (unsigned char)*b))
				dfa_add_edge(a, d, (unsigned char)*b, (unsigned char)*b, intern_add(a, &in, (const uint32_t *)&next, READING_WORDS));
		}
	}
	return dfa_minimise(a, dfa_prune(a, d));
}
