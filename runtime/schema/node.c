/* Schema nodes: the keyword table, constructors, type sets. Constructors keep `present` true to what
 * was said; everything else in this folder trusts it. */
#include "runtime/schema/node.h"

const KeywordRow keyword_row[KW_COUNT] = {
#define KEYWORD(id, spelling, shape, slot) { STR_INIT(spelling), SHAPE_##shape, slot },
#include "runtime/schema/keyword.def"
};

Keyword schema_find_keyword(Str spelling)
{
	for (int k = 0; k < KW_COUNT; k++)
		if (k != KW_NOTE && str_eq(keyword_row[k].spelling, spelling))
			return (Keyword)k;
	return KW_COUNT;
}

const char *schema_keyword_name(Keyword k)
{
	return k < KW_COUNT ? keyword_row[k].spelling.p : "false";
}

const char *schema_type_name(SchemaType t)
{
	switch (t) {
	case SCHEMA_NULL: return "null";
	case SCHEMA_BOOLEAN: return "boolean";
	case SCHEMA_INTEGER: return "integer";
	case SCHEMA_NUMBER: return "number";
	case SCHEMA_STRING: return "string";
	case SCHEMA_ARRAY: return "array";
	case SCHEMA_OBJECT: return "object";
	}
	return "?";
}

/* ---- building ---- */

SchemaNode *schema_new(Arena *a)
{
	return arena_new(a, SchemaNode);
}

SchemaNode *schema_new_never(Arena *a)
{
	SchemaNode *s = schema_new(a);
	s->kind = SCHEMA_FALSE;
	return s;
}

SchemaNode *schema_new_type(Arena *a, unsigned types)
{
	SchemaNode *s = schema_new(a);
	s->types = types;
	schema_mark(s, KW_TYPE);
	return s;
}

unsigned schema_type_set_of(const JsonNode *value)
{
	Num n;
	switch (value->kind) {
	case JSON_NULL: return SCHEMA_NULL;
	case JSON_BOOL: return SCHEMA_BOOLEAN;
	case JSON_NUMBER: return num_parse(value->text, &n) && num_is_integer(&n) ? SCHEMA_INTEGER : SCHEMA_NUMBER;
	case JSON_STRING: return SCHEMA_STRING;
	case JSON_ARRAY: return SCHEMA_ARRAY;
	case JSON_OBJECT: return SCHEMA_OBJECT;
	}
	return 0;
}

SchemaNode *schema_new_enum(Arena *a, JsonNode *const *value, uint32_t n)
{
	unsigned types = 0;
	for (uint32_t i = 0; i < n; i++)
		types |= schema_type_set_of(value[i]);
	if (types & SCHEMA_NUMBER)
		types &= ~(unsigned)SCHEMA_INTEGER;
	SchemaNode *s = schema_new_type(a, types);
	schema_mark(s, KW_ENUM);
	for (uint32_t i = 0; i < n; i++)
		vec_push(a, &s->enum_value, value[i]);
	return s;
}

SchemaNode *schema_new_const(Arena *a, JsonNode *value)
{
	SchemaNode *s = schema_new(a);
	schema_mark(s, KW_CONST);
	s->value[VALUE_CONST] = value;
	return s;
}

static void set_sub(SchemaNode *s, Keyword k, SchemaNode *kid)
{
	schema_mark(s, k);
	s->sub[keyword_row[k].slot] = kid;
}

SchemaNode *schema_new_array(Arena *a, SchemaNode *item)
{
	SchemaNode *s = schema_new_type(a, SCHEMA_ARRAY);
	set_sub(s, KW_ITEMS, item);
	return s;
}

SchemaNode *schema_new_map(Arena *a, SchemaNode *value)
{
	SchemaNode *s = schema_new_type(a, SCHEMA_OBJECT);
	set_sub(s, KW_ADDITIONAL, value);
	return s;
}

SchemaNode *schema_new_object(Arena *a)
{
	SchemaNode *s = schema_new_type(a, SCHEMA_OBJECT);
	schema_mark(s, KW_PROPERTIES);
	set_sub(s, KW_ADDITIONAL, schema_new_never(a));
	return s;
}

