/* A JSON Schema, a LF, a value: what imports must export to a fixed point that judges the value alike;
 * rendering and lowering must end; a schema is never found to be wider than itself. */
#include <stdlib.h>

#include "runtime/schema/lower.h"
#include "runtime/schema/subset.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static SchemaCaps strict_caps(void)
{
	SchemaCaps c = schema_caps_full();
	c.keywords &= ~((uint64_t)1 << KW_ALL_OF | (uint64_t)1 << KW_ONE_OF | (uint64_t)1 << KW_CONST | (uint64_t)1 << KW_PATTERN
		| (uint64_t)1 << KW_PREFIX_ITEMS | (uint64_t)1 << KW_NOT | (uint64_t)1 << KW_IF | (uint64_t)1 << KW_DEFAULT);
	c.typed = c.all_required = c.closed_objects = c.root_object = true;
	c.booleans = c.root_any_of = c.ref_siblings = false;
	return c;
}

static SchemaCaps openapi_caps(void)
{
	SchemaCaps c = strict_caps();
	c.keywords &= ~((uint64_t)1 << KW_REF | (uint64_t)1 << KW_DEFS);
	c.all_required = c.closed_objects = c.root_object = c.type_lists = false;
	c.nullable = NULLABLE_KEYWORD;
	c.type_case = TYPE_UPPER;
	return c;
}

static void try_lower(Arena *a, const SchemaNode *s, SchemaCaps caps)
{
	SchemaRemarks remarks = { 0 };
	Buf b = { 0 };
	const SchemaNode *lowered = schema_lower(a, s, &caps, &remarks);
	if (lowered)
		json_write(&b, schema_lowered_json(a, lowered, &caps), JSON_AS_IS);
	buf_free(&b);
}

static void try_schema(Arena *a, const SchemaNode *s, Str value)
{
	SchemaErrors errs = { 0 };
	SchemaIssues issues = { 0 };
	JsonDoc doc;
	Buf once = { 0 }, twice = { 0 }, ts = { 0 };
	schema_write_minified(&once, s);
	const SchemaNode *again = schema_import_text(a, str_dup(a, buf_str(&once)), 0, &errs);
	if (!again)
		abort();
	schema_write_minified(&twice, again);
	if (!str_eq(buf_str(&once), buf_str(&twice)))
		abort();
	if (json_read(a, value, 0, &doc)) {
		bool ok = schema_validate(a, s, doc.root, SCHEMA_FORMATS, &issues);
		if (ok != (issues.n == 0) || ok != schema_validate(a, again, doc.root, SCHEMA_FORMATS, NULL))
			abort();
	}
	schema_write_ts(&ts, s);
	if (schema_subset(a, s, again).answer == SUBSET_NO)
		abort();
	try_lower(a, s, strict_caps());
	try_lower(a, s, openapi_caps());
	buf_free(&once);
	buf_free(&twice);
	buf_free(&ts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Arena a = { 0 };
	SchemaErrors errs = { 0 };
	Str all = { (const char *)data, size };
	size_t cut = str_find(all, STR("\n"), 0);
	const SchemaNode *s = schema_import_text(&a, str_sub(all, 0, cut), 0, &errs);
	if (s)
		try_schema(&a, s, str_sub(all, cut + 1, size));
	else if (!errs.n || errs.v[0].offset > size || !errs.v[0].message.n)
		abort();
	arena_free(&a);
	return 0;
}
