/* Subset: see subset.h. The idea: split the left side until it is values or plain rules of one type,
 * split the right side into rules that must all hold, and compare what is left keyword by keyword.
 *
 * note [what NO means] NO is said only for a left side that surely has values and has no rule that the
 * comparison left out; else it is UNKNOWN. note [recursion] A pair met while it is being compared is
 * taken as YES; a YES that leaned on an outer pair is not remembered. */
#include "runtime/schema/subset.h"

#include "runtime/schema/node.h"

enum { STEPS_MAX = 200000, DEPTH_MAX = 600, SMALL_RANGE = 256, EMPTY_DEPTH_MAX = 6 };

typedef struct Comparison {
	Arena *a;
	Arena scratch;
	Buf path;
	PairMap memo;             /* (sub, super) -> a Mark */
	uint32_t depth, n_step, n_quiet;
	uint32_t leaned_on;       /* depth of the outermost open pair that a YES was taken from */
	SubsetResult no, unknown; /* the first of each; reason.p == NULL: none yet */
} Comparison;

typedef struct Mark {
	enum { MARK_OPEN, MARK_DONE, MARK_NONE } state;
	SubsetAnswer answer;
	uint32_t depth;
} Mark;

static SubsetAnswer compare(Comparison *c, const SchemaNode *a, const SchemaNode *b);

/* ---- answers ---- */

static SubsetAnswer both(SubsetAnswer x, SubsetAnswer y)
{
	if (x == SUBSET_NO || y == SUBSET_NO)
		return SUBSET_NO;
	return x == SUBSET_UNKNOWN || y == SUBSET_UNKNOWN ? SUBSET_UNKNOWN : SUBSET_YES;
}

static SubsetAnswer say(Comparison *c, SubsetAnswer answer, Str reason)
{
	SubsetResult *r = answer == SUBSET_NO ? &c->no : &c->unknown;
	if (!c->n_quiet && !r->reason.p)
		*r = (SubsetResult){ answer, str_dup(c->a, buf_str(&c->path)), reason };
	return answer;
}

#define SAY(c, answer, ...) ((c)->n_quiet ? (answer) : say((c), (answer), str_fmt((c)->a, __VA_ARGS__)))

static SubsetAnswer ask(Comparison *c, const SchemaNode *a, const SchemaNode *b)
{
	c->n_quiet++;
	SubsetAnswer r = compare(c, a, b);
	c->n_quiet--;
	return r;
}

static SubsetAnswer compare_at(Comparison *c, const SchemaNode *a, const SchemaNode *b, const char *before, Str token)
{
	size_t n = c->path.n;
	buf_putz(&c->path, before);
	buf_put(&c->path, token);
	SubsetAnswer r = compare(c, a, b);
	c->path.n = n;
	return r;
}

/* ---- what a schema is made of ---- */

#define OWN_STRING (KW_BIT(MIN_LENGTH) | KW_BIT(MAX_LENGTH) | KW_BIT(PATTERN) | KW_BIT(FORMAT))
#define OWN_NUMBER (KW_BIT(MINIMUM) | KW_BIT(MAXIMUM) | KW_BIT(EXCLUSIVE_MINIMUM) | KW_BIT(EXCLUSIVE_MAXIMUM) \
	| KW_BIT(MULTIPLE_OF))
#define OWN_ARRAY (KW_BIT(MIN_ITEMS) | KW_BIT(MAX_ITEMS) | KW_BIT(UNIQUE_ITEMS) | KW_BIT(PREFIX_ITEMS) | KW_BIT(ITEMS) \
	| KW_BIT(CONTAINS))
#define OWN_OBJECT (KW_BIT(PROPERTIES) | KW_BIT(PATTERN_PROPERTIES) | KW_BIT(REQUIRED) | KW_BIT(ADDITIONAL) \
	| KW_BIT(PROPERTY_NAMES) | KW_BIT(MIN_PROPERTIES) | KW_BIT(MAX_PROPERTIES) | KW_BIT(DEPENDENT_REQUIRED) \
	| KW_BIT(DEPENDENT_SCHEMAS))
/* Narrow the left side in ways that the comparison by type does not look at. */
#define UNSEEN (KW_BIT(NOT) | KW_BIT(IF) | KW_BIT(REF) | KW_BIT(ALL_OF) | KW_BIT(ANY_OF) | KW_BIT(ONE_OF))

static const SchemaNode any_value = { .kind = SCHEMA_TRUE };

static bool accepts_all(const SchemaNode *s)
{
	const uint64_t idle = (KW_ANNOTATIONS & ~KW_BIT(FORMAT)) | KW_BIT(THEN) | KW_BIT(ELSE) | KW_BIT(MIN_CONTAINS)
		| KW_BIT(MAX_CONTAINS);
	return s->kind == SCHEMA_TRUE || (s->kind == SCHEMA_RULES && !(s->present & ~idle));
}

static bool bounds_cross(const SchemaNode *s, Keyword min, Keyword max)
{
	return schema_has(s, min) && schema_has(s, max)
		&& s->count[keyword_row[min].slot] > s->count[keyword_row[max].slot];
}

