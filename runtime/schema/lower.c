/* Lowering: see lower.h. The idea: copy the schema (export, then import: self-contained, every $ref
 * inside), then visit each node of the copy once, parts before wholes, and apply the steps below in
 * their order; then count what has a limit.
 *
 * note [never weaker in silence] A rule that leaves the schema goes into the description or is refused.
 * What would make valid values impossible (a map in closed objects) is refused, never narrowed. */
#include "runtime/schema/lower.h"

#include "runtime/schema/describe.h"
#include "runtime/schema/node.h"

/* allOf is merged everywhere first: afterwards its parts may be closed and would not merge. */
typedef enum Phase { PHASE_MERGE, PHASE_LOWER } Phase;

typedef struct Lowerer {
	Arena *a;
	Arena scratch;
	const SchemaCaps *caps;
	SchemaRemarks *remarks;
	Buf path;
	uint32_t depth, n_refused;
	Phase phase;
	bool has_merged;
	bool is_wrapped;  /* paths start with the wrapper's, which the original does not have */
	PairMap done, refused;  /* nodes */
	SchemaNode *root;
} Lowerer;

static bool takes(const Lowerer *l, Keyword k)
{
	return l->caps->keywords >> k & 1;
}

#define WRAPPER_PATH "/properties/value"

static void remark(Lowerer *l, const SchemaNode *s, RemarkKind kind, Str what)
{
	Str path = buf_str(&l->path);
	if (l->is_wrapped && str_starts(path, STR(WRAPPER_PATH)))
		path = str_sub(path, sizeof WRAPPER_PATH - 1, path.n);
	if (kind == REMARK_REFUSED) {
		l->n_refused++;
		pair_set(&l->scratch, &l->refused, s, NULL, l);
	}
	vec_push(l->a, l->remarks, (SchemaRemark){ kind, str_dup(l->a, path), what, s->lo, s->hi });
}

#define REMARK(l, s, kind, ...) remark((l), (s), (kind), str_fmt((l)->a, __VA_ARGS__))

static void set_list(Lowerer *l, SchemaNode *s, Keyword k, SchemaNode *const *v, uint32_t n)
{
	int slot = keyword_row[k].slot;
	schema_drop(s, k);
	schema_mark(s, k);
	for (uint32_t i = 0; i < n; i++)
		vec_push(l->a, &s->list[slot], v[i]);
}

/* ---- moving rules into words ---- */

static void append_description(Lowerer *l, SchemaNode *s, Str words)
{
	Str old = s->text[TEXT_DESCRIPTION];
	bool has = schema_has(s, KW_DESCRIPTION) && old.n;
	schema_set_doc(s, has ? str_fmt(l->a, "%.*s (%.*s)", STR_ARG(old), STR_ARG(words)) : str_dup(l->a, words));
}

/* Keywords that stand for one rule leave together. */
static void move_to_words(Lowerer *l, SchemaNode *s, uint64_t keywords)
{
	Buf words = { 0 }, names = { 0 };
	keywords &= s->present;
	if (!keywords)
		return;
	schema_describe(&words, s, keywords);
	for (int k = 0; k < KW_COUNT; k++)
		if (keywords >> k & 1) {
			buf_printf(&names, "%s%s", names.n ? ", " : "", keyword_row[k].spelling.p);
			schema_drop(s, (Keyword)k);
		}
	if (l->caps->unsupported == UNSUPPORTED_REFUSE && (keywords & ~KW_ANNOTATIONS))
		REMARK(l, s, REMARK_REFUSED, "the target takes no %.*s", STR_ARG(buf_str(&names)));
	else
		REMARK(l, s, REMARK_MOVED, "%.*s moved to the description: \"%.*s\"", STR_ARG(buf_str(&names)),
			STR_ARG(buf_str(&words)));
	if (words.n)
		append_description(l, s, buf_str(&words));
	buf_free(&words);
	buf_free(&names);
}

static bool takes_format(const Lowerer *l, Str format)
{
	for (uint32_t i = 0; i < l->caps->format.n; i++)
		if (str_eq(l->caps->format.v[i], format))
			return true;
	return l->caps->any_format;
}

