/* Exact decimals: order, integrality, divisibility where doubles would round. */
#include "runtime/base/num.h"

#include "tests/unit/check.h"

static Num num(const char *z)
{
	Num n;
	if (!num_parse(str_from(z), &n))
		printf("\tdoes not parse: %s\n", z);
	return n;
}

static int cmp(const char *x, const char *y)
{
	Num a = num(x), b = num(y);
	return num_cmp(&a, &b);
}

static bool multiple(const char *x, const char *by)
{
	Num a = num(x), b = num(by);
	return num_is_multiple(&a, &b);
}

TEST(parses)
{
	static const char *const bad[] = { "", "-", "01", "1.", ".1", "1e", "1e+", "+1", "1x", "0x1", "1e9999999999999999999" };
	Num n;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		if (!CHECK(!num_parse(str_from(bad[i]), &n)))
			printf("\t%s\n", bad[i]);
	n = num("-120.50e3");
	CHECK(n.negative);
	CHECK_STR(n.digits, "120.5");
	CHECK_INT(n.n_digit, 4);
	CHECK_INT(n.exp10, 6);
	n = num("-0.000e7");
	CHECK(num_is_zero(&n) && !n.negative);
	n = num("0.0012");
	CHECK_INT(n.exp10, -2);
	CHECK_INT(n.n_digit, 2);
}

TEST(compares)
{
	CHECK(cmp("1", "1.0") == 0 && cmp("1e2", "100") == 0 && cmp("0.1e1", "1") == 0);
	CHECK(cmp("0.1", "0.10000000000000000001") < 0);
	CHECK(cmp("9007199254740993", "9007199254740992") > 0);
	CHECK(cmp("-2", "-1") < 0 && cmp("-1", "1") < 0 && cmp("0", "-1") > 0 && cmp("-0", "0") == 0);
	CHECK(cmp("1e400", "1e399") > 0 && cmp("1e-400", "0") > 0 && cmp("-1e400", "-1e399") < 0);
	CHECK(cmp("123.45", "123.5") < 0 && cmp("99", "100") < 0 && cmp("0.5", "0.49999") > 0);
	CHECK(cmp("1e999999999999999999", "1e999999999999999998") > 0);
}

TEST(whole_numbers)
{
	static const struct {
		const char *z;
		bool whole;
		int64_t v;
	} row[] = {
		{ "1.0", true, 1 }, { "1.5", false, 0 }, { "15e-1", false, 0 }, { "150e-1", true, 15 }, { "0", true, 0 },
		{ "-9223372036854775808", true, INT64_MIN }, { "9223372036854775807", true, INT64_MAX }, { "1e3", true, 1000 },
	};
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		Num n = num(row[i].z);
		int64_t v = -7;
		CHECK(num_is_integer(&n) == row[i].whole);
		CHECK(num_to_i64(&n, &v) == row[i].whole);
		if (row[i].whole)
			CHECK_INT(v, row[i].v);
	}
	int64_t v;
	Num n = num("9223372036854775808");
	CHECK(num_is_integer(&n) && !num_to_i64(&n, &v));
	n = num("1e100");
	CHECK(num_is_integer(&n) && !num_to_i64(&n, &v));
}

TEST(multiples)
{
	CHECK(multiple("0.0075", "0.0001") && !multiple("0.00751", "0.0001"));
	CHECK(multiple("4.5", "1.5") && !multiple("35", "1.5") && multiple("0", "0.7"));
	CHECK(multiple("0.3", "0.1") && multiple("19.99", "0.01") && multiple("-6", "2"));
	CHECK(multiple("1e308", "0.123456789") == false && multiple("1e308", "0.5") && multiple("1e308", "1024"));
	CHECK(multiple("1e1000000000", "7") == false && multiple("7e1000000000", "7"));
	CHECK(multiple("9007199254740993", "3") && !multiple("9007199254740992", "3"));
	CHECK(multiple("123456789012345678901234567890", "10") && !multiple("123456789012345678901234567891", "10"));
	CHECK(multiple("12345678901234567890123456789000", "12345678901234567890123456789"));
	CHECK(!multiple("12345678901234567890123456789001", "12345678901234567890123456789"));
	CHECK(multiple("1", "1e-400") && !multiple("1", "1e400"));
}

CHECK_MAIN(parses, compares, whole_numbers, multiples)
