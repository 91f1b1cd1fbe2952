/* Patterns: ECMA-262 search semantics, what is refused by name, and linear time. */
#include "runtime/base/regex.h"

#include <stdlib.h>

#include "tests/unit/check.h"

typedef struct Case {
	const char *pattern, *text;
	bool match;
} Case;

static void check_cases(Check *check_, const Case *row, size_t n)
{
	Arena a = { 0 };
	for (size_t i = 0; i < n; i++) {
		RegexError err;
		Regex *re = regex_new(&a, str_from(row[i].pattern), &err);
		if (!CHECK(re != NULL))
			printf("\t/%s/: %.*s at %u\n", row[i].pattern, STR_ARG(err.message), err.offset);
		else if (!CHECK(regex_search(re, str_from(row[i].text)) == row[i].match))
			printf("\t/%s/ on \"%s\"\n", row[i].pattern, row[i].text);
	}
	arena_free(&a);
}

TEST(searches)
{
	static const Case row[] = {
		{ "", "", true }, { "", "x", true }, { "a", "xay", true },  /* ggml-org/llama.cpp#26930: unanchored */
		{ "^a", "xa", false }, { "a$", "ab", false }, { "^a$", "a", true }, { "^a$", "a\n", false }, { "^$", "", true },
		{ "a|b", "xb", true }, { "^(?:a|b|)$", "", true }, { "^(a|b)*$", "abba", true }, { "^(a|b)+$", "", false },
		{ "^a{2}$", "aa", true }, { "^a{2}$", "aaa", false }, { "^a{2,}$", "aaaa", true }, { "^a{1,3}$", "aaaa", false },
		{ "^a{0}$", "", true }, { "^a{0,1}b$", "b", true }, { "^(a{2}){3}$", "aaaaaa", true }, { "^(a{2}){3}$", "aaaaa", false },
		{ "^a*?b+?c??$", "aab", true }, { "^(?<year>\\d{4})-(\\d\\d)$", "2024-05", true }, { "^(a*)*$", "aaa", true },
		{ "^(a*)*$", "b", false }, { "^(|a)+$", "aa", true }, { "^.$", "\xf0\x9f\x98\x80", true }, { "^.$", "\n", false },
		{ "^.$", "\xe2\x80\xa8", false }, { "^..$", "\xf0\x9f\x98\x80", false },
		{ "\\bcat\\b", "a cat.", true }, { "\\bcat\\b", "concat", false }, { "\\Bcat", "concat", true }, { "a^b", "ab", false },
		{ "x*", "yyy", true }, { "(^|,)b", "a,b", true }, { "(^|,)b", "ab", false },
	};
	check_cases(check_, row, sizeof row / sizeof *row);
}

TEST(classes)
{
	static const Case row[] = {
		{ "^[a-c]+$", "abc", true }, { "^[^a-c]$", "b", false }, { "^[^a-c]$", "\xc3\xa9", true }, { "^[]$", "a", false },
		{ "^[^]$", "\n", true }, { "^[a\\]b]+$", "a]b", true }, { "^[-a]+$", "a-", true }, { "^[a-]+$", "a-", true },
		{ "^[\\w-]+$", "a-b_1", true },  { "^[\\-.]+$", "-.", true }, { "^[\\b]$", "\b", true }, { "^[.*+?()]$", ".", true },
		{ "^\\d$", "5", true }, { "^\\d$", "\xd9\xa1", false }, { "^\\D$", "\xd9\xa1", true }, { "^\\w+$", "aZ_9", true },
		{ "^\\w$", "\xc3\xa9", false }, { "^\\s$", "\xc2\xa0", true }, { "^\\s$", "\xef\xbb\xbf", true }, { "^\\S$", " ", false },
		{ "^[\\d\\s]+$", "1 2", true }, { "^[^\\d]$", "1", false }, { "^[\\D]$", "1", false }, { "^[\\Da]$", "a", true },
		{ "^\\p{L}+$", "\xc3\xa9\xe6\xbc\xa2", true }, { "^\\p{Letter}$", "1", false }, { "^\\P{L}$", "1", true },
		{ "^\\p{Lu}$", "\xc3\x89", true }, { "^\\p{Lu}$", "\xc3\xa9", false }, { "^[\\p{Nd}x]+$", "x\xd9\xa1", true },
		{ "^\\p{gc=Sc}$", "\xe2\x82\xac", true }, { "^\\p{General_Category=Currency_Symbol}$", "$", true },
		{ "^\\p{ASCII}$", "\x7f", true }, { "^\\p{Any}$", "\xf4\x8f\xbf\xbf", true }, { "^[^\\p{L}]$", "a", false },
	};
	check_cases(check_, row, sizeof row / sizeof *row);
}

TEST(escapes)
{
	static const Case row[] = {
		{ "^\\t\\n\\v\\f\\r$", "\t\n\v\f\r", true }, { "^\\x41\\u0042\\u{1F600}$", "AB\xf0\x9f\x98\x80", true },
		{ "^\\ud83d\\ude00$", "\xf0\x9f\x98\x80", true }, { "^\\cJ$", "\n", true }, { "^\\/\\.\\$\\^\\\\$", "/.$^\\", true },
		{ "^a\\-b$", "a-b", true },  /* ggml-org/llama.cpp#29127 */
		{ "^\\#\\@$", "#@", true }, { "^]}$", "]}", true }, { "^{a}$", "{a}", true }, { "^a{x$", "a{x", true },
		{ "^\\{\\{$", "{{", true }, { "^\xc3\xa9+$", "\xc3\xa9\xc3\xa9", true },
	};
	check_cases(check_, row, sizeof row / sizeof *row);
}