static void step_words(Lowerer *l, SchemaNode *s)
{
	/* what annotates leaves without words, but for a default, which may guide */
	const uint64_t silent = KW_BIT(ID) | KW_BIT(ANCHOR) | KW_BIT(NOTE), told = KW_BIT(TITLE) | KW_BIT(EXAMPLES);
	uint64_t out = s->present & ~l->caps->keywords;
	for (int k = 0; k < KW_COUNT; k++) {
		if (!(out & (silent | told) & (uint64_t)1 << k))
			continue;
		schema_drop(s, (Keyword)k);
		if (told >> k & 1)
			REMARK(l, s, REMARK_DROPPED, "%s is not sent", keyword_row[k].spelling.p);
	}
	if (schema_has(s, KW_FORMAT) && !takes_format(l, s->text[TEXT_FORMAT]))
		out |= KW_BIT(FORMAT);
	if (schema_has(s, KW_MIN_ITEMS) && l->caps->max_min_items && s->count[COUNT_MIN_ITEMS] > l->caps->max_min_items)
		out |= KW_BIT(MIN_ITEMS);
	if (schema_has(s, KW_CONTAINS) && (out & KW_BIT(CONTAINS)))
		out |= KW_BIT(MIN_CONTAINS) | KW_BIT(MAX_CONTAINS);
	if (out & KW_BIT(IF))
		out |= KW_BIT(THEN) | KW_BIT(ELSE);
	if (schema_has(s, KW_UNIQUE_ITEMS) && !s->unique)
		schema_drop(s, KW_UNIQUE_ITEMS);
	/* const and prefixItems have steps of their own */
	move_to_words(l, s, out & schema_describable() & ~(KW_BIT(CONST) | KW_BIT(ENUM) | KW_BIT(PREFIX_ITEMS)));
}

/* ---- same meaning, other keywords ---- */

static unsigned types_of_values(JsonNode *const *v, uint32_t n)
{
	unsigned set = 0;
	for (uint32_t i = 0; i < n; i++)
		set |= schema_type_set_of(v[i]);
	return set & SCHEMA_NUMBER ? set & ~(unsigned)SCHEMA_INTEGER : set;
}

static void step_const(Lowerer *l, SchemaNode *s)
{
	if (!schema_has(s, KW_CONST) || takes(l, KW_CONST))
		return;
	JsonNode *value = s->value[VALUE_CONST];
	if (!takes(l, KW_ENUM) || value->kind == JSON_ARRAY || value->kind == JSON_OBJECT) {
		move_to_words(l, s, KW_BIT(CONST));
		return;
	}
	schema_drop(s, KW_CONST);
	schema_drop(s, KW_ENUM);
	schema_mark(s, KW_ENUM);
	vec_push(l->a, &s->enum_value, value);
	REMARK(l, s, REMARK_REWRITTEN, "const became enum");
}

static void step_enum(Lowerer *l, SchemaNode *s)
{
	bool strings_only = true;
	for (uint32_t i = 0; i < s->enum_value.n; i++)
		strings_only &= s->enum_value.v[i]->kind == JSON_STRING || s->enum_value.v[i]->kind == JSON_NULL;
	if (!schema_has(s, KW_TYPE) && (schema_has(s, KW_ENUM) || schema_has(s, KW_CONST)) && l->caps->typed) {
		s->types = schema_has(s, KW_ENUM) ? types_of_values(s->enum_value.v, s->enum_value.n)
			: types_of_values(&s->value[VALUE_CONST], 1);
		schema_mark(s, KW_TYPE);
	}
	if (schema_has(s, KW_ENUM) && (!takes(l, KW_ENUM) || (l->caps->enum_strings && !strings_only)))
		move_to_words(l, s, KW_BIT(ENUM));
}

static void step_one_of(Lowerer *l, SchemaNode *s)
{
	bool disjoint = true;
	uint32_t n = s->list[LIST_ONE_OF].n;
	if (!schema_has(s, KW_ONE_OF) || takes(l, KW_ONE_OF))
		return;
	if (!takes(l, KW_ANY_OF) || schema_has(s, KW_ANY_OF)) {
		REMARK(l, s, REMARK_REFUSED, "the target takes no oneOf");
		return;
	}
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t j = 0; j < i && disjoint; j++)
			disjoint = schema_are_disjoint(s->list[LIST_ONE_OF].v[i], s->list[LIST_ONE_OF].v[j]);
	set_list(l, s, KW_ANY_OF, s->list[LIST_ONE_OF].v, n);
	schema_drop(s, KW_ONE_OF);
	if (disjoint) {
		REMARK(l, s, REMARK_REWRITTEN, "oneOf became anyOf: its alternatives exclude each other");
		return;
	}
	append_description(l, s, STR("exactly one of the alternatives may fit"));
	REMARK(l, s, l->caps->unsupported == UNSUPPORTED_REFUSE ? REMARK_REFUSED : REMARK_MOVED,
		"oneOf became anyOf; that only one may fit is said in the description");
}

