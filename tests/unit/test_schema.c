/* Schemas: import with its refusals, export, validation with its messages. The corpus of accept and
 * reject cases runs in tests/schema/corpus.py. */
#include "runtime/schema/schema.h"

#include <stdlib.h>

#include "runtime/schema/format.h"
#include "runtime/schema/uri.h"
#include "tests/unit/check.h"

static SchemaNode *import(Arena *a, const char *src)
{
	SchemaErrors errs = { 0 };
	SchemaNode *s = schema_import_text(a, str_from(src), 0, &errs);
	if (!s)
		printf("\t%s: %.*s\n", src, STR_ARG(errs.v[0].message));
	return s;
}

static Str exported(Arena *a, const SchemaNode *s)
{
	Buf b = { 0 };
	if (!s)
		return STR("(none)");
	schema_write_minified(&b, s);
	Str out = str_dup(a, buf_str(&b));
	buf_free(&b);
	return out;
}

static bool accepts(Arena *a, const SchemaNode *s, const char *value, unsigned mode)
{
	JsonDoc doc;
	return s && json_read(a, str_from(value), 0, &doc) && schema_validate(a, s, doc.root, mode, NULL);
}

/* Every issue as "instance | schema | message", one a line. */
static Str issues_of(Arena *a, const char *schema, const char *value)
{
	const SchemaNode *s = import(a, schema);
	SchemaIssues issues = { 0 };
	JsonDoc doc;
	Buf b = { 0 };
	if (!s || !json_read(a, str_from(value), 0, &doc))
		return STR("(bad test)");
	schema_validate(a, s, doc.root, SCHEMA_STRICT, &issues);
	for (uint32_t i = 0; i < issues.n; i++)
		buf_printf(&b, "%s%.*s | %.*s | %.*s", i ? "\n" : "", STR_ARG(issues.v[i].instance), STR_ARG(issues.v[i].schema),
			STR_ARG(issues.v[i].message));
	Str out = str_dup(a, buf_str(&b));
	buf_free(&b);
	return out;
}

