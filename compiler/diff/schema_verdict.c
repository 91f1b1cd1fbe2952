/* See schema_verdict.h. Each node becomes a root of its own that carries the $defs its references name. */
#include "compiler/diff/schema_verdict.h"

#include "runtime/schema/subset.h"

static SchemaNode *as_root(Arena *a, const JsonNode *root, const JsonNode *n, Str *why)
{
	JsonNode *copy = (JsonNode *)n;
	const JsonNode *defs = json_get(root, "$defs");
	if (n->kind == JSON_OBJECT && defs && !json_get(n, "$defs")) {
		copy = json_new(a, JSON_OBJECT);
		for (uint32_t i = 0; i < n->n; i++)
			json_add_member(a, copy, n->member[i].key->text, n->member[i].value);
		json_add_member(a, copy, STR("$defs"), (JsonNode *)defs);
	}
	SchemaErrors errs = { 0 };
	SchemaNode *s = schema_import(a, copy, &errs);
	if (!s && errs.n)
		*why = errs.v[0].message;
	return s;
}

static Verdict verdict_of(SubsetResult r)
{
	return r.answer == SUBSET_YES ? VERDICT_YES : r.answer == SUBSET_NO ? VERDICT_NO : VERDICT_UNKNOWN;
}

SchemaVerdict schema_verdict(Arena *a, const JsonNode *old_root, const JsonNode *x, const JsonNode *new_root, const JsonNode *y)
{
	SchemaVerdict v = { VERDICT_UNKNOWN, VERDICT_UNKNOWN, { 0 } };
	SchemaNode *o = as_root(a, old_root, x, &v.reason), *n = as_root(a, new_root, y, &v.reason);
	if (!o || !n)
		return v;
	SubsetResult old_in_new = schema_subset(a, o, n), new_in_old = schema_subset(a, n, o);
	v.old_in_new = verdict_of(old_in_new);
	v.new_in_old = verdict_of(new_in_old);
	v.reason = new_in_old.answer != SUBSET_YES ? new_in_old.reason : old_in_new.reason;
	return v;
}
