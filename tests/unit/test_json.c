/* The JSON reader against RFC 8259, the pointer, the writers, equality by value. */
#include "runtime/base/json.h"

#include <stdlib.h>

#include "compiler/source/source.h"
#include "tests/unit/check.h"

static const char *read_error(Arena *a, Str src, uint32_t *offset)
{
	JsonDoc doc;
	/* an exact heap copy, so that a sanitizer sees a read past the end */
	char *copy = malloc(src.n ? src.n : 1);
	memcpy(copy, src.p, src.n);
	bool ok = json_read(a, (Str){ copy, src.n }, 0, &doc);
	*offset = doc.err.offset;
	const char *msg = ok ? NULL : str_z(a, doc.err.message);
	free(copy);
	return msg;
}

static Str written(Arena *a, const char *src, JsonOrder order)
{
	JsonDoc doc;
	Buf b = { 0 };
	if (!json_read(a, str_from(src), 0, &doc))
		return STR("(unreadable)");
	json_write(&b, doc.root, order);
	Str out = str_dup(a, buf_str(&b));
	buf_free(&b);
	return out;
}

TEST(accepts)
{
	static const char *const good[] = {
		"null", " true ", "false", "0", "-0", "-0.0e+00", "1E400", "123456789012345678901234567890", "\"\"",
		"[]", "{}", "[[],{}]", "{\"a\":[1,2,{\"b\":null}]}", "\t\n\r [1 , 2]\n", "\"\x7f\xc2\x80\"", "\"\\ud83d\\ude00\"",
		"\"\\u0000\"", "{\"\":1}",
	};
	Arena a = { 0 };
	JsonDoc doc;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		if (!CHECK(json_read(&a, str_from(good[i]), 0, &doc)))
			printf("\t%s: %.*s\n", good[i], STR_ARG(doc.err.message));
	arena_free(&a);
}

TEST(refuses_with_offset)
{
	static const struct {
		const char *src;
		uint32_t offset;
		const char *message;
	} bad[] = {
		{ "", 0, "expected a value, found the end" },
		{ "[1,]", 2, "trailing comma" },  /* ohdearquant/lattice#310 */
		{ "{\"a\":1,}", 6, "trailing comma" },
		{ "\"a\nb\"", 2, "raw control byte 0x0A in a string; write \\n" },  /* ohdearquant/lattice#931 */
		{ "\"\x1f\"", 1, "raw control byte 0x1F in a string; write \\u001F" },
		{ "[01]", 1, "a number may not have a leading zero" },
		{ "-01", 0, "a number may not have a leading zero" },
		{ "+1", 0, "a number may not start with '+'" },
		{ ".5", 0, "a number needs a digit before '.'" },
		{ "[1.]", 1, "malformed number (digits must stand on both sides of '.' and after 'e')" },
		{ "1e", 0, "malformed number (digits must stand on both sides of '.' and after 'e')" },
		{ "NaN", 0, "'NaN' is no JSON value (a string takes double quotes)" },
		{ "-Infinity", 0, "'-Infinity' is no JSON value (a string takes double quotes)" },
		{ "truex", 0, "'truex' is no JSON value (a string takes double quotes)" },
		{ "'a'", 0, "a string takes double quotes" },
		{ "[1 2]", 3, "expected ',' or ']'" },
		{ "[1", 0, "array is never closed" },
		{ " {\"a\":1", 1, "object is never closed" },
		{ "[", 0, "array is never closed" },
		{ "{\"a\" 1}", 5, "expected ':' after the member name" },
		{ "{a:1}", 1, "'a' is no JSON value (a string takes double quotes)" },
		{ "{1:1}", 1, "expected a member name in double quotes" },
		{ "[}", 1, "expected a value" },
		{ "1 2", 2, "something follows the value" },
		{ "[] // x", 3, "JSON has no comments" },
		{ "\"abc", 0, "string is never closed" },
		{ "\"\\x41\"", 1, "unknown escape (JSON has \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX)" },
		{ "\"\\u12g4\"", 1, "\\u takes four hexadecimal digits" },
		{ "\"a\\ud800\"", 2, "lone surrogate \\ud800" },
		{ "\"\\uDC00\"", 1, "lone surrogate \\uDC00" },
		{ "\"\\ud800\\u0041\"", 1, "lone surrogate \\ud800" },
		{ "\"\xff\"", 1, "invalid UTF-8 in a string" },
		{ "\"\xc0\x80\"", 1, "invalid UTF-8 in a string" },
		{ "\"\xed\xa0\x80\"", 1, "invalid UTF-8 in a string" },
		{ "\"\xf4\x90\x80\x80\"", 1, "invalid UTF-8 in a string" },
		{ "\xff", 0, "invalid UTF-8" },
		{ "\xef\xbb\xbf[]", 0, "byte order mark" },
		{ "[1,\xc3\xa9]", 3, "expected a value" },
		{ "\x0c[]", 0, "unexpected character" },
	};
	Arena a = { 0 };
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		uint32_t offset;
		const char *msg = read_error(&a, str_from(bad[i].src), &offset);
		if (!CHECK_STR(str_from(msg), bad[i].message) || !CHECK_INT(offset, bad[i].offset))
			printf("\tin %s\n", bad[i].src);
	}
	uint32_t offset;
	CHECK_STR(str_from(read_error(&a, (Str){ "[1\0]", 4 }, &offset)), "NUL byte");
	CHECK_INT(offset, 2);
	CHECK_STR(str_from(read_error(&a, (Str){ "\"a\0\"", 4 }, &offset)), "NUL byte in a string");
	CHECK_INT(offset, 2);
	arena_free(&a);
}

