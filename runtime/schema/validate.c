/* Value against schema. Two passes: a quiet one that only answers and stops at the first failure, and,
 * if it fails and someone wants to know, one that reports and enters only what failed.
 *
 * note [never exponential] The quiet pass remembers its answer per ($ref target, value), so shared and
 * recursive schemas cost once per value; the reporting pass stops at ISSUES_MAX and asks the quiet one
 * before it enters a $ref. Depth is capped: schema_check has removed loops that never enter the value. */
#include "runtime/base/utf8.h"
#include "runtime/schema/format.h"
#include "runtime/schema/node.h"

#include <stdlib.h>

enum { ISSUES_MAX = 100, CHECK_DEPTH_MAX = 1500, LIST_SHOWN_MAX = 10, TEXT_SHOWN_MAX = 60 };

typedef struct Validator {
	Arena *a;
	Arena scratch;
	unsigned mode;
	SchemaIssues *issues;  /* NULL: quiet */
	Buf instance, schema;  /* pointers, kept only while reporting */
	PairMap memo;
	uint32_t depth;
	bool too_deep;
} Validator;

static const char yes, no;  /* memo answers; only their addresses count */

static bool check(Validator *v, const SchemaNode *s, const JsonNode *x);

static bool check_quietly(Validator *v, const SchemaNode *s, const JsonNode *x)
{
	SchemaIssues *issues = v->issues;
	v->issues = NULL;
	bool ok = check(v, s, x);
	v->issues = issues;
	return ok;
}

/* ---- saying what is wrong ---- */

static bool is_full(const Validator *v)
{
	return v->issues && v->issues->n >= ISSUES_MAX;
}

static void report(Validator *v, const SchemaNode *s, Keyword k, const JsonNode *at, Str message)
{
	size_t n = v->schema.n;
	if (is_full(v))
		return;
	if (k < KW_COUNT)
		json_pointer_put(&v->schema, keyword_row[k].spelling);
	vec_push(v->a, v->issues, (SchemaIssue){
		.message = message, .instance = str_dup(v->a, buf_str(&v->instance)), .schema = str_dup(v->a, buf_str(&v->schema)),
		.lo = at->lo, .hi = at->hi, .node = s, .keyword = k });
	v->schema.n = n;
}

/* False, after a report when one is wanted. */
#define FAIL(v, s, k, at, ...) \
	((v)->issues ? report((v), (s), (k), (at), str_fmt((v)->a, __VA_ARGS__)) : (void)0, false)

/* The value on one short line. */
static Str shown(Validator *v, const JsonNode *x)
{
	Buf b = { 0 };
	if (x->kind == JSON_ARRAY || x->kind == JSON_OBJECT) {
		Str what = str_from(json_kind_name(x->kind));
		return str_fmt(v->a, "an %.*s", STR_ARG(what));
	}
	json_write(&b, x, JSON_AS_IS);
	Str s = buf_str(&b);
	if (s.n > TEXT_SHOWN_MAX) {
		size_t cut = TEXT_SHOWN_MAX;
		while (cut && ((unsigned char)s.p[cut] & 0xC0) == 0x80)
			cut--;
		s = str_fmt(v->a, "%.*s…%s", (int)cut, s.p, x->kind == JSON_STRING ? "\"" : "");
	} else {
		s = str_dup(v->a, s);
	}
	buf_free(&b);
	return s;
}

static Str shown_list(Validator *v, JsonNode *const *value, uint32_t n)
{
	Buf b = { 0 };
	for (uint32_t i = 0; i < n && i < LIST_SHOWN_MAX; i++) {
		if (i)
			buf_lit(&b, ", ");
		buf_put(&b, shown(v, value[i]));
	}
	if (n > LIST_SHOWN_MAX)
		buf_printf(&b, " or %u more", n - LIST_SHOWN_MAX);
	Str s = str_dup(v->a, buf_str(&b));
	buf_free(&b);
	return s;
}

