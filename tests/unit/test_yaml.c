/* The scalar scanner against libyaml's values, byte places, and what is refused. */
#include <yaml.h>

#include "compiler/front/yaml_tree.h"
#include "tests/unit/check.h"

static const char *const scalars[] = {
	"plain", "a: b c", "a:\n  two\n  lines\n", "a: two\n\n  paras\n", "a: 'it''s'", "a: 'x\n\n\n  y  \n  z'",
	"a: \"q\\n\\t\\u00e9\\x41\\U0001F600\"", "a: \"fold\n  ed \\\n  \\  joined\n\n  x\"", "a: \"x \\\n\n  y\"",
	"a: |\n  one\n  two\n", "a: |-\n  one\n", "a: |+\n  one\n\n\n", "a: |\n  one", "a: |\n\n   deep\n   two\n",
	"a: |2\n   kept\n  x\n", "a:\n  b: |2\n     kept\n    x\n", "a: >\n  one\n  two\n\n  three\n   more\n   yet\n  four\n",
	"a: >-\n  x\n\n\n", "a: >+\n  x\n\n\n", "a: >\n\n  x\n  \n    y\n\n  z\n", "- |\n one\n- >1\n  two\n three\n",
	"- - |1\n    x\n   y\n", "a: |  # why\n  text\nb: c", "a: ''", "a: \"\"", "a:", "a: |\nb: x", "a: |\n  \n  \nb: x",
	"a: [x, 'y z', \"q\", p  q\n  r]", "{a: b, c: 'd'}", "? x\n: y", "a: |\n  tab\tin\n  \tlead\n", "a: b # c\nd: e",
	"a: \xC3\xA9\xC3\xA9\nb: \"\xF0\x9F\x98\x80 x\"", "a:\n- |\n  x\n- y\n", "a: |\n  x\n # comment\nb: y", "a: >\n  y\n  \tx\n  z\n",
	"a: >\n    x\n   \n    y\n", "a: |+\n\n\nb: x", "a: x  \n\n\nb: 'z '\n", "--- |\n  top\n", "--- >2\n   top\n  x\n", "a: \"  x  \n  y  \"",
};

static Source *source(Compiler *c, const char *text)
{
	compiler_init(c);
	return source_add(&c->sources, &c->diags, STR("t.yaml"), str_from(text));
}

/* Scalars of the tree in source order, keys before their values. */
static void collect(const YNode *y, Text **out, uint32_t *n)
{
	if (y->key)
		out[(*n)++] = y->key->text;
	if (y->kind == Y_SCALAR)
		out[(*n)++] = y->text;
	for (const YNode *k = y->first; k; k = k->next)
		collect(k, out, n);
}

static void check_runs(Check *check_, const Compiler *c, const Text *t)
{
	for (uint32_t i = 0; i < t->n_run; i++) {
		Str from = source_slice(&c->sources, (Span){ t->run[i].src_off, t->run[i].src_off + t->run[i].len });
		CHECK(str_eq(from, str_sub(t->s, t->run[i].text_off, t->run[i].text_off + t->run[i].len)));
	}
}

static void check_against_libyaml(Check *check_, const char *text)
{
	Compiler c;
	Source *src = source(&c, text);
	YNode *root = yaml_read(&c, src);
	if (!CHECK(root != NULL)) {
		printf("in %s: %.*s\n", text, STR_ARG(c.diags.list.v[0]->message));
		compiler_free(&c);
		return;
	}
	Text *mine[64];
	uint32_t n = 0, at = 0;
	collect(root, mine, &n);
	yaml_parser_t p;
	yaml_event_t e;
	yaml_parser_initialize(&p);
	yaml_parser_set_input_string(&p, (const unsigned char *)text, strlen(text));
	for (bool done = false; !done;) {
		CHECK(yaml_parser_parse(&p, &e));
		if (e.type == YAML_SCALAR_EVENT && at < n) {
			Str theirs = { (const char *)e.data.scalar.value, e.data.scalar.length };
			if (!str_eq(mine[at]->s, theirs))
				printf("in %s\n", text);
			CHECK_STR(mine[at]->s, str_z(&c.arena, theirs));
			check_runs(check_, &c, mine[at++]);
		}
		done = e.type == YAML_STREAM_END_EVENT;
		yaml_event_delete(&e);
	}
	CHECK_INT(at, n);
	yaml_parser_delete(&p);
	compiler_free(&c);
}

TEST(scalars_are_libyamls)
{
	for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++)
		check_against_libyaml(check_, scalars[i]);
}

TEST(only_lf_ends_a_line)
{
	Compiler c;
	YNode *root = yaml_read(&c, source(&c, "a: x\xC2\x85y\nb: \"p\xE2\x80\xA8q\"\nc: |\n  1\xE2\x80\xA9""2\n"));
	CHECK_STR(yaml_get(root, "a")->text->s, "x\xC2\x85y");
	CHECK_STR(yaml_get(root, "b")->text->s, "p\xE2\x80\xA8q");
	CHECK_STR(yaml_get(root, "c")->text->s, "1\xE2\x80\xA9""2\n");
	compiler_free(&c);
}

static void refused(Check *check_, const char *text, DiagId id, uint32_t at)
{
	Compiler c;
	Source *src = source(&c, text);
	CHECK(!yaml_read(&c, src) || c.diags.n_error);
	CHECK_INT(c.diags.list.n, 1);
	if (c.diags.list.n) {
		CHECK_INT(c.diags.list.v[0]->id, id);
		CHECK_INT(c.diags.list.v[0]->span.lo - src->base, at);
	}
	compiler_free(&c);
}

TEST(refusals_have_places)
{
	refused(check_, "a: x\na: y\n", SD051, 5);
	refused(check_, "a: &x y\n", SD053, 3);
	refused(check_, "\xC3\xA9: x\nb: *x\n", SD053, 9);
	refused(check_, "a: !!str x\n", SD053, 3);
	refused(check_, "a: x\n---\nb: y\n", SD053, 5);
	refused(check_, "[x]: y\n", SD053, 0);
	refused(check_, "a: [x\nb: y\n", SD052, 7);
	refused(check_, "a: \"x\\0y\"\n", SD058, 5);
	refused(check_, "a: \"x\\ry\"\n", SD057, 5);
}

TEST(nesting_is_capped)
{
	char deep[400];
	memset(deep, '[', 200);
	memset(deep + 200, ']', 199);
	deep[399] = 0;
	refused(check_, deep, SD059, 64);
}

CHECK_MAIN(scalars_are_libyamls, only_lf_ends_a_line, refusals_have_places, nesting_is_capped)