/* A bound of numbers: the tighter of the closed and the open one. */
typedef struct Bound {
	const SchemaNumber *at;  /* NULL: none */
	bool is_open;
} Bound;

static Bound bound_of(const SchemaNode *s, Keyword closed, Keyword open, int sign)
{
	const SchemaNumber *x = schema_has(s, closed) ? &s->number[keyword_row[closed].slot] : NULL;
	const SchemaNumber *y = schema_has(s, open) ? &s->number[keyword_row[open].slot] : NULL;
	if (x && y)
		return sign * num_cmp(&y->num, &x->num) >= 0 ? (Bound){ y, true } : (Bound){ x, false };
	return y ? (Bound){ y, true } : (Bound){ x, false };
}

static Bound lower_bound(const SchemaNode *s)
{
	return bound_of(s, KW_MINIMUM, KW_EXCLUSIVE_MINIMUM, 1);
}

static Bound upper_bound(const SchemaNode *s)
{
	return bound_of(s, KW_MAXIMUM, KW_EXCLUSIVE_MAXIMUM, -1);
}

static bool numbers_cross(const SchemaNode *s)
{
	Bound lo = lower_bound(s), hi = upper_bound(s);
	int order = lo.at && hi.at ? num_cmp(&lo.at->num, &hi.at->num) : -1;
	return order > 0 || (order == 0 && (lo.is_open || hi.is_open));
}

static bool is_empty(const SchemaNode *s, int depth);

static bool is_empty_type(const SchemaNode *s, unsigned t, int depth)
{
	switch (t) {
	case SCHEMA_STRING: return bounds_cross(s, KW_MIN_LENGTH, KW_MAX_LENGTH);
	case SCHEMA_INTEGER:
	case SCHEMA_NUMBER: return numbers_cross(s);
	case SCHEMA_ARRAY:
		return bounds_cross(s, KW_MIN_ITEMS, KW_MAX_ITEMS)
			|| (schema_has(s, KW_MIN_ITEMS) && s->count[COUNT_MIN_ITEMS] > s->list[LIST_PREFIX_ITEMS].n && s->sub[SUB_ITEMS]
				&& is_empty(s->sub[SUB_ITEMS], depth + 1));
	case SCHEMA_OBJECT:
		if (bounds_cross(s, KW_MIN_PROPERTIES, KW_MAX_PROPERTIES))
			return true;
		for (uint32_t i = 0; i < s->required.n; i++) {
			const SchemaNode *field = schema_get_field(s, s->required.v[i]);
			if (field ? is_empty(field, depth + 1) : s->sub[SUB_ADDITIONAL] && !s->map[MAP_PATTERN_PROPERTIES].n
				&& s->sub[SUB_ADDITIONAL]->kind == SCHEMA_FALSE)
				return true;
		}
	}
	return false;
}

/* Surely no value; false when in doubt. */
static bool is_empty(const SchemaNode *s, int depth)
{
	unsigned types = schema_possible_types(s);
	if (s->kind == SCHEMA_FALSE)
		return true;
	for (unsigned t = SCHEMA_NULL; t <= SCHEMA_OBJECT && depth < EMPTY_DEPTH_MAX; t <<= 1)
		if ((types & t) && is_empty_type(s, t, depth))
			types &= ~t;
	return !types;
}

/* The same text: the last thing to try before UNKNOWN. */
static bool is_same_text(const SchemaNode *a, const SchemaNode *b)
{
	Buf x = { 0 }, y = { 0 };
	schema_write_minified(&x, a);
	schema_write_minified(&y, b);
	bool same = str_eq(buf_str(&x), buf_str(&y));
	buf_free(&x);
	buf_free(&y);
	return same;
}

/* ---- a left side of known values ---- */

static bool accepts(Comparison *c, const SchemaNode *s, const JsonNode *x)
{
	return schema_validate(&c->scratch, s, x, SCHEMA_FORMATS, NULL);
}

static SubsetAnswer compare_value(Comparison *c, const SchemaNode *a, const SchemaNode *b, const JsonNode *x)
{
	Buf text = { 0 };
	if (!accepts(c, a, x) || accepts(c, b, x))
		return SUBSET_YES;
	json_write(&text, x, JSON_AS_IS);
	SubsetAnswer r = SAY(c, SUBSET_NO, "may be %.*s", STR_ARG(buf_str(&text)));
	buf_free(&text);
	return r;
}

static SubsetAnswer compare_values(Comparison *c, const SchemaNode *a, const SchemaNode *b)
{
	SubsetAnswer r = SUBSET_YES;
	if (schema_has(a, KW_CONST))
		return compare_value(c, a, b, a->value[VALUE_CONST]);
	for (uint32_t i = 0; i < a->enum_value.n; i++)
		r = both(r, compare_value(c, a, b, a->enum_value.v[i]));
	return r;
}

