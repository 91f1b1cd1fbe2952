/* Schema-constrained decoding: which bytes a compiled schema takes, what it refuses to be compiled, damaged bytes. The
 * groups of the corpus run in tests/automaton/corpus.py. */
#include "runtime/automaton/automaton.h"

#include <stdlib.h>

#include "tests/unit/check.h"

typedef struct Compiled {
	Arena a;
	Buf flat;
	Automaton m;
	bool is_open;
	SchemaErrors errs;
} Compiled;

static void compile_as(Compiled *c, const char *schema, AutomatonOptions options)
{
	Str why;
	*c = (Compiled){ 0 };
	const SchemaNode *s = schema_import_text(&c->a, str_from(schema), 0, &c->errs);
	c->is_open = s && automaton_compile(&c->a, s, options, &c->flat, &c->errs) && automaton_open(buf_str(&c->flat), &c->m, &why);
}

static void compile(Compiled *c, const char *schema)
{
	compile_as(c, schema, (AutomatonOptions){ AUTOMATON_JSON, AUTOMATON_COMPACT });
}

static void compiled_free(Compiled *c)
{
	buf_free(&c->flat);
	arena_free(&c->a);
}

static bool reads(const Compiled *c, const char *text)
{
	AutomatonState s;
	if (!c->is_open)
		return false;
	automaton_start(&s, &c->m);
	return automaton_accept_bytes(&s, str_from(text)) && automaton_is_complete(&s);
}

/* The spelling that is accepted of several. */
TEST(spells_one_way)
{
	static const struct { const char *schema, *yes, *no; } row[] = {
		{ "{\"type\":\"object\",\"properties\":{\"a\":{},\"b\":{}}}", "{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":1}" },
		{ "{\"type\":\"object\",\"properties\":{\"a\":{}}}", "{\"a\":1,\"z\":2}", "{\"z\":2,\"a\":1}" },
		{ "{\"type\":\"object\"}", "{\"x\":1,\"y\":2}", "{\"x\":1,\"x\":2}" },
		{ "{\"type\":\"object\"}", "{\"x\":{\"x\":1},\"xx\":2}", "{\"x\":{\"x\":1},\"x\":2}" },
		{ "{\"type\":\"object\"}", "{}", "{ }" },
		{ "{\"type\":\"array\"}", "[1,2]", "[1, 2]" },
		{ "{\"type\":\"integer\"}", "-12", "-0" },
		{ "{\"type\":\"integer\"}", "0", "1.0" },
		{ "{\"type\":\"number\"}", "1e300", "1e3000" },
		{ "{\"type\":\"number\"}", "0.25", "00.25" },
		{ "{\"type\":\"number\"}", "12345678901234567890", "123456789012345678901" },
		{ "{\"type\":\"string\"}", "\"\\u00e9\\/\\ud83d\\ude00\"", "\"\\ud83d\"" },
		{ "{\"type\":\"string\"}", "\"\xc3\xa9\"", "\"\xc3\"" },
		{ "{\"enum\":[\"a\\nb\"]}", "\"a\\nb\"", "\"a\\u000ab\"" },
	};
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		Compiled c;
		compile(&c, row[i].schema);
		if (!CHECK(reads(&c, row[i].yes) && !reads(&c, row[i].no)))
			printf("\t%s: %s, not %s\n", row[i].schema, row[i].yes, row[i].no);
		compiled_free(&c);
	}
}

/* What cannot be held is refused by its place. */
TEST(refuses_by_name)
{
	static const struct { const char *schema, *pointer, *message; } row[] = {
		{ "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"array\",\"contains\":{\"type\":\"integer\"}}}}", "/properties/a/contains",
			"'contains' is not held" },
		{ "{\"$defs\":{\"x\":{\"uniqueItems\":true}},\"items\":{\"$ref\":\"#/$defs/x\"}}", "/items/$ref/uniqueItems", "'uniqueItems' is not held" },
		{ "{\"oneOf\":[{\"type\":\"object\"},{\"required\":[\"a\"]}]}", "/oneOf", "oneOf is held only where" },
		{ "{\"type\":\"object\",\"not\":{\"required\":[\"a\"]}}", "/not", "'not' is held for scalars only" },
		{ "{\"type\":\"number\",\"multipleOf\":1234567}", "/multipleOf", "multipleOf is held up to" },
		{ "{\"type\":\"string\",\"pattern\":\"^(a|b)*a(a|b){20}$\"}", "/pattern", "'pattern' needs more than" },
		{ "{\"$ref\":\"#/$defs/x\",\"$defs\":{\"x\":{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/x\"},\"minItems\":1}}}", "",
			"no value satisfies this schema" },
		{ "{\"type\":\"string\",\"minLength\":3,\"maxLength\":2}", "", "no value satisfies this schema" },
	};
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		Compiled c;
		compile(&c, row[i].schema);
		if (CHECK(!c.is_open && c.errs.n)) {
			CHECK_STR(c.errs.v[0].pointer, row[i].pointer);
			if (!CHECK(str_starts(c.errs.v[0].message, str_from(row[i].message))))
				printf("\t%s: %.*s\n", row[i].schema, STR_ARG(c.errs.v[0].message));
		}
		compiled_free(&c);
	}
}

