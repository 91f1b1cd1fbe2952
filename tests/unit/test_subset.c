/* Is every value of one schema a value of another: both ways, with the first reason and its place. */
#include "runtime/schema/subset.h"

#include "tests/unit/check.h"

typedef struct Case {
	const char *sub, *super;
	SubsetAnswer answer;
	const char *pointer, *reason;  /* NULL: not looked at */
} Case;

static void check_cases(Check *check_, const Case *row, size_t n)
{
	static const char *const word[] = { "yes", "no", "unknown" };
	for (size_t i = 0; i < n; i++) {
		Arena a = { 0 };
		SchemaErrors errs = { 0 };
		const SchemaNode *x = schema_import_text(&a, str_from(row[i].sub), 0, &errs);
		const SchemaNode *y = schema_import_text(&a, str_from(row[i].super), 0, &errs);
		if (!CHECK(x && y)) {
			printf("\t%.*s\n", STR_ARG(errs.v[0].message));
			continue;
		}
		SubsetResult r = schema_subset(&a, x, y);
		bool ok = CHECK(r.answer == row[i].answer);
		if (row[i].reason)
			ok &= CHECK_STR(r.reason, row[i].reason) & CHECK_STR(r.pointer, row[i].pointer);
		if (!ok)
			printf("\t%s in %s: %s, %.*s: %.*s\n", row[i].sub, row[i].super, word[r.answer], STR_ARG(r.pointer),
				STR_ARG(r.reason));
		arena_free(&a);
	}
}

#define RUN(row) check_cases(check_, row, sizeof row / sizeof *row)

TEST(types_and_values)
{
	static const Case row[] = {
		{ "{\"type\":\"integer\"}", "{\"type\":\"number\"}", SUBSET_YES, NULL, NULL },
		{ "{\"type\":\"number\"}", "{\"type\":\"integer\"}", SUBSET_NO, "", "may be a number that is not whole" },
		{ "{\"type\":[\"string\",\"null\"]}", "{\"type\":\"string\"}", SUBSET_NO, "", "may be null" },
		{ "{\"type\":\"string\"}", "{\"type\":[\"string\",\"null\"]}", SUBSET_YES, NULL, NULL },
		{ "{}", "{\"type\":\"string\"}", SUBSET_NO, "", NULL }, { "{\"type\":\"string\"}", "{}", SUBSET_YES, NULL, NULL },
		{ "false", "{\"type\":\"string\"}", SUBSET_YES, NULL, NULL }, { "true", "false", SUBSET_NO, "", NULL },
		{ "{\"enum\":[\"a\",\"b\"]}", "{\"enum\":[\"b\",\"a\",\"c\"]}", SUBSET_YES, NULL, NULL },
		{ "{\"enum\":[\"a\",\"b\"]}", "{\"enum\":[\"a\"]}", SUBSET_NO, "", "may be \"b\"" },
		{ "{\"const\":3}", "{\"type\":\"integer\",\"minimum\":3}", SUBSET_YES, NULL, NULL },
		{ "{\"type\":\"string\"}", "{\"enum\":[\"a\"]}", SUBSET_NO, "", "may be another string than those listed" },
		{ "{\"type\":\"boolean\"}", "{\"enum\":[true,false,1]}", SUBSET_YES, NULL, NULL },
		{ "{\"type\":\"boolean\"}", "{\"const\":true}", SUBSET_NO, "", "may be false" },
		{ "{\"type\":\"integer\",\"minimum\":1,\"maximum\":3}", "{\"enum\":[1,2,3,4]}", SUBSET_YES, NULL, NULL },
		{ "{\"type\":\"integer\",\"minimum\":1,\"maximum\":5}", "{\"enum\":[1,2,3,4]}", SUBSET_NO, "", "may be 5" },
	};
	RUN(row);
}

