/* What an alternative says of arrays and objects; see norm.h. */
#include "runtime/automaton/norm.h"

enum { PATTERNS_MAX = 31 };

static uint32_t norm_of_one(Norms *n, const SchemaNode *s)
{
	SchemaNodes set = { 0 };
	vec_push(n->a, &set, s);
	return norm_of(n, &set);
}

/* ---- arrays ---- */

static void read_contains(Norms *n, const SchemaNode *s, ArrayRule *r)
{
	uint64_t min = schema_has(s, KW_MIN_CONTAINS) ? s->count[COUNT_MIN_CONTAINS] : 1;
	bool has_max = schema_has(s, KW_MAX_CONTAINS);
	const SchemaNode *c = s->sub[SUB_CONTAINS];
	bool takes_all = c->kind == SCHEMA_TRUE || (c->kind == SCHEMA_RULES && !(c->present & ~KW_ANNOTATIONS));
	if (takes_all) {
		r->min = min > r->min ? min : r->min;
		r->max = has_max && s->count[COUNT_MAX_CONTAINS] < r->max ? s->count[COUNT_MAX_CONTAINS] : r->max;
	} else if (c->kind == SCHEMA_FALSE && min) {
		r->max = 0;
		r->min = 1;
	} else if (c->kind != SCHEMA_FALSE && (min || has_max)) {
		norm_refuse(n, s, KW_CONTAINS, STR("'contains' is not held while an array is written"));
	}
}

static void read_array(Norms *n, NormAlt *alt)
{
	ArrayRule *r = &alt->array;
	SchemaNodes rest = { 0 };
	const SchemaNode *unique = NULL;
	uint32_t n_prefix = 0;
	r->max = UINT64_MAX;
	for (uint32_t i = 0; i < alt->node.n; i++) {
		const SchemaNode *s = alt->node.v[i];
		if (schema_has(s, KW_MIN_ITEMS) && s->count[COUNT_MIN_ITEMS] > r->min)
			r->min = s->count[COUNT_MIN_ITEMS];
		if (schema_has(s, KW_MAX_ITEMS) && s->count[COUNT_MAX_ITEMS] < r->max)
			r->max = s->count[COUNT_MAX_ITEMS];
		if (s->sub[SUB_CONTAINS])
			read_contains(n, s, r);
		if (s->list[LIST_PREFIX_ITEMS].n > n_prefix)
			n_prefix = s->list[LIST_PREFIX_ITEMS].n;
		if (s->sub[SUB_ITEMS])
			vec_push(n->a, &rest, s->sub[SUB_ITEMS]);
		unique = s->unique ? s : unique;
	}
	for (uint32_t at = 0; at < n_prefix; at++) {
		SchemaNodes set = { 0 };
		for (uint32_t i = 0; i < alt->node.n; i++) {
			const SchemaNode *s = alt->node.v[i];
			if (at < s->list[LIST_PREFIX_ITEMS].n)
				vec_push(n->a, &set, s->list[LIST_PREFIX_ITEMS].v[at]);
			else if (s->sub[SUB_ITEMS])
				vec_push(n->a, &set, s->sub[SUB_ITEMS]);
		}
		vec_push(n->a, &r->prefix, norm_of(n, &set));
	}
	r->rest = norm_of(n, &rest);
	if (unique && r->max > 1)
		norm_refuse(n, unique, KW_UNIQUE_ITEMS, STR("'uniqueItems' is not held while an array is written (maxItems 1 needs none)"));
}

/* ---- objects ---- */

typedef struct Names {
	Norms *n;
	NormAlt *alt;
	VEC(const SchemaEntry *) pattern;  /* of all schemas */
	Words owner;                       /* of a pattern: index of its schema in alt->node */
	VEC(Str) name;
	VEC(Dfa *) part;                   /* the names, then the patterns, then propertyNames */
	Interner kind;                     /* sets of matched patterns -> kind of further name */
} Names;

static void add_name(Names *x, Str name)
{
	for (uint32_t i = 0; i < x->name.n; i++)
		if (str_eq(x->name.v[i], name))
			return;
	vec_push(x->n->a, &x->name, name);
}

