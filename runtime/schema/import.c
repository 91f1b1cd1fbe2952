/* JSON Schema 2020-12 -> SchemaNode. The idea: one walk reads every schema and remembers which node
 * each JSON place became, which URI each resource has and where each anchor stands; then every `$ref`
 * is looked up among these. Nothing is fetched.
 *
 * What a keyword of the table cannot hold is refused by name and pointer, and so is every keyword that
 * is not in the table: to ignore one would weaken the schema silently. */
#include "runtime/base/map.h"
#include "runtime/schema/node.h"
#include "runtime/schema/uri.h"

typedef struct PendingRef {
	SchemaNode *node;
	const JsonNode *json;  /* the string */
	Str base, pointer;
} PendingRef;

typedef struct Importer {
	Arena *a;
	Arena scratch;
	SchemaErrors *errs;
	Buf path;
	Str base;            /* URI of the resource being read */
	uint32_t depth;
	bool refs_alone;     /* drafts up to 7: what stands beside $ref is ignored there */
	PairMap node_of;     /* JsonNode -> SchemaNode */
	Map resource;        /* absolute URI -> JsonNode */
	Map anchor;          /* absolute URI # name -> SchemaNode */
	VEC(PendingRef) pending;
} Importer;

static void fail(Importer *im, const JsonNode *at, Str message)
{
	vec_push(im->a, im->errs, (SchemaError){ message, str_dup(im->a, buf_str(&im->path)), at->lo });
}

#define failf(im, at, ...) fail((im), (at), str_fmt((im)->a, __VA_ARGS__))

static SchemaNode *import_schema(Importer *im, const JsonNode *json);

static SchemaNode *import_at(Importer *im, Str token, const JsonNode *json)
{
	size_t n = im->path.n;
	json_pointer_put(&im->path, token);
	SchemaNode *s = import_schema(im, json);
	im->path.n = n;
	return s;
}

static bool want_kind(Importer *im, const JsonNode *v, JsonKind kind, Str keyword)
{
	if (v->kind == kind)
		return true;
	failf(im, v, "%.*s must be %s %s, not %s", STR_ARG(keyword), kind == JSON_ARRAY || kind == JSON_OBJECT ? "an" : "a",
		json_kind_name(kind), json_kind_name(v->kind));
	return false;
}

/* ---- keywords by shape ---- */

static void import_type_name(Importer *im, SchemaNode *s, const JsonNode *v)
{
	for (unsigned t = SCHEMA_NULL; t <= SCHEMA_OBJECT; t <<= 1)
		if (v->kind == JSON_STRING && str_is(v->text, schema_type_name((SchemaType)t))) {
			if (s->types & t)
				failf(im, v, "type names \"%.*s\" twice", STR_ARG(v->text));
			s->types |= t;
			return;
		}
	if (v->kind == JSON_STRING)
		failf(im, v, "type \"%.*s\" is none of null, boolean, integer, number, string, array, object", STR_ARG(v->text));
	else
		failf(im, v, "type must be a string or an array of strings, not %s", json_kind_name(v->kind));
}

static void import_type(Importer *im, SchemaNode *s, const JsonNode *v)
{
	if (v->kind != JSON_ARRAY) {
		import_type_name(im, s, v);
		return;
	}
	if (!v->n)
		fail(im, v, STR("type must name at least one type"));
	for (uint32_t i = 0; i < v->n; i++)
		import_type_name(im, s, v->item[i]);
}

static void import_enum(Importer *im, SchemaNode *s, const JsonNode *v)
{
	for (uint32_t i = 0; want_kind(im, v, JSON_ARRAY, STR("enum")) && i < v->n; i++)
		vec_push(im->a, &s->enum_value, v->item[i]);
}

static void import_pattern(Importer *im, const JsonNode *at, Str pattern, Regex **regex)
{
	RegexError err;
	*regex = regex_new(im->a, pattern, &err);
	if (!*regex)
		vec_push(im->a, im->errs, (SchemaError){
			str_fmt(im->a, "pattern \"%.*s\": %.*s (at byte %u)", STR_ARG(pattern), STR_ARG(err.message), err.offset),
			str_dup(im->a, buf_str(&im->path)), json_text_offset(at, err.offset) });
}