static const JsonNode null_value = { .kind = JSON_NULL };
static const JsonNode bool_values[] = { { .kind = JSON_BOOL }, { .kind = JSON_BOOL, .truth = true } };

/* All whole numbers between a's bounds when there are few; false otherwise. */
static bool small_range(const SchemaNode *a, int64_t *lo, int64_t *hi)
{
	Bound l = lower_bound(a), h = upper_bound(a);
	if (!l.at || !h.at || !num_to_i64(&l.at->num, lo) || !num_to_i64(&h.at->num, hi))
		return false;
	return *lo > -1000000000 && *hi < 1000000000 && *hi - *lo < SMALL_RANGE;
}

/* Of type t: 1 when every value was tried (answer in *r), 0 when there are too many. */
static bool try_all_values(Comparison *c, const SchemaNode *a, const SchemaNode *b, unsigned t, SubsetAnswer *r)
{
	int64_t lo, hi;
	*r = SUBSET_YES;
	if (t == SCHEMA_NULL) {
		*r = compare_value(c, a, b, &null_value);
	} else if (t == SCHEMA_BOOLEAN) {
		*r = both(compare_value(c, a, b, &bool_values[0]), compare_value(c, a, b, &bool_values[1]));
	} else if (t == SCHEMA_INTEGER && small_range(a, &lo, &hi)) {
		for (; lo <= hi; lo++)
			*r = both(*r, compare_value(c, a, b,
				json_new_number(&c->scratch, str_fmt(&c->scratch, "%lld", (long long)lo))));
	} else {
		return false;
	}
	return true;
}

/* A few strings, to turn "patterns differ" into a plain NO where one of them shows it. */
static SubsetAnswer try_strings(Comparison *c, const SchemaNode *a, const SchemaNode *b)
{
	static const char *const sample[] = { "", "a", "A", "0", " ", "-", "a b", "abc", "12", "a@b.c", "\xc3\xa9", "a\nb" };
	SubsetAnswer r = SUBSET_YES;
	for (size_t i = 0; i < sizeof sample / sizeof *sample && r == SUBSET_YES; i++)
		r = compare_value(c, a, b, json_new_text(&c->scratch, str_from(sample[i])));
	for (int i = 0; i < 2 && r == SUBSET_YES; i++) {
		uint64_t n = a->count[i ? COUNT_MAX_LENGTH : COUNT_MIN_LENGTH];
		if (!n || n > 200)
			continue;
		char *p = arena_alloc(&c->scratch, n);
		memset(p, 'a', n);
		r = compare_value(c, a, b, json_new_text(&c->scratch, (Str){ p, n }));
	}
	return r;
}

/* ---- rules by type ---- */

/* no: what a broken bound means, SUBSET_UNKNOWN where a has other rules that may keep it. */
static SubsetAnswer compare_counts(Comparison *c, const SchemaNode *a, const SchemaNode *b, Keyword min, Keyword max,
                                   const char *what, SubsetAnswer no)
{
	int lo = keyword_row[min].slot, hi = keyword_row[max].slot;
	uint64_t a_lo = schema_has(a, min) ? a->count[lo] : 0;
	SubsetAnswer r = SUBSET_YES;
	if (schema_has(b, min) && a_lo < b->count[lo])
		r = SAY(c, no, "may have fewer than %llu %s", (unsigned long long)b->count[lo], what);
	if (schema_has(b, max) && (!schema_has(a, max) || a->count[hi] > b->count[hi]))
		r = both(r, SAY(c, no, "may have more than %llu %s", (unsigned long long)b->count[hi], what));
	return r;
}

static SubsetAnswer compare_strings(Comparison *c, const SchemaNode *a, const SchemaNode *b)
{
	bool same_pattern = schema_has(a, KW_PATTERN) && str_eq(a->pattern, b->pattern);
	bool same_format = schema_has(a, KW_FORMAT) && str_eq(a->text[TEXT_FORMAT], b->text[TEXT_FORMAT]);
	bool is_shaped = schema_has(a, KW_PATTERN) || schema_has(a, KW_FORMAT);
	SubsetAnswer r = compare_counts(c, a, b, KW_MIN_LENGTH, KW_MAX_LENGTH, "characters",
		is_shaped ? SUBSET_UNKNOWN : SUBSET_NO);
	if (schema_has(b, KW_PATTERN) && !same_pattern)
		r = both(r, SAY(c, SUBSET_UNKNOWN, "pattern /%.*s/ is not known to hold", STR_ARG(b->pattern)));
	if (schema_has(b, KW_FORMAT) && !same_format)
		r = both(r, SAY(c, SUBSET_UNKNOWN, "format %.*s is not known to hold", STR_ARG(b->text[TEXT_FORMAT])));
	return r == SUBSET_UNKNOWN && try_strings(c, a, b) == SUBSET_NO ? SUBSET_NO : r;
}

/* b's bound holds for all that keep a's. sign 1: lower bounds; -1: upper bounds. whole: among integers
 * an open whole bound excludes one more than it says. */