TEST(ranges)  /* getsentry/json-schema-diff#25: a bound misjudged */
{
	static const Case row[] = {
		{ "{\"type\":\"number\",\"minimum\":1}", "{\"minimum\":0}", SUBSET_YES, NULL, NULL },
		{ "{\"type\":\"number\",\"minimum\":0}", "{\"minimum\":1}", SUBSET_NO, "", "may be less than 1" },
		{ "{\"type\":\"number\",\"maximum\":10}", "{\"maximum\":9}", SUBSET_NO, "", "may be more than 9" },
		{ "{\"type\":\"number\",\"minimum\":1}", "{\"exclusiveMinimum\":1}", SUBSET_NO, "", "may be as little as 1" },
		{ "{\"type\":\"number\",\"exclusiveMinimum\":1}", "{\"minimum\":1}", SUBSET_YES, NULL, NULL },
		{ "{\"type\":\"integer\",\"exclusiveMinimum\":0}", "{\"minimum\":1}", SUBSET_YES, NULL, NULL },
		{ "{\"type\":\"integer\",\"minimum\":1}", "{\"exclusiveMinimum\":0}", SUBSET_YES, NULL, NULL },
		{ "{\"type\":\"number\",\"exclusiveMinimum\":0}", "{\"minimum\":1}", SUBSET_NO, "", NULL },
		{ "{\"type\":\"number\"}", "{\"exclusiveMaximum\":1e400}", SUBSET_NO, "", "may be as much as 1e400" },
		{ "{\"type\":\"number\",\"minimum\":5,\"maximum\":4}", "{\"type\":\"string\"}", SUBSET_YES, NULL, NULL },
		{ "{\"type\":\"integer\"}", "{\"multipleOf\":0.5}", SUBSET_YES, NULL, NULL },
		{ "{\"type\":\"integer\"}", "{\"multipleOf\":2}", SUBSET_NO, "", "may be no multiple of 2" },
		{ "{\"type\":\"number\",\"multipleOf\":6}", "{\"type\":\"integer\",\"multipleOf\":3}", SUBSET_YES, NULL, NULL },
		{ "{\"type\":\"string\",\"maxLength\":80}", "{\"maxLength\":100}", SUBSET_YES, NULL, NULL },
		{ "{\"type\":\"string\",\"maxLength\":100}", "{\"maxLength\":80}", SUBSET_NO, "", "may have more than 80 characters" },
		{ "{\"type\":\"string\"}", "{\"minLength\":1}", SUBSET_NO, "", "may have fewer than 1 characters" },
	};
	RUN(row);
}

TEST(patterns)
{
	static const Case row[] = {
		{ "{\"type\":\"string\",\"pattern\":\"^a\"}", "{\"pattern\":\"^a\"}", SUBSET_YES, NULL, NULL },
		{ "{\"type\":\"string\",\"pattern\":\"^ab\"}", "{\"pattern\":\"^a\"}", SUBSET_UNKNOWN, "",
		  "pattern /^a/ is not known to hold" },
		{ "{\"type\":\"string\"}", "{\"pattern\":\"^a\"}", SUBSET_NO, "", "may be \"\"" },
		{ "{\"type\":\"string\",\"pattern\":\"^a{3}$\"}", "{\"maxLength\":3}", SUBSET_UNKNOWN, "", NULL },
		{ "{\"type\":\"string\",\"format\":\"date\"}", "{\"format\":\"date\"}", SUBSET_YES, NULL, NULL },
		{ "{\"type\":\"string\"}", "{\"format\":\"date\"}", SUBSET_NO, "", "may be \"\"" },
		{ "{\"type\":\"string\",\"format\":\"x\"}", "{\"format\":\"y\"}", SUBSET_UNKNOWN, "", "format y is not known to hold" },
	};
	RUN(row);
}

#define PERSON(more, need) "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"}" more "},\"required\":[" need \
	"],\"additionalProperties\":false}"