TEST(refuses_by_name)
{
	static const struct {
		const char *schema, *pointer, *message;
	} row[] = {
		{ "{\"unevaluatedProperties\":false}", "/unevaluatedProperties",
		  "unevaluatedProperties is not supported; additionalProperties beside the properties it should see is" },
		{ "{\"properties\":{\"a\":{\"$dynamicRef\":\"#x\"}}}", "/properties/a/$dynamicRef",
		  "$dynamicRef is not supported; use $ref" },
		{ "{\"nullable\":true}", "/nullable", "nullable is OpenAPI 3.0; JSON Schema writes \"null\" in type" },
		{ "{\"items\":[{}]}", "/items", "items as an array is draft-07; 2020-12 writes prefixItems" },
		{ "{\"propertys\":{}}", "/propertys", "'propertys' is no keyword; did you mean properties?" },
		{ "{\"zzz\":{}}", "/zzz", "'zzz' is no keyword of JSON Schema 2020-12 (names of your own start with x-)" },
		{ "{\"$ref\":\"https://x.org/s\"}", "/$ref",
		  "remote $ref \"https://x.org/s\" is not supported (only what stands in this schema)" },
		{ "{\"$ref\":\"#/$defs/a\"}", "/$ref", "$ref \"#/$defs/a\" leads nowhere" },
		{ "{\"$ref\":\"#/const\",\"const\":{}}", "/$ref", "$ref \"#/const\" leads to what is no schema" },
		{ "{\"$ref\":\"#\"}", "", "$ref leads back to itself without entering the value" },
		{ "{\"$defs\":{\"a\":{\"anyOf\":[{\"$ref\":\"#/$defs/b\"}]},\"b\":{\"not\":{\"$ref\":\"#/$defs/a\"}}}}", "",
		  "$ref leads back to itself without entering the value" },
		{ "{\"type\":\"text\"}", "/type",
		  "type \"text\" is none of null, boolean, integer, number, string, array, object" },
		{ "{\"type\":[]}", "/type", "type must name at least one type" },
		{ "{\"minLength\":-1}", "/minLength", "minLength must be a whole number that is not negative" },
		{ "{\"minLength\":1.5}", "/minLength", "minLength must be a whole number that is not negative" },
		{ "{\"minimum\":\"1\"}", "/minimum", "minimum must be a number, not string" },
		{ "{\"multipleOf\":0}", "/multipleOf", "multipleOf must be > 0 and have at most 64 digits" },
		{ "{\"required\":[\"a\",\"a\"]}", "/required", "required names \"a\" twice" },
		{ "{\"anyOf\":[]}", "/anyOf", "anyOf must hold at least one schema" },
		{ "{\"properties\":{\"a\":3}}", "/properties/a", "a schema must be an object or a boolean, not number" },
		{ "{\"pattern\":\"(?=a)\"}", "/pattern", "pattern \"(?=a)\": lookahead (?= is not supported (at byte 0)" },
		{ "{\"$schema\":\"http://json-schema.org/draft-04/schema#\"}", "/$schema",
		  "$schema \"http://json-schema.org/draft-04/schema#\" is not a dialect this reads (2020-12 is)" },
		{ "{\"$schema\":\"http://json-schema.org/draft-07/schema#\",\"items\":{\"$ref\":\"#\",\"minimum\":1}}", "/items",
		  "drafts up to 7 ignore what stands beside $ref; move it into the target or declare 2020-12" },
		{ "{\"title\":\"a\",\"title\":\"b\"}", "/title", "\"title\" stands twice" },
		{ "{\"title\":", "", "expected a value, found the end" },
		{ "{\"$id\":\"a#b\"}", "", "$id \"a#b\" must not have a fragment; $anchor names a place" },
	};
	Arena a = { 0 };
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		SchemaErrors errs = { 0 };
		CHECK(!schema_import_text(&a, str_from(row[i].schema), 0, &errs));
		if (CHECK(errs.n > 0)) {
			CHECK_STR(errs.v[0].message, row[i].message);
			CHECK_STR(errs.v[0].pointer, row[i].pointer);
		}
	}
	arena_free(&a);
}

TEST(error_offsets)
{
	Arena a = { 0 };
	SchemaErrors errs = { 0 };
	CHECK(!schema_import_text(&a, STR("{\"pattern\":\"\\u0061(?!b)\"}"), 100, &errs));
	CHECK_INT(errs.v[0].offset, 100 + 18);
	errs.n = 0;
	CHECK(!schema_import_text(&a, STR("{\"type\":\"x\",\"foo\":1}"), 0, &errs));
	CHECK_INT(errs.n, 2);
	CHECK_INT(errs.v[0].offset, 8);
	CHECK_INT(errs.v[1].offset, 12);
	arena_free(&a);
}

TEST(nesting_is_capped)
{
	Arena a = { 0 };
	SchemaErrors errs = { 0 };
	Buf b = { 0 };
	for (int i = 0; i < 600; i++)
		buf_lit(&b, "{\"not\":");
	buf_lit(&b, "{}");
	buf_fill(&b, '}', 600);
	CHECK(!schema_import_text(&a, buf_str(&b), 0, &errs));
	CHECK_STR(errs.v[0].message, "nested deeper than 512");
	/* the deepest value that can be read, against schemas that recurse on it */
	b.n = 0;
	buf_fill(&b, '[', JSON_DEPTH_MAX);
	buf_fill(&b, ']', JSON_DEPTH_MAX);
	JsonDoc doc;
	SchemaIssues issues = { 0 };
	CHECK(json_read(&a, buf_str(&b), 0, &doc));
	CHECK(schema_validate(&a, import(&a, "{\"items\":{\"$ref\":\"#\"}}"), doc.root, 0, NULL));
	/* each level asks twice: exponential without the memo */
	CHECK(!schema_validate(&a, import(&a, "{\"$defs\":{\"a\":{\"anyOf\":[{\"items\":{\"$ref\":\"#/$defs/a\"},\"minItems\":1},"
		"{\"items\":{\"$ref\":\"#/$defs/a\"},\"minItems\":2}]}},\"$ref\":\"#/$defs/a\"}"), doc.root, 0, &issues));
	CHECK(issues.n > 0);
	b.n = 0;
	buf_lit(&b, "{\"$defs\":{\"d0\":{\"items\":{\"$ref\":\"#\"}}");
	for (int i = 1; i <= 40; i++)
		buf_printf(&b, ",\"d%d\":{\"allOf\":[{\"$ref\":\"#/$defs/d%d\"},{\"$ref\":\"#/$defs/d%d\"}]}", i, i - 1, i - 1);
	buf_lit(&b, "},\"$ref\":\"#/$defs/d40\"}");
	issues.n = 0;
	const SchemaNode *s = import(&a, str_z(&a, buf_str(&b)));
	CHECK(s && !schema_validate(&a, s, doc.root, 0, &issues));
	CHECK(issues.n == 1);
	buf_free(&b);
	arena_free(&a);
}