TEST(nesting_stops_at_the_cap)
{
	enum { DEEP = 100000 };
	Arena a = { 0 };
	JsonDoc doc;
	char *s = malloc(DEEP);
	memset(s, '[', DEEP);
	CHECK(!json_read(&a, (Str){ s, DEEP }, 0, &doc));
	CHECK_STR(doc.err.message, "nested deeper than 512");
	CHECK_INT(doc.err.offset, JSON_DEPTH_MAX);
	memset(s + JSON_DEPTH_MAX, ']', JSON_DEPTH_MAX);
	CHECK(json_read(&a, (Str){ s, 2 * JSON_DEPTH_MAX }, 0, &doc));
	free(s);
	arena_free(&a);
}

#define CHECK_SPAN(x, from, to, want_lo, want_hi) do { \
		Text t_ = { (x)->text, (TextRun *)(x)->run, (x)->n_run }; \
		Span sp_ = text_span(&t_, (from), (to)); \
		CHECK_INT(sp_.lo, (want_lo)); \
		CHECK_INT(sp_.hi, (want_hi)); \
	} while (0)

TEST(spans_and_runs)
{
	Arena a = { 0 };
	JsonDoc doc;
	Str src = STR(" {\"k\\n\": \"a\\u00e9b\\ud83d\\ude00\", \"n\": 1.50}");
	CHECK(json_read(&a, src, 100, &doc));
	CHECK_INT(doc.root->lo, 101);
	CHECK_INT(doc.root->hi, 100 + src.n);
	const JsonMember *m = &doc.root->member[0];
	CHECK_STR(m->key->text, "k\n");
	CHECK_INT(m->key->lo, 102);
	CHECK_INT(m->key->hi, 107);
	CHECK_STR(m->value->text, "a\xc3\xa9" "b\xf0\x9f\x98\x80");
	uint32_t at = m->value->lo + 1;  /* after the quote */
	CHECK_SPAN(m->value, 0, 1, at, at + 1);
	CHECK_SPAN(m->value, 1, 3, at + 1, at + 7);
	CHECK_SPAN(m->value, 3, 4, at + 7, at + 8);
	CHECK_SPAN(m->value, 4, 8, at + 8, at + 20);
	CHECK_SPAN(m->value, 0, 8, at, m->value->hi - 1);
	CHECK_SPAN(m->key, 1, 2, 104, 106);
	CHECK_STR(json_get(doc.root, "n")->text, "1.50");
	CHECK_STR(json_pointer_at(&a, doc.root, at), "/k\n");
	arena_free(&a);
}

