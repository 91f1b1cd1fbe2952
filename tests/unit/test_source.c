/* Sources and the sink: line ends, columns of every kind, runs, order, duplicates. */
#include "compiler/source/compiler.h"
#include "tests/unit/check.h"

static Source *add(Compiler *c, const char *name, Str bytes)
{
	return source_add(&c->sources, &c->diags, str_from(name), bytes);
}

TEST(line_ends_are_lf)
{
	Compiler c;
	compiler_init(&c);
	Source *s = add(&c, "a", STR("\xef\xbb\xbfone\r\ntwo\rthree\r\n"));
	CHECK(s->ok);
	CHECK_STR(s->text, "one\ntwo\nthree\n");
	CHECK_INT(source_raw_offset(s, s->base), 3);
	CHECK_INT(source_raw_offset(s, s->base + 3), 6);  /* the LF: its CR */
	CHECK_INT(source_raw_offset(s, s->base + 4), 8);
	CHECK_INT(source_raw_offset(s, s->base + 8), 12); /* a lone CR moves nothing */
	CHECK_INT(source_raw_offset(s, s->base + (uint32_t)s->text.n), 19);
	CHECK_INT(source_line(&c.sources, s->base + 8), 3);
	compiler_free(&c);
}

TEST(two_files_share_one_space)
{
	Compiler c;
	compiler_init(&c);
	Source *a = add(&c, "a", STR("xy")), *b = add(&c, "b", STR("")), *d = add(&c, "d", STR("z"));
	CHECK(source_of(&c.sources, 2) == a);
	CHECK(source_of(&c.sources, b->base) == b);
	CHECK(source_of(&c.sources, d->base + 1) == d);
	CHECK_STR(source_slice(&c.sources, (Span){ d->base, d->base + 9 }), "z");
	compiler_free(&c);
}

TEST(columns)
{
	Compiler c;
	compiler_init(&c);
	/* tab, e + combining acute, CJK, emoji with a modifier */
	Source *s = add(&c, "a", STR("\t" "e\xcc\x81" "\xe6\xbc\xa2" "\xf0\x9f\x91\x8d\xf0\x9f\x8f\xbd" "x\n"));
	Position p = source_position(&c.sources, s->base + 15);
	CHECK_INT(p.line, 1);
	CHECK_INT(p.col_byte, 16);
	CHECK_INT(p.col_code_point, 7);
	CHECK_INT(p.col_utf16, 9);
	CHECK_INT(p.col_display, 4 + 1 + 2 + 2 + 1);
	uint32_t lo;
	CHECK_INT(source_line_text(&c.sources, s->base + 15, &lo).n, 16);
	CHECK_INT(lo, 0);
	compiler_free(&c);
}

/* Asked in any order, a position is what a first question would have answered. */
TEST(columns_do_not_depend_on_the_order_of_questions)
{
	static const Str text = STR_INIT("ab\te\xcc\x81\xe6\xbc\xa2x\xf0\x9f\x91\x8d\xf0\x9f\x8f\xbd\tend\nsecond \xe6\xbc\xa2 line\n");
	static const uint32_t at[] = { 0, 3, 4, 6, 9, 10, 14, 18, 19, 3, 22, 23, 19, 30, 34, 35, 33, 10, 18 };
	Compiler c;
	compiler_init(&c);
	Source *s = add(&c, "a", text);
	for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
		Compiler fresh;
		compiler_init(&fresh);
		Source *f = add(&fresh, "a", text);
		Position p = source_position(&c.sources, s->base + at[i]), q = source_position(&fresh.sources, f->base + at[i]);
		CHECK_INT(p.line, q.line);
		CHECK_INT(p.col_byte, q.col_byte);
		CHECK_INT(p.col_code_point, q.col_code_point);
		CHECK_INT(p.col_utf16, q.col_utf16);
		CHECK_INT(p.col_display, q.col_display);
		compiler_free(&fresh);
	}
	compiler_free(&c);
}