/* Part of an allOf that is nothing but named fields. */
static bool is_plain_object(const SchemaNode *s)
{
	const uint64_t plain = KW_ANNOTATIONS | KW_BIT(TYPE) | KW_BIT(PROPERTIES) | KW_BIT(REQUIRED) | KW_BIT(ADDITIONAL);
	return s->kind == SCHEMA_RULES && !(s->present & ~plain)
		&& (!schema_has(s, KW_TYPE) || s->types == SCHEMA_OBJECT)
		&& (!s->sub[SUB_ADDITIONAL] || s->sub[SUB_ADDITIONAL]->kind == SCHEMA_TRUE);
}

static void step_all_of(Lowerer *l, SchemaNode *s);

static bool merge_object(Lowerer *l, SchemaNode *into, SchemaNode *part)
{
	step_all_of(l, part);
	if (!is_plain_object(part))
		return false;
	for (uint32_t i = 0; i < part->map[MAP_PROPERTIES].n; i++) {
		const SchemaEntry *e = &part->map[MAP_PROPERTIES].v[i];
		if (!schema_add_field(l->a, into, e->name, e->schema, FIELD_OPTIONAL, (Str){ 0 }))
			return false;
	}
	for (uint32_t i = 0; i < part->required.n; i++)
		if (!schema_is_required(into, part->required.v[i])) {
			schema_mark(into, KW_REQUIRED);
			vec_push(l->a, &into->required, part->required.v[i]);
		}
	into->types |= part->types;
	into->present |= part->present & KW_BIT(TYPE);
	return true;
}

static void take_over(SchemaNode *s, const SchemaNode *from)
{
	SchemaNode old = *s;
	*s = *from;
	s->lo = old.lo;
	s->hi = old.hi;
	s->name = old.name;
	if (schema_has(&old, KW_DESCRIPTION))
		schema_set_doc(s, old.text[TEXT_DESCRIPTION]);
	if (schema_has(&old, KW_DEFAULT))
		schema_set_default(s, old.value[VALUE_DEFAULT]);
	if (schema_has(&old, KW_TITLE)) {
		schema_mark(s, KW_TITLE);
		s->text[TEXT_TITLE] = old.text[TEXT_TITLE];
	}
	s->map[MAP_DEFS].n = 0;
	schema_unmark(s, KW_DEFS);
	if (schema_has(&old, KW_DEFS)) {
		memcpy(&s->map[MAP_DEFS], &old.map[MAP_DEFS], sizeof old.map[MAP_DEFS]);
		schema_mark(s, KW_DEFS);
	}
}

/* Within the copy, which is ours to change. */
static SchemaNode *follow(SchemaNode *s)
{
	return (SchemaNode *)schema_follow(s);
}

static void step_all_of(Lowerer *l, SchemaNode *s)
{
	uint32_t n = s->list[LIST_ALL_OF].n;
	SchemaNode **part = s->list[LIST_ALL_OF].v;
	if (!schema_has(s, KW_ALL_OF) || takes(l, KW_ALL_OF))
		return;
	schema_drop(s, KW_ALL_OF);
	l->has_merged = true;
	if (n == 1 && !(s->present & ~KW_ANNOTATIONS)) {
		step_all_of(l, part[0]);
		take_over(s, part[0]);
		REMARK(l, s, REMARK_REWRITTEN, "allOf of one schema became that schema");
		return;
	}
	bool ok = is_plain_object(s);
	for (uint32_t i = 0; i < n && ok; i++)
		ok = merge_object(l, s, follow(part[i]));
	if (ok)
		REMARK(l, s, REMARK_REWRITTEN, "allOf became one object with the fields of all");
	else
		REMARK(l, s, REMARK_REFUSED, "the target takes no allOf, and this one is no plain union of fields");
}

/* ---- references ---- */

static void step_ref(Lowerer *l, SchemaNode *s)
{
	if (!s->target)
		return;
	if (!takes(l, KW_REF)) {
		const SchemaNode *target = schema_follow(s->target);
		schema_drop(s, KW_REF);
		if (s->present & ~KW_ANNOTATIONS)
			REMARK(l, s, REMARK_REFUSED, "the target takes no $ref, and this one has rules beside it");
		else
			take_over(s, target);
		return;
	}
	if (l->caps->ref_siblings || !(s->present & ~KW_BIT(REF)))
		return;
	SchemaNode *inner = schema_new_ref(l->a, s->ref);
	inner->target = s->target;
	schema_drop(s, KW_REF);
	if (!takes(l, KW_ANY_OF) || schema_has(s, KW_ANY_OF)) {
		REMARK(l, s, REMARK_REFUSED, "the target takes nothing beside $ref");
		return;
	}
	set_list(l, s, KW_ANY_OF, &inner, 1);
}