/* Without an escape a text stands in the source as it is; with one, ASCII and what is not make one run. */
TEST(runs_only_for_escapes)
{
	Arena a = { 0 };
	JsonDoc doc;
	CHECK(json_read(&a, STR("\"plain and long\""), 7, &doc));
	CHECK_INT(doc.root->n_run, 0);
	CHECK_INT(json_text_offset(doc.root, 4), 12);
	CHECK(json_read(&a, STR("\"pl\xc3\xa9in \xc3\xa9 and long\""), 7, &doc));
	CHECK_STR(doc.root->text, "pl\xc3\xa9in \xc3\xa9 and long");
	CHECK_INT(doc.root->n_run, 0);
	CHECK(json_read(&a, STR("\"eight plain bytes, \xc3\xa9 and more of them\\n\""), 7, &doc));
	CHECK_INT(doc.root->n_run, 3);
	CHECK_INT(doc.root->run[0].len, 38);
	CHECK_INT(doc.root->run[1].src_off, 46);
	CHECK_INT(json_text_offset(doc.root, 30), 38);
	for (const char *bad = "\x01\x1f\x80"; *bad; bad++) {
		char s[] = "\"eight plain bytes_and more\"";
		s[18] = *bad;
		CHECK(!json_read(&a, STR(s), 0, &doc));
		CHECK_INT(doc.err.offset, 18);
	}
	arena_free(&a);
}

TEST(duplicates)
{
	Arena a = { 0 };
	JsonDoc doc;
	CHECK(json_read(&a, STR("{\"a\":{\"x\":1,\"x\":2},\"b\":0,\"\\u0061\":3}"), 0, &doc));
	CHECK_INT(doc.n_dup, 2);
	CHECK_STR(doc.dup[0].name, "x");
	CHECK_INT(doc.dup[0].first->lo, 6);
	CHECK_INT(doc.dup[0].again->lo, 12);
	CHECK_STR(doc.dup[1].name, "a");
	CHECK_INT(doc.root->n, 3);
	CHECK_STR(json_get(doc.root, "a")->text, "3");
	CHECK(json_read(&a, STR("{\"1\":1,\"2\":2,\"3\":3,\"4\":4,\"5\":5,\"6\":6,\"7\":7,\"8\":8,\"9\":9,\"3\":0}"), 0, &doc));
	CHECK_INT(doc.n_dup, 1);
	CHECK_STR(doc.dup[0].name, "3");
	arena_free(&a);
}

TEST(pointers)
{
	Arena a = { 0 };
	JsonDoc doc;
	Buf b = { 0 };
	CHECK(json_read(&a, STR("{\"foo\":[\"bar\",\"baz\"],\"\":0,\"a/b\":1,\"m~n\":8,\"~1\":9}"), 0, &doc));
	CHECK(json_pointer_get(doc.root, STR("")) == doc.root);
	CHECK_STR(json_pointer_get(doc.root, STR("/foo/1"))->text, "baz");
	CHECK_STR(json_pointer_get(doc.root, STR("/"))->text, "0");
	CHECK_STR(json_pointer_get(doc.root, STR("/a~1b"))->text, "1");
	CHECK_STR(json_pointer_get(doc.root, STR("/m~0n"))->text, "8");
	CHECK_STR(json_pointer_get(doc.root, STR("/~01"))->text, "9");
	CHECK(!json_pointer_get(doc.root, STR("/foo/2")));
	CHECK(!json_pointer_get(doc.root, STR("/foo/01")));
	CHECK(!json_pointer_get(doc.root, STR("/foo/-")));
	CHECK(!json_pointer_get(doc.root, STR("/m~n")));
	CHECK(!json_pointer_get(doc.root, STR("foo")));
	json_pointer_put(&b, STR("m~n/x"));
	json_pointer_put_index(&b, 3);
	CHECK_STR(buf_str(&b), "/m~0n~1x/3");
	buf_free(&b);
	arena_free(&a);
}