static void import_count(Importer *im, SchemaNode *s, Keyword k, const JsonNode *v)
{
	Num n;
	int64_t small;
	const KeywordRow *row = &keyword_row[k];
	if (v->kind != JSON_NUMBER || !num_parse(v->text, &n) || n.negative || !num_is_integer(&n)) {
		failf(im, v, "%.*s must be a whole number that is not negative", STR_ARG(row->spelling));
		return;
	}
	/* past 2^63 no value is that long: the largest count says the same */
	s->count[row->slot] = num_to_i64(&n, &small) ? (uint64_t)small : UINT64_MAX;
}

static void import_number(Importer *im, SchemaNode *s, Keyword k, const JsonNode *v)
{
	if (!want_kind(im, v, JSON_NUMBER, keyword_row[k].spelling) || schema_set_number(s, k, v->text))
		return;
	if (k == KW_MULTIPLE_OF)
		failf(im, v, "multipleOf must be > 0 and have at most %d digits", NUM_DIVISOR_DIGITS);
	else
		failf(im, v, "%.*s has an exponent that is out of range", STR_ARG(keyword_row[k].spelling));
}

static void import_list(Importer *im, SchemaNode *s, Keyword k, const JsonNode *v)
{
	const KeywordRow *row = &keyword_row[k];
	size_t n = im->path.n;
	if (!want_kind(im, v, JSON_ARRAY, row->spelling))
		return;
	if (!v->n)
		failf(im, v, "%.*s must hold at least one schema", STR_ARG(row->spelling));
	for (uint32_t i = 0; i < v->n; i++) {
		json_pointer_put_index(&im->path, i);
		vec_push(im->a, &s->list[row->slot], import_schema(im, v->item[i]));
		im->path.n = n;
	}
}

static void import_map(Importer *im, SchemaNode *s, int slot, Str keyword, const JsonNode *v)
{
	if (!want_kind(im, v, JSON_OBJECT, keyword))
		return;
	for (uint32_t i = 0; i < v->n; i++) {
		Str name = v->member[i].key->text;
		SchemaEntry e = { name, import_at(im, name, v->member[i].value), NULL };
		if (slot == MAP_PATTERN_PROPERTIES)
			import_pattern(im, v->member[i].key, name, &e.regex);
		if (slot == MAP_DEFS) {
			e.schema->name = name;
			for (uint32_t j = 0; v->n < 1000 && j < s->map[slot].n; j++)
				if (str_eq(s->map[slot].v[j].name, name))
					failf(im, v->member[i].key, "\"%.*s\" stands twice in $defs and definitions", STR_ARG(name));
		}
		vec_push(im->a, &s->map[slot], e);
	}
}

static bool is_listed(const Str *v, uint32_t n, Str name)
{
	while (n-- > 0)
		if (str_eq(v[n], name))
			return true;
	return false;
}

static bool import_name(Importer *im, const JsonNode *x, Str keyword, const Str *had, uint32_t n_had)
{
	if (x->kind != JSON_STRING)
		failf(im, x, "%.*s must hold strings", STR_ARG(keyword));
	else if (n_had <= 1000 && is_listed(had, n_had, x->text))
		failf(im, x, "%.*s names \"%.*s\" twice", STR_ARG(keyword), STR_ARG(x->text));
	else
		return true;
	return false;
}

static void import_required(Importer *im, SchemaNode *s, const JsonNode *v)
{
	for (uint32_t i = 0; want_kind(im, v, JSON_ARRAY, STR("required")) && i < v->n; i++)
		if (import_name(im, v->item[i], STR("required"), s->required.v, s->required.n))
			vec_push(im->a, &s->required, v->item[i]->text);
}