static bool bound_holds(Bound a, Bound b, int sign, bool whole)
{
	if (!b.at)
		return true;
	if (!a.at)
		return false;
	int order = sign * num_cmp(&a.at->num, &b.at->num);
	if (order > 0 || (order == 0 && (a.is_open || !b.is_open)))
		return true;
	if (!whole)
		return false;
	/* the first whole number inside each; small ones only, which is what schemas say */
	int64_t x, y;
	if (!num_to_i64(&a.at->num, &x) || !num_to_i64(&b.at->num, &y) || x > INT64_MAX / 2 || x < INT64_MIN / 2
		|| y > INT64_MAX / 2 || y < INT64_MIN / 2)
		return false;
	x += a.is_open ? sign : 0;
	y += b.is_open ? sign : 0;
	return sign * (x < y ? -1 : x > y) >= 0;
}

/* A whole bound may be between numbers: among integers 0.5 as a lower bound is 1. */
static bool is_fraction(Bound b)
{
	return b.at && !num_is_integer(&b.at->num);
}

static SubsetAnswer compare_numbers(Comparison *c, const SchemaNode *a, const SchemaNode *b, unsigned t)
{
	Bound al = lower_bound(a), bl = lower_bound(b), ah = upper_bound(a), bh = upper_bound(b);
	bool whole = t == SCHEMA_INTEGER;
	SubsetAnswer no = whole && (is_fraction(al) || is_fraction(ah) || is_fraction(bl) || is_fraction(bh))
		? SUBSET_UNKNOWN : SUBSET_NO, r = SUBSET_YES;
	const SchemaNumber *am = &a->number[NUMBER_MULTIPLE_OF], *bm = &b->number[NUMBER_MULTIPLE_OF];
	if (schema_has(a, KW_MULTIPLE_OF))
		no = SUBSET_UNKNOWN;
	if (no == SUBSET_UNKNOWN && try_all_values(c, a, b, t, &r))
		return r;
	if (!bound_holds(al, bl, 1, whole))
		r = SAY(c, no, "may be %s %.*s", bl.is_open ? "as little as" : "less than", STR_ARG(bl.at->spelled));
	if (!bound_holds(ah, bh, -1, whole))
		r = both(r, SAY(c, no, "may be %s %.*s", bh.is_open ? "as much as" : "more than", STR_ARG(bh.at->spelled)));
	if (!schema_has(b, KW_MULTIPLE_OF))
		return r;
	Num one;
	num_parse(STR("1"), &one);
	if (schema_has(a, KW_MULTIPLE_OF) ? num_is_multiple(&am->num, &bm->num) : whole && num_is_multiple(&one, &bm->num))
		return r;
	no = schema_has(a, KW_MULTIPLE_OF) || ah.at || al.at ? SUBSET_UNKNOWN : SUBSET_NO;
	return both(r, SAY(c, no, "may be no multiple of %.*s", STR_ARG(bm->spelled)));
}

static const SchemaNode *item_at(const SchemaNode *s, uint32_t i)
{
	if (i < s->list[LIST_PREFIX_ITEMS].n)
		return s->list[LIST_PREFIX_ITEMS].v[i];
	return s->sub[SUB_ITEMS] ? s->sub[SUB_ITEMS] : &any_value;
}

/* An item that nothing fits ends the array before it. */
static uint64_t most_items(const SchemaNode *s)
{
	uint64_t most = schema_has(s, KW_MAX_ITEMS) ? s->count[COUNT_MAX_ITEMS] : UINT64_MAX;
	for (uint32_t i = 0; i <= s->list[LIST_PREFIX_ITEMS].n && i < most; i++)
		if (is_empty(item_at(s, i), 0))
			most = i;
	return most;
}

static SubsetAnswer compare_array_rules(Comparison *c, const SchemaNode *a, const SchemaNode *b)
{
	uint64_t most = most_items(a);
	uint32_t na = a->list[LIST_PREFIX_ITEMS].n, nb = b->list[LIST_PREFIX_ITEMS].n, n = na > nb ? na : nb;
	SubsetAnswer r = SUBSET_YES;
	SchemaNode counted = *a;
	if (most != UINT64_MAX)
		schema_set_count(&counted, KW_MAX_ITEMS, most);
	r = compare_counts(c, &counted, b, KW_MIN_ITEMS, KW_MAX_ITEMS, "items",
		a->unique ? SUBSET_UNKNOWN : SUBSET_NO);
	for (uint32_t i = 0; i < n && i < most; i++)
		r = both(r, compare_at(c, item_at(a, i), item_at(b, i), "[", str_fmt(&c->scratch, "%u]", i)));
	if (most > n)
		r = both(r, compare_at(c, item_at(a, n), item_at(b, n), "[]", STR("")));
	if (b->unique && !a->unique && most > 1)
		r = both(r, SAY(c, schema_has(a, KW_ITEMS) ? SUBSET_UNKNOWN : SUBSET_NO, "may hold an item twice"));
	if (schema_has(b, KW_CONTAINS))
		r = both(r, SAY(c, SUBSET_UNKNOWN, "contains is not known to hold"));
	return r;
}