static SchemaNode *own_field(const SchemaNode *object, Str name)
{
	for (uint32_t i = 0; i < object->map[MAP_PROPERTIES].n; i++)
		if (str_eq(object->map[MAP_PROPERTIES].v[i].name, name))
			return object->map[MAP_PROPERTIES].v[i].schema;
	return NULL;
}

SchemaNode *schema_get_field(const SchemaNode *object, Str name)
{
	return own_field(schema_follow(object), name);
}

bool schema_is_required(const SchemaNode *object, Str name)
{
	for (uint32_t i = 0; i < object->required.n; i++)
		if (str_eq(object->required.v[i], name))
			return true;
	return false;
}

bool schema_add_field(Arena *a, SchemaNode *object, Str name, SchemaNode *type, FieldNeed need, Str doc)
{
	if (own_field(object, name))
		return false;
	if (doc.p)
		schema_set_doc(type, doc);
	schema_mark(object, KW_PROPERTIES);
	vec_push(a, &object->map[MAP_PROPERTIES], (SchemaEntry){ name, type, NULL });
	if (need == FIELD_REQUIRED) {
		schema_mark(object, KW_REQUIRED);
		vec_push(a, &object->required, name);
	}
	return true;
}

/* `type` may take one more name, since nothing else in s speaks about other types' values. */
static bool takes_null_in_type(const SchemaNode *s)
{
	const uint64_t whole = KW_BIT(REF) | KW_BIT(CONST) | KW_BIT(ANY_OF) | KW_BIT(ONE_OF) | KW_BIT(ALL_OF) | KW_BIT(NOT)
		| KW_BIT(IF) | KW_BIT(THEN) | KW_BIT(ELSE);
	return s->kind == SCHEMA_RULES && schema_has(s, KW_TYPE) && !(s->present & whole);
}

SchemaNode *schema_new_union(Arena *a, SchemaNode *const *alternative, uint32_t n)
{
	SchemaNode *s = schema_new(a);
	schema_mark(s, KW_ANY_OF);
	for (uint32_t i = 0; i < n; i++)
		vec_push(a, &s->list[LIST_ANY_OF], alternative[i]);
	return s;
}

SchemaNode *schema_new_nullable(Arena *a, SchemaNode *t)
{
	if (t->kind == SCHEMA_TRUE || (t->kind == SCHEMA_RULES && !(t->present & ~KW_ANNOTATIONS)))
		return t;
	if (!takes_null_in_type(t))
		return schema_new_union(a, (SchemaNode *[]){ t, schema_new_type(a, SCHEMA_NULL) }, 2);
	SchemaNode *s = arena_dup(a, t, sizeof *t);
	s->types |= SCHEMA_NULL;
	memset(&s->enum_value, 0, sizeof s->enum_value);
	for (uint32_t i = 0; i < t->enum_value.n; i++)
		vec_push(a, &s->enum_value, t->enum_value.v[i]);
	if (schema_has(s, KW_ENUM) && !(t->types & SCHEMA_NULL))
		vec_push(a, &s->enum_value, json_new(a, JSON_NULL));
	return s;
}

SchemaNode *schema_new_ref(Arena *a, Str name)
{
	SchemaNode *s = schema_new(a);
	schema_mark(s, KW_REF);
	s->ref = name;
	return s;
}

void schema_bind(SchemaNode *ref, SchemaNode *target)
{
	ref->target = target;
}

SchemaNode *schema_new_docs(Arena *a)
{
	static const char *const optional[] = { "title", "url", "id", "date" };
	SchemaNode *doc = schema_new_object(a);
	schema_add_field(a, doc, STR("text"), schema_new_type(a, SCHEMA_STRING), FIELD_REQUIRED, (Str){ 0 });
	for (size_t i = 0; i < sizeof optional / sizeof *optional; i++)
		schema_add_field(a, doc, str_from(optional[i]), schema_new_type(a, SCHEMA_STRING), FIELD_OPTIONAL, (Str){ 0 });
	schema_add_field(a, doc, STR("meta"), schema_new(a), FIELD_OPTIONAL, (Str){ 0 });
	return schema_new_array(a, doc);
}