/* ---- types ---- */

static const uint64_t rules_of_type[] = {  /* by bit number of SchemaType */
	0, 0,
	KW_BIT(MINIMUM) | KW_BIT(MAXIMUM) | KW_BIT(EXCLUSIVE_MINIMUM) | KW_BIT(EXCLUSIVE_MAXIMUM) | KW_BIT(MULTIPLE_OF),
	KW_BIT(MINIMUM) | KW_BIT(MAXIMUM) | KW_BIT(EXCLUSIVE_MINIMUM) | KW_BIT(EXCLUSIVE_MAXIMUM) | KW_BIT(MULTIPLE_OF),
	KW_BIT(MIN_LENGTH) | KW_BIT(MAX_LENGTH) | KW_BIT(PATTERN) | KW_BIT(FORMAT),
	KW_BIT(ITEMS) | KW_BIT(PREFIX_ITEMS) | KW_BIT(MIN_ITEMS) | KW_BIT(MAX_ITEMS) | KW_BIT(UNIQUE_ITEMS) | KW_BIT(CONTAINS)
		| KW_BIT(MIN_CONTAINS) | KW_BIT(MAX_CONTAINS),
	KW_BIT(PROPERTIES) | KW_BIT(PATTERN_PROPERTIES) | KW_BIT(REQUIRED) | KW_BIT(ADDITIONAL) | KW_BIT(PROPERTY_NAMES)
		| KW_BIT(MIN_PROPERTIES) | KW_BIT(MAX_PROPERTIES) | KW_BIT(DEPENDENT_REQUIRED) | KW_BIT(DEPENDENT_SCHEMAS),
};

static uint64_t rules_of_all_types(void)
{
	uint64_t all = 0;
	for (size_t i = 0; i < sizeof rules_of_type / sizeof *rules_of_type; i++)
		all |= rules_of_type[i];
	return all;
}

/* s narrowed to one type: only that type's rules and enum values stay. */
static SchemaNode *part_of_type(Lowerer *l, const SchemaNode *s, unsigned bit)
{
	SchemaNode *part = arena_dup(l->a, s, sizeof *s);
	int at = 0;
	while (1u << at != bit)
		at++;
	for (int k = 0; k < KW_COUNT; k++)
		if ((rules_of_all_types() & ~rules_of_type[at]) >> k & 1)
			schema_drop(part, (Keyword)k);
	for (int k = 0; k < KW_COUNT; k++)
		if (KW_ANNOTATIONS >> k & 1 && k != KW_FORMAT)
			schema_drop(part, (Keyword)k);
	part->types = bit;
	memset(&part->enum_value, 0, sizeof part->enum_value);
	for (uint32_t i = 0; i < s->enum_value.n; i++) {
		unsigned t = schema_type_set_of(s->enum_value.v[i]);
		if (t == bit || (t == SCHEMA_INTEGER && bit == SCHEMA_NUMBER))
			vec_push(l->a, &part->enum_value, s->enum_value.v[i]);
	}
	return part;
}

static void step_type_list(Lowerer *l, SchemaNode *s)
{
	unsigned types = s->types, null = l->caps->nullable == NULLABLE_KEYWORD ? SCHEMA_NULL : 0;
	SchemaNode *part[8];
	uint32_t n = 0;
	if (!schema_has(s, KW_TYPE) || l->caps->type_lists || !((types & ~null) & ((types & ~null) - 1)))
		return;
	if (schema_has(s, KW_ANY_OF) || schema_has(s, KW_REF) || !takes(l, KW_ANY_OF)) {
		REMARK(l, s, REMARK_REFUSED, "the target takes one type only");
		return;
	}
	for (unsigned bit = SCHEMA_BOOLEAN; bit <= SCHEMA_OBJECT; bit <<= 1)
		if (types & bit)
			part[n++] = part_of_type(l, s, bit);
	if (types & SCHEMA_NULL)
		part[n++] = schema_new_type(l->a, SCHEMA_NULL);
	for (int k = 0; k < KW_COUNT; k++)
		if ((rules_of_all_types() | KW_BIT(ENUM) | KW_BIT(TYPE)) >> k & 1)
			schema_drop(s, (Keyword)k);
	set_list(l, s, KW_ANY_OF, part, n);
	REMARK(l, s, REMARK_REWRITTEN, "a list of types became anyOf");
}

