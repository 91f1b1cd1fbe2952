/* UTF-8: validity by offset, counts, clusters and cells, normal forms, identifiers. */
#include "runtime/base/utf8.h"

#include "tests/unit/check.h"

TEST(first_bad_offset)
{
	static const struct {
		const char *s;
		size_t at;
	} row[] = {
		{ "abc", 3 }, { "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", 10 }, { "a\x80", 1 }, { "\xc0\x80", 0 }, { "\xc1\xbf", 0 },
		{ "\xe0\x9f\xbf", 0 }, { "\xed\xa0\x80", 0 }, { "ab\xed\xbf\xbf", 2 }, { "\xf0\x8f\xbf\xbf", 0 },
		{ "\xf4\x90\x80\x80", 0 }, { "\xf5\x80\x80\x80", 0 }, { "x\xe2\x82", 1 }, { "\xc3", 0 }, { "\xe2\x28\xa1", 0 },
	};
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		CHECK_INT(utf8_find_bad(str_from(row[i].s)), row[i].at);
}

TEST(round_trips_every_code_point)
{
	char out[4];
	uint32_t cp, wrong = 0;
	for (uint32_t c = 0; c < 0x110000; c++) {
		uint32_t n = utf8_encode(c, out);
		bool surrogate = c >= 0xD800 && c < 0xE000;
		if (surrogate)
			wrong += n != 0;
		else
			wrong += !n || utf8_decode((Str){ out, n }, 0, &cp) != n || cp != c;
	}
	CHECK_INT(wrong, 0);
	CHECK_INT(utf8_encode(0x110000, out), 0);
}

TEST(counts)
{
	Str s = STR("a\xc3\xa9\xf0\x9f\x98\x80");
	CHECK_INT(utf8_count(s), 3);
	CHECK_INT(utf8_count_utf16(s), 4);
	CHECK_INT(utf8_count(STR("\xff\xff")), 2);
}

TEST(cells)
{
	static const struct {
		const char *s;
		size_t cells, first_cluster;
	} row[] = {
		{ "abc", 3, 1 },
		{ "\xe6\xbc\xa2\xe5\xad\x97", 4, 3 },                                     /* two ideographs */
		{ "e\xcc\x81x", 2, 3 },                                               /* combining acute */
		{ "\xf0\x9f\x91\xa8\xe2\x80\x8d\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa7", 2, 18 },  /* a family */
		{ "\xf0\x9f\x87\xa9\xf0\x9f\x87\xaa", 2, 8 },                         /* a flag */
		{ "\xe2\x9d\xa4\xef\xb8\x8f", 2, 6 },                                 /* heart, emoji form */
		{ "\xef\xbd\xb1", 1, 3 },                                             /* half-width katakana */
		{ "\xff" "a", 2, 1 },
		{ "", 0, 0 },
	};
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		CHECK_INT(utf8_width(str_from(row[i].s)), row[i].cells);
		CHECK_INT(utf8_cluster_len(str_from(row[i].s), 0), row[i].first_cluster);
	}
	CHECK_INT(utf8_cluster_len(STR("\r\nx"), 0), 2);
}

TEST(normal_forms)
{
	Arena a = { 0 };
	CHECK_STR(utf8_normal(&a, STR("e\xcc\x81"), UTF8_NFC), "\xc3\xa9");
	CHECK_STR(utf8_normal(&a, STR("\xc3\xa9"), UTF8_NFD), "e\xcc\x81");
	CHECK_STR(utf8_normal(&a, STR("\xef\xac\x81\xef\xbc\xa1"), UTF8_NFKC), "fiA");
	CHECK_STR(utf8_normal(&a, STR("ABC"), UTF8_NFKC_CASEFOLD), "abc");
	CHECK_STR(utf8_normal(&a, STR("Stra\xc3\x9f" "e"), UTF8_NFC_CASEFOLD), "strasse");
	CHECK_STR(utf8_normal(&a, STR("ABC"), UTF8_NFC), "ABC");
	CHECK_INT(utf8_normal(&a, (Str){ "\xc3\xa9\0x", 4 }, UTF8_NFC).n, 4);
	CHECK_STR(utf8_normal(&a, STR("\xff"), UTF8_NFC), "\xff");
	arena_free(&a);
}

TEST(identifiers)
{
	CHECK(utf8_is_xid_start('a') && utf8_is_xid_start(0xE9) && utf8_is_xid_start(0x6F22) && utf8_is_xid_start(0x2118));
	CHECK(!utf8_is_xid_start('_') && !utf8_is_xid_start('1') && !utf8_is_xid_start(0x301) && !utf8_is_xid_start(0x37A));
	CHECK(utf8_is_xid_continue('_') && utf8_is_xid_continue('1') && utf8_is_xid_continue(0x301) && utf8_is_xid_continue(0xB7));
	CHECK(!utf8_is_xid_continue('-') && !utf8_is_xid_continue(0x2E2F) && !utf8_is_xid_continue(UTF8_BAD));
	CHECK_STR(str_from(utf8_category('A')), "Lu");
}

CHECK_MAIN(first_bad_offset, round_trips_every_code_point, counts, cells, normal_forms, identifiers)
