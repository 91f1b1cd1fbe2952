/*
 * Two JSON Schemas, by direction. Fields are matched by name along the tree, so that the report names
 * the field; each pair of leaves is decided by a subset check both ways. What the check cannot decide
 * is risky with its reason.
 */
#include "compiler/diff/differ.h"
#include "compiler/diff/schema_verdict.h"
#include "runtime/base/json.h"

enum { SCHEMA_DEPTH_MAX = 64 };

typedef struct SchemaPair {
	Differ *df;
	SchemaDirection dir;
	const JsonNode *old_root, *new_root;
	uint32_t n_found;
} SchemaPair;

static Str json_text(Arena *a, const JsonNode *n)
{
	if (!n)
		return (Str){ 0 };
	Buf b = { 0 };
	json_write(&b, n, JSON_AS_IS);
	Str s = str_dup(a, buf_str(&b));
	buf_free(&b);
	return s;
}

/* A copy without members that only tell people something. */
static JsonNode *without_docs(Arena *a, const JsonNode *n, int depth)
{
	if (depth > SCHEMA_DEPTH_MAX || (n->kind != JSON_OBJECT && n->kind != JSON_ARRAY))
		return (JsonNode *)n;
	JsonNode *copy = json_new(a, n->kind);
	for (uint32_t i = 0; i < n->n; i++) {
		if (n->kind == JSON_ARRAY) {
			json_add_item(a, copy, without_docs(a, n->item[i], depth + 1));
			continue;
		}
		Str name = n->member[i].key->text;
		bool doc = str_is(name, "description") || str_is(name, "title");
		if (!doc || n->member[i].value->kind != JSON_STRING)
			json_add_member(a, copy, name, without_docs(a, n->member[i].value, depth + 1));
	}
	return copy;
}

static bool same_meaning(SchemaPair *sp, const JsonNode *x, const JsonNode *y)
{
	Arena *a = sp->df->arena;
	return json_equal(without_docs(a, x, 0), without_docs(a, y, 0));
}

static void add(SchemaPair *sp, ChangeKind kind, Str key, const JsonNode *o, const JsonNode *n, Str detail)
{
	Arena *a = sp->df->arena;
	ChangeArgs args = { .key = key, .old_text = json_text(a, o), .new_text = json_text(a, n), .detail = detail };
	differ_add(sp->df, kind, args);
	differ_count(sp->df, sp->dir == SCHEMA_INPUT ? DELTA_INPUT : DELTA_SCHEMA, args.old_text, args.new_text);
	sp->n_found++;
}

typedef enum Reading { READ_NARROWER, READ_WIDER, READ_UNKNOWN, READ_FIELD_GONE, READ_FIELD_RENAMED, READ_FIELD_NEW, READ_DOC, READ_COUNT } Reading;

/* What each reading of the schemas is called, by direction. */
static const ChangeKind called[][READ_COUNT] = {
	[SCHEMA_INPUT] = { CH_INPUT_NARROWED, CH_INPUT_WIDENED, CH_INPUT_TYPE, CH_INPUT_NARROWED, CH_INPUT_NARROWED, CH_INPUT_TYPE, CH_INPUT_DOC },
	[SCHEMA_OUTPUT] = { CH_OUTPUT_NARROWED, CH_OUTPUT_WIDENED, CH_OUTPUT_UNDECIDED, CH_OUTPUT_FIELD_REMOVED, CH_OUTPUT_FIELD_RENAMED,
		CH_OUTPUT_FIELD_ADDED, CH_SCHEMA_DOC },
	[SCHEMA_TOOL] = { CH_TOOL_CHANGED, CH_TOOL_WIDENED, CH_TOOL_CHANGED, CH_TOOL_CHANGED, CH_TOOL_CHANGED, CH_TOOL_WIDENED, CH_TOOL_CHANGED },
};