TEST(exports_canonically)
{
	static const struct {
		const char *in, *out;
	} row[] = {
		{ "{}", "{}" }, { "true", "true" }, { "false", "false" },
		{ "{\"required\":[\"b\",\"a\"],\"properties\":{\"z\":{\"type\":\"string\",\"description\":\"d\"},\"a\":true},\"type\":\"object\"}",
		  "{\"type\":\"object\",\"properties\":{\"z\":{\"description\":\"d\",\"type\":\"string\"},\"a\":true},\"required\":[\"b\",\"a\"]}" },
		{ "{\"type\":[\"null\",\"string\"]}", "{\"type\":[\"string\",\"null\"]}" },
		{ "{\"minimum\":1.50,\"maximum\":1e3,\"minLength\":2.0}", "{\"minLength\":2,\"minimum\":1.50,\"maximum\":1e3}" },
		{ "{\"definitions\":{\"a b\":{\"type\":\"null\"}},\"$ref\":\"#/definitions/a%20b\"}",
		  "{\"$ref\":\"#/$defs/a%20b\",\"$defs\":{\"a b\":{\"type\":\"null\"}}}" },
		{ "{\"$defs\":{\"x\":{\"$anchor\":\"here\",\"type\":\"null\"}},\"items\":{\"$ref\":\"#here\"}}",
		  "{\"items\":{\"$ref\":\"#/$defs/x\"},\"$defs\":{\"x\":{\"type\":\"null\"}}}" },
		{ "{\"x-order\":[1],\"deprecated\":true,\"default\":null}", "{\"default\":null,\"x-order\":[1],\"deprecated\":true}" },
	};
	Arena a = { 0 };
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		Str once = exported(&a, import(&a, row[i].in));
		CHECK_STR(once, row[i].out);
		CHECK_STR(exported(&a, import(&a, str_z(&a, once))), row[i].out);
	}
	arena_free(&a);
}