TEST(reads_bare_replies)
{
	Compiled c;
	AutomatonOptions bare = { AUTOMATON_BARE, AUTOMATON_COMPACT };
	compile_as(&c, "{\"enum\":[\"low\",\"very low\",3,true,null]}", bare);
	CHECK(reads(&c, "low") && reads(&c, "very low") && reads(&c, "3") && reads(&c, "true") && reads(&c, "null"));
	CHECK(!reads(&c, "\"low\"") && !reads(&c, "lo") && !reads(&c, "lowest"));
	compiled_free(&c);
	compile_as(&c, "{\"type\":\"integer\",\"minimum\":1,\"maximum\":12}", bare);
	CHECK(reads(&c, "1") && reads(&c, "12") && !reads(&c, "13") && !reads(&c, "0"));
	compiled_free(&c);
	compile_as(&c, "{\"type\":\"string\"}", bare);
	CHECK(!c.is_open && c.errs.n == 1);
	compiled_free(&c);
}

TEST(writes_spaces_where_asked)
{
	Compiled c;
	compile_as(&c, "{\"properties\":{\"a\":{\"type\":\"array\"},\"b\":{}}}", (AutomatonOptions){ AUTOMATON_JSON, AUTOMATON_SPACED });
	CHECK(reads(&c, "{\"a\": [1, {\"x\": 2}], \"b\": 3}") && !reads(&c, "{\"a\":[1]}") && !reads(&c, "{\"a\":  [1]}"));
	compiled_free(&c);
}

TEST(forces_what_is_certain)
{
	Compiled c;
	AutomatonState s;
	char bytes[64];
	compile(&c, "{\"type\":\"object\",\"properties\":{\"kind\":{\"enum\":[\"order\",\"origin\"]}},\"required\":[\"kind\"],\"additionalProperties\":false}");
	CHECK(c.is_open);
	automaton_start(&s, &c.m);
	size_t n = automaton_forced(&s, bytes, sizeof bytes);
	CHECK_STR(((Str){ bytes, n }), "{\"kind\":\"or");
	CHECK(automaton_forced(&s, bytes, 3) == 3 && automaton_accept_bytes(&s, STR("{\"kind\":\"ord")));
	n = automaton_forced(&s, bytes, sizeof bytes);
	CHECK_STR(((Str){ bytes, n }), "er\"}");
	CHECK(automaton_accept_bytes(&s, STR("er\"}")) && automaton_is_complete(&s) && !automaton_forced(&s, bytes, sizeof bytes));
	compiled_free(&c);
}

/* Recursion ends at the greatest depth, and can still be closed there. */
TEST(ends_at_the_greatest_depth)
{
	Compiled c;
	AutomatonState s;
	Buf out = { 0 };
	JsonDoc doc;
	compile(&c, "{}");
	automaton_start(&s, &c.m);
	uint32_t n = 0;
	while (n < 1000 && automaton_accept_bytes(&s, STR("["))) {
		buf_byte(&out, '[');
		n++;
	}
	CHECK_INT(n, AUTOMATON_DEPTH_MAX);
	automaton_start(&s, &c.m);
	CHECK(automaton_accept_bytes(&s, buf_str(&out)));
	automaton_close(&s, &out);
	CHECK(json_read(&c.a, buf_str(&out), 0, &doc) && out.n == 2 * (size_t)n);
	buf_free(&out);
	compiled_free(&c);
}

TEST(same_bytes_for_the_same_schema)
{
	static const char *const schema = "{\"anyOf\":[{\"type\":\"string\",\"pattern\":\"a.b\"},{\"type\":\"object\"},{\"type\":\"number\"}]}";
	Compiled x, y;
	compile(&x, schema);
	compile(&y, schema);
	CHECK(x.is_open && str_eq(buf_str(&x.flat), buf_str(&y.flat)));
	compiled_free(&x);
	compiled_free(&y);
}

/* Whatever the bytes say, nothing outside them is read and every call ends. */
static void use_bytes(const char *p, size_t n)
{
	Automaton m;
	AutomatonState s;
	Str why;
	char forced[40];
	Buf out = { 0 };
	if (!automaton_open((Str){ p, n }, &m, &why))
		return;
	automaton_start(&s, &m);
	for (const char *c = "{\"a\":[1,2,\"\\n\"],\"zz\":-1.5}"; *c; c++) {
		uint64_t set[4];
		automaton_next_bytes(&s, set);
		if (!automaton_accept_bytes(&s, (Str){ c, 1 }))
			return;
	}
	automaton_forced(&s, forced, sizeof forced);
	automaton_closing_bytes(&s);
	automaton_close(&s, &out);
	buf_free(&out);
}

TEST(takes_damaged_bytes)
{
	Compiled c;
	compile(&c, "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"array\",\"minItems\":70,\"items\":{\"maxLength\":3}}},"
		"\"additionalProperties\":{\"type\":\"number\",\"minimum\":-2},\"propertyNames\":{\"pattern\":\"^[a-z]{1,2}$\"}}");
	CHECK(c.is_open);
	for (size_t n = 0; n < c.flat.n; n++) {
		char *cut = malloc(n ? n : 1);
		Automaton m;
		Str why;
		memcpy(cut, c.flat.p, n);
		CHECK(!automaton_open((Str){ cut, n }, &m, &why) && why.n);
		free(cut);
	}
	char *bad = malloc(c.flat.n);
	memcpy(bad, c.flat.p, c.flat.n);
	for (size_t at = 0; at < c.flat.n; at++)
		for (int k = 0; k < 3; k++) {
			static const char flip[] = { 1, 16, (char)0xff };
			bad[at] ^= flip[k];
			use_bytes(bad, c.flat.n);
			bad[at] ^= flip[k];
		}
	free(bad);
	compiled_free(&c);
}

CHECK_MAIN(spells_one_way, refuses_by_name, reads_bare_replies, writes_spaces_where_asked, forces_what_is_certain,
	ends_at_the_greatest_depth, same_bytes_for_the_same_schema, takes_damaged_bytes)