static void compare_leaf(SchemaPair *sp, Str key, const JsonNode *o, const JsonNode *n)
{
	SchemaVerdict v = schema_verdict(sp->df->arena, sp->old_root, o, sp->new_root, n);
	Reading r = v.new_in_old == VERDICT_YES ? READ_NARROWER
		: v.old_in_new == VERDICT_YES ? READ_WIDER
		: v.new_in_old == VERDICT_UNKNOWN && v.old_in_new == VERDICT_UNKNOWN ? READ_UNKNOWN
		: sp->dir == SCHEMA_INPUT ? (v.old_in_new == VERDICT_NO ? READ_NARROWER : READ_UNKNOWN)
		: (v.new_in_old == VERDICT_NO ? READ_WIDER : READ_UNKNOWN);
	if (v.new_in_old == VERDICT_YES && v.old_in_new == VERDICT_YES)
		return; /* the same values, spelled differently */
	add(sp, called[sp->dir][r], key, o, n, v.reason);
}

static const JsonNode *props_of(const JsonNode *schema)
{
	const JsonNode *p = json_get(schema, "properties");
	return p && p->kind == JSON_OBJECT ? p : NULL;
}

static bool is_required(const JsonNode *schema, Str name)
{
	const JsonNode *r = json_get(schema, "required");
	for (uint32_t i = 0; r && r->kind == JSON_ARRAY && i < r->n; i++)
		if (r->item[i]->kind == JSON_STRING && str_eq(r->item[i]->text, name))
			return true;
	return false;
}

static void compare_required(SchemaPair *sp, Str key, Str name, const JsonNode *o, const JsonNode *n)
{
	bool was = is_required(o, name), is = is_required(n, name);
	if (was == is)
		return;
	const char *said = is ? "it is required now" : "it is optional now";
	add(sp, called[sp->dir][is ? READ_NARROWER : READ_WIDER], key, NULL, NULL, str_from(said));
}

/* The object without what is compared field by field. */
static JsonNode *object_shell(Arena *a, const JsonNode *schema)
{
	JsonNode *copy = json_new(a, JSON_OBJECT);
	for (uint32_t i = 0; i < schema->n; i++) {
		Str name = schema->member[i].key->text;
		bool by_field = str_is(name, "properties") || str_is(name, "required") || str_is(name, "$defs");
		if (!by_field)
			json_add_member(a, copy, name, schema->member[i].value);
	}
	return copy;
}

static const JsonNode *renamed_to(SchemaPair *sp, const JsonNode *o, const JsonNode *props_old, const JsonNode *props_new, Str *name)
{
	for (uint32_t j = 0; j < props_new->n; j++) {
		*name = props_new->member[j].key->text;
		if (!json_find(props_old, *name) && same_meaning(sp, o, props_new->member[j].value))
			return props_new->member[j].value;
	}
	return NULL;
}

static void compare_node(SchemaPair *sp, Str key, const JsonNode *o, const JsonNode *n, int depth);

static void compare_fields(SchemaPair *sp, Str key, const JsonNode *o, const JsonNode *n, int depth)
{
	Arena *a = sp->df->arena;
	const JsonNode *po = props_of(o), *pn = props_of(n);
	JsonNode *taken = json_new(a, JSON_OBJECT);
	for (uint32_t i = 0; i < po->n; i++) {
		Str name = po->member[i].key->text, to;
		const JsonNode *was = po->member[i].value, *is = json_find(pn, name);
		Str at = str_fmt(a, "%.*s/%.*s", STR_ARG(key), STR_ARG(name));
		if (is) {
			compare_node(sp, at, was, is, depth + 1);
			compare_required(sp, at, name, o, n);
		} else if ((is = renamed_to(sp, was, po, pn, &to)) && !json_find(taken, to)) {
			json_add_member(a, taken, to, (JsonNode *)is);
			add(sp, called[sp->dir][READ_FIELD_RENAMED], at, was, is, str_fmt(a, "`%.*s` is now `%.*s`", STR_ARG(name), STR_ARG(to)));
		} else {
			add(sp, called[sp->dir][READ_FIELD_GONE], at, was, NULL, STR("the field is gone"));
		}
	}
	for (uint32_t j = 0; j < pn->n; j++) {
		Str name = pn->member[j].key->text;
		if (json_find(po, name) || json_find(taken, name))
			continue;
		Str at = str_fmt(a, "%.*s/%.*s", STR_ARG(key), STR_ARG(name));
		bool callers_must = sp->dir == SCHEMA_INPUT && is_required(n, name);
		add(sp, callers_must ? CH_INPUT_NARROWED : called[sp->dir][READ_FIELD_NEW], at, NULL, pn->member[j].value, STR("a new field"));
	}
}

