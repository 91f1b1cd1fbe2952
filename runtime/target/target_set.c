/*
 * The types of settings, as a target's table spells them: text, bool, json, int and number with a
 * range, enum(a, b), and [T] with a range of its length. A closed, tiny reading of the language's types.
 */
#include "runtime/base/num.h"
#include "runtime/target/target.h"

typedef struct SetRange {
	Str lo, hi;  /* as spelled; empty: open */
} SetRange;

static SetRange range_of(Str s)
{
	s = str_trim(s);
	size_t dots = str_find(s, STR(".."), 0);
	if (dots == s.n)
		return (SetRange){ 0 };
	return (SetRange){ str_trim(str_sub(s, 0, dots)), str_trim(str_sub(s, dots + 2, s.n)) };
}

static bool is_within(Str spelled, SetRange r)
{
	Num x, lo, hi;
	if (!num_parse(spelled, &x))
		return false;
	if (r.lo.n && num_parse(r.lo, &lo) && num_cmp(&x, &lo) < 0)
		return false;
	return !(r.hi.n && num_parse(r.hi, &hi) && num_cmp(&x, &hi) > 0);
}

static bool check_number(Arena *arena, Str type, const JsonNode *value, Str *why)
{
	bool is_int = str_starts(type, STR("int"));
	SetRange r = range_of(str_sub(type, is_int ? 3 : 6, type.n));
	Num n;
	if (value->kind != JSON_NUMBER || !num_parse(value->text, &n) || (is_int && !num_is_integer(&n))) {
		*why = str_fmt(arena, "takes %s", is_int ? "a whole number" : "a number");
		return false;
	}
	if (is_within(value->text, r))
		return true;
	*why = str_fmt(arena, "is %.*s, not within %.*s..%.*s", STR_ARG(value->text), STR_ARG(r.lo), STR_ARG(r.hi));
	return false;
}

static bool check_enum(Arena *arena, Str type, const JsonNode *value, Str *why)
{
	Str rest = str_sub(type, 5, type.n - 1);
	while (rest.n) {
		size_t comma = str_find(rest, STR(","), 0);
		if (value->kind == JSON_STRING && str_eq(str_trim(str_sub(rest, 0, comma)), value->text))
			return true;
		rest = str_sub(rest, comma + 1, rest.n);
	}
	*why = str_fmt(arena, "is one of %.*s", STR_ARG(str_sub(type, 5, type.n - 1)));
	return false;
}

static bool check_one(Arena *arena, Str type, const JsonNode *value, Str *why)
{
	if (str_starts(type, STR("int")) || str_starts(type, STR("number")))
		return check_number(arena, type, value, why);
	if (str_starts(type, STR("enum(")))
		return check_enum(arena, type, value, why);
	if (str_is(type, "json"))
		return true;
	bool fits = str_is(type, "bool") ? value->kind == JSON_BOOL : value->kind == JSON_STRING;
	if (!fits)
		*why = str_fmt(arena, "takes %s", str_is(type, "bool") ? "true or false" : "a text");
	return fits;
}

bool target_check_set(Arena *arena, const TargetSet *set, const JsonNode *value, Str *why)
{
	Str type = set->type;
	if (!str_starts(type, STR("[")))
		return check_one(arena, type, value, why);
	size_t end = str_find(type, STR("]"), 0);
	SetRange r = range_of(str_sub(type, end + 1, type.n));
	if (value->kind != JSON_ARRAY) /* one stands for a list of one */
		return check_one(arena, str_sub(type, 1, end), value, why);
	for (uint32_t i = 0; i < value->n; i++)
		if (!check_one(arena, str_sub(type, 1, end), value->item[i], why))
			return false;
	if (is_within(str_fmt(arena, "%u", value->n), r))
		return true;
	*why = str_fmt(arena, "has %u items, not %.*s..%.*s", value->n, STR_ARG(r.lo), STR_ARG(r.hi));
	return false;
}