TEST(writes_canonically)
{
	Arena a = { 0 };
	CHECK_STR(written(&a, " { \"b\" : 1.0 , \"a\" : [ \"\\u00e9\\/\\u0001\\n\" , 1E5 ] } ", JSON_AS_IS),
		"{\"b\":1.0,\"a\":[\"\xc3\xa9/\\u0001\\n\",1E5]}");
	CHECK_STR(written(&a, "{\"b\":{\"d\":0,\"c\":0},\"a\":1}", JSON_SORTED), "{\"a\":1,\"b\":{\"c\":0,\"d\":0}}");
	JsonDoc doc;
	Buf b = { 0 };
	CHECK(json_read(&a, STR("{\"a\":[1,{}],\"b\":[]}"), 0, &doc));
	json_write_indented(&b, doc.root);
	CHECK_STR(buf_str(&b), "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": []\n}");
	JsonNode *made = json_new(&a, JSON_OBJECT);
	for (int i = 0; i < 9; i++)
		json_add_member(&a, made, str_fmt(&a, "k%d", i), json_new_count(&a, (uint64_t)i));
	JsonNode *list = json_new(&a, JSON_ARRAY);
	json_add_item(&a, list, made);
	b.n = 0;
	json_write(&b, list, JSON_AS_IS);
	CHECK_STR(buf_str(&b), "[{\"k0\":0,\"k1\":1,\"k2\":2,\"k3\":3,\"k4\":4,\"k5\":5,\"k6\":6,\"k7\":7,\"k8\":8}]");
	/* an array that was read has no spare room */
	json_add_item(&a, doc.root->member[0].value, made);
	CHECK_INT(doc.root->member[0].value->n, 3);
	buf_free(&b);
	arena_free(&a);
}

TEST(equal_by_value)
{
	static const struct {
		const char *x, *y;
		bool same;
	} row[] = {
		{ "1", "1.0", true }, { "10e-1", "1", true }, { "0", "-0.0", true }, { "1e400", "10e399", true },
		{ "0.1", "0.10000000000000001", false }, { "9007199254740993", "9007199254740992", false },
		{ "1", "true", false }, { "0", "false", false }, { "\"1\"", "1", false }, { "null", "false", false },
		{ "{\"a\":1,\"b\":2}", "{\"b\":2.0,\"a\":1}", true }, { "{\"a\":1}", "{\"a\":1,\"b\":2}", false },
		{ "{\"a\":1,\"a\":2}", "{\"a\":2}", true }, { "[1,2]", "[2,1]", false }, { "[]", "{}", false },
		{ "{\"1\":1,\"2\":2,\"3\":3,\"4\":4,\"5\":5,\"6\":6,\"7\":7,\"8\":8,\"9\":9}",
		  "{\"9\":9,\"2\":2,\"3\":3,\"4\":4,\"5\":5,\"6\":6,\"7\":7,\"8\":8,\"1\":1.0}", true },
		{ "\"\\u00e9\"", "\"\xc3\xa9\"", true }, { "\"e\\u0301\"", "\"\xc3\xa9\"", false },
	};
	Arena a = { 0 };
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		JsonDoc x, y;
		CHECK(json_read(&a, str_from(row[i].x), 0, &x) && json_read(&a, str_from(row[i].y), 0, &y));
		if (!CHECK(json_equal(x.root, y.root) == row[i].same && json_equal(y.root, x.root) == row[i].same))
			printf("\t%s and %s\n", row[i].x, row[i].y);
		if (row[i].same)
			CHECK(json_hash(x.root) == json_hash(y.root));
	}
	arena_free(&a);
}

TEST(every_prefix)
{
	static const char src[] = "{\"a\\u00e9\":[1.5e-3,true,{\"\xf0\x9f\x98\x80\":null}],\"b\":\"\\ud83d\\ude00\"}";
	Arena a = { 0 };
	for (size_t n = 0; n < sizeof src - 1; n++) {
		uint32_t offset;
		CHECK(read_error(&a, (Str){ src, n }, &offset) != NULL);
		CHECK(offset <= n);
	}
	arena_free(&a);
}

TEST(counts)
{
	Arena a = { 0 };
	uint32_t v = 0;
	CHECK(json_to_count(json_new_number(&a, STR("3.0")), &v) && v == 3);
	CHECK(json_to_count(json_new_number(&a, STR("4e9")), &v) && v == 4000000000u);
	CHECK(!json_to_count(json_new_number(&a, STR("5e9")), &v));
	CHECK(!json_to_count(json_new_number(&a, STR("-1")), &v));
	CHECK(!json_to_count(json_new_number(&a, STR("1.5")), &v));
	CHECK(!json_to_count(json_new_number(&a, STR("1e999999999999")), &v));
	arena_free(&a);
}

CHECK_MAIN(accepts, refuses_with_offset, nesting_stops_at_the_cap, spans_and_runs, runs_only_for_escapes, duplicates, pointers,
           writes_canonically, equal_by_value, every_prefix, counts)