static void compare_docs(SchemaPair *sp, Str key, const JsonNode *o, const JsonNode *n)
{
	Str was = json_get_text(o, "description", (Str){ 0 }), is = json_get_text(n, "description", (Str){ 0 });
	if (str_eq(was, is))
		return;
	differ_add(sp->df, called[sp->dir][READ_DOC], (ChangeArgs){ .key = key, .old_text = was, .new_text = is });
	differ_count(sp->df, sp->dir == SCHEMA_INPUT ? DELTA_META : DELTA_SCHEMA, was, is);
	sp->n_found++;
}

static void compare_node(SchemaPair *sp, Str key, const JsonNode *o, const JsonNode *n, int depth)
{
	Arena *a = sp->df->arena;
	if (json_equal(o, n) || depth > SCHEMA_DEPTH_MAX)
		return;
	bool objects = o->kind == JSON_OBJECT && n->kind == JSON_OBJECT;
	if (objects)
		compare_docs(sp, key, o, n);
	if (objects && props_of(o) && props_of(n)) {
		compare_fields(sp, key, o, n, depth);
		o = object_shell(a, o);
		n = object_shell(a, n);
	} else if (objects && json_get(o, "items") && json_get(n, "items")) {
		compare_node(sp, str_fmt(a, "%.*s[]", STR_ARG(key)), json_get(o, "items"), json_get(n, "items"), depth + 1);
		JsonNode *any = json_new_bool(a, true);
		JsonNode *so = object_shell(a, o), *sn = object_shell(a, n);
		for (uint32_t i = 0; i < so->n; i++)
			if (str_is(so->member[i].key->text, "items"))
				so->member[i].value = any;
		for (uint32_t i = 0; i < sn->n; i++)
			if (str_is(sn->member[i].key->text, "items"))
				sn->member[i].value = any;
		o = so;
		n = sn;
	}
	if (!same_meaning(sp, o, n))
		compare_leaf(sp, key, o, n);
}

static void compare_defs(SchemaPair *sp, Str key)
{
	const JsonNode *od = json_get(sp->old_root, "$defs"), *nd = json_get(sp->new_root, "$defs");
	for (uint32_t i = 0; od && nd && i < od->n; i++) {
		Str name = od->member[i].key->text;
		const JsonNode *other = json_find(nd, name);
		if (other)
			compare_node(sp, str_fmt(sp->df->arena, "%.*s %.*s", STR_ARG(key), STR_ARG(name)), od->member[i].value, other, 1);
	}
}

void differ_compare_schema(Differ *df, Str key, SchemaDirection dir, Str old_json, Str new_json)
{
	if (str_eq(old_json, new_json))
		return;
	JsonDoc o, n;
	if (!json_read(df->arena, old_json, 0, &o) || !json_read(df->arena, new_json, 0, &n))
		return;
	SchemaPair sp = { .df = df, .dir = dir, .old_root = o.root, .new_root = n.root };
	compare_node(&sp, key, o.root, n.root, 0);
	compare_defs(&sp, key);
	if (!sp.n_found && !json_equal(o.root, n.root) && same_meaning(&sp, o.root, n.root))
		differ_add(df, called[dir][READ_DOC], (ChangeArgs){ .key = key, .old_text = old_json, .new_text = new_json });
}
