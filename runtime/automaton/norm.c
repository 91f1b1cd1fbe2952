/* Norms: the expansion of what combines, the worklist over what norms lead to, and which of them have
 * values at all. What each alternative says of its types is norm_rules.c's
 * and norm_scalar.c's. */
#include "runtime/automaton/norm.h"

#include <stdlib.h>

enum { SET_END = UINT32_MAX };

/* ---- errors ---- */

typedef struct Search {
	Arena scratch;
	PairMap seen;
	const SchemaNode *want;
	Buf pointer;
} Search;

static bool find_node(Search *s, const SchemaNode *at);

static bool find_kid(Search *s, const SchemaNode *kid, Keyword k, Str token, const uint32_t *index)
{
	size_t n = s->pointer.n;
	if (!kid)
		return false;
	json_pointer_put(&s->pointer, keyword_row[k].spelling);
	if (token.p)
		json_pointer_put(&s->pointer, token);
	if (index)
		json_pointer_put_index(&s->pointer, *index);
	if (find_node(s, kid))
		return true;
	s->pointer.n = n;
	return false;
}

/* The first way to the schema, through $ref where there is no other. */
static bool find_node(Search *s, const SchemaNode *at)
{
	if (at == s->want)
		return true;
	if (pair_get(&s->seen, at, NULL))
		return false;
	pair_set(&s->scratch, &s->seen, at, NULL, s);
	for (int k = 0; k < KW_COUNT; k++) {
		int slot = keyword_row[k].slot;
		if (keyword_row[k].shape == SHAPE_SUB && find_kid(s, at->sub[slot], (Keyword)k, (Str){ 0 }, NULL))
			return true;
		for (uint32_t i = 0; keyword_row[k].shape == SHAPE_LIST && i < at->list[slot].n; i++)
			if (find_kid(s, at->list[slot].v[i], (Keyword)k, (Str){ 0 }, &i))
				return true;
		for (uint32_t i = 0; keyword_row[k].shape == SHAPE_MAP && i < at->map[slot].n; i++)
			if (find_kid(s, at->map[slot].v[i].schema, (Keyword)k, at->map[slot].v[i].name, NULL))
				return true;
	}
	return find_kid(s, at->target, KW_REF, (Str){ 0 }, NULL);
}

void norm_refuse(Norms *n, const SchemaNode *at, Keyword k, Str message)
{
	Search s = { .want = at };
	if (find_node(&s, n->root) && k < KW_COUNT)
		json_pointer_put(&s.pointer, keyword_row[k].spelling);
	Str pointer = str_dup(n->a, buf_str(&s.pointer));
	buf_free(&s.pointer);
	arena_free(&s.scratch);
	for (uint32_t i = 0; i < n->errs->n; i++)
		if (str_eq(n->errs->v[i].pointer, pointer) && str_eq(n->errs->v[i].message, message))
			return;
	vec_push(n->a, n->errs, (SchemaError){ message, pointer, at->lo });
}

/* ---- expansion ---- */

typedef VEC(NormAlt *) Alts;

static uint32_t number_of(Norms *n, const SchemaNode *s)
{
	uintptr_t id = (uintptr_t)pair_get(&n->number, s, NULL);
	if (!id)
		pair_set(n->a, &n->number, s, NULL, (void *)(id = ++n->n_number));
	return (uint32_t)id;
}

static NormAlt *copy_alt(Norms *n, const NormAlt *alt)
{
	NormAlt *c = arena_new(n->a, NormAlt);
	c->types = alt->types;
	for (uint32_t i = 0; i < alt->node.n; i++)
		vec_push(n->a, &c->node, alt->node.v[i]);
	for (uint32_t i = 0; i < alt->deny.n; i++)
		vec_push(n->a, &c->deny, alt->deny.v[i]);
	return c;
}

static bool has_node(const NormAlt *alt, const SchemaNode *s)
{
	for (uint32_t i = 0; i < alt->node.n; i++)
		if (alt->node.v[i] == s)
			return true;
	return false;
}

static void deny(Norms *n, NormAlt *alt, Denial d)
{
	for (uint32_t i = 0; i < alt->deny.n; i++)
		if (alt->deny.v[i].node == d.node)
			return;
	vec_push(n->a, &alt->deny, d);
}

static void expand(Norms *n, Alts *alts, const SchemaNode *s);