TEST(bad_bytes_have_a_place)
{
	static const struct { Str bytes; uint32_t at; } t[] = {
		{ STR_INIT("ab\xe9" "d"), 2 },         { STR_INIT("a\0b"), 1 },
		{ STR_INIT("\xff\xfe" "a\0"), 0 },     { STR_INIT("a\n\xed\xa0\x80"), 2 },
		{ STR_INIT("\xc3"), 0 },               { STR_INIT("\0\xff"), 0 },
	};
	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		Compiler c;
		compiler_init(&c);
		Source *s = add(&c, "a", t[i].bytes);
		CHECK(!s->ok);
		CHECK_INT(c.diags.list.n, 1);
		CHECK_INT(c.diags.list.v[0]->span.lo, t[i].at);
		CHECK_INT(c.diags.n_error, 1);
		compiler_free(&c);
	}
}

TEST(span_of_a_text)
{
	/* source: |  ab\n  c"d|, text: "ab\nc\nd" where the last LF was generated */
	TextRun run[] = { { 0, 102, 3 }, { 3, 107, 1 }, { 5, 109, 1 } };
	Text t = { STR("ab\nc\nd"), run, 3 };
	Span s = text_span(&t, 0, 2);
	CHECK(s.lo == 102 && s.hi == 104);
	s = text_span(&t, 1, 4);
	CHECK(s.lo == 103 && s.hi == 108);
	s = text_span(&t, 4, 5);
	CHECK(s.lo == 108 && s.hi == 109);
	s = text_span(&t, 3, 3);
	CHECK(s.lo == 107 && s.hi == 107);
	s = text_span(&t, 6, 6);
	CHECK(s.lo == 110 && s.hi == 110);
}

TEST(sorted_without_duplicates)
{
	Compiler c;
	compiler_init(&c);
	Source *s = add(&c, "a", STR("abcdef"));
	diag_add(&c.diags, SD101, (Span){ s->base + 4, s->base + 5 }, "later");
	diag_add(&c.diags, SD101, (Span){ s->base + 1, s->base + 2 }, "%s", "twice");
	diag_add(&c.diags, SD001, (Span){ s->base + 1, s->base + 2 }, "code first");
	diag_add(&c.diags, SD101, (Span){ s->base + 1, s->base + 2 }, "twice");
	diag_finish(&c.diags);
	CHECK_INT(c.diags.list.n, 3);
	CHECK_STR(c.diags.list.v[0]->message, "code first");
	CHECK_STR(c.diags.list.v[2]->message, "later");
	compiler_free(&c);
}

/* near-miss SD002: the last byte that fits */
TEST(sources_fill_the_space)
{
	Compiler c;
	compiler_init(&c);
	CHECK(add(&c, "a", STR("x")));
	c.sources.end = UINT32_MAX - 10;
	CHECK(!add(&c, "b", STR("123456789")));
	CHECK_INT(c.diags.list.n, 1);
	CHECK_INT(c.diags.list.v[0]->id, SD002);
	CHECK(add(&c, "b", STR("12345678")));
	CHECK_INT(c.diags.list.n, 1);
	compiler_free(&c);
}

TEST(did_you_mean)
{
	Compiler c;
	compiler_init(&c);
	Source *s = add(&c, "a", STR("nmae"));
	Str cand[] = { STR("age"), STR("name") };
	Diag *g = diag_add(&c.diags, SD101, (Span){ 0, 4 }, "x");
	diag_did_you_mean(&c.diags, g, (Span){ s->base, s->base + 4 }, s->text, cand, 2);
	CHECK_STR(g->help, "did you mean `name`?");
	CHECK_STR(g->fix->text, "name");
	CHECK_INT(diag_find_rule(STR("invalid-text")), SD101);
	CHECK_INT(diag_find_rule(STR("SD999")), -1);
	compiler_free(&c);
}

CHECK_MAIN(line_ends_are_lf, two_files_share_one_space, columns,
           columns_do_not_depend_on_the_order_of_questions, bad_bytes_have_a_place, span_of_a_text,
           sorted_without_duplicates, sources_fill_the_space, did_you_mean)