static void step_typed(Lowerer *l, SchemaNode *s)
{
	const uint64_t speaks = KW_BIT(TYPE) | KW_BIT(REF) | KW_BIT(ANY_OF) | KW_BIT(ONE_OF) | KW_BIT(ALL_OF);
	if (!l->caps->typed || (s->present & speaks) || pair_get(&l->refused, s, NULL))
		return;
	unsigned implied = 0;
	for (int at = 0; at < 7; at++)
		if (at != 2 && (s->present & rules_of_type[at]))
			implied |= 1u << at;
	if (!implied || (implied & (implied - 1))) {
		REMARK(l, s, REMARK_REFUSED, "any value may stand here, and the target wants a type");
		return;
	}
	s->types = implied;
	schema_mark(s, KW_TYPE);
	REMARK(l, s, REMARK_REWRITTEN, "type was added: the target wants one");
}

/* ---- arrays and objects ---- */

/* items: false says how many there may be. */
static void step_no_items(Lowerer *l, SchemaNode *s)
{
	uint64_t n = s->list[LIST_PREFIX_ITEMS].n;
	if (l->caps->booleans || !s->sub[SUB_ITEMS] || s->sub[SUB_ITEMS]->kind != SCHEMA_FALSE)
		return;
	schema_drop(s, KW_ITEMS);
	if (!schema_has(s, KW_MAX_ITEMS) || s->count[COUNT_MAX_ITEMS] > n)
		schema_set_count(s, KW_MAX_ITEMS, n);
	REMARK(l, s, REMARK_REWRITTEN, "items: false became maxItems");
	if (!takes(l, KW_MAX_ITEMS))
		move_to_words(l, s, KW_BIT(MAX_ITEMS));
}

static void step_array(Lowerer *l, SchemaNode *s)
{
	bool is_array = schema_has(s, KW_TYPE) && (s->types & SCHEMA_ARRAY);
	if (schema_has(s, KW_PREFIX_ITEMS) && !takes(l, KW_PREFIX_ITEMS)) {
		uint32_t n = s->list[LIST_PREFIX_ITEMS].n;
		SchemaNode **kid = s->list[LIST_PREFIX_ITEMS].v, *rest = s->sub[SUB_ITEMS];
		if (l->caps->unsupported == UNSUPPORTED_REFUSE || !takes(l, KW_ANY_OF)) {
			REMARK(l, s, REMARK_REFUSED, "the target takes no prefixItems");
			return;
		}
		SchemaNode *any = schema_new_union(l->a, kid, n);
		if (rest)
			vec_push(l->a, &any->list[LIST_ANY_OF], rest);
		move_to_words(l, s, KW_BIT(PREFIX_ITEMS));
		s->sub[SUB_ITEMS] = n == 1 && any->list[LIST_ANY_OF].n == 1 ? kid[0] : any;
		schema_mark(s, KW_ITEMS);
	}
	if (is_array && l->caps->typed && !s->sub[SUB_ITEMS])
		REMARK(l, s, REMARK_REFUSED, "items may be anything, and the target wants a type");
}

/* was | null, as the target spells it; a union takes one more alternative. */
static SchemaNode *or_null(Lowerer *l, SchemaNode *was)
{
	SchemaNode *null = schema_new_type(l->a, SCHEMA_NULL);
	if (schema_has(was, KW_ANY_OF) && !(was->present & ~(KW_BIT(ANY_OF) | KW_ANNOTATIONS))) {
		vec_push(l->a, &was->list[LIST_ANY_OF], null);
		return was;
	}
	if (l->caps->type_lists || l->caps->nullable == NULLABLE_KEYWORD)
		return schema_new_nullable(l->a, was);
	return schema_new_union(l->a, (SchemaNode *[]){ was, null }, 2);
}

/* null for an optional property, so that it can be required. */
static void make_nullable(Lowerer *l, SchemaEntry *e)
{
	SchemaNode *was = e->schema;
	if (schema_possible_types(was) & SCHEMA_NULL)
		return;
	e->schema = or_null(l, was);
	if (e->schema->list[LIST_ANY_OF].n && e->schema->list[LIST_ANY_OF].v[0] == was && schema_has(was, KW_DESCRIPTION)) {
		/* the description belongs to the field, so it stands outside the union */
		schema_set_doc(e->schema, was->text[TEXT_DESCRIPTION]);
		schema_drop(was, KW_DESCRIPTION);
	}
	pair_set(&l->scratch, &l->done, e->schema, NULL, l);
}