static void import_dependent(Importer *im, SchemaNode *s, const JsonNode *v)
{
	Str keyword = STR("dependentRequired");
	if (!want_kind(im, v, JSON_OBJECT, keyword))
		return;
	for (uint32_t i = 0; i < v->n; i++) {
		const JsonNode *list = v->member[i].value;
		SchemaDependent d = { .name = v->member[i].key->text };
		for (uint32_t j = 0; want_kind(im, list, JSON_ARRAY, keyword) && j < list->n; j++)
			if (import_name(im, list->item[j], keyword, d.need.v, d.need.n))
				vec_push(im->a, &d.need, list->item[j]->text);
		vec_push(im->a, &s->dependent, d);
	}
}

static void import_text(Importer *im, SchemaNode *s, Keyword k, const JsonNode *v)
{
	const KeywordRow *row = &keyword_row[k];
	if (want_kind(im, v, JSON_STRING, row->spelling))
		s->text[row->slot] = v->text;
	else
		schema_unmark(s, k);
}

static void import_ref(Importer *im, SchemaNode *s, const JsonNode *v)
{
	if (!want_kind(im, v, JSON_STRING, STR("$ref")))
		return;
	s->ref = v->text;
	vec_push(&im->scratch, &im->pending, (PendingRef){ s, v, im->base, str_dup(im->a, buf_str(&im->path)) });
}

static void import_keyword(Importer *im, SchemaNode *s, Keyword k, JsonNode *v)
{
	const KeywordRow *row = &keyword_row[k];
	schema_mark(s, k);
	switch (row->shape) {
	case SHAPE_TEXT: import_text(im, s, k, v); break;
	case SHAPE_REF: import_ref(im, s, v); break;
	case SHAPE_TYPE: import_type(im, s, v); break;
	case SHAPE_ENUM: import_enum(im, s, v); break;
	case SHAPE_VALUE: s->value[row->slot] = v; break;
	case SHAPE_PATTERN:
		if (want_kind(im, v, JSON_STRING, row->spelling)) {
			s->pattern = v->text;
			import_pattern(im, v, v->text, &s->regex);
		}
		break;
	case SHAPE_COUNT: import_count(im, s, k, v); break;
	case SHAPE_NUMBER: import_number(im, s, k, v); break;
	case SHAPE_SUB:
		if (k == KW_ITEMS && v->kind == JSON_ARRAY)
			fail(im, v, STR("items as an array is draft-07; 2020-12 writes prefixItems"));
		else
			s->sub[row->slot] = import_schema(im, v);
		break;
	case SHAPE_LIST: import_list(im, s, k, v); break;
	case SHAPE_MAP: import_map(im, s, row->slot, row->spelling, v); break;
	case SHAPE_UNIQUE:
		if (want_kind(im, v, JSON_BOOL, row->spelling))
			s->unique = v->truth;
		break;
	case SHAPE_REQUIRED: import_required(im, s, v); break;
	case SHAPE_DEPENDENT: import_dependent(im, s, v); break;
	case SHAPE_NOTE: break;
	}
}

/* ---- what is no keyword of the table ---- */

typedef struct Refusal {
	const char *keyword, *why;
} Refusal;

static const Refusal refusals[] = {
	{ "unevaluatedProperties", "is not supported; additionalProperties beside the properties it should see is" },
	{ "unevaluatedItems", "is not supported; items beside prefixItems is" },
	{ "$dynamicRef", "is not supported; use $ref" },
	{ "$dynamicAnchor", "is not supported; use $anchor" },
	{ "$recursiveRef", "is draft 2019-09 and not supported; use $ref" },
	{ "$recursiveAnchor", "is draft 2019-09 and not supported; use $anchor" },
	{ "$vocabulary", "is not supported" },
	{ "contentSchema", "is not supported" },
	{ "dependencies", "is draft-07; 2020-12 writes dependentRequired and dependentSchemas" },
	{ "additionalItems", "is draft-07; 2020-12 writes items beside prefixItems" },
	{ "id", "is draft-04; 2020-12 writes $id" },
	{ "nullable", "is OpenAPI 3.0; JSON Schema writes \"null\" in type" },
};