TEST(says_what_is_wrong)
{
	Arena a = { 0 };
	const char *verdict = "{\"type\":\"object\",\"properties\":{\"severity\":{\"type\":\"string\",\"enum\":[\"low\",\"high\"]},"
		"\"quotes\":{\"type\":\"array\",\"items\":{\"type\":\"string\",\"maxLength\":4},\"minItems\":1},\"n\":{\"type\":[\"integer\",\"null\"],"
		"\"minimum\":0,\"exclusiveMaximum\":10,\"multipleOf\":0.5}},\"required\":[\"severity\",\"quotes\"],\"additionalProperties\":false}";
	CHECK_STR(issues_of(&a, verdict, "{\"severity\":\"medium\",\"quotes\":[\"abcde\",3],\"n\":10.0}"),
		"/severity | /properties/severity/enum | must be one of \"low\", \"high\"; it is \"medium\"\n"
		"/quotes/0 | /properties/quotes/items/maxLength | must have at most 4 characters; it has 5\n"
		"/quotes/1 | /properties/quotes/items/type | must be a string; it is 3\n"
		"/n | /properties/n/exclusiveMaximum | must be less than 10; it is 10.0");
	CHECK_STR(issues_of(&a, verdict, "{\"sevrity\":1,\"quotes\":[]}"),
		" | /required | must have \"severity\"\n"
		" | /additionalProperties | has no property \"sevrity\"; did you mean \"severity\"?\n"
		"/quotes | /properties/quotes/minItems | must have at least 1 items; it has 0");
	CHECK_STR(issues_of(&a, "{\"anyOf\":[{\"type\":\"object\",\"required\":[\"a\"]},{\"type\":\"null\"}]}", "{}"),
		" | /anyOf/0/required | must have \"a\"");
	CHECK_STR(issues_of(&a, "{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"null\"}]}", "{}"),
		" | /anyOf | fits none of the 2 alternatives; it is an object");
	CHECK_STR(issues_of(&a, "{\"oneOf\":[{\"type\":\"integer\"},{\"type\":\"number\"}]}", "3"),
		" | /oneOf | fits alternatives 1 and 2, and may fit only one");
	CHECK_STR(issues_of(&a, "{\"$defs\":{\"t\":{\"type\":\"string\"}},\"items\":{\"$ref\":\"#/$defs/t\"}}", "[\"a\",[]]"),
		"/1 | /items/$ref/type | must be a string; it is an array");
	CHECK_STR(issues_of(&a, "{\"uniqueItems\":true}", "[1,2,1.0]"),
		" | /uniqueItems | must not hold an item twice: 1.0");
	CHECK_STR(issues_of(&a, "{\"properties\":{\"a/b\":false}}", "{\"a/b\":0}"),
		"/a~1b | /properties/a~1b | nothing is allowed here");
	arena_free(&a);
}

TEST(spans_of_issues)
{
	Arena a = { 0 };
	JsonDoc doc;
	SchemaIssues issues = { 0 };
	const SchemaNode *s = import(&a, "{\"properties\":{\"a\":{\"type\":\"string\"}},\"additionalProperties\":false}");
	CHECK(json_read(&a, STR("{\"a\": 12, \"b\": 1}"), 50, &doc));
	CHECK(!schema_validate(&a, s, doc.root, 0, &issues));
	CHECK_INT(issues.n, 2);
	CHECK_INT(issues.v[0].lo, 56);
	CHECK_INT(issues.v[0].hi, 58);
	CHECK_INT(issues.v[1].lo, 60);  /* the key */
	CHECK_INT(issues.v[1].hi, 63);
	arena_free(&a);
}

TEST(counts_code_points)  /* mlc-ai/xgrammar#800 */
{
	Arena a = { 0 };
	const SchemaNode *s = import(&a, "{\"type\":\"string\",\"minLength\":2,\"maxLength\":2}");
	CHECK(accepts(&a, s, "\"\\ud83d\\ude00x\"", 0));
	CHECK(accepts(&a, s, "\"\\n\\\"\"", 0));
	CHECK(!accepts(&a, s, "\"\\ud83d\\ude00\"", 0));
	arena_free(&a);
}

TEST(null_for_absent)
{
	Arena a = { 0 };
	const SchemaNode *s = import(&a, "{\"properties\":{\"o\":{\"type\":\"string\"},\"r\":{\"type\":\"string\"}},\"required\":[\"r\"],"
		"\"additionalProperties\":false}");
	CHECK(!accepts(&a, s, "{\"o\":null,\"r\":\"x\"}", SCHEMA_STRICT));
	CHECK(accepts(&a, s, "{\"o\":null,\"r\":\"x\"}", SCHEMA_NULL_IS_ABSENT));
	CHECK(!accepts(&a, s, "{\"o\":3,\"r\":\"x\"}", SCHEMA_NULL_IS_ABSENT));
	CHECK(!accepts(&a, s, "{\"o\":null,\"r\":null}", SCHEMA_NULL_IS_ABSENT));
	arena_free(&a);
}