/* Each alternative, once for each branch; of oneOf without the other branches. */
static void expand_branches(Norms *n, Alts *alts, const SchemaNode *s, Keyword k)
{
	Alts out = { 0 };
	int slot = keyword_row[k].slot;
	for (uint32_t i = 0; i < s->list[slot].n; i++) {
		Alts some = { 0 };
		for (uint32_t j = 0; j < alts->n; j++)
			vec_push(n->a, &some, copy_alt(n, alts->v[j]));
		expand(n, &some, s->list[slot].v[i]);
		for (uint32_t j = 0; j < some.n && out.n <= NORM_ALTS_MAX; j++) {
			for (uint32_t o = 0; k == KW_ONE_OF && o < s->list[slot].n; o++)
				if (o != i)
					deny(n, some.v[j], (Denial){ s->list[slot].v[o], s, k });
			vec_push(n->a, &out, some.v[j]);
		}
	}
	if (out.n > NORM_ALTS_MAX) {
		norm_refuse(n, s, k, str_fmt(n->a, "more than %d ways to combine its alternatives", NORM_ALTS_MAX));
		out.n = 0;
	}
	*alts = out;
}

/* What holds, and then; or what does not, and else. */
static void expand_if(Norms *n, Alts *alts, const SchemaNode *s)
{
	Alts not = { 0 };
	for (uint32_t i = 0; i < alts->n; i++) {
		NormAlt *c = copy_alt(n, alts->v[i]);
		deny(n, c, (Denial){ s->sub[SUB_IF], s, KW_IF });
		vec_push(n->a, &not, c);
	}
	expand(n, alts, s->sub[SUB_IF]);
	if (s->sub[SUB_THEN])
		expand(n, alts, s->sub[SUB_THEN]);
	if (s->sub[SUB_ELSE])
		expand(n, &not, s->sub[SUB_ELSE]);
	for (uint32_t i = 0; i < not.n; i++)
		vec_push(n->a, alts, not.v[i]);
}

static SchemaNode *new_without(Norms *n, Str name)
{
	SchemaNode *s = schema_new(n->a);
	schema_mark(s, KW_PROPERTIES);
	vec_push(n->a, &s->map[MAP_PROPERTIES], (SchemaEntry){ .name = name, .schema = schema_new_never(n->a) });
	return s;
}

static SchemaNode *new_required(Norms *n, Str name, const Str *need, uint32_t n_need)
{
	SchemaNode *s = schema_new(n->a);
	schema_mark(s, KW_REQUIRED);
	vec_push(n->a, &s->required, name);
	for (uint32_t i = 0; i < n_need; i++)
		vec_push(n->a, &s->required, need[i]);
	return s;
}

/* A union made here, kept by its owner so that it is the same one each time. */
static void expand_either(Norms *n, Alts *alts, const SchemaNode *s, const void *key, SchemaNode *x, SchemaNode *y)
{
	SchemaNode *either = pair_get(&n->number, s, key);
	if (!either) {
		either = schema_new_union(n->a, (SchemaNode *[]){ x, y }, 2);
		pair_set(n->a, &n->number, s, key, either);
	}
	expand_branches(n, alts, either, KW_ANY_OF);
}

static void expand_dependents(Norms *n, Alts *alts, const SchemaNode *s)
{
	for (uint32_t i = 0; i < s->dependent.n; i++) {
		const SchemaDependent *d = &s->dependent.v[i];
		expand_either(n, alts, s, d, new_without(n, d->name),
			new_required(n, d->name, d->need.v, d->need.n));
	}
	for (uint32_t i = 0; i < s->map[MAP_DEPENDENT_SCHEMAS].n; i++) {
		const SchemaEntry *e = &s->map[MAP_DEPENDENT_SCHEMAS].v[i];
		SchemaNode *with = new_required(n, e->name, NULL, 0);
		schema_mark(with, KW_ALL_OF);
		vec_push(n->a, &with->list[LIST_ALL_OF], e->schema);
		expand_either(n, alts, s, e, new_without(n, e->name), with);
	}
}

static void expand_rules(Norms *n, Alts *alts, const SchemaNode *s)
{
	if (s->target)
		expand(n, alts, s->target);
	for (uint32_t i = 0; i < s->list[LIST_ALL_OF].n; i++)
		expand(n, alts, s->list[LIST_ALL_OF].v[i]);
	if (schema_has(s, KW_ANY_OF))
		expand_branches(n, alts, s, KW_ANY_OF);
	if (schema_has(s, KW_ONE_OF))
		expand_branches(n, alts, s, KW_ONE_OF);
	if (s->sub[SUB_NOT])
		for (uint32_t i = 0; i < alts->n; i++)
			deny(n, alts->v[i], (Denial){ s->sub[SUB_NOT], s, KW_NOT });
	if (s->sub[SUB_IF] && (s->sub[SUB_THEN] || s->sub[SUB_ELSE]))
		expand_if(n, alts, s);
	expand_dependents(n, alts, s);
}