/* contains in a may leave no array at all. */
static SubsetAnswer compare_arrays(Comparison *c, const SchemaNode *a, const SchemaNode *b)
{
	if (!schema_has(a, KW_CONTAINS))
		return compare_array_rules(c, a, b);
	c->n_quiet++;
	SubsetAnswer r = compare_array_rules(c, a, b);
	c->n_quiet--;
	return r == SUBSET_YES ? r : SAY(c, SUBSET_UNKNOWN, "contains is not compared");
}

static const SchemaNode *own_field(const SchemaNode *s, Str name)
{
	for (uint32_t i = 0; i < s->map[MAP_PROPERTIES].n; i++)
		if (str_eq(s->map[MAP_PROPERTIES].v[i].name, name))
			return s->map[MAP_PROPERTIES].v[i].schema;
	return NULL;
}

static const SchemaNode *rest_of(const SchemaNode *s)
{
	return s->sub[SUB_ADDITIONAL] ? s->sub[SUB_ADDITIONAL] : &any_value;
}

static bool has_same_patterns(const SchemaNode *a, const SchemaNode *b)
{
	uint32_t n = a->map[MAP_PATTERN_PROPERTIES].n;
	for (uint32_t i = 0; n == b->map[MAP_PATTERN_PROPERTIES].n && i < n; i++)
		if (!str_eq(a->map[MAP_PATTERN_PROPERTIES].v[i].name, b->map[MAP_PATTERN_PROPERTIES].v[i].name))
			return false;
	return n == b->map[MAP_PATTERN_PROPERTIES].n;
}

static SubsetAnswer compare_field(Comparison *c, const SchemaNode *a, const SchemaNode *b, Str name)
{
	const SchemaNode *x = own_field(a, name), *y = own_field(b, name);
	if (!x)
		x = rest_of(a);
	if (x->kind == SCHEMA_FALSE)
		return SUBSET_YES;
	if (!y && rest_of(b)->kind == SCHEMA_FALSE && !is_empty(x, 0))
		return SAY(c, SUBSET_NO, "may have the property \"%.*s\"", STR_ARG(name));
	return compare_at(c, x, y ? y : rest_of(b), "/", name);
}

static SubsetAnswer compare_fields(Comparison *c, const SchemaNode *a, const SchemaNode *b)
{
	SubsetAnswer r = SUBSET_YES;
	for (uint32_t i = 0; i < a->map[MAP_PROPERTIES].n; i++)
		r = both(r, compare_field(c, a, b, a->map[MAP_PROPERTIES].v[i].name));
	for (uint32_t i = 0; i < b->map[MAP_PROPERTIES].n; i++)
		if (!own_field(a, b->map[MAP_PROPERTIES].v[i].name))
			r = both(r, compare_field(c, a, b, b->map[MAP_PROPERTIES].v[i].name));
	for (uint32_t i = 0; i < a->map[MAP_PATTERN_PROPERTIES].n; i++)
		r = both(r, compare_at(c, a->map[MAP_PATTERN_PROPERTIES].v[i].schema, b->map[MAP_PATTERN_PROPERTIES].v[i].schema,
			"/", a->map[MAP_PATTERN_PROPERTIES].v[i].name));
	if (rest_of(b)->kind == SCHEMA_FALSE && !is_empty(rest_of(a), 0))
		return both(r, SAY(c, SUBSET_NO, "may have other properties"));
	return both(r, compare_at(c, rest_of(a), rest_of(b), "/*", STR("")));
}

static SubsetAnswer compare_dependents(Comparison *c, const SchemaNode *a, const SchemaNode *b)
{
	for (uint32_t i = 0; i < b->dependent.n; i++) {
		const SchemaDependent *d = &b->dependent.v[i];
		for (uint32_t j = 0; j < d->need.n; j++)
			if (!schema_is_required(a, d->need.v[j]))
				return SAY(c, SUBSET_UNKNOWN, "dependentRequired is not known to hold");
	}
	return SUBSET_YES;
}

static SubsetAnswer compare_property_counts(Comparison *c, const SchemaNode *a, const SchemaNode *b)
{
	SchemaNode counted = *a;
	bool is_closed = rest_of(a)->kind == SCHEMA_FALSE && !a->map[MAP_PATTERN_PROPERTIES].n;
	if (a->required.n > (schema_has(a, KW_MIN_PROPERTIES) ? a->count[COUNT_MIN_PROPERTIES] : 0))
		schema_set_count(&counted, KW_MIN_PROPERTIES, a->required.n);
	if (is_closed && (!schema_has(a, KW_MAX_PROPERTIES) || a->count[COUNT_MAX_PROPERTIES] > a->map[MAP_PROPERTIES].n))
		schema_set_count(&counted, KW_MAX_PROPERTIES, a->map[MAP_PROPERTIES].n);
	return compare_counts(c, &counted, b, KW_MIN_PROPERTIES, KW_MAX_PROPERTIES, "properties",
		a->map[MAP_PATTERN_PROPERTIES].n ? SUBSET_UNKNOWN : SUBSET_NO);
}