static void require_all(Lowerer *l, SchemaNode *s)
{
	VEC(Str) all = { 0 };
	size_t n = l->path.n;
	for (uint32_t i = 0; i < s->map[MAP_PROPERTIES].n; i++) {
		SchemaEntry *e = &s->map[MAP_PROPERTIES].v[i];
		vec_push(l->a, &all, e->name);
		if (schema_is_required(s, e->name))
			continue;
		json_pointer_put(&l->path, STR("properties"));
		json_pointer_put(&l->path, e->name);
		REMARK(l, e->schema, REMARK_NULLABLE, "optional became required, with null for absent");
		l->path.n = n;
		make_nullable(l, e);
	}
	if (all.n)
		schema_mark(s, KW_REQUIRED);
	memcpy(&s->required, &all, sizeof all);
}

static void step_object(Lowerer *l, SchemaNode *s)
{
	bool is_object = (schema_has(s, KW_TYPE) && (s->types & SCHEMA_OBJECT)) || schema_has(s, KW_PROPERTIES);
	SchemaNode *more = s->sub[SUB_ADDITIONAL];
	bool is_map = more && more->kind != SCHEMA_FALSE && (more->kind == SCHEMA_RULES || !s->map[MAP_PROPERTIES].n);
	if (!is_object)
		return;
	if (schema_has(s, KW_PATTERN_PROPERTIES) && (!takes(l, KW_PATTERN_PROPERTIES) || l->caps->closed_objects)) {
		REMARK(l, s, REMARK_REFUSED, "the target takes no patternProperties");
		return;
	}
	if (l->caps->closed_objects && (is_map || (!more && !s->map[MAP_PROPERTIES].n))) {
		REMARK(l, s, REMARK_REFUSED, "an object with any names (a map) is impossible where objects are closed; "
			"use a list of objects with a name and a value");
		return;
	}
	for (uint32_t i = 0; l->caps->closed_objects && i < s->required.n; i++)
		if (!schema_get_field(s, s->required.v[i]))
			REMARK(l, s, REMARK_REFUSED, "required names \"%.*s\", which properties does not describe",
				STR_ARG(s->required.v[i]));
	if (l->caps->closed_objects && (!more || more->kind == SCHEMA_TRUE)) {
		s->sub[SUB_ADDITIONAL] = schema_new_never(l->a);
		schema_mark(s, KW_ADDITIONAL);
		REMARK(l, s, REMARK_CLOSED, "additionalProperties: false was added");
	}
	if (!takes(l, KW_ADDITIONAL) && schema_has(s, KW_ADDITIONAL)) {
		if (is_map)
			REMARK(l, s, REMARK_REFUSED, "the target takes no additionalProperties");
		schema_drop(s, KW_ADDITIONAL);
	}
	if (l->caps->all_required)
		require_all(l, s);
}

/* What is left and has no step: structure that the target lacks. */
static void step_rest(Lowerer *l, SchemaNode *s)
{
	uint64_t left = s->present & ~l->caps->keywords & ~(KW_BIT(DESCRIPTION) | KW_BIT(REF) | KW_BIT(ALL_OF) | KW_BIT(ONE_OF)
		| KW_BIT(DEFS) | KW_BIT(PATTERN_PROPERTIES) | KW_BIT(PREFIX_ITEMS));
	for (int k = 0; k < KW_COUNT; k++)
		if (left >> k & 1) {
			REMARK(l, s, REMARK_REFUSED, "the target takes no %s", keyword_row[k].spelling.p);
			schema_drop(s, (Keyword)k);
		}
	if (!takes(l, KW_DESCRIPTION) && schema_has(s, KW_DESCRIPTION)) {
		schema_drop(s, KW_DESCRIPTION);
		REMARK(l, s, REMARK_DROPPED, "description is not sent");
	}
}

/* ---- the walk ---- */

static void lower_node(Lowerer *l, SchemaNode *s);

static void lower_at(Lowerer *l, SchemaNode *s, Str keyword, Str token)
{
	size_t n = l->path.n;
	json_pointer_put(&l->path, keyword);
	if (token.p)
		json_pointer_put(&l->path, token);
	lower_node(l, s);
	l->path.n = n;
}

static void lower_kids(Lowerer *l, SchemaNode *s)
{
	for (int k = 0; k < KW_COUNT; k++) {
		const KeywordRow *row = &keyword_row[k];
		if (!schema_has(s, (Keyword)k))
			continue;
		if (row->shape == SHAPE_SUB)
			lower_at(l, s->sub[row->slot], row->spelling, (Str){ 0 });
		for (uint32_t i = 0; row->shape == SHAPE_LIST && i < s->list[row->slot].n; i++)
			lower_at(l, s->list[row->slot].v[i], row->spelling, str_fmt(&l->scratch, "%u", i));
		for (uint32_t i = 0; row->shape == SHAPE_MAP && i < s->map[row->slot].n; i++)
			lower_at(l, s->map[row->slot].v[i].schema, row->spelling, s->map[row->slot].v[i].name);
	}
}

