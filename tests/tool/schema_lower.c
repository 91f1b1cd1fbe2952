/* schema_lower FILE TARGET.json [REPLY]: the schema as lowered for the target's "schema" rules, indented,
 * then its remarks. With a REPLY (JSON): is it, unwrapped, accepted by the lowered and by the original? */
#include <stdio.h>
#include <stdlib.h>

#include "runtime/base/file.h"
#include "runtime/schema/lower.h"

static const char *const kind_name[] = { "moved", "dropped", "nullable", "closed", "wrapped", "rewritten", "refused" };

static void judge(Arena *a, const SchemaNode *s, const SchemaNode *lowered, const SchemaCaps *caps, const char *reply)
{
	JsonDoc doc;
	if (!json_read(a, str_from(reply), 0, &doc))
		exit(2);
	printf("lowered %s\n", schema_validate(a, lowered, doc.root, SCHEMA_STRICT, NULL) ? "accepts" : "rejects");
	const JsonNode *value = schema_unwrap(s, caps, doc.root);
	printf("original %s\n", schema_validate(a, s, value, SCHEMA_NULL_IS_ABSENT, NULL) ? "accepts" : "rejects");
}

int main(int argc, char **argv)
{
	Arena a = { 0 };
	Buf out = { 0 };
	Str text, target, why;
	SchemaErrors errs = { 0 };
	SchemaError err;
	SchemaCaps caps;
	SchemaRemarks remarks = { 0 };
	JsonDoc doc;
	if (argc < 3 || !file_read(&a, argv[1], &text, &why) || !file_read(&a, argv[2], &target, &why)
		|| !json_read(&a, target, 0, &doc) || !json_get(doc.root, "schema"))
		return 2;
	const SchemaNode *s = schema_import_text(&a, text, 0, &errs);
	if (!s || !schema_caps_read(&a, json_get(doc.root, "schema"), &caps, &err)) {
		printf("%.*s\n", STR_ARG(s ? err.message : errs.v[0].message));
		return 2;
	}
	SchemaNode *lowered = schema_lower(&a, s, &caps, &remarks);
	if (lowered) {
		json_write_indented(&out, schema_lowered_json(&a, lowered, &caps));
		printf("%.*s\n", STR_ARG(buf_str(&out)));
	}
	for (uint32_t i = 0; i < remarks.n; i++)
		printf("%s \"%.*s\": %.*s\n", kind_name[remarks.v[i].kind], STR_ARG(remarks.v[i].pointer), STR_ARG(remarks.v[i].what));
	for (int i = 3; i < argc && lowered; i++)
		judge(&a, s, lowered, &caps, argv[i]);
	buf_free(&out);
	arena_free(&a);
	return lowered ? 0 : 1;
}