static SubsetAnswer compare_object_rules(Comparison *c, const SchemaNode *a, const SchemaNode *b)
{
	SubsetAnswer r = SUBSET_YES;
	for (uint32_t i = 0; i < b->required.n; i++)
		if (!schema_is_required(a, b->required.v[i]))
			r = SAY(c, SUBSET_NO, "may lack \"%.*s\"", STR_ARG(b->required.v[i]));
	if (has_same_patterns(a, b))
		r = both(r, compare_fields(c, a, b));
	else
		r = both(r, SAY(c, SUBSET_UNKNOWN, "patternProperties differ"));
	r = both(r, compare_property_counts(c, a, b));
	r = both(r, compare_dependents(c, a, b));
	if (schema_has(b, KW_PROPERTY_NAMES)) {
		const SchemaNode *names = a->sub[SUB_PROPERTY_NAMES] ? a->sub[SUB_PROPERTY_NAMES] : NULL;
		if (!names || ask(c, names, b->sub[SUB_PROPERTY_NAMES]) != SUBSET_YES)
			r = both(r, SAY(c, SUBSET_UNKNOWN, "propertyNames is not known to hold"));
	}
	if (schema_has(b, KW_DEPENDENT_SCHEMAS))
		r = both(r, SAY(c, SUBSET_UNKNOWN, "dependentSchemas is not known to hold"));
	return r;
}

/* a's rules about names and about other members may forbid what a field alone would allow. */
static SubsetAnswer compare_objects(Comparison *c, const SchemaNode *a, const SchemaNode *b)
{
	const uint64_t narrows = KW_BIT(PROPERTY_NAMES) | KW_BIT(DEPENDENT_SCHEMAS) | KW_BIT(DEPENDENT_REQUIRED)
		| KW_BIT(MAX_PROPERTIES) | KW_BIT(MIN_PROPERTIES);
	if (!(a->present & narrows))
		return compare_object_rules(c, a, b);
	c->n_quiet++;
	SubsetAnswer r = compare_object_rules(c, a, b);
	c->n_quiet--;
	return r == SUBSET_YES ? r : SAY(c, SUBSET_UNKNOWN, "rules about names and members together are not compared");
}

static SubsetAnswer compare_one_type(Comparison *c, const SchemaNode *a, const SchemaNode *b, unsigned t)
{
	SubsetAnswer r;
	if (is_empty_type(a, t, 0))
		return SUBSET_YES;
	if (!(schema_type_set(b) & t) && !(t == SCHEMA_NUMBER && schema_has(a, KW_MULTIPLE_OF)
		&& num_is_integer(&a->number[NUMBER_MULTIPLE_OF].num)))
		return SAY(c, SUBSET_NO, "may be %s", t == SCHEMA_NUMBER && (schema_type_set(b) & SCHEMA_INTEGER)
			? "a number that is not whole" : schema_type_name((SchemaType)t));
	if (schema_has(b, KW_ENUM) || schema_has(b, KW_CONST)) {
		if (try_all_values(c, a, b, t, &r))
			return r;
		bool narrow = schema_has(a, KW_PATTERN) || schema_has(a, KW_MAX_ITEMS) || schema_has(a, KW_MAX_LENGTH)
			|| schema_has(a, KW_MULTIPLE_OF) || schema_has(a, KW_MAX_PROPERTIES) || (t == SCHEMA_OBJECT);
		return SAY(c, narrow ? SUBSET_UNKNOWN : SUBSET_NO, "may be another %s than those listed",
			schema_type_name((SchemaType)t));
	}
	switch (t) {
	case SCHEMA_STRING: return compare_strings(c, a, b);
	case SCHEMA_INTEGER:
	case SCHEMA_NUMBER: return compare_numbers(c, a, b, t);
	case SCHEMA_ARRAY: return compare_arrays(c, a, b);
	case SCHEMA_OBJECT: return compare_objects(c, a, b);
	default: return SUBSET_YES;
	}
}

/* a's own rules against b's own rules, type by type. */
static SubsetAnswer compare_types(Comparison *c, const SchemaNode *a, const SchemaNode *b)
{
	unsigned types = schema_possible_types(a);
	SubsetAnswer r = SUBSET_YES;
	for (unsigned t = SCHEMA_NULL; t <= SCHEMA_OBJECT; t <<= 1)
		if (types & t)
			r = both(r, compare_one_type(c, a, b, t));
	return r;
}

/* s with the keywords of the set only. */
static const SchemaNode *only_rules(Comparison *c, const SchemaNode *s, uint64_t keywords)
{
	if (!(s->present & ~(keywords | (KW_ANNOTATIONS & ~KW_BIT(FORMAT)))))
		return s;
	SchemaNode *part = arena_dup(&c->scratch, s, sizeof *s);
	for (int k = 0; k < KW_COUNT; k++)
		if (schema_has(part, (Keyword)k) && !(keywords >> k & 1))
			schema_drop(part, (Keyword)k);
	return part;
}