static void run_steps(Lowerer *l, SchemaNode *s)
{
	step_no_items(l, s);
	step_words(l, s);
	step_const(l, s);
	step_enum(l, s);
	step_ref(l, s);
	step_one_of(l, s);
	step_typed(l, s);
	step_type_list(l, s);
	lower_kids(l, s);
	step_array(l, s);
	step_object(l, s);
	step_rest(l, s);
}

static bool stands_for_closed(const Lowerer *l)
{
	return str_ends(buf_str(&l->path), STR("/additionalProperties"));
}

static void lower_node(Lowerer *l, SchemaNode *s)
{
	if (pair_get(&l->done, s, NULL) || l->depth == SCHEMA_DEPTH_MAX)
		return;
	pair_set(&l->scratch, &l->done, s, NULL, l);
	if (s->kind != SCHEMA_RULES) {
		if (l->phase == PHASE_MERGE || stands_for_closed(l) || (l->caps->booleans && !l->caps->typed))
			return;
		if (s->kind == SCHEMA_FALSE)
			REMARK(l, s, REMARK_REFUSED, "nothing may stand here, which the target cannot say");
		else if (l->caps->typed)
			REMARK(l, s, REMARK_REFUSED, "any value may stand here, and the target wants a type");
		s->kind = SCHEMA_RULES;  /* true is {} to targets that know no booleans */
		return;
	}
	l->depth++;
	if (l->phase == PHASE_MERGE) {
		step_all_of(l, s);
		lower_kids(l, s);
	} else {
		run_steps(l, s);
	}
	l->depth--;
}

static void lower_all(Lowerer *l, SchemaNode *root)
{
	l->phase = PHASE_MERGE;
	lower_node(l, root);
	memset(&l->done, 0, sizeof l->done);
	l->phase = PHASE_LOWER;
	lower_node(l, root);
}

/* Drops the definitions that merging left without a $ref. */
static void prune_defs(Lowerer *l, SchemaNode *root)
{
	SchemaNodes todo = { 0 };
	PairMap seen = { 0 };
	uint32_t kept = 0, n = root->map[MAP_DEFS].n;
	if (!l->has_merged || !n)
		return;
	root->map[MAP_DEFS].n = 0;
	vec_push(&l->scratch, &todo, root);
	for (uint32_t i = 0; i < todo.n; i++) {
		if (pair_get(&seen, todo.v[i], NULL))
			continue;
		pair_set(&l->scratch, &seen, todo.v[i], NULL, l);
		schema_all_kids(&l->scratch, todo.v[i], &todo);
	}
	for (uint32_t i = 0; i < n; i++)
		if (pair_get(&seen, root->map[MAP_DEFS].v[i].schema, NULL))
			root->map[MAP_DEFS].v[kept++] = root->map[MAP_DEFS].v[i];
	root->map[MAP_DEFS].n = kept;
	if (!kept)
		schema_drop(root, KW_DEFS);
}

/* ---- the root ---- */

static bool needs_wrapping(const SchemaNode *root, const SchemaCaps *caps)
{
	const SchemaNode *s = schema_follow(root);
	if (!caps->root_any_of && (schema_has(s, KW_ANY_OF) || schema_has(s, KW_ONE_OF)))
		return true;
	return caps->root_object && schema_possible_types(s) != SCHEMA_OBJECT;
}

static SchemaNode *wrap_root(Lowerer *l, SchemaNode *root)
{
	SchemaNode *out = schema_new_object(l->a);
	schema_add_field(l->a, out, STR("value"), root, FIELD_REQUIRED, (Str){ 0 });
	l->is_wrapped = true;
	out->lo = root->lo;
	out->hi = root->hi;
	REMARK(l, root, REMARK_WRAPPED, "the target wants an object: the reply is {\"value\": …}");
	if (schema_has(root, KW_DEFS)) {
		memcpy(&out->map[MAP_DEFS], &root->map[MAP_DEFS], sizeof root->map[MAP_DEFS]);
		schema_mark(out, KW_DEFS);
		schema_drop(root, KW_DEFS);
	}
	return out;
}

/* A target that wants an object at the root wants it there, not behind a $ref. */
static void open_root_ref(Lowerer *l, SchemaNode *root)
{
	if (l->caps->root_object && root->target && schema_follow(root) != root)
		take_over(root, schema_follow(root));
}

/* ---- limits ---- */

typedef struct Totals {
	uint32_t properties, enums, optional, depth;
	bool recursion;
} Totals;

static const char open_mark, closed_mark;