SchemaNode *schema_new_turns(Arena *a)
{
	SchemaNode *turn = schema_new_object(a);
	schema_add_field(a, turn, STR("role"), schema_new_type(a, SCHEMA_STRING), FIELD_REQUIRED, (Str){ 0 });
	schema_add_field(a, turn, STR("content"), schema_new(a), FIELD_REQUIRED, (Str){ 0 });
	turn->sub[SUB_ADDITIONAL]->kind = SCHEMA_TRUE;  /* tool calls and ids travel with a turn */
	return schema_new_array(a, turn);
}

void schema_set_doc(SchemaNode *s, Str doc)
{
	schema_mark(s, KW_DESCRIPTION);
	s->text[TEXT_DESCRIPTION] = doc;
}

void schema_set_default(SchemaNode *s, JsonNode *value)
{
	schema_mark(s, KW_DEFAULT);
	s->value[VALUE_DEFAULT] = value;
}

void schema_set_count(SchemaNode *s, Keyword k, uint64_t n)
{
	schema_mark(s, k);
	s->count[keyword_row[k].slot] = n;
}

bool schema_set_number(SchemaNode *s, Keyword k, Str spelled)
{
	SchemaNumber n = { .spelled = spelled };
	if (!num_parse(spelled, &n.num))
		return false;
	if (k == KW_MULTIPLE_OF && (n.num.negative || num_is_zero(&n.num) || n.num.n_digit > NUM_DIVISOR_DIGITS))
		return false;
	schema_mark(s, k);
	s->number[keyword_row[k].slot] = n;
	return true;
}

bool schema_set_pattern(Arena *a, SchemaNode *s, Str pattern, RegexError *err)
{
	Regex *re = regex_new(a, pattern, err);
	if (!re)
		return false;
	schema_mark(s, KW_PATTERN);
	s->pattern = pattern;
	s->regex = re;
	return true;
}

/* ---- reading ---- */

const SchemaNode *schema_follow(const SchemaNode *s)
{
	const uint64_t rest = ~(KW_ANNOTATIONS | KW_BIT(REF));
	for (int i = 0; i < SCHEMA_DEPTH_MAX && s->target && !(s->present & rest); i++)
		s = s->target;
	return s;
}

unsigned schema_type_set(const SchemaNode *s)
{
	if (s->kind == SCHEMA_FALSE)
		return 0;
	if (!schema_has(s, KW_TYPE))
		return SCHEMA_ANY_TYPE;
	return s->types | (s->types & SCHEMA_NUMBER ? SCHEMA_INTEGER : 0);
}

enum { LOOK_DEPTH_MAX = 16 };

static unsigned possible_types(const SchemaNode *s, int depth);

static unsigned union_types(const SchemaNode *s, int list, int depth)
{
	unsigned set = 0;
	for (uint32_t i = 0; i < s->list[list].n; i++)
		set |= possible_types(s->list[list].v[i], depth);
	return set;
}

static unsigned possible_types(const SchemaNode *s, int depth)
{
	unsigned set = schema_type_set(s), values = 0;
	if (depth > LOOK_DEPTH_MAX)
		return set;
	if (schema_has(s, KW_ENUM)) {
		for (uint32_t i = 0; i < s->enum_value.n; i++)
			values |= schema_type_set_of(s->enum_value.v[i]);
		set &= values;
	}
	if (schema_has(s, KW_CONST))
		set &= schema_type_set_of(s->value[VALUE_CONST]);
	if (s->target)
		set &= possible_types(s->target, depth + 1);
	if (schema_has(s, KW_ANY_OF))
		set &= union_types(s, LIST_ANY_OF, depth + 1);
	if (schema_has(s, KW_ONE_OF))
		set &= union_types(s, LIST_ONE_OF, depth + 1);
	for (uint32_t i = 0; i < s->list[LIST_ALL_OF].n; i++)
		set &= possible_types(s->list[LIST_ALL_OF].v[i], depth + 1);
	return set;
}

unsigned schema_possible_types(const SchemaNode *s)
{
	return possible_types(s, 0);
}