static Str shown_types(Validator *v, unsigned types)
{
	Buf b = { 0 };
	for (unsigned t = SCHEMA_BOOLEAN; t <= SCHEMA_OBJECT; t <<= 1)
		if (types & t)
			buf_printf(&b, "%s%s %s", b.n ? " or " : "",
				t == SCHEMA_INTEGER || t == SCHEMA_ARRAY || t == SCHEMA_OBJECT ? "an" : "a", schema_type_name((SchemaType)t));
	if (types & SCHEMA_NULL)
		buf_printf(&b, "%snull", b.n ? " or " : "");
	Str s = str_dup(v->a, buf_str(&b));
	buf_free(&b);
	return s;
}

/* ---- into parts ---- */

static void push(Buf *b, Str token, bool wanted)
{
	if (wanted && token.p)
		json_pointer_put(b, token);
}

/* Checks kid of s (under keyword k, at token or index) against x, which stands at inst in the value. */
static bool check_kid(Validator *v, const SchemaNode *kid, Keyword k, Str token, const JsonNode *x, Str inst)
{
	size_t n_schema = v->schema.n, n_instance = v->instance.n;
	push(&v->schema, keyword_row[k].spelling, v->issues);
	push(&v->schema, token, v->issues);
	push(&v->instance, inst, v->issues);
	bool ok = check(v, kid, x);
	v->schema.n = n_schema;
	v->instance.n = n_instance;
	return ok;
}

static Str index_token(Validator *v, uint32_t i)
{
	return v->issues ? str_fmt(&v->scratch, "%u", i) : (Str){ 0 };
}

/* Go on after a failure only while reporting. */
static bool goes_on(const Validator *v, bool ok)
{
	return ok || (v->issues && !is_full(v));
}

/* ---- keywords by type of value ---- */

static bool check_type(Validator *v, const SchemaNode *s, const JsonNode *x)
{
	if (schema_type_set(s) & schema_type_set_of(x))
		return true;
	Str want = v->issues ? shown_types(v, s->types) : (Str){ 0 }, got = v->issues ? shown(v, x) : want;
	return FAIL(v, s, KW_TYPE, x, "must be %.*s; it is %.*s", STR_ARG(want), STR_ARG(got));
}

static bool check_values(Validator *v, const SchemaNode *s, const JsonNode *x)
{
	if (schema_has(s, KW_CONST) && !json_equal(s->value[VALUE_CONST], x)) {
		Str want = v->issues ? shown(v, s->value[VALUE_CONST]) : (Str){ 0 };
		return FAIL(v, s, KW_CONST, x, "must be %.*s", STR_ARG(want));
	}
	if (!schema_has(s, KW_ENUM))
		return true;
	for (uint32_t i = 0; i < s->enum_value.n; i++)
		if (json_equal(s->enum_value.v[i], x))
			return true;
	if (!v->issues)
		return false;
	Str want = shown_list(v, s->enum_value.v, s->enum_value.n), got = shown(v, x);
	return FAIL(v, s, KW_ENUM, x, "must be one of %.*s; it is %.*s", STR_ARG(want), STR_ARG(got));
}

/* min and max of how many there are; what names the things counted. */
static bool check_count(Validator *v, const SchemaNode *s, Keyword min, Keyword max, uint64_t n, const char *what,
                        const JsonNode *at)
{
	uint64_t lo = s->count[keyword_row[min].slot], hi = s->count[keyword_row[max].slot];
	if (schema_has(s, min) && n < lo)
		return FAIL(v, s, min, at, "must have at least %llu %s; it has %llu", (unsigned long long)lo, what,
			(unsigned long long)n);
	if (schema_has(s, max) && n > hi)
		return FAIL(v, s, max, at, "must have at most %llu %s; it has %llu", (unsigned long long)hi, what,
			(unsigned long long)n);
	return true;
}

static bool check_string(Validator *v, const SchemaNode *s, const JsonNode *x)
{
	bool ok = true;
	if (s->present & (KW_BIT(MIN_LENGTH) | KW_BIT(MAX_LENGTH)))
		ok = check_count(v, s, KW_MIN_LENGTH, KW_MAX_LENGTH, utf8_count(x->text), "characters", x);
	if (goes_on(v, ok) && s->regex && !regex_search(s->regex, x->text))
		ok = FAIL(v, s, KW_PATTERN, x, "must match the pattern %.*s", STR_ARG(s->pattern));
	if (goes_on(v, ok) && (v->mode & SCHEMA_FORMATS) && schema_has(s, KW_FORMAT)
		&& format_check(s->text[TEXT_FORMAT], x->text) == FORMAT_BAD)
		ok = FAIL(v, s, KW_FORMAT, x, "is no valid %.*s", STR_ARG(s->text[TEXT_FORMAT]));
	return ok;
}