/* Follows $ref too, so that a loop shows as a node met while it is open. */
static void count_node(Lowerer *l, PairMap *state, const SchemaNode *s, uint32_t depth, Totals *t)
{
	const void *known = pair_get(state, s, NULL);
	if (known == &open_mark)
		t->recursion = true;
	if (known || depth > 4 * SCHEMA_DEPTH_MAX)
		return;
	pair_set(&l->scratch, state, s, NULL, (void *)&open_mark);
	t->properties += s->map[MAP_PROPERTIES].n;
	t->enums += s->enum_value.n;
	for (uint32_t i = 0; i < s->map[MAP_PROPERTIES].n; i++)
		t->optional += !schema_is_required(s, s->map[MAP_PROPERTIES].v[i].name);
	SchemaNodes kid = { 0 };
	schema_all_kids(&l->scratch, s, &kid);
	for (uint32_t i = 0; i < kid.n; i++)
		count_node(l, state, kid.v[i], depth + 1, t);
	pair_set(&l->scratch, state, s, NULL, (void *)&closed_mark);
}

/* Objects within objects (arrays count too), $ref not followed. */
static uint32_t nesting_of(const SchemaNode *s, uint32_t depth)
{
	uint32_t deepest = 0, own = schema_has(s, KW_PROPERTIES) || schema_has(s, KW_ITEMS);
	if (depth == SCHEMA_DEPTH_MAX)
		return 0;
	for (uint32_t i = 0; i < s->map[MAP_PROPERTIES].n; i++) {
		uint32_t n = nesting_of(s->map[MAP_PROPERTIES].v[i].schema, depth + 1);
		deepest = n > deepest ? n : deepest;
	}
	for (uint32_t i = 0; i < s->list[LIST_ANY_OF].n; i++) {
		uint32_t n = nesting_of(s->list[LIST_ANY_OF].v[i], depth + 1);
		deepest = n > deepest ? n : deepest;
	}
	if (s->sub[SUB_ITEMS]) {
		uint32_t n = nesting_of(s->sub[SUB_ITEMS], depth + 1);
		deepest = n > deepest ? n : deepest;
	}
	return deepest + own;
}

static void check_limits(Lowerer *l, const SchemaNode *root)
{
	PairMap state = { 0 };
	Totals t = { 0 };
	count_node(l, &state, root, 0, &t);
	t.depth = nesting_of(root, 0);
	const struct {
		uint32_t n, max;
		const char *what;
	} row[] = {
		{ t.properties, l->caps->max_properties, "properties" }, { t.enums, l->caps->max_enum, "enum values" },
		{ t.optional, l->caps->max_optional, "optional properties" }, { t.depth, l->caps->max_depth, "levels of nesting" },
	};
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		if (row[i].max && row[i].n > row[i].max)
			REMARK(l, root, REMARK_REFUSED, "%u %s; the target takes %u", row[i].n, row[i].what, row[i].max);
	if (t.recursion && !l->caps->recursion)
		REMARK(l, root, REMARK_REFUSED, "a $ref leads back to an outer schema, and the target takes no recursion");
}

SchemaNode *schema_lower(Arena *a, const SchemaNode *root, const SchemaCaps *caps, SchemaRemarks *remarks)
{
	Lowerer l = { .a = a, .caps = caps, .remarks = remarks };
	SchemaErrors errs = { 0 };
	SchemaNode *copy = schema_import(a, schema_export(a, root), &errs);
	if (!copy) {
		remark(&l, root, REMARK_REFUSED, errs.v[0].message);
		return NULL;
	}
	if (!takes(&l, KW_REF) || !caps->recursion) {
		SchemaCaps only_loops = schema_caps_full();
		only_loops.recursion = false;
		l.caps = &only_loops;
		check_limits(&l, copy);
		l.caps = caps;
	}
	if (!l.n_refused) {
		open_root_ref(&l, copy);
		if (needs_wrapping(copy, caps))
			copy = wrap_root(&l, copy);
		lower_all(&l, copy);
		if (!takes(&l, KW_REF))
			schema_drop(copy, KW_DEFS);
		prune_defs(&l, copy);
		SchemaCaps limits = *caps;
		limits.recursion = true;  /* looked at above */
		l.caps = &limits;
		check_limits(&l, copy);
	}
	buf_free(&l.path);
	arena_free(&l.scratch);
	return l.n_refused ? NULL : copy;
}

const JsonNode *schema_unwrap(const SchemaNode *original, const SchemaCaps *caps, const JsonNode *reply)
{
	const JsonNode *value = needs_wrapping(original, caps) ? json_get(reply, "value") : NULL;
	return value ? value : reply;
}
