/* schema_groups FILE: runs a file of JSON Schema test groups ([{description, schema, tests: [{data,
 * valid}]}]). One JSON line a group: what import said, the exported schema, and for each test whether
 * the imported and the re-imported schema accept it. tests/schema/corpus.py judges. */
#include "runtime/schema/schema.h"
#include "tests/tool/groups.h"

static void put_verdicts(Arena *a, Buf *out, const char *key, const SchemaNode *s, const JsonNode *tests)
{
	buf_printf(out, ",\"%s\":[", key);
	for (uint32_t i = 0; i < tests->n; i++) {
		SchemaIssues issues = { 0 };
		const JsonNode *data = json_get(tests->item[i], "data");
		bool ok = schema_validate(a, s, data, SCHEMA_STRICT, &issues);
		/* a rejection with nothing to say would be as wrong as the wrong answer */
		buf_putz(out, i ? "," : "");
		buf_putz(out, ok != (issues.n == 0) ? "null" : ok ? "true" : "false");
	}
	buf_byte(out, ']');
}

static void run_group(Arena *a, Buf *out, const JsonNode *group)
{
	SchemaErrors errs = { 0 };
	const SchemaNode *s = schema_import(a, json_get(group, "schema"), &errs);
	buf_lit(out, "{\"group\":");
	buf_json_str(out, json_get_text(group, "description", STR("?")));
	if (!s) {
		buf_lit(out, ",\"refused\":");
		buf_json_str(out, str_fmt(a, "%.*s: %.*s", STR_ARG(errs.v[0].pointer), STR_ARG(errs.v[0].message)));
	} else {
		Buf text = { 0 };
		schema_write_minified(&text, s);
		buf_lit(out, ",\"export\":");
		buf_put(out, buf_str(&text));
		put_verdicts(a, out, "imported", s, json_get(group, "tests"));
		const SchemaNode *again = schema_import_text(a, str_dup(a, buf_str(&text)), 0, &errs);
		if (again)
			put_verdicts(a, out, "again", again, json_get(group, "tests"));
		text.n = 0;
		if (again)
			schema_write_minified(&text, again);
		buf_lit(out, ",\"export_again\":");
		buf_put(out, again ? buf_str(&text) : STR("null"));
		buf_free(&text);
	}
	buf_lit(out, "}\n");
}

int main(int argc, char **argv) { return groups_main(argc, argv, run_group); }
