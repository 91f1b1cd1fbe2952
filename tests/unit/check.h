/*
 * The unit test frame: each tests/unit/test_*.c is a program of `TEST(name) { … }` functions listed
 * in one CHECK_MAIN. A test passes when none of its CHECKs failed. The last line counts them, and the
 * runner adds it up:
 *
 *	TEST(adds) { CHECK(1 + 1 == 2); CHECK_STR(str_from("a"), "a"); }
 *	CHECK_MAIN(adds)
 */
#ifndef SEED_TESTS_CHECK_H
#define SEED_TESTS_CHECK_H

#include <stdio.h>
#include <string.h>

#include "runtime/base/str.h"

typedef struct Check {
	const char *name;
	int passed, failed, faults;
} Check;

typedef struct CheckRow {
	const char *name;
	void (*run)(Check *check_);
} CheckRow;

#define TEST(name) static void test_##name(Check *check_)

#define CHECK(cond) check_that(check_, __FILE__, __LINE__, #cond, (cond) != 0)
#define CHECK_INT(got, want) \
	check_int(check_, __FILE__, __LINE__, #got, (long long)(got), (long long)(want))
/* got is a Str, want a C string. */
#define CHECK_STR(got, want) check_str(check_, __FILE__, __LINE__, #got, (got), str_from(want))

static inline void check_fault(Check *c, const char *file, int line)
{
	c->faults++;
	printf("%s:%d: in %s: ", file, line, c->name);
}

static inline int check_that(Check *c, const char *file, int line, const char *text, int ok)
{
	if (!ok) {
		check_fault(c, file, line);
		printf("not true: %s\n", text);
	}
	return ok;
}

static inline int check_int(Check *c, const char *file, int line, const char *text, long long got,
                            long long want)
{
	if (got != want) {
		check_fault(c, file, line);
		printf("%s is %lld, not %lld\n", text, got, want);
	}
	return got == want;
}

static inline int check_str(Check *c, const char *file, int line, const char *text, Str got, Str want)
{
	if (!str_eq(got, want)) {
		check_fault(c, file, line);
		printf("%s is\n\t\"%.*s\"\nnot\n\t\"%.*s\"\n", text, STR_ARG(got), STR_ARG(want));
	}
	return str_eq(got, want);
}

static inline int check_all(const CheckRow *row, size_t n)
{
	Check c = { 0 };
	for (size_t i = 0; i < n; i++) {
		c.name = row[i].name;
		c.faults = 0;
		row[i].run(&c);
		if (c.faults)
			c.failed++;
		else
			c.passed++;
	}
	printf("%d passed, %d failed\n", c.passed, c.failed);
	return c.failed != 0;
}

/* Up to 24 test names. */
#define CHECK_MAIN(...) \
	int main(void) \
	{ \
		static const CheckRow row[] = { CHECK_ROWS(__VA_ARGS__) }; \
		return check_all(row, sizeof row / sizeof *row); \
	}
#define CHECK_ROW(name) { #name, test_##name },
#define CHECK_ROWS(...) \
	CHECK_PICK(__VA_ARGS__, CHECK_24, CHECK_23, CHECK_22, CHECK_21, CHECK_20, CHECK_19, CHECK_18, CHECK_17, \
	           CHECK_16, CHECK_15, CHECK_14, CHECK_13, CHECK_12, CHECK_11, CHECK_10, CHECK_9, CHECK_8, \
	           CHECK_7, CHECK_6, CHECK_5, CHECK_4, CHECK_3, CHECK_2, CHECK_1, 0)(__VA_ARGS__)
#define CHECK_PICK(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, pick, ...) pick
#define CHECK_1(a) CHECK_ROW(a)
#define CHECK_2(a, ...) CHECK_ROW(a) CHECK_1(__VA_ARGS__)
#define CHECK_3(a, ...) CHECK_ROW(a) CHECK_2(__VA_ARGS__)
#define CHECK_4(a, ...) CHECK_ROW(a) CHECK_3(__VA_ARGS__)
#define CHECK_5(a, ...) CHECK_ROW(a) CHECK_4(__VA_ARGS__)
#define CHECK_6(a, ...) CHECK_ROW(a) CHECK_5(__VA_ARGS__)
#define CHECK_7(a, ...) CHECK_ROW(a) CHECK_6(__VA_ARGS__)
#define CHECK_8(a, ...) CHECK_ROW(a) CHECK_7(__VA_ARGS__)
#define CHECK_9(a, ...) CHECK_ROW(a) CHECK_8(__VA_ARGS__)
#define CHECK_10(a, ...) CHECK_ROW(a) CHECK_9(__VA_ARGS__)
#define CHECK_11(a, ...) CHECK_ROW(a) CHECK_10(__VA_ARGS__)
#define CHECK_12(a, ...) CHECK_ROW(a) CHECK_11(__VA_ARGS__)
#define CHECK_13(a, ...) CHECK_ROW(a) CHECK_12(__VA_ARGS__)
#define CHECK_14(a, ...) CHECK_ROW(a) CHECK_13(__VA_ARGS__)
#define CHECK_15(a, ...) CHECK_ROW(a) CHECK_14(__VA_ARGS__)
#define CHECK_16(a, ...) CHECK_ROW(a) CHECK_15(__VA_ARGS__)
#define CHECK_17(a, ...) CHECK_ROW(a) CHECK_16(__VA_ARGS__)
#define CHECK_18(a, ...) CHECK_ROW(a) CHECK_17(__VA_ARGS__)
#define CHECK_19(a, ...) CHECK_ROW(a) CHECK_18(__VA_ARGS__)
#define CHECK_20(a, ...) CHECK_ROW(a) CHECK_19(__VA_ARGS__)
#define CHECK_21(a, ...) CHECK_ROW(a) CHECK_20(__VA_ARGS__)
#define CHECK_22(a, ...) CHECK_ROW(a) CHECK_21(__VA_ARGS__)
#define CHECK_23(a, ...) CHECK_ROW(a) CHECK_22(__VA_ARGS__)
#define CHECK_24(a, ...) CHECK_ROW(a) CHECK_23(__VA_ARGS__)

#endif