TEST(objects)
{
	static const Case row[] = {
		{ PERSON("", "\"name\""), PERSON("", ""), SUBSET_YES, NULL, NULL },
		{ PERSON("", ""), PERSON("", "\"name\""), SUBSET_NO, "", "may lack \"name\"" },
		{ PERSON(",\"age\":{\"type\":\"integer\"}", "\"name\""), PERSON("", "\"name\""), SUBSET_NO, "", "may have the property \"age\"" },
		{ PERSON("", "\"name\""), PERSON(",\"age\":{\"type\":\"integer\"}", "\"name\""), SUBSET_YES, NULL, NULL },
		{ PERSON(",\"age\":{\"type\":\"number\"}", ""), PERSON(",\"age\":{\"type\":\"integer\"}", ""), SUBSET_NO, "/age",
		  "may be a number that is not whole" },
		{ "{\"type\":\"object\"}", PERSON("", ""), SUBSET_NO, NULL, NULL },
		{ PERSON("", ""), "{\"type\":\"object\"}", SUBSET_YES, NULL, NULL },
		{ "{\"type\":\"object\",\"additionalProperties\":{\"type\":\"integer\"}}",
		  "{\"type\":\"object\",\"additionalProperties\":{\"type\":\"number\"}}", SUBSET_YES, NULL, NULL },
		{ "{\"type\":\"object\",\"additionalProperties\":{\"type\":\"number\"}}",
		  "{\"type\":\"object\",\"additionalProperties\":{\"type\":\"integer\"}}", SUBSET_NO, "/*", NULL },
		{ "{\"type\":\"object\",\"patternProperties\":{\"^a\":{}}}", "{\"type\":\"object\",\"patternProperties\":{\"^b\":{\"type\":\"null\"}}}",
		  SUBSET_UNKNOWN, "", "patternProperties differ" },
		{ PERSON("", "\"name\""), "{\"minProperties\":1,\"maxProperties\":1}", SUBSET_YES, NULL, NULL },
		{ PERSON("", ""), "{\"minProperties\":1}", SUBSET_NO, "", "may have fewer than 1 properties" },
		{ "{\"type\":\"object\",\"required\":[\"a\"],\"properties\":{\"a\":false}}", "{\"type\":\"null\"}", SUBSET_YES, NULL, NULL },
	};
	RUN(row);
}

TEST(arrays)
{
	static const Case row[] = {
		{ "{\"type\":\"array\",\"items\":{\"type\":\"integer\"},\"minItems\":1,\"maxItems\":3}",
		  "{\"type\":\"array\",\"items\":{\"type\":\"number\"},\"maxItems\":3}", SUBSET_YES, NULL, NULL },
		{ "{\"type\":\"array\",\"items\":{\"type\":\"string\"}}", "{\"type\":\"array\",\"items\":{\"type\":\"integer\"}}", SUBSET_NO, "[]",
		  "may be string" },
		{ "{\"type\":\"array\",\"maxItems\":4}", "{\"maxItems\":3}", SUBSET_NO, "", "may have more than 3 items" },
		{ "{\"type\":\"array\",\"prefixItems\":[{\"type\":\"string\"},{\"type\":\"null\"}],\"items\":false}",
		  "{\"type\":\"array\",\"items\":{\"type\":[\"string\",\"null\"]},\"maxItems\":2}", SUBSET_YES, NULL, NULL },
		{ "{\"type\":\"array\",\"prefixItems\":[{\"type\":\"string\"}]}", "{\"type\":\"array\",\"prefixItems\":[{\"type\":\"null\"}]}",
		  SUBSET_NO, "[0]", "may be string" },
		{ "{\"type\":\"array\"}", "{\"uniqueItems\":true}", SUBSET_NO, "", "may hold an item twice" },
		{ "{\"type\":\"array\",\"prefixItems\":[true,false]}", "{\"uniqueItems\":true,\"maxItems\":1}", SUBSET_YES, NULL, NULL },
		{ "{\"contains\":false}", "{\"items\":false}", SUBSET_UNKNOWN, "", "contains is not compared" },
		{ "{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"maxItems\":0}", "{\"type\":\"array\",\"items\":{\"type\":\"integer\"}}",
		  SUBSET_YES, NULL, NULL },
	};
	RUN(row);
}