static void gather_names(Names *x)
{
	for (uint32_t i = 0; i < x->alt->node.n; i++) {
		const SchemaNode *s = x->alt->node.v[i];
		for (uint32_t j = 0; j < s->map[MAP_PROPERTIES].n; j++)
			add_name(x, s->map[MAP_PROPERTIES].v[j].name);
	}
	for (uint32_t i = 0; i < x->alt->node.n; i++)
		for (uint32_t j = 0; j < x->alt->node.v[i]->required.n; j++)
			add_name(x, x->alt->node.v[i]->required.v[j]);
	for (uint32_t i = 0; i < x->alt->node.n; i++) {
		const SchemaNode *s = x->alt->node.v[i];
		for (uint32_t j = 0; j < s->map[MAP_PATTERN_PROPERTIES].n; j++) {
			vec_push(x->n->a, &x->pattern, &s->map[MAP_PATTERN_PROPERTIES].v[j]);
			vec_push(x->n->a, &x->owner, i);
		}
	}
}

/* Adds what schema i says of a value: by name (or NULL) and by the patterns of the set, else by additionalProperties. */
static void add_value_schemas(Names *x, uint32_t i, const Str *name, uint32_t matched, SchemaNodes *set)
{
	const SchemaNode *s = x->alt->node.v[i];
	bool known = false;
	for (uint32_t j = 0; name && j < s->map[MAP_PROPERTIES].n; j++)
		if (str_eq(s->map[MAP_PROPERTIES].v[j].name, *name)) {
			vec_push(x->n->a, set, s->map[MAP_PROPERTIES].v[j].schema);
			known = true;
		}
	for (uint32_t p = 0; p < x->pattern.n; p++)
		if (x->owner.v[p] == i && matched >> p & 1) {
			vec_push(x->n->a, set, x->pattern.v[p]->schema);
			known = true;
		}
	if (!known && s->sub[SUB_ADDITIONAL])
		vec_push(x->n->a, set, s->sub[SUB_ADDITIONAL]);
}

static bool is_name_allowed(Names *x, Str name)
{
	for (uint32_t i = 0; i < x->alt->node.n; i++) {
		const SchemaNode *s = x->alt->node.v[i]->sub[SUB_PROPERTY_NAMES];
		if (s && !schema_validate(x->n->a, s, json_new_text(x->n->a, name), SCHEMA_FORMATS, NULL))
			return false;
	}
	return true;
}

static bool is_name_required(const Names *x, Str name)
{
	for (uint32_t i = 0; i < x->alt->node.n; i++)
		if (schema_is_required(x->alt->node.v[i], name))
			return true;
	return false;
}

static uint32_t never_norm(Norms *n)
{
	SchemaNodes set = { 0 };
	vec_push(n->a, &set, schema_new_never(n->a));
	return norm_of(n, &set);
}

static void read_names(Names *x)
{
	ObjectRule *r = &x->alt->object;
	for (uint32_t i = 0; i < x->name.n; i++) {
		Str name = x->name.v[i];
		SchemaNodes set = { 0 };
		uint32_t matched = 0;
		for (uint32_t p = 0; p < x->pattern.n; p++)
			matched |= (uint32_t)regex_search(x->pattern.v[p]->regex, name) << p;
		for (uint32_t j = 0; j < x->alt->node.n; j++)
			add_value_schemas(x, j, &name, matched, &set);
		uint32_t norm = is_name_allowed(x, name) ? norm_of(x->n, &set) : never_norm(x->n);
		vec_push(x->n->a, &r->name, (NameRule){ name, norm, is_name_required(x, name) });
	}
}

/* The kind of further name that matches these patterns. */
static uint32_t kind_of(Names *x, uint32_t matched)
{
	uint32_t kind = intern_add(x->n->a, &x->kind, &matched, 1);
	ObjectRule *r = &x->alt->object;
	if (kind == r->further.n) {
		SchemaNodes set = { 0 };
		for (uint32_t i = 0; i < x->alt->node.n; i++)
			add_value_schemas(x, i, NULL, matched, &set);
		vec_push(x->n->a, &r->further, norm_of(x->n, &set));
	}
	return kind;
}