TEST(formats)
{
	static const struct {
		const char *format, *good, *bad;
	} row[] = {
		{ "date", "2024-02-29", "2023-02-29" }, { "date", "1999-12-31", "1999-13-01" }, { "date", "2024-01-31", "2024-1-31" },
		{ "time", "23:59:60Z", "23:58:60Z" }, { "time", "08:30:06.283+01:00", "08:30:06" }, { "time", "15:59:60-08:00", "24:00:00Z" },
		{ "date-time", "1963-06-19T08:30:06Z", "1963-06-19 08:30:06" }, { "email", "joe.bloggs@example.com", ".joe@example.com" },
		{ "email", "a@[127.0.0.1]", "joe@" }, { "email", "a+b@x-y.org", "a..b@x.org" }, { "uri", "urn:isbn:123", "//foo.bar/?baz" },
		{ "uri", "http://a.b/c%20d?e#f", "http://a b" }, { "uuid", "2EB8AA08-aa98-11ea-b4aa-73b441d16380", "2eb8aa08aa9811eab4aa73b441d16380" },
		{ "ipv4", "192.168.0.1", "256.0.0.1" }, { "ipv4", "0.0.0.0", "01.2.3.4" }, { "ipv4", "1.2.3.4", "1.2.3" },
		{ "ipv6", "::1", "1::2::3" }, { "ipv6", "::ffff:192.168.0.1", "12345::" }, { "ipv6", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7" },
		{ "ipv6", "::", ":1" }, { "ipv6", "1::", "1:2:3:4:5:6:7:8:9" },
	};
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		if (!CHECK(format_check(str_from(row[i].format), str_from(row[i].good)) == FORMAT_OK))
			printf("\t%s %s\n", row[i].format, row[i].good);
		if (!CHECK(format_check(str_from(row[i].format), str_from(row[i].bad)) == FORMAT_BAD))
			printf("\t%s %s\n", row[i].format, row[i].bad);
	}
	CHECK(format_check(STR("email"), (Str){ "a\0b@c.de", 8 }) == FORMAT_BAD);
	Arena a = { 0 };
	const SchemaNode *s = import(&a, "{\"format\":\"date\"}");
	CHECK(accepts(&a, s, "\"x\"", SCHEMA_STRICT) && !accepts(&a, s, "\"x\"", SCHEMA_FORMATS));
	CHECK(accepts(&a, import(&a, "{\"format\":\"mine\"}"), "\"x\"", SCHEMA_FORMATS));
	arena_free(&a);
}

