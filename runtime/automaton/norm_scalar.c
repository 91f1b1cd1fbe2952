/* What an alternative says of strings, numbers, true, false and null: Dfas; see norm.h. */
#include "runtime/automaton/norm.h"

enum { LENGTH_STATES_MAX = 2000 };

/* ---- strings ---- */

static Dfa *refuse_large(Norms *n, const SchemaNode *at, Keyword k)
{
	norm_refuse(n, at, k, str_fmt(n->a, "'%s' needs more than %d states; make its repeats smaller", schema_keyword_name(k),
		DFA_STATES_MAX));
	return NULL;
}

Dfa *norm_regex_dfa(Norms *n, const SchemaNode *at, Keyword k, const Regex *re)
{
	Dfa *d = pair_get(&n->regex, re, NULL);
	if (!d && !(d = dfa_new_regex(n->a, re)))
		return refuse_large(n, at, k);
	pair_set(n->a, &n->regex, re, NULL, d);
	return d;
}

/* NULL where the format asserts nothing. */
static Dfa *format_dfa(Norms *n, Str name)
{
	static const struct { const char *name, *pattern; } row[] = {
#define FORMAT(name, pattern) { name, pattern },
#include "runtime/automaton/format.def"
	};
	RegexError err;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		if (str_is(name, row[i].name)) {
			if (!n->format[i])
				n->format[i] = dfa_new_regex(n->a, regex_new(n->a, str_from(row[i].pattern), &err));
			return n->format[i];
		}
	return NULL;
}

static Dfa *and_with(Norms *n, Dfa *x, Dfa *y)
{
	if (!x || !y)
		return x ? x : y;
	Dfa *d = dfa_and(n->a, x, y);
	return d ? dfa_minimise(n->a, d) : NULL;
}

/* From every end another symbol leads to an end: every length from the shortest on is there. */
static bool has_every_length(const Dfa *d)
{
	for (uint32_t i = 0; i < d->state.n; i++) {
		const DfaState *s = &d->state.v[i];
		bool goes_on = !s->label;
		for (uint32_t j = 0; j < s->n_edge && !goes_on; j++)
			goes_on = d->state.v[d->edge.v[s->edge + j].to].label;
		if (!goes_on)
			return false;
	}
	return true;
}

Dfa *string_rule_dfa(Arena *a, const StringRule *r)
{
	uint32_t longest = r->max == UINT32_MAX ? r->min : r->max;
	Dfa *d = r->dfa ? r->dfa : dfa_new_any(a);
	if (!longest && r->max == UINT32_MAX)
		return d;
	if (longest > LENGTH_STATES_MAX)
		return NULL;
	d = dfa_and(a, d, dfa_new_length(a, r->min, r->max));
	return d ? dfa_minimise(a, d) : NULL;
}

static void read_lengths(const NormAlt *alt, StringRule *r)
{
	r->max = UINT32_MAX;
	for (uint32_t i = 0; i < alt->node.n; i++) {
		const SchemaNode *s = alt->node.v[i];
		uint64_t min = schema_has(s, KW_MIN_LENGTH) ? s->count[COUNT_MIN_LENGTH] : 0;
		uint64_t max = schema_has(s, KW_MAX_LENGTH) ? s->count[COUNT_MAX_LENGTH] : UINT32_MAX;
		if (min > r->min)
			r->min = min > UINT32_MAX ? UINT32_MAX : (uint32_t)min;
		if (max < r->max)
			r->max = (uint32_t)max;
	}
}

/* Pattern, format and what is denied as one Dfa in *d, NULL if any string will do. False after an error. */
static bool read_string_sets(Norms *n, const NormAlt *alt, Dfa **d)
{
	uint32_t before = n->errs->n;
	for (uint32_t i = 0; i < alt->node.n && n->errs->n == before; i++) {
		const SchemaNode *s = alt->node.v[i];
		Dfa *format = schema_has(s, KW_FORMAT) ? format_dfa(n, s->text[TEXT_FORMAT]) : NULL;
		if (format && !(*d = and_with(n, *d, format)))
			refuse_large(n, s, KW_FORMAT);
		Dfa *pattern = s->regex ? norm_regex_dfa(n, s, KW_PATTERN, s->regex) : NULL;
		if (pattern && !(*d = and_with(n, *d, pattern)))
			refuse_large(n, s, KW_PATTERN);
	}
	for (uint32_t i = 0; i < alt->deny.n && n->errs->n == before; i++) {
		const Denial *deny = &alt->deny.v[i];
		SchemaNodes set = { 0 };
		vec_push(n->a, &set, deny->node);
		Dfa *not = norm_string_dfa(n, deny->owner, deny->keyword, norm_of(n, &set));
		if (!not || dfa_is_empty(not))
			continue;
		*d = dfa_and_not(n->a, *d ? *d : dfa_new_any(n->a), not);
		if (!*d)
			refuse_large(n, deny->owner, deny->keyword);
		else
			*d = dfa_minimise(n->a, *d);
	}
	if (*d && dfa_is_any(*d))
		*d = NULL;
	return n->errs->n == before;
}