static bool number_breaks(const Num *n, const SchemaNumber *limit, Keyword k)
{
	int c = k == KW_MULTIPLE_OF ? 0 : num_cmp(n, &limit->num);
	switch (k) {
	case KW_MINIMUM: return c < 0;
	case KW_MAXIMUM: return c > 0;
	case KW_EXCLUSIVE_MINIMUM: return c <= 0;
	case KW_EXCLUSIVE_MAXIMUM: return c >= 0;
	default: return !num_is_multiple(n, &limit->num);
	}
}

static bool check_number(Validator *v, const SchemaNode *s, const JsonNode *x)
{
	static const struct {
		Keyword k;
		const char *must;
	} row[] = {
		{ KW_MINIMUM, "at least" }, { KW_EXCLUSIVE_MINIMUM, "more than" }, { KW_MAXIMUM, "at most" },
		{ KW_EXCLUSIVE_MAXIMUM, "less than" }, { KW_MULTIPLE_OF, "a multiple of" },
	};
	bool ok = true;
	Num n;
	for (size_t i = 0; i < sizeof row / sizeof *row && goes_on(v, ok); i++) {
		const SchemaNumber *limit = &s->number[keyword_row[row[i].k].slot];
		if (!schema_has(s, row[i].k))
			continue;
		if (!num_parse(x->text, &n))
			return FAIL(v, s, row[i].k, x, "is out of the range of numbers that can be compared");
		if (number_breaks(&n, limit, row[i].k))
			ok = FAIL(v, s, row[i].k, x, "must be %s %.*s; it is %.*s", row[i].must, STR_ARG(limit->spelled), STR_ARG(x->text));
	}
	return ok;
}

typedef struct Hashed {
	uint64_t hash;
	uint32_t at;
} Hashed;