static const Str notes[] = {
	STR_INIT("$comment"), STR_INIT("deprecated"), STR_INIT("readOnly"), STR_INIT("writeOnly"),
	STR_INIT("contentMediaType"), STR_INIT("contentEncoding"),
};

static void refuse_keyword(Importer *im, const JsonNode *key)
{
	Str name = key->text, spellings[KW_COUNT];
	for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
		if (str_is(name, refusals[i].keyword)) {
			failf(im, key, "%s %s", refusals[i].keyword, refusals[i].why);
			return;
		}
	for (int k = 0; k < KW_COUNT; k++)
		spellings[k] = keyword_row[k].spelling;
	const Str *near = str_nearest(name, spellings, KW_COUNT);
	if (near)
		failf(im, key, "'%.*s' is no keyword; did you mean %.*s?", STR_ARG(name), STR_ARG(*near));
	else
		failf(im, key, "'%.*s' is no keyword of JSON Schema 2020-12 (names of your own start with x-)", STR_ARG(name));
}

static void check_dialect(Importer *im, const JsonNode *v)
{
	static const char *const known[] = {
		"https://json-schema.org/draft/2020-12/schema", "https://json-schema.org/draft/2019-09/schema",
		"http://json-schema.org/draft-07/schema", "http://json-schema.org/draft-06/schema",
	};
	if (!want_kind(im, v, JSON_STRING, STR("$schema")))
		return;
	Str fragment, uri = uri_split(v->text, &fragment);
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (!fragment.n && str_is(uri, known[i])) {
			im->refs_alone = i >= 2;
			return;
		}
	failf(im, v, "$schema \"%.*s\" is not a dialect this reads (2020-12 is)", STR_ARG(v->text));
}

static void import_member(Importer *im, SchemaNode *s, const JsonMember *m)
{
	Str name = m->key->text;
	Keyword k = schema_find_keyword(name);
	size_t n = im->path.n;
	json_pointer_put(&im->path, name);
	if (k != KW_COUNT) {
		import_keyword(im, s, k, m->value);
	} else if (str_is(name, "$schema")) {
		check_dialect(im, m->value);
	} else if (str_is(name, "definitions")) {
		schema_mark(s, KW_DEFS);
		import_map(im, s, MAP_DEFS, name, m->value);  /* written as $defs */
	} else if (str_starts(name, STR("x-")) || is_listed(notes, sizeof notes / sizeof *notes, name)) {
		schema_mark(s, KW_NOTE);
		vec_push(im->a, &s->note, *m);
	} else {
		refuse_keyword(im, m->key);
	}
	im->path.n = n;
}

/* ---- names ---- */

static void add_anchor(Importer *im, SchemaNode *s, const JsonNode *json)
{
	const JsonNode *v = json_get(json, "$anchor");
	if (!v || v->kind != JSON_STRING)
		return;
	Str key = str_fmt(&im->scratch, "%.*s#%.*s", STR_ARG(im->base), STR_ARG(v->text));
	if (map_add(&im->scratch, &im->anchor, key, s))
		failf(im, v, "$anchor \"%.*s\" stands twice", STR_ARG(v->text));
}

/* Makes json a resource if it has an $id; true then. */
static bool enter_resource(Importer *im, const JsonNode *json)
{
	const JsonNode *v = json_get(json, "$id");
	Str fragment;
	if (!v || v->kind != JSON_STRING)
		return false;
	Str uri = uri_split(v->text, &fragment);
	if (fragment.n) {
		failf(im, v, "$id \"%.*s\" must not have a fragment; $anchor names a place", STR_ARG(v->text));
		return false;
	}
	im->base = uri_resolve(im->a, im->base, uri);
	if (map_add(&im->scratch, &im->resource, im->base, (void *)json) && im->depth > 1)
		failf(im, v, "$id \"%.*s\" stands twice", STR_ARG(v->text));
	return true;
}