static void read_string(Norms *n, NormAlt *alt)
{
	StringRule *r = &alt->string;
	read_lengths(alt, r);
	if (!read_string_sets(n, alt, &r->dfa))
		return;
	if (r->min > r->max || (r->dfa && dfa_is_empty(r->dfa))) {
		alt->types &= ~(unsigned)SCHEMA_STRING;
		return;
	}
	if (!r->dfa || (!r->min && r->max == UINT32_MAX))
		return;
	if (!has_every_length(r->dfa)) {
		Dfa *d = string_rule_dfa(n->a, r);
		if (!d)
			norm_refuse(n, alt->node.v[0], KW_PATTERN, STR("a pattern or format together with a length of thousands is not held"));
		*r = (StringRule){ d, 0, UINT32_MAX };
		if (d && dfa_is_empty(d))
			alt->types &= ~(unsigned)SCHEMA_STRING;
		return;
	}
	if (dfa_distances(n->a, r->dfa)[0] > r->max)
		alt->types &= ~(unsigned)SCHEMA_STRING;
}

static uint32_t choose_any(void *context, const uint32_t *label, uint32_t n)
{
	(void)context;
	for (uint32_t i = 0; i < n; i++)
		if (label[i])
			return 1;
	return 0;
}

Dfa *norm_string_dfa(Norms *n, const SchemaNode *at, Keyword k, uint32_t norm)
{
	VEC(Dfa *) part = { 0 };
	for (uint32_t i = 0; i < n->norm.v[norm]->alt.n; i++) {
		NormAlt *alt = n->norm.v[norm]->alt.v[i];
		norm_read_scalars(n, alt);
		if (!(alt->types & SCHEMA_STRING))
			continue;
		Dfa *d = string_rule_dfa(n->a, &alt->string);
		if (!d)
			return refuse_large(n, at, k);
		vec_push(n->a, &part, d);
	}
	Dfa *d = dfa_product(n->a, part.v, part.n, choose_any, NULL);
	return d ? d : refuse_large(n, at, k);
}

/* ---- numbers ---- */

static void add_bound(Norms *n, NumberRule *r, const SchemaNode *s, Keyword k)
{
	NumberBound b = { s->number[keyword_row[k].slot].num, k == KW_EXCLUSIVE_MINIMUM || k == KW_EXCLUSIVE_MAXIMUM };
	if (!schema_has(s, k))
		return;
	if (k == KW_MINIMUM || k == KW_EXCLUSIVE_MINIMUM)
		vec_push(n->a, &r->min, b);
	else
		vec_push(n->a, &r->max, b);
}

static void read_number_rule(Norms *n, NormAlt *alt)
{
	NumberRule *r = &alt->number_rule;
	r->integer = !(alt->types & SCHEMA_NUMBER);
	r->fraction_only = !(alt->types & SCHEMA_INTEGER);
	for (uint32_t i = 0; i < alt->node.n; i++) {
		const SchemaNode *s = alt->node.v[i];
		for (int k = KW_MINIMUM; k <= KW_EXCLUSIVE_MAXIMUM; k++)
			add_bound(n, r, s, (Keyword)k);
		if (schema_has(s, KW_MULTIPLE_OF))
			vec_push(n->a, &r->multiple, s->number[NUMBER_MULTIPLE_OF].num);
	}
}

/* What the alternative takes, in every spelling that the rule can have. */
static Dfa *spelled_numbers(Norms *n, const NormAlt *alt, const JsonNode *value, uint32_t whole, uint32_t fraction)
{
	NumberRule r = alt->number_rule;
	NumberBound b = { 0 };
	Str why;
	if (alt->deny.n || r.multiple.n)
		return NULL;
	r.by_value = true;
	r.whole = whole;
	r.fraction = fraction;
	if (value) {
		if (!num_parse(value->text, &b.num))
			return NULL;
		vec_push(n->a, &r.min, b);
		vec_push(n->a, &r.max, b);
	}
	return dfa_new_number(n->a, &r, &why);
}