TEST(unions)  /* getsentry/json-schema-diff#30: anyOf of another length not compared */
{
	static const Case row[] = {
		{ "{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"integer\"}]}", "{\"anyOf\":[{\"type\":\"integer\"},{\"type\":\"null\"},{\"type\":\"string\"}]}",
		  SUBSET_YES, NULL, NULL },
		{ "{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"integer\"},{\"type\":\"null\"}]}", "{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"integer\"}]}",
		  SUBSET_NO, "", "fits none of the alternatives" },
		{ "{\"type\":[\"string\",\"null\"]}", "{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"null\"}]}", SUBSET_YES, NULL, NULL },
		{ "{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"null\"}]}", "{\"type\":[\"null\",\"string\"]}", SUBSET_YES, NULL, NULL },
		{ "{\"type\":\"number\"}", "{\"anyOf\":[{\"type\":\"number\",\"minimum\":0},{\"type\":\"number\",\"maximum\":0}]}", SUBSET_UNKNOWN, "",
		  "the alternatives are not known to cover it" },
		{ "{\"type\":\"number\"}", "{\"anyOf\":[{\"type\":\"number\",\"minimum\":0},{\"type\":\"string\"}]}", SUBSET_NO, "", "may be less than 0" },
		{ "{\"type\":\"string\"}", "{\"oneOf\":[{\"type\":\"string\"},{\"type\":\"null\"}]}", SUBSET_YES, NULL, NULL },
		{ "{\"type\":\"integer\"}", "{\"oneOf\":[{\"type\":\"integer\"},{\"type\":\"number\"}]}", SUBSET_UNKNOWN, "", "oneOf may fit more than once" },
		{ "{\"type\":\"string\"}", "{\"not\":{\"type\":\"null\"}}", SUBSET_YES, NULL, NULL },
		{ "{\"type\":\"string\"}", "{\"not\":{\"const\":\"x\"}}", SUBSET_UNKNOWN, "", "not is not known to hold" },
		{ "{\"type\":\"string\",\"not\":{\"const\":\"\"}}", "{\"type\":\"string\",\"not\":{\"const\":\"\"}}", SUBSET_YES, NULL, NULL },
		{ "{\"allOf\":[{\"required\":[\"a\"]},{\"type\":\"object\"}]}", "{\"type\":\"object\",\"required\":[\"a\"]}", SUBSET_YES, NULL, NULL },
		{ "{\"type\":\"object\",\"required\":[\"a\"]}", "{\"allOf\":[{\"required\":[\"a\"]},{\"type\":\"object\"}]}", SUBSET_YES, NULL, NULL },
		{ "{\"type\":\"object\",\"required\":[\"a\"]}", "{\"allOf\":[{\"required\":[\"b\"]},{\"type\":\"object\"}]}", SUBSET_NO, "", "may lack \"b\"" },
		{ "{\"allOf\":[{\"type\":\"string\"},{\"maxLength\":3}]}", "{\"type\":\"string\",\"maxLength\":2}", SUBSET_UNKNOWN, "", NULL },
		{ "{\"type\":\"object\",\"anyOf\":[{\"required\":[\"a\"]},{\"required\":[\"b\"]}]}", "{\"type\":\"object\"}", SUBSET_YES, NULL, NULL },
	};
	RUN(row);
}

#define TREE(value) "{\"$defs\":{\"t\":{\"type\":\"object\",\"properties\":{\"v\":" value ",\"l\":{\"$ref\":\"#/$defs/t\"},\"r\":{\"anyOf\":" \
	"[{\"$ref\":\"#/$defs/t\"},{\"type\":\"null\"}]}},\"additionalProperties\":false}},\"$ref\":\"#/$defs/t\"}"

TEST(recursion)
{
	static const Case row[] = {
		{ TREE("{\"type\":\"integer\"}"), TREE("{\"type\":\"number\"}"), SUBSET_YES, NULL, NULL },
		{ TREE("{\"type\":\"number\"}"), TREE("{\"type\":\"integer\"}"), SUBSET_NO, "/v", "may be a number that is not whole" },
		{ TREE("{\"pattern\":\"a\"}"), TREE("{\"pattern\":\"a\"}"), SUBSET_YES, NULL, NULL },
		{ TREE("{}"), TREE("{}"), SUBSET_YES, NULL, NULL },
		/* unrolled once: the same trees */
		{ TREE("{\"type\":\"null\"}"), "{\"type\":\"object\",\"properties\":{\"v\":{\"type\":\"null\"},\"l\":{\"$ref\":\"#\"},\"r\":{\"anyOf\":"
		  "[{\"type\":\"null\"},{\"$ref\":\"#\"}]}},\"additionalProperties\":false}", SUBSET_YES, NULL, NULL },
	};
	RUN(row);
}

CHECK_MAIN(types_and_values, ranges, patterns, objects, arrays, unions, recursion)