#define OWN (KW_BIT(TYPE) | KW_BIT(ENUM) | KW_BIT(CONST) | OWN_STRING | OWN_NUMBER | OWN_ARRAY | KW_BIT(MIN_CONTAINS) \
	| KW_BIT(MAX_CONTAINS) | OWN_OBJECT)

/* Does a $ref or a part of an allOf alone make a fit? */
static bool some_part_fits(Comparison *c, const SchemaNode *a, const SchemaNode *rules)
{
	if (a->target && ask(c, a->target, rules) == SUBSET_YES)
		return true;
	for (uint32_t i = 0; i < a->list[LIST_ALL_OF].n; i++)
		if (ask(c, a->list[LIST_ALL_OF].v[i], rules) == SUBSET_YES)
			return true;
	c->n_quiet++;
	SubsetAnswer r = compare_types(c, only_rules(c, a, OWN), rules);
	c->n_quiet--;
	return r == SUBSET_YES;
}

static SubsetAnswer compare_own(Comparison *c, const SchemaNode *a, const SchemaNode *b)
{
	static const uint64_t group[] = {
		KW_BIT(TYPE), KW_BIT(ENUM), KW_BIT(CONST), OWN_STRING, OWN_NUMBER, OWN_ARRAY | KW_BIT(MIN_CONTAINS) | KW_BIT(MAX_CONTAINS),
		KW_BIT(REQUIRED), OWN_OBJECT & ~KW_BIT(REQUIRED),
	};
	if (!(b->present & OWN))
		return SUBSET_YES;
	if (!(a->present & UNSEEN))
		return compare_types(c, a, only_rules(c, b, OWN));
	for (size_t i = 0; i < sizeof group / sizeof *group; i++)
		if ((b->present & group[i]) && !some_part_fits(c, a, only_rules(c, b, group[i])))
			return SAY(c, SUBSET_UNKNOWN, "rules that combine schemas decide, and these are not compared");
	return SUBSET_YES;
}

/* ---- combinations ---- */

static SchemaNode *of_type(Comparison *c, const SchemaNode *s, unsigned t)
{
	SchemaNode *part = arena_dup(&c->scratch, s, sizeof *s);
	part->types = t;
	schema_mark(part, KW_TYPE);
	return part;
}

/* Is a covered by the alternatives of b's list? */
static SubsetAnswer compare_cover(Comparison *c, const SchemaNode *a, const SchemaNode *b, int list)
{
	unsigned types = schema_possible_types(a);
	const SchemaNode *only = NULL;
	uint32_t n = 0;
	SubsetAnswer r = SUBSET_YES;
	for (uint32_t i = 0; i < b->list[list].n; i++)
		if (ask(c, a, b->list[list].v[i]) == SUBSET_YES)
			return SUBSET_YES;
	if (types & SCHEMA_NUMBER)
		types &= ~(unsigned)SCHEMA_INTEGER;
	if (types & (types - 1)) {
		for (unsigned t = SCHEMA_NULL; t <= SCHEMA_OBJECT; t <<= 1)
			if (types & t)
				r = both(r, compare_cover(c, of_type(c, a, t), b, list));
		return r;
	}
	if (types == SCHEMA_BOOLEAN && try_all_values(c, a, b, SCHEMA_BOOLEAN, &r))
		return r;
	for (uint32_t i = 0; i < b->list[list].n; i++)
		if (!schema_are_disjoint(a, b->list[list].v[i])) {
			only = b->list[list].v[i];
			n++;
		}
	if (n == 1)
		return compare(c, a, only);
	if (!n)
		return SAY(c, a->present & UNSEEN ? SUBSET_UNKNOWN : SUBSET_NO, "fits none of the alternatives");
	return SAY(c, SUBSET_UNKNOWN, "the alternatives are not known to cover it");
}

static SubsetAnswer compare_one_of(Comparison *c, const SchemaNode *a, const SchemaNode *b)
{
	uint32_t n = b->list[LIST_ONE_OF].n;
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t j = 0; j < i; j++)
			if (!schema_are_disjoint(b->list[LIST_ONE_OF].v[i], b->list[LIST_ONE_OF].v[j]))
				return SAY(c, SUBSET_UNKNOWN, "oneOf may fit more than once");
	return compare_cover(c, a, b, LIST_ONE_OF);
}

/* A left side that is alternatives: each must fit. What stands beside them only narrows it. */
static SubsetAnswer compare_alternatives(Comparison *c, const SchemaNode *a, const SchemaNode *b, int list)
{
	uint64_t kept = KW_ANNOTATIONS | (list == LIST_ANY_OF ? KW_BIT(ANY_OF) : KW_BIT(ONE_OF));
	bool alone = !(a->present & ~(uint64_t)kept);
	SubsetAnswer r = SUBSET_YES;
	if (!alone) {
		SchemaNode *rest = arena_dup(&c->scratch, a, sizeof *a);
		rest->list[list].n = 0;
		schema_unmark(rest, list == LIST_ANY_OF ? KW_ANY_OF : KW_ONE_OF);
		if (ask(c, rest, b) == SUBSET_YES)
			return SUBSET_YES;
	}
	c->n_quiet += !alone;
	for (uint32_t i = 0; i < a->list[list].n; i++)
		r = both(r, compare(c, a->list[list].v[i], b));
	c->n_quiet -= !alone;
	if (r == SUBSET_YES || (alone && list == LIST_ANY_OF))
		return r;
	return SAY(c, SUBSET_UNKNOWN, "what stands beside the alternatives may decide");
}