TEST(refuses_by_name)
{
	static const struct {
		const char *pattern, *message;
		uint32_t offset;
	} row[] = {
		{ "a(?=b)", "lookahead (?= is not supported", 1 }, { "(?!b)", "negative lookahead (?! is not supported", 0 },
		{ "(?<=b)", "lookbehind (?<= is not supported", 0 }, { "(?<!b)", "negative lookbehind (?<! is not supported", 0 },
		{ "(a)\\1", "backreferences are not supported", 3 }, { "(?<n>a)\\k<n>", "named backreferences are not supported", 7 },
		{ "(?i)a", "flags inside a pattern are not supported", 0 }, { "(?P<x>a)", "(?P is not ECMA-262; write (?<name>…)", 0 },
		{ "\\Aa", "\\A is no ECMA-262 escape; use ^", 0 }, { "a\\Z", "\\Z is no ECMA-262 escape; use $", 1 },
		{ "a\\q", "\\q is no ECMA-262 escape", 1 }, { "a\\", "the pattern ends after '\\'", 1 },
		{ "(a", "'(' is never closed", 0 }, { "a)", "')' closes nothing", 1 }, { "[a", "'[' is never closed", 0 },
		{ "*a", "'*' has nothing to repeat", 0 }, { "a|+", "'+' has nothing to repeat", 2 }, { "a**", "a repeat may not be repeated; group it", 2 },
		{ "a++", "possessive repeats are not ECMA-262", 2 }, { "{2}", "'{' has nothing to repeat; write \\{ for a brace", 0 },
		{ "a{,3}", "a repeat needs its lower bound: {0,n}", 1 }, { "a{3,1}", "the bounds of this repeat run backwards", 1 },
		{ "a{3", "malformed repeat; it is {n}, {n,} or {n,m}", 1 }, { "[z-a]", "this range runs backwards", 1 },
		{ "[a-\\d]", "a range needs one character at each end", 1 }, { "[\\d-z]", "a range needs one character at each end", 1 },
		{ "\\p{Script=Latin}", "the Unicode property 'Script=Latin' is not supported (general categories are)", 0 },
		{ "\\pL", "\\p takes a property in braces, as in \\p{L}", 0 }, { "\\u12", "\\u takes four hexadecimal digits, or {…} up to 10FFFF", 0 },
		{ "\\u{110000}", "\\u takes four hexadecimal digits, or {…} up to 10FFFF", 0 }, { "\\ud800", "lone surrogate", 0 },
		{ "\\07", "octal escapes are not supported; use \\x or \\u", 0 }, { "^*", "an assertion may not be repeated", 1 },
		{ "a{100001}", "the pattern needs more than 100000 states; use smaller repeats", 0 },
		{ "((a{99}){99}){99}", "the pattern needs more than 100000 states; use smaller repeats", 2 },
		{ "a\xff", "invalid UTF-8", 1 },
	};
	Arena a = { 0 };
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		RegexError err;
		CHECK(!regex_new(&a, str_from(row[i].pattern), &err));
		if (!CHECK_STR(err.message, row[i].message) || !CHECK_INT(err.offset, row[i].offset))
			printf("\tin /%s/\n", row[i].pattern);
	}
	arena_free(&a);
}

TEST(any_bound)  /* mlc-ai/xgrammar#863 */
{
	Arena a = { 0 };
	RegexError err;
	char text[131];
	Regex *re = regex_new(&a, STR("^[^\\n\\r]{1,129}$"), &err);
	memset(text, 'x', sizeof text);
	CHECK(re && regex_search(re, (Str){ text, 1 }) && regex_search(re, (Str){ text, 129 }));
	CHECK(re && !regex_search(re, (Str){ text, 130 }) && !regex_search(re, STR("")));
	CHECK(regex_new(&a, STR("^(?:(?:){4000000000}){4000000000}$"), &err) != NULL);
	arena_free(&a);
}

TEST(linear_time)
{
	enum { N = 20000 };
	Arena a = { 0 };
	RegexError err;
	char *text = malloc(N);
	memset(text, 'a', N);
	Regex *re = regex_new(&a, STR("^(a+)+(a*)*(a|aa)+b$"), &err);
	CHECK(re && !regex_search(re, (Str){ text, N }));
	free(text);
	arena_free(&a);
}

TEST(depth_is_capped)
{
	Arena a = { 0 };
	RegexError err;
	char deep[1001];
	memset(deep, '(', 500);
	memset(deep + 500, ')', 500);
	deep[1000] = 0;
	CHECK(!regex_new(&a, str_from(deep), &err));
	CHECK_STR(err.message, "groups nested deeper than 200");
	CHECK_INT(err.offset, 200);
	arena_free(&a);
}

TEST(finds_leftmost_longest)
{
	Arena a = { 0 };
	RegexError err;
	size_t lo, hi;
	Regex *re = regex_new(&a, STR("a|ab+|b"), &err);
	CHECK(regex_find(re, STR("xxabbb ab"), 0, &lo, &hi) && lo == 2 && hi == 6);
	CHECK(regex_find(re, STR("xxabbb ab"), 6, &lo, &hi) && lo == 7 && hi == 9);
	CHECK(!regex_find(re, STR("xyz"), 0, &lo, &hi));
	re = regex_new(&a, STR("\\bb"), &err);
	CHECK(!regex_find(re, STR("ab"), 1, &lo, &hi));
	CHECK(!regex_search(re, STR("\xff b")));
	arena_free(&a);
}

CHECK_MAIN(searches, classes, escapes, refuses_by_name, any_bound, linear_time, depth_is_capped,
           finds_leftmost_longest)