/* Adds s to every alternative; they may become more, or none. */
static void expand(Norms *n, Alts *alts, const SchemaNode *s)
{
	uint32_t kept = 0;
	if (s->kind == SCHEMA_FALSE)
		alts->n = 0;
	if (s->kind != SCHEMA_RULES)
		return;
	Alts known = { 0 };
	for (uint32_t i = 0; i < alts->n; i++) {
		NormAlt *alt = alts->v[i];
		if (has_node(alt, s)) {
			vec_push(n->a, &known, alt);
			continue;
		}
		vec_push(n->a, &alt->node, s);
		alt->types &= schema_type_set(s);
		if (alt->types)
			alts->v[kept++] = alt;
	}
	alts->n = kept;
	if (kept)
		expand_rules(n, alts, s);
	for (uint32_t i = 0; i < known.n; i++)
		vec_push(n->a, alts, known.v[i]);
}

/* ---- values of enum and const ---- */

bool norm_allows(Norms *n, const NormAlt *alt, const JsonNode *value)
{
	for (uint32_t i = 0; i < alt->node.n; i++)
		if (!schema_validate(n->a, alt->node.v[i], value, SCHEMA_FORMATS, NULL))
			return false;
	for (uint32_t i = 0; i < alt->deny.n; i++)
		if (schema_validate(n->a, alt->deny.v[i].node, value, SCHEMA_FORMATS, NULL))
			return false;
	return true;
}

/* A schema whose one value has the members or items of value. */
static SchemaNode *new_exact(Norms *n, const JsonNode *value)
{
	SchemaNode *s = value->kind == JSON_OBJECT ? schema_new_object(n->a) : schema_new_type(n->a, SCHEMA_ARRAY);
	for (uint32_t i = 0; value->kind == JSON_OBJECT && i < value->n; i++)
		schema_add_field(n->a, s, value->member[i].key->text, schema_new_const(n->a, value->member[i].value),
			FIELD_REQUIRED, (Str){ 0 });
	if (value->kind == JSON_OBJECT)
		return s;
	schema_mark(s, KW_PREFIX_ITEMS);
	for (uint32_t i = 0; i < value->n; i++)
		vec_push(n->a, &s->list[LIST_PREFIX_ITEMS], schema_new_const(n->a, value->item[i]));
	schema_set_count(s, KW_MIN_ITEMS, value->n);
	schema_set_count(s, KW_MAX_ITEMS, value->n);
	return s;
}

static const SchemaNode *find_values(const NormAlt *alt)
{
	for (uint32_t i = 0; i < alt->node.n; i++)
		if (schema_has(alt->node.v[i], KW_CONST) || schema_has(alt->node.v[i], KW_ENUM))
			return alt->node.v[i];
	return NULL;
}

static bool is_listed(const NormAlt *alt, const JsonNode *value)
{
	for (uint32_t i = 0; i < alt->value.n; i++)
		if (json_equal(alt->value.v[i], value))
			return true;
	return false;
}

static void take_value(Norms *n, Norm *norm, NormAlt *alt, const JsonNode *value)
{
	if (!norm_allows(n, alt, value) || is_listed(alt, value))
		return;
	if (value->kind != JSON_ARRAY && value->kind != JSON_OBJECT) {
		vec_push(n->a, &alt->value, value);
		return;
	}
	NormAlt *exact = arena_new(n->a, NormAlt);
	exact->types = schema_type_set_of(value);
	vec_push(n->a, &exact->node, new_exact(n, value));
	vec_push(n->a, &norm->alt, exact);
}

/* An alternative with an enum or const becomes its scalars, and one more for each array or object. */
static void settle_alt(Norms *n, Norm *norm, NormAlt *alt)
{
	const SchemaNode *s = find_values(alt);
	unsigned types = 0;
	if (!s) {
		vec_push(n->a, &norm->alt, alt);
		return;
	}
	alt->has_values = true;
	if (schema_has(s, KW_CONST))
		take_value(n, norm, alt, s->value[VALUE_CONST]);
	for (uint32_t i = 0; !schema_has(s, KW_CONST) && i < s->enum_value.n; i++)
		take_value(n, norm, alt, s->enum_value.v[i]);
	for (uint32_t i = 0; i < alt->value.n; i++)
		types |= schema_type_set_of(alt->value.v[i]);
	alt->types = types;
	if (types)
		vec_push(n->a, &norm->alt, alt);
}