static SubsetAnswer compare_not(Comparison *c, const SchemaNode *a, const SchemaNode *b)
{
	if (schema_are_disjoint(a, b->sub[SUB_NOT]))
		return SUBSET_YES;
	return SAY(c, SUBSET_UNKNOWN, "not is not known to hold");
}

/* b's rules must all hold. */
static SubsetAnswer compare_rules(Comparison *c, const SchemaNode *a, const SchemaNode *b)
{
	SubsetAnswer r = compare_own(c, a, b);
	if (b->target)
		r = both(r, compare(c, a, b->target));
	for (uint32_t i = 0; i < b->list[LIST_ALL_OF].n; i++)
		r = both(r, compare(c, a, b->list[LIST_ALL_OF].v[i]));
	if (schema_has(b, KW_ANY_OF))
		r = both(r, compare_cover(c, a, b, LIST_ANY_OF));
	if (schema_has(b, KW_ONE_OF))
		r = both(r, compare_one_of(c, a, b));
	if (schema_has(b, KW_NOT))
		r = both(r, compare_not(c, a, b));
	if (schema_has(b, KW_IF))
		r = both(r, SAY(c, SUBSET_UNKNOWN, "if, then, else are not compared"));
	return r;
}

static SubsetAnswer compare_pair(Comparison *c, const SchemaNode *a, const SchemaNode *b)
{
	if (schema_has(a, KW_CONST) || schema_has(a, KW_ENUM))
		return compare_values(c, a, b);
	if (schema_has(a, KW_ANY_OF))
		return compare_alternatives(c, a, b, LIST_ANY_OF);
	if (schema_has(a, KW_ONE_OF))
		return compare_alternatives(c, a, b, LIST_ONE_OF);
	return compare_rules(c, a, b);
}

static SubsetAnswer compare_marked(Comparison *c, const SchemaNode *a, const SchemaNode *b)
{
	Mark *m = pair_get(&c->memo, a, b);
	if (m && m->state == MARK_OPEN && m->depth < c->leaned_on)
		c->leaned_on = m->depth;
	if (m && m->state == MARK_OPEN)
		return SUBSET_YES;
	if (m && m->state == MARK_DONE && (m->answer == SUBSET_YES || c->n_quiet))
		return m->answer;
	if (!m) {
		m = arena_new(&c->scratch, Mark);
		pair_set(&c->scratch, &c->memo, a, b, m);
	}
	uint32_t outer = c->leaned_on;
	*m = (Mark){ MARK_OPEN, SUBSET_YES, c->depth };
	c->leaned_on = UINT32_MAX;
	SubsetResult unknown = c->unknown;
	SubsetAnswer r = compare_pair(c, a, b);
	if (r == SUBSET_UNKNOWN && is_same_text(a, b)) {
		r = SUBSET_YES;
		c->unknown = unknown;
	}
	*m = (Mark){ r != SUBSET_YES || c->leaned_on >= c->depth ? MARK_DONE : MARK_NONE, r, 0 };
	if (c->leaned_on >= c->depth || outer < c->leaned_on)
		c->leaned_on = outer;
	return r;
}

static SubsetAnswer compare(Comparison *c, const SchemaNode *a, const SchemaNode *b)
{
	a = schema_follow(a);
	b = schema_follow(b);
	if (a == b || accepts_all(b) || is_empty(a, 0))
		return SUBSET_YES;
	if (b->kind == SCHEMA_FALSE)
		return SAY(c, a->present & UNSEEN ? SUBSET_UNKNOWN : SUBSET_NO, "may be something where nothing is allowed");
	if (++c->n_step > STEPS_MAX || c->depth >= DEPTH_MAX)
		return SAY(c, SUBSET_UNKNOWN, "too large to compare");
	c->depth++;
	SubsetAnswer r = compare_marked(c, a, b);
	c->depth--;
	return r;
}

SubsetResult schema_subset(Arena *a, const SchemaNode *sub, const SchemaNode *super)
{
	Comparison c = { .a = a, .leaned_on = UINT32_MAX };
	SubsetAnswer r = compare(&c, sub, super);
	SubsetResult out = r == SUBSET_NO ? c.no : r == SUBSET_UNKNOWN ? c.unknown : (SubsetResult){ 0 };
	out.answer = r;
	if (!out.reason.p)
		out.reason = out.pointer = STR("");
	buf_free(&c.path);
	arena_free(&c.scratch);
	return out;
}