void schema_same_value_kids(Arena *a, const SchemaNode *s, SchemaNodes *out)
{
	static const int list[] = { LIST_ANY_OF, LIST_ONE_OF, LIST_ALL_OF };
	static const int sub[] = { SUB_NOT, SUB_IF, SUB_THEN, SUB_ELSE };
	if (s->target)
		vec_push(a, out, s->target);
	for (int i = 0; i < 3; i++)
		for (uint32_t j = 0; j < s->list[list[i]].n; j++)
			vec_push(a, out, s->list[list[i]].v[j]);
	for (int i = 0; i < 4; i++)
		if (s->sub[sub[i]])
			vec_push(a, out, s->sub[sub[i]]);
	for (uint32_t i = 0; i < s->map[MAP_DEPENDENT_SCHEMAS].n; i++)
		vec_push(a, out, s->map[MAP_DEPENDENT_SCHEMAS].v[i].schema);
}

void schema_all_kids(Arena *a, const SchemaNode *s, SchemaNodes *out)
{
	if (s->target)
		vec_push(a, out, s->target);
	for (int i = 0; i < SUB_COUNT; i++)
		if (s->sub[i])
			vec_push(a, out, s->sub[i]);
	for (int i = 0; i < LIST_COUNT; i++)
		for (uint32_t j = 0; j < s->list[i].n; j++)
			vec_push(a, out, s->list[i].v[j]);
	for (int i = 0; i < MAP_COUNT; i++)
		for (uint32_t j = 0; j < s->map[i].n; j++)
			vec_push(a, out, s->map[i].v[j].schema);
}

bool schema_are_disjoint(const SchemaNode *a, const SchemaNode *b)
{
	a = schema_follow(a);
	b = schema_follow(b);
	if (!(schema_possible_types(a) & schema_possible_types(b)))
		return true;
	for (uint32_t i = 0; i < a->map[MAP_PROPERTIES].n; i++) {
		const SchemaEntry *e = &a->map[MAP_PROPERTIES].v[i];
		const SchemaNode *x = schema_follow(e->schema), *y = schema_get_field(b, e->name);
		if (!y || !schema_is_required(a, e->name) || !schema_is_required(b, e->name))
			continue;
		y = schema_follow(y);
		JsonNode *const *xv = x->enum_value.v, *const *yv = y->enum_value.v;
		uint32_t nx = x->enum_value.n, ny = y->enum_value.n;
		if (schema_has(x, KW_CONST))
			xv = &x->value[VALUE_CONST], nx = 1;
		if (schema_has(y, KW_CONST))
			yv = &y->value[VALUE_CONST], ny = 1;
		bool shared = !nx || !ny;
		for (uint32_t j = 0; j < nx && !shared; j++)
			for (uint32_t k = 0; k < ny && !shared; k++)
				shared = json_equal(xv[j], yv[k]);
		if (!shared)
			return true;
	}
	return false;
}

void schema_drop(SchemaNode *s, Keyword k)
{
	const KeywordRow *row = &keyword_row[k];
	schema_unmark(s, k);
	switch (row->shape) {
	case SHAPE_SUB: s->sub[row->slot] = NULL; break;
	case SHAPE_LIST: memset(&s->list[row->slot], 0, sizeof s->list[row->slot]); break;
	case SHAPE_MAP: memset(&s->map[row->slot], 0, sizeof s->map[row->slot]); break;
	case SHAPE_REF:
		s->target = NULL;
		s->ref = (Str){ 0 };
		break;
	case SHAPE_PATTERN: s->regex = NULL; break;
	case SHAPE_UNIQUE: s->unique = false; break;
	case SHAPE_ENUM: memset(&s->enum_value, 0, sizeof s->enum_value); break;
	case SHAPE_REQUIRED: memset(&s->required, 0, sizeof s->required); break;
	case SHAPE_DEPENDENT: memset(&s->dependent, 0, sizeof s->dependent); break;
	case SHAPE_NOTE: memset(&s->note, 0, sizeof s->note); break;
	default: break;  /* values that count only while marked */
	}
}