/* ---- norms ---- */

static int cmp_word(const void *x, const void *y)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	return a < b ? -1 : a > b;
}

static uint32_t find_norm(Norms *n, Words *key, bool *is_new)
{
	uint32_t id = intern_add(n->a, &n->key, key->v, key->n);
	*is_new = id == n->norm.n;
	if (*is_new)
		vec_push(n->a, &n->norm, arena_new(n->a, Norm));
	return id;
}

static void settle_alts(Norms *n, Norm *norm, Alts *alts)
{
	for (uint32_t i = 0; i < alts->n; i++)
		settle_alt(n, norm, alts->v[i]);
}

uint32_t norm_of(Norms *n, SchemaNodes *set)
{
	Words key = { 0 };
	Alts alts = { 0 };
	bool is_new;
	uint32_t kept = 0;
	for (uint32_t i = 0; i < set->n; i++)
		if (set->v[i]->kind != SCHEMA_TRUE)
			vec_push(n->a, &key, number_of(n, set->v[i]));
	if (key.n)
		qsort(key.v, key.n, sizeof *key.v, cmp_word);
	for (uint32_t i = 0; i < key.n; i++)
		if (!i || key.v[i] != key.v[kept - 1])
			key.v[kept++] = key.v[i];
	key.n = kept;
	uint32_t id = find_norm(n, &key, &is_new);
	if (!is_new)
		return id;
	vec_push(n->a, &alts, arena_new(n->a, NormAlt));
	alts.v[0]->types = SCHEMA_ANY_TYPE;
	for (uint32_t i = 0; i < set->n; i++)
		expand(n, &alts, set->v[i]);
	settle_alts(n, n->norm.v[id], &alts);
	return id;
}

/* What the alternative and the schema it denies have in common. */
static uint32_t common_norm(Norms *n, const NormAlt *alt, const SchemaNode *s)
{
	Words key = { 0 };
	Alts alts = { 0 };
	bool is_new;
	for (uint32_t i = 0; i < alt->node.n; i++)
		vec_push(n->a, &key, number_of(n, alt->node.v[i]));
	vec_push(n->a, &key, SET_END);
	vec_push(n->a, &key, number_of(n, s));
	uint32_t id = find_norm(n, &key, &is_new);
	if (!is_new)
		return id;
	vec_push(n->a, &alts, copy_alt(n, alt));
	alts.v[0]->deny.n = 0;
	expand(n, &alts, s);
	settle_alts(n, n->norm.v[id], &alts);
	return id;
}

/* True if an alternative of s takes every value of the type. */
static bool takes_all(Norms *n, const SchemaNode *s, unsigned type)
{
	const uint64_t of_object = KW_BIT(PROPERTIES) | KW_BIT(PATTERN_PROPERTIES) | KW_BIT(REQUIRED) | KW_BIT(ADDITIONAL)
		| KW_BIT(PROPERTY_NAMES) | KW_BIT(MIN_PROPERTIES) | KW_BIT(MAX_PROPERTIES);
	const uint64_t of_array = KW_BIT(PREFIX_ITEMS) | KW_BIT(ITEMS) | KW_BIT(CONTAINS) | KW_BIT(MIN_ITEMS) | KW_BIT(MAX_ITEMS)
		| KW_BIT(UNIQUE_ITEMS);
	SchemaNodes set = { 0 };
	vec_push(n->a, &set, s);
	uint32_t id = norm_of(n, &set);
	const Norm *norm = n->norm.v[id];
	for (uint32_t i = 0; i < norm->alt.n; i++) {
		const NormAlt *alt = norm->alt.v[i];
		bool all = (alt->types & type) && !alt->has_values && !alt->deny.n;
		for (uint32_t j = 0; j < alt->node.n; j++)
			all = all && !(alt->node.v[j]->present & (type == SCHEMA_OBJECT ? of_object : of_array));
		if (all)
			return true;
	}
	return false;
}

/* Denials of arrays and objects: they are held only where there is nothing to deny, or everything. */
static void read_denials(Norms *n, NormAlt *alt)
{
	static const unsigned types[] = { SCHEMA_ARRAY, SCHEMA_OBJECT };
	for (uint32_t i = 0; i < alt->deny.n; i++)
		for (int t = 0; t < 2; t++) {
			if (!(alt->types & types[t]))
				continue;
			if (takes_all(n, alt->deny.v[i].node, types[t]))
				alt->types &= ~types[t];
			else
				vec_push(n->a, &n->doubt, (NormDoubt){ common_norm(n, alt, alt->deny.v[i].node), types[t], alt->deny.v[i] });
		}
}