static uint32_t choose_name(void *context, const uint32_t *label, uint32_t n)
{
	Names *x = context;
	uint32_t matched = 0;
	for (uint32_t i = 1 + x->pattern.n; i < n; i++)
		if (!label[i])
			return 0;
	if (label[0])
		return label[0];
	for (uint32_t i = 0; i < x->pattern.n; i++)
		matched |= (uint32_t)(label[1 + i] != 0) << i;
	return x->alt->object.name.n + 1 + kind_of(x, matched);
}

/* Can there be a name that no property declares? */
static bool is_closed(const Names *x)
{
	for (uint32_t i = 0; i < x->alt->node.n; i++) {
		const SchemaNode *s = x->alt->node.v[i], *extra = s->sub[SUB_ADDITIONAL];
		if (extra && extra->kind == SCHEMA_FALSE && !s->map[MAP_PATTERN_PROPERTIES].n)
			return true;
	}
	return false;
}

static uint32_t count_further(const Names *x)
{
	const Dfa *d = x->alt->object.names;
	bool *counts = arena_array(x->n->a, bool, d->state.n);
	for (uint32_t i = 0; i < d->state.n; i++)
		counts[i] = d->state.v[i].label > x->alt->object.name.n;
	return dfa_is_empty(d) ? 0 : dfa_counts(x->n->a, d, counts)[0];
}

static void read_further(Names *x)
{
	Norms *n = x->n;
	uint32_t before = n->errs->n;
	if (x->pattern.n > PATTERNS_MAX) {
		norm_refuse(n, x->alt->node.v[0], KW_PATTERN_PROPERTIES, str_fmt(n->a, "more than %d patterns for names", PATTERNS_MAX));
		return;
	}
	vec_push(n->a, &x->part, dfa_new_literals(n->a, x->name.v, x->name.n, DFA_CODE_POINTS));
	for (uint32_t i = 0; i < x->pattern.n; i++)
		vec_push(n->a, &x->part, norm_regex_dfa(n, x->alt->node.v[x->owner.v[i]], KW_PATTERN_PROPERTIES, x->pattern.v[i]->regex));
	for (uint32_t i = 0; i < x->alt->node.n; i++) {
		const SchemaNode *s = x->alt->node.v[i];
		if (s->sub[SUB_PROPERTY_NAMES])
			vec_push(n->a, &x->part, norm_string_dfa(n, s, KW_PROPERTY_NAMES, norm_of_one(n, s->sub[SUB_PROPERTY_NAMES])));
	}
	if (n->errs->n > before)
		return;
	x->alt->object.names = dfa_product(n->a, x->part.v, x->part.n, choose_name, x);
	if (!x->alt->object.names)
		norm_refuse(n, x->alt->node.v[0], KW_PATTERN_PROPERTIES, STR("the names of this object need too many states"));
	else
		x->alt->object.n_further = count_further(x);
}

static void read_object(Norms *n, NormAlt *alt)
{
	ObjectRule *r = &alt->object;
	Names x = { .n = n, .alt = alt };
	r->max = UINT64_MAX;
	for (uint32_t i = 0; i < alt->node.n; i++) {
		const SchemaNode *s = alt->node.v[i];
		if (schema_has(s, KW_MIN_PROPERTIES) && s->count[COUNT_MIN_PROPERTIES] > r->min)
			r->min = s->count[COUNT_MIN_PROPERTIES];
		if (schema_has(s, KW_MAX_PROPERTIES) && s->count[COUNT_MAX_PROPERTIES] < r->max)
			r->max = s->count[COUNT_MAX_PROPERTIES];
	}
	gather_names(&x);
	read_names(&x);
	if (!is_closed(&x))
		read_further(&x);
}

void norm_read_rules(Norms *n, NormAlt *alt)
{
	if (alt->has_values)
		return;
	if (alt->types & SCHEMA_ARRAY)
		read_array(n, alt);
	if (alt->types & SCHEMA_OBJECT)
		read_object(n, alt);
}