static int cmp_hashed(const void *x, const void *y)
{
	const Hashed *a = x, *b = y;
	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

static bool check_unique(Validator *v, const SchemaNode *s, const JsonNode *x)
{
	Hashed *h = mem_must_alloc(sizeof *h * (x->n + 1));
	const JsonNode *twin = NULL;
	for (uint32_t i = 0; i < x->n; i++)
		h[i] = (Hashed){ json_hash(x->item[i]), i };
	qsort(h, x->n, sizeof *h, cmp_hashed);
	for (uint32_t i = 1; i < x->n && !twin; i++)
		for (uint32_t j = i; j-- > 0 && h[j].hash == h[i].hash && !twin;)
			if (json_equal(x->item[h[j].at], x->item[h[i].at]))
				twin = x->item[h[i].at];
	free(h);
	if (!twin)
		return true;
	Str got = v->issues ? shown(v, twin) : (Str){ 0 };
	return FAIL(v, s, KW_UNIQUE_ITEMS, twin, "must not hold an item twice: %.*s", STR_ARG(got));
}

static bool check_contains(Validator *v, const SchemaNode *s, const JsonNode *x)
{
	uint64_t n = 0, lo = schema_has(s, KW_MIN_CONTAINS) ? s->count[COUNT_MIN_CONTAINS] : 1;
	for (uint32_t i = 0; i < x->n; i++)
		n += check_quietly(v, s->sub[SUB_CONTAINS], x->item[i]);
	if (n < lo)
		return FAIL(v, s, KW_CONTAINS, x, "must hold at least %llu items of the kind it has to contain; it holds %llu",
			(unsigned long long)lo, (unsigned long long)n);
	if (schema_has(s, KW_MAX_CONTAINS) && n > s->count[COUNT_MAX_CONTAINS])
		return FAIL(v, s, KW_MAX_CONTAINS, x, "must hold at most %llu items of the kind it has to contain; it holds %llu",
			(unsigned long long)s->count[COUNT_MAX_CONTAINS], (unsigned long long)n);
	return true;
}

static bool check_array(Validator *v, const SchemaNode *s, const JsonNode *x)
{
	uint32_t n_prefix = s->list[LIST_PREFIX_ITEMS].n;
	bool ok = check_count(v, s, KW_MIN_ITEMS, KW_MAX_ITEMS, x->n, "items", x);
	for (uint32_t i = 0; i < x->n && goes_on(v, ok); i++) {
		Str at = index_token(v, i);
		if (i < n_prefix)
			ok &= check_kid(v, s->list[LIST_PREFIX_ITEMS].v[i], KW_PREFIX_ITEMS, at, x->item[i], at);
		else if (s->sub[SUB_ITEMS])
			ok &= check_kid(v, s->sub[SUB_ITEMS], KW_ITEMS, (Str){ 0 }, x->item[i], at);
		else
			break;
	}
	if (goes_on(v, ok) && s->sub[SUB_CONTAINS])
		ok &= check_contains(v, s, x);
	if (goes_on(v, ok) && s->unique)
		ok &= check_unique(v, s, x);
	return ok;
}

static bool stands_for_absent(Validator *v, const SchemaNode *s, const SchemaEntry *e, const JsonNode *x)
{
	return (v->mode & SCHEMA_NULL_IS_ABSENT) && x->kind == JSON_NULL && !schema_is_required(s, e->name)
		&& !check_quietly(v, e->schema, x);
}

static bool check_extra(Validator *v, const SchemaNode *s, const JsonMember *m)
{
	const SchemaNode *extra = s->sub[SUB_ADDITIONAL];
	if (extra->kind != SCHEMA_FALSE)
		return check_kid(v, extra, KW_ADDITIONAL, (Str){ 0 }, m->value, m->key->text);
	if (!v->issues)
		return false;
	uint32_t n = s->map[MAP_PROPERTIES].n;
	Str *names = arena_array(&v->scratch, Str, n + 1);
	for (uint32_t i = 0; i < n; i++)
		names[i] = s->map[MAP_PROPERTIES].v[i].name;
	const Str *near = str_nearest(m->key->text, names, n);
	if (near)
		return FAIL(v, s, KW_ADDITIONAL, m->key, "has no property \"%.*s\"; did you mean \"%.*s\"?", STR_ARG(m->key->text),
			STR_ARG(*near));
	return FAIL(v, s, KW_ADDITIONAL, m->key, "has no property \"%.*s\"", STR_ARG(m->key->text));
}

static bool check_name(Validator *v, const SchemaNode *s, const JsonMember *m)
{
	size_t n_schema = v->schema.n;
	push(&v->schema, keyword_row[KW_PROPERTY_NAMES].spelling, v->issues);
	bool ok = check(v, s->sub[SUB_PROPERTY_NAMES], m->key);
	v->schema.n = n_schema;
	return ok;
}

static const SchemaEntry *find_property(const SchemaNode *s, Str name)
{
	for (uint32_t i = 0; i < s->map[MAP_PROPERTIES].n; i++)
		if (str_eq(s->map[MAP_PROPERTIES].v[i].name, name))
			return &s->map[MAP_PROPERTIES].v[i];
	return NULL;
}

static bool check_member(Validator *v, const SchemaNode *s, const JsonMember *m)
{
	Str name = m->key->text;
	const SchemaEntry *e = find_property(s, name);
	bool ok = true, known = e != NULL;
	if (e && !stands_for_absent(v, s, e, m->value))
		ok = check_kid(v, e->schema, KW_PROPERTIES, name, m->value, name);
	for (uint32_t i = 0; i < s->map[MAP_PATTERN_PROPERTIES].n && goes_on(v, ok); i++) {
		e = &s->map[MAP_PATTERN_PROPERTIES].v[i];
		if (!regex_search(e->regex, name))
			continue;
		known = true;
		ok &= check_kid(v, e->schema, KW_PATTERN_PROPERTIES, e->name, m->value, name);
	}
	if (!known && s->sub[SUB_ADDITIONAL])
		ok = check_extra(v, s, m);
	if (goes_on(v, ok) && s->sub[SUB_PROPERTY_NAMES])
		ok &= check_name(v, s, m);
	return ok;
}

static bool check_required(Validator *v, const SchemaNode *s, const JsonNode *x, Str name, Str because)
{
	if (json_find(x, name))
		return true;
	if (because.p)
		return FAIL(v, s, KW_DEPENDENT_REQUIRED, x, "must have \"%.*s\", since it has \"%.*s\"", STR_ARG(name),
			STR_ARG(because));
	return FAIL(v, s, KW_REQUIRED, x, "must have \"%.*s\"", STR_ARG(name));
}

static bool check_dependents(Validator *v, const SchemaNode *s, const JsonNode *x)
{
	bool ok = true;
	for (uint32_t i = 0; i < s->dependent.n && goes_on(v, ok); i++)
		if (json_find(x, s->dependent.v[i].name))
			for (uint32_t j = 0; j < s->dependent.v[i].need.n && goes_on(v, ok); j++)
				ok &= check_required(v, s, x, s->dependent.v[i].need.v[j], s->dependent.v[i].name);
	for (uint32_t i = 0; i < s->map[MAP_DEPENDENT_SCHEMAS].n && goes_on(v, ok); i++) {
		const SchemaEntry *e = &s->map[MAP_DEPENDENT_SCHEMAS].v[i];
		if (json_find(x, e->name))
			ok &= check_kid(v, e->schema, KW_DEPENDENT_SCHEMAS, e->name, x, (Str){ 0 });
	}
	return ok;
}

static bool check_object(Validator *v, const SchemaNode *s, const JsonNode *x)
{
	const uint64_t by_member = KW_BIT(PROPERTIES) | KW_BIT(PATTERN_PROPERTIES) | KW_BIT(ADDITIONAL) | KW_BIT(PROPERTY_NAMES);
	bool ok = check_count(v, s, KW_MIN_PROPERTIES, KW_MAX_PROPERTIES, x->n, "properties", x);
	for (uint32_t i = 0; i < s->required.n && goes_on(v, ok); i++)
		ok &= check_required(v, s, x, s->required.v[i], (Str){ 0 });
	for (uint32_t i = 0; (s->present & by_member) && i < x->n && goes_on(v, ok); i++)
		ok &= check_member(v, s, &x->member[i]);
	return goes_on(v, ok) ? check_dependents(v, s, x) && ok : ok;
}

/* ---- combinations ---- */

/* The only alternative that could take a value of x's type, so that its complaint is the useful one. */
static const SchemaNode *only_candidate(const SchemaNode *s, int list, const JsonNode *x, uint32_t *at)
{
	const SchemaNode *found = NULL;
	for (uint32_t i = 0; i < s->list[list].n; i++) {
		if (!(schema_possible_types(s->list[list].v[i]) & schema_type_set_of(x)))
			continue;
		if (found)
			return NULL;
		found = s->list[list].v[i];
		*at = i;
	}
	return found;
}

static bool fail_alternatives(Validator *v, const SchemaNode *s, Keyword k, const JsonNode *x)
{
	uint32_t at = 0;
	if (!v->issues)
		return false;
	const SchemaNode *only = only_candidate(s, keyword_row[k].slot, x, &at);
	if (only)
		return check_kid(v, only, k, index_token(v, at), x, (Str){ 0 });
	Str got = shown(v, x);
	return FAIL(v, s, k, x, "fits none of the %u alternatives; it is %.*s", s->list[keyword_row[k].slot].n, STR_ARG(got));
}

static bool check_any_of(Validator *v, const SchemaNode *s, const JsonNode *x)
{
	for (uint32_t i = 0; i < s->list[LIST_ANY_OF].n; i++)
		if (check_quietly(v, s->list[LIST_ANY_OF].v[i], x))
			return true;
	return fail_alternatives(v, s, KW_ANY_OF, x);
}

static bool check_one_of(Validator *v, const SchemaNode *s, const JsonNode *x)
{
	uint32_t n = 0, first = 0;
	for (uint32_t i = 0; i < s->list[LIST_ONE_OF].n; i++) {
		if (!check_quietly(v, s->list[LIST_ONE_OF].v[i], x))
			continue;
		if (n++)
			return FAIL(v, s, KW_ONE_OF, x, "fits alternatives %u and %u, and may fit only one", first + 1, i + 1);
		first = i;
	}
	return n == 1 || fail_alternatives(v, s, KW_ONE_OF, x);
}

static bool check_all_of(Validator *v, const SchemaNode *s, const JsonNode *x)
{
	bool ok = true;
	for (uint32_t i = 0; i < s->list[LIST_ALL_OF].n && goes_on(v, ok); i++)
		ok &= check_kid(v, s->list[LIST_ALL_OF].v[i], KW_ALL_OF, index_token(v, i), x, (Str){ 0 });
	return ok;
}

static bool check_condition(Validator *v, const SchemaNode *s, const JsonNode *x)
{
	bool holds = check_quietly(v, s->sub[SUB_IF], x);
	Keyword k = holds ? KW_THEN : KW_ELSE;
	const SchemaNode *branch = s->sub[keyword_row[k].slot];
	return !branch || check_kid(v, branch, k, (Str){ 0 }, x, (Str){ 0 });
}

static bool check_ref(Validator *v, const SchemaNode *s, const JsonNode *x)
{
	const void *known = pair_get(&v->memo, s->target, x);
	if (!known) {
		bool ok = check_quietly(v, s->target, x);
		known = ok ? &yes : &no;
		pair_set(&v->scratch, &v->memo, s->target, x, (void *)known);
	}
	if (known == &yes || !v->issues)
		return known == &yes;
	return check_kid(v, s->target, KW_REF, (Str){ 0 }, x, (Str){ 0 });
}

static bool check_combinations(Validator *v, const SchemaNode *s, const JsonNode *x)
{
	bool ok = true;
	if (s->target)
		ok = check_ref(v, s, x);
	if (goes_on(v, ok) && schema_has(s, KW_ALL_OF))
		ok &= check_all_of(v, s, x);
	if (goes_on(v, ok) && schema_has(s, KW_ANY_OF))
		ok &= check_any_of(v, s, x);
	if (goes_on(v, ok) && schema_has(s, KW_ONE_OF))
		ok &= check_one_of(v, s, x);
	if (goes_on(v, ok) && s->sub[SUB_NOT] && check_quietly(v, s->sub[SUB_NOT], x))
		ok = FAIL(v, s, KW_NOT, x, "is what it must not be");
	if (goes_on(v, ok) && s->sub[SUB_IF])
		ok &= check_condition(v, s, x);
	return ok;
}

static bool check_rules(Validator *v, const SchemaNode *s, const JsonNode *x)
{
	bool ok = true;
	if (!check_type(v, s, x) || !check_values(v, s, x))
		return false;
	switch (x->kind) {
	case JSON_STRING: ok = check_string(v, s, x); break;
	case JSON_NUMBER: ok = check_number(v, s, x); break;
	case JSON_ARRAY: ok = check_array(v, s, x); break;
	case JSON_OBJECT: ok = check_object(v, s, x); break;
	default: break;
	}
	return goes_on(v, ok) ? check_combinations(v, s, x) && ok : ok;
}

static bool check(Validator *v, const SchemaNode *s, const JsonNode *x)
{
	if (s->kind == SCHEMA_TRUE)
		return true;
	if (s->kind == SCHEMA_FALSE)
		return FAIL(v, s, KW_COUNT, x, "nothing is allowed here");
	if (v->depth == CHECK_DEPTH_MAX || v->too_deep) {
		v->too_deep = true;
		return false;
	}
	v->depth++;
	bool ok = check_rules(v, s, x);
	v->depth--;
	return ok;
}

bool schema_validate(Arena *a, const SchemaNode *s, const JsonNode *value, unsigned mode, SchemaIssues *issues)
{
	Validator v = { .a = a, .mode = mode };
	bool ok = check(&v, s, value) && !v.too_deep;
	if (!ok && issues) {
		v.issues = issues;
		if (v.too_deep)
			report(&v, s, KW_COUNT, value, str_fmt(a, "is nested too deep to check (%d schemas)", CHECK_DEPTH_MAX));
		else
			check(&v, s, value);
	}
	buf_free(&v.instance);
	buf_free(&v.schema);
	arena_free(&v.scratch);
	return ok;
}