static bool deny_numbers(Norms *n, NormAlt *alt, const Denial *deny, uint32_t whole, uint32_t fraction)
{
	SchemaNodes set = { 0 };
	vec_push(n->a, &set, deny->node);
	uint32_t id = norm_of(n, &set);
	const Norm *norm = n->norm.v[id];
	for (uint32_t i = 0; i < norm->alt.n; i++) {
		NormAlt *other = norm->alt.v[i];
		norm_read_scalars(n, other);
		for (uint32_t j = 0; j < (other->has_values ? other->value.n : 1); j++) {
			const JsonNode *value = other->has_values ? other->value.v[j] : NULL;
			if (!(other->types & (SCHEMA_INTEGER | SCHEMA_NUMBER)) || (value && value->kind != JSON_NUMBER))
				continue;
			Dfa *not = spelled_numbers(n, other, value, whole, fraction);
			if (!not || !(alt->number = dfa_and_not(n->a, alt->number, not)))
				return false;
		}
	}
	alt->number = dfa_minimise(n->a, alt->number);
	return true;
}

/* The two that most schemas need, once. */
static Dfa *plain_number(Norms *n, const NumberRule *r, Str *why)
{
	Dfa **kept = r->integer ? &n->any_integer : &n->any_number;
	if (r->fraction_only || r->min.n || r->max.n || r->multiple.n || r->whole)
		return dfa_new_number(n->a, r, why);
	if (!*kept)
		*kept = dfa_new_number(n->a, r, why);
	return *kept;
}

static void read_number(Norms *n, NormAlt *alt)
{
	Str why = { 0 };
	uint32_t whole, fraction;
	read_number_rule(n, alt);
	number_rule_digits(&alt->number_rule, &whole, &fraction);
	if (alt->deny.n) {  /* no exponents: what is denied is compared without */
		alt->number_rule.whole = whole;
		alt->number_rule.fraction = fraction;
	}
	alt->number = plain_number(n, &alt->number_rule, &why);
	if (!alt->number) {
		norm_refuse(n, alt->node.v[0], alt->number_rule.multiple.n ? KW_MULTIPLE_OF : KW_COUNT, why);
		return;
	}
	for (uint32_t i = 0; i < alt->deny.n; i++)
		if (!deny_numbers(n, alt, &alt->deny.v[i], whole, fraction)) {
			norm_refuse(n, alt->deny.v[i].owner, alt->deny.v[i].keyword,
				STR("numbers are denied by type, bounds and values only, not by multipleOf or by what denies again"));
			return;
		}
	if (dfa_is_empty(alt->number))
		alt->types &= ~(unsigned)(SCHEMA_INTEGER | SCHEMA_NUMBER);
}

/* ---- values ---- */

/* Of literals it does not matter which one it was. */
static Dfa *one_label(Norms *n, Dfa *d)
{
	for (uint32_t i = 0; i < d->state.n; i++)
		d->state.v[i].label = d->state.v[i].label != 0;
	return dfa_is_empty(d) ? d : dfa_minimise(n->a, d);
}

static void read_values(Norms *n, NormAlt *alt)
{
	VEC(Str) string = { 0 }, number = { 0 };
	for (uint32_t i = 0; i < alt->value.n; i++) {
		const JsonNode *x = alt->value.v[i];
		if (x->text.n > NORM_LITERAL_MAX)
			norm_refuse(n, alt->node.v[0], KW_ENUM, str_fmt(n->a, "a value of more than %d bytes is not held", NORM_LITERAL_MAX));
		else if (x->kind == JSON_STRING)
			vec_push(n->a, &string, x->text);
		else if (x->kind == JSON_NUMBER)
			vec_push(n->a, &number, x->text);
		alt->is_true_ok |= x->kind == JSON_BOOL && x->truth;
		alt->is_false_ok |= x->kind == JSON_BOOL && !x->truth;
	}
	alt->string = (StringRule){ one_label(n, dfa_new_literals(n->a, string.v, string.n, DFA_CODE_POINTS)), 0, UINT32_MAX };
	alt->number = one_label(n, dfa_new_literals(n->a, number.v, number.n, DFA_BYTES));
}

static void read_words(Norms *n, NormAlt *alt)
{
	alt->is_true_ok = norm_allows(n, alt, json_new_bool(n->a, true));
	alt->is_false_ok = norm_allows(n, alt, json_new_bool(n->a, false));
	if (!alt->is_true_ok && !alt->is_false_ok)
		alt->types &= ~(unsigned)SCHEMA_BOOLEAN;
}

void norm_read_scalars(Norms *n, NormAlt *alt)
{
	if (alt->scalars_read)
		return;
	alt->scalars_read = true;
	if (alt->has_values) {
		read_values(n, alt);
		return;
	}
	if (alt->types & SCHEMA_STRING)
		read_string(n, alt);
	if (alt->types & (SCHEMA_INTEGER | SCHEMA_NUMBER))
		read_number(n, alt);
	if (alt->types & SCHEMA_BOOLEAN)
		read_words(n, alt);
	if ((alt->types & SCHEMA_NULL) && alt->deny.n && !norm_allows(n, alt, json_new(n->a, JSON_NULL)))
		alt->types &= ~(unsigned)SCHEMA_NULL;
}