/* ---- what exists ---- */

static bool alt_of_array_lives(const Norms *n, const ArrayRule *r)
{
	for (uint64_t i = 0; i < r->min; i++) {
		if (i >= r->prefix.n)
			return r->min <= r->max && norm_lives(n, r->rest);
		if (!norm_lives(n, r->prefix.v[i]))
			return false;
	}
	return r->min <= r->max;
}

static bool alt_of_object_lives(const Norms *n, const ObjectRule *r)
{
	uint64_t required = 0, possible = 0;
	for (uint32_t i = 0; i < r->name.n; i++) {
		bool lives = norm_lives(n, r->name.v[i].norm);
		if (r->name.v[i].required && !lives)
			return false;
		required += r->name.v[i].required;
		possible += lives;
	}
	for (uint32_t i = 0; i < r->further.n; i++)
		if (norm_lives(n, r->further.v[i])) {
			possible = r->n_further == DFA_MANY ? UINT64_MAX : possible + r->n_further;
			break;
		}
	return required <= r->max && r->min <= r->max && r->min <= possible;
}

bool norm_lives(const Norms *n, uint32_t norm)
{
	for (uint32_t i = 0; i < n->norm.v[norm]->alt.n; i++)
		if (n->norm.v[norm]->alt.v[i]->lives)
			return true;
	return false;
}

static unsigned lives_of(const Norms *n, const NormAlt *alt)
{
	unsigned lives = alt->types & (SCHEMA_NULL | SCHEMA_BOOLEAN | SCHEMA_INTEGER | SCHEMA_NUMBER | SCHEMA_STRING);
	if ((alt->types & SCHEMA_ARRAY) && alt_of_array_lives(n, &alt->array))
		lives |= SCHEMA_ARRAY;
	if ((alt->types & SCHEMA_OBJECT) && alt_of_object_lives(n, &alt->object))
		lives |= SCHEMA_OBJECT;
	return lives;
}

/* The least fixed point: a value exists if what it needs exists, so a schema that only leads back to itself has none. */
static void find_lives(Norms *n)
{
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t i = n->norm.n; i-- > 0;)
			for (uint32_t j = 0; j < n->norm.v[i]->alt.n; j++) {
				NormAlt *alt = n->norm.v[i]->alt.v[j];
				unsigned lives = lives_of(n, alt);
				changed |= lives != alt->lives;
				alt->lives = lives;
			}
	}
}

static Str denial_message(Norms *n, const Denial *d, unsigned type)
{
	const char *what = type == SCHEMA_OBJECT ? "objects" : "arrays";
	if (d->keyword == KW_ONE_OF)
		return str_fmt(n->a, "oneOf is held only where no value fits two alternatives; some %s may here: let a required "
			"constant tell them apart, or use anyOf", what);
	return str_fmt(n->a, "'%s' is held for scalars only, or where no value fits both; some %s may here",
		schema_keyword_name(d->keyword), what);
}

static void judge_doubts(Norms *n)
{
	for (uint32_t i = 0; i < n->doubt.n; i++) {
		const NormDoubt *d = &n->doubt.v[i];
		unsigned lives = 0;
		for (uint32_t j = 0; j < n->norm.v[d->norm]->alt.n; j++)
			lives |= n->norm.v[d->norm]->alt.v[j]->lives;
		if (lives & d->type)
			norm_refuse(n, d->deny.owner, d->deny.keyword, denial_message(n, &d->deny, d->type));
	}
}

uint32_t norms_build(Norms *n)
{
	SchemaNodes set = { 0 };
	uint32_t before = n->errs->n;
	vec_push(n->a, &set, n->root);
	uint32_t root = norm_of(n, &set);
	for (uint32_t i = 0; i < n->norm.n && n->errs->n == before; i++) {
		if (i == NORMS_MAX) {
			norm_refuse(n, n->root, KW_COUNT, str_fmt(n->a, "more than %d combinations of schemas", NORMS_MAX));
			break;
		}
		for (uint32_t j = 0; j < n->norm.v[i]->alt.n; j++) {
			NormAlt *alt = n->norm.v[i]->alt.v[j];
			read_denials(n, alt);
			norm_read_scalars(n, alt);
			norm_read_rules(n, alt);
		}
	}
	if (n->errs->n == before)
		find_lives(n);
	if (n->errs->n == before)
		judge_doubts(n);
	if (n->errs->n == before && !norm_lives(n, root))
		norm_refuse(n, n->root, KW_COUNT, STR("no value satisfies this schema"));
	return n->errs->n == before ? root : NORM_NONE;
}