/* `$id` before all else, since it moves the base of the keywords around it. */
static void import_members(Importer *im, SchemaNode *s, const JsonNode *json)
{
	Str outer = im->base;
	enter_resource(im, json);
	add_anchor(im, s, json);
	for (uint32_t i = 0; i < json->n; i++)
		import_member(im, s, &json->member[i]);
	if (im->refs_alone && schema_has(s, KW_REF) && (s->present & ~(KW_ANNOTATIONS | KW_BIT(REF))))
		fail(im, json, STR("drafts up to 7 ignore what stands beside $ref; move it into the target or declare 2020-12"));
	im->base = outer;
}

static SchemaNode *import_schema(Importer *im, const JsonNode *json)
{
	SchemaNode *s = schema_new(im->a);
	s->lo = json->lo;
	s->hi = json->hi;
	pair_set(&im->scratch, &im->node_of, json, NULL, s);
	if (im->depth == SCHEMA_DEPTH_MAX) {
		failf(im, json, "schemas nested deeper than %d", SCHEMA_DEPTH_MAX);
		return s;
	}
	im->depth++;
	if (json->kind == JSON_BOOL)
		s->kind = json->truth ? SCHEMA_TRUE : SCHEMA_FALSE;
	else if (json->kind == JSON_OBJECT)
		import_members(im, s, json);
	else
		failf(im, json, "a schema must be an object or a boolean, not %s", json_kind_name(json->kind));
	im->depth--;
	return s;
}

/* ---- references ---- */

static void bind_ref(Importer *im, const PendingRef *p)
{
	Str fragment, text, uri = uri_split(uri_resolve(&im->scratch, p->base, p->node->ref), &fragment);
	im->path.n = 0;
	buf_put(&im->path, p->pointer);
	JsonNode *resource = map_get(&im->resource, uri);
	if (!resource) {
		failf(im, p->json, "remote $ref \"%.*s\" is not supported (only what stands in this schema)", STR_ARG(p->node->ref));
		return;
	}
	if (!uri_decode(&im->scratch, fragment, &text)) {
		failf(im, p->json, "$ref \"%.*s\" has a malformed %%", STR_ARG(p->node->ref));
		return;
	}
	if (text.n && text.p[0] != '/') {
		Str key = str_fmt(&im->scratch, "%.*s#%.*s", STR_ARG(uri), STR_ARG(text));
		p->node->target = map_get(&im->anchor, key);
	} else {
		const JsonNode *at = json_pointer_get(resource, text);
		p->node->target = at ? pair_get(&im->node_of, at, NULL) : NULL;
		if (at && !p->node->target) {
			failf(im, p->json, "$ref \"%.*s\" leads to what is no schema", STR_ARG(p->node->ref));
			return;
		}
	}
	if (!p->node->target)
		failf(im, p->json, "$ref \"%.*s\" leads nowhere", STR_ARG(p->node->ref));
}

SchemaNode *schema_import(Arena *a, const JsonNode *json, SchemaErrors *errs)
{
	Importer im = { .a = a, .errs = errs, .base = STR("") };
	uint32_t before = errs->n;
	map_set(&im.scratch, &im.resource, im.base, (void *)json);
	SchemaNode *root = import_schema(&im, json);
	for (uint32_t i = 0; i < im.pending.n; i++)
		bind_ref(&im, &im.pending.v[i]);
	buf_free(&im.path);
	arena_free(&im.scratch);
	if (errs->n == before)
		schema_check(a, root, errs);
	return errs->n == before ? root : NULL;
}

SchemaNode *schema_import_text(Arena *a, Str src, uint32_t base, SchemaErrors *errs)
{
	JsonDoc doc;
	if (!json_read(a, src, base, &doc)) {
		vec_push(a, errs, (SchemaError){ doc.err.message, STR(""), doc.err.offset });
		return NULL;
	}
	for (uint32_t i = 0; i < doc.n_dup; i++)
		vec_push(a, errs, (SchemaError){ str_fmt(a, "\"%.*s\" stands twice", STR_ARG(doc.dup[i].name)),
			json_pointer_at(a, doc.root, doc.dup[i].again->lo), doc.dup[i].again->lo });
	SchemaNode *s = schema_import(a, doc.root, errs);
	return doc.n_dup ? NULL : s;
}