TEST(language_types)
{
	Arena a = { 0 };
	RegexError err;
	SchemaNode *verdict = schema_new_object(&a), *item = schema_new_object(&a), *ref = schema_new_ref(&a, STR("Item"));
	JsonNode *values[] = { json_new_text(&a, STR("low")), json_new_text(&a, STR("b c")), json_new_count(&a, 3) };
	SchemaNode *name = schema_new_type(&a, SCHEMA_STRING);
	schema_set_count(name, KW_MIN_LENGTH, 1);
	schema_set_count(name, KW_MAX_LENGTH, 80);
	CHECK(schema_set_pattern(&a, name, STR("^[a-z]+$"), &err));
	SchemaNode *n = schema_new_type(&a, SCHEMA_INTEGER);
	CHECK(schema_set_number(n, KW_MINIMUM, STR("1")) && schema_set_number(n, KW_MAXIMUM, STR("5")));
	CHECK(schema_add_field(&a, verdict, STR("severity"), schema_new_enum(&a, values, 3), FIELD_REQUIRED, STR("how bad")));
	CHECK(schema_add_field(&a, verdict, STR("owner"), name, FIELD_OPTIONAL, STR("team")));
	CHECK(schema_add_field(&a, verdict, STR("n"), schema_new_nullable(&a, n), FIELD_REQUIRED, (Str){ 0 }));
	CHECK(schema_add_field(&a, verdict, STR("item"), schema_new_nullable(&a, ref), FIELD_REQUIRED, STR("one")));
	CHECK(schema_add_field(&a, verdict, STR("tags"), schema_new_map(&a, schema_new_type(&a, SCHEMA_BOOLEAN)), FIELD_OPTIONAL, (Str){ 0 }));
	CHECK(!schema_add_field(&a, verdict, STR("n"), schema_new(&a), FIELD_OPTIONAL, (Str){ 0 }));
	SchemaErrors errs = { 0 };
	CHECK(!schema_check(&a, verdict, &errs) && errs.n == 1);
	CHECK_STR(errs.v[0].message, "$ref names 'Item', which does not exist");
	schema_add_field(&a, item, STR("of"), ref, FIELD_OPTIONAL, (Str){ 0 });
	item->name = STR("Item");
	schema_bind(ref, item);
	CHECK(schema_check(&a, verdict, &errs));
	Str once = exported(&a, verdict);
	CHECK_STR(once, "{\"type\":\"object\",\"properties\":{\"severity\":{\"description\":\"how bad\",\"type\":[\"integer\",\"string\"],"
		"\"enum\":[\"low\",\"b c\",3]},\"owner\":{\"description\":\"team\",\"type\":\"string\",\"pattern\":\"^[a-z]+$\",\"minLength\":1,"
		"\"maxLength\":80},\"n\":{\"type\":[\"integer\",\"null\"],\"minimum\":1,\"maximum\":5},\"item\":{\"description\":\"one\","
		"\"anyOf\":[{\"$ref\":\"#/$defs/Item\"},{\"type\":\"null\"}]},\"tags\":{\"type\":\"object\",\"additionalProperties\":"
		"{\"type\":\"boolean\"}}},\"required\":[\"severity\",\"n\",\"item\"],\"additionalProperties\":false,"
		"\"$defs\":{\"Item\":{\"type\":\"object\",\"properties\":{\"of\":{\"$ref\":\"#/$defs/Item\"}},\"additionalProperties\":false}}}");
	CHECK_STR(exported(&a, import(&a, str_z(&a, once))), once.p);
	CHECK(accepts(&a, verdict, "{\"severity\":3,\"n\":null,\"item\":{\"of\":{}}}", 0));
	CHECK(!accepts(&a, verdict, "{\"severity\":3,\"n\":6,\"item\":null}", 0));
	CHECK(schema_get_field(ref, STR("of")) == ref);
	CHECK_INT(schema_possible_types(verdict->map[MAP_PROPERTIES].v[3].schema), SCHEMA_OBJECT | SCHEMA_NULL);
	arena_free(&a);
}

TEST(resolves_uris)
{
	static const struct {
		const char *ref, *want;
	} row[] = {  /* RFC 3986 5.4 */
		{ "g:h", "g:h" }, { "g", "http://a/b/c/g" }, { "./g", "http://a/b/c/g" }, { "g/", "http://a/b/c/g/" },
		{ "/g", "http://a/g" }, { "//g", "http://g" }, { "?y", "http://a/b/c/d;p?y" }, { "g?y", "http://a/b/c/g?y" },
		{ "#s", "http://a/b/c/d;p?q#s" }, { "g#s", "http://a/b/c/g#s" }, { "", "http://a/b/c/d;p?q" }, { ".", "http://a/b/c/" },
		{ "..", "http://a/b/" }, { "../g", "http://a/b/g" }, { "../../g", "http://a/g" }, { "../../../g", "http://a/g" },
		{ "/./g", "http://a/g" }, { "/../g", "http://a/g" }, { "g.", "http://a/b/c/g." }, { "..g", "http://a/b/c/..g" },
		{ "./g/.", "http://a/b/c/g/" }, { "g/../h", "http://a/b/c/h" }, { "g;x=1/../y", "http://a/b/c/y" },
	};
	Arena a = { 0 };
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		CHECK_STR(uri_resolve(&a, STR("http://a/b/c/d;p?q"), str_from(row[i].ref)), row[i].want);
	CHECK_STR(uri_resolve(&a, STR("a.json"), STR("b.json")), "b.json");
	CHECK_STR(uri_resolve(&a, STR(""), STR("#x")), "#x");
	arena_free(&a);
}

CHECK_MAIN(refuses_by_name, error_offsets, nesting_is_capped, exports_canonically, says_what_is_wrong, spans_of_issues,
           counts_code_points, null_for_absent, formats, language_types, resolves_uris)
