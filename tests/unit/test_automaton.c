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

CHECK_MAIN(spells_one_way)
