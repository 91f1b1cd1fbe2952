/* Arenas, strings, buffers, vectors, maps: growth, alignment and the corners. */
#include "runtime/base/buf.h"
#include "runtime/base/embed.h"
#include "runtime/base/map.h"
#include "runtime/base/vec.h"
#include "tests/unit/check.h"

TEST(arena_aligns_and_zeroes)
{
	Arena a = { 0 };
	for (size_t n = 0; n < 3000; n += 7) {
		unsigned char *p = arena_alloc(&a, n);
		CHECK((uintptr_t)p % 16 == 0);
		for (size_t i = 0; i < n; i++)
			if (p[i])
				CHECK(!"zero");
		memset(p, 0xAA, n);
	}
	arena_free(&a);
	CHECK(!a.head);
}

TEST(arena_grow_keeps_bytes)
{
	Arena a = { 0 };
	char *p = arena_dup(&a, "abc", 3);
	p = arena_grow(&a, p, 3, 100);
	CHECK(!memcmp(p, "abc", 3));
	arena_alloc(&a, 1);
	p = arena_grow(&a, p, 100, 100000);
	CHECK(!memcmp(p, "abc", 3));
	arena_free(&a);
}

/* Large blocks grow where they stand among others, newest or not, and small ones go on beside them. */
TEST(arena_grows_large)
{
	enum { LARGE = 3 << 20 };
	Arena a = { 0 };
	char *block[3] = { 0 };
	for (int round = 0; round < 3; round++)
		for (int i = 0; i < 3; i++) {
			size_t had = (size_t)round * LARGE;
			block[i] = arena_grow(&a, block[i], had, had + LARGE);
			memset(block[i] + had, 'a' + i, LARGE);
			CHECK(!*(char *)arena_alloc(&a, 1));
		}
	for (int i = 0; i < 3; i++)
		CHECK(block[i][0] == 'a' + i && !memcmp(block[i], block[i] + 1, 3 * LARGE - 1));
	CHECK(a.used_bytes < 10 * LARGE);
	/* Through every size on the way, so also when a block fills a chunk to its last byte. */
	char *grown = NULL;
	for (size_t n = 16; n < LARGE; n *= 2) {
		grown = arena_grow(&a, grown, grown ? n / 2 : 0, n);
		memset(grown, 'g', n);
	}
	arena_reset(&a);
	CHECK(!*(char *)arena_alloc(&a, 1));
	arena_free(&a);
	CHECK(!a.head);
}

TEST(vec_grows)
{
	Arena a = { 0 };
	VEC(int) v = { 0 };
	for (int i = 0; i < 1000; i++)
		vec_push(&a, &v, i);
	CHECK_INT(v.n, 1000);
	for (int i = 0; i < 1000; i++)
		if (v.v[i] != i)
			CHECK_INT(v.v[i], i);
	arena_free(&a);
}

TEST(str_finds)
{
	Str s = STR("one two two");
	CHECK_INT(str_find(s, STR("two"), 0), 4);
	CHECK_INT(str_find(s, STR("two"), 5), 8);
	CHECK_INT(str_find(s, STR("three"), 0), 11);
	CHECK_STR(str_trim(STR(" \t x \r\n")), "x");
	CHECK_INT(str_distance(STR("contsraint"), STR("constraint"), 3), 1);
}

TEST(str_nearest_is_near)
{
	static const Str cand[] = { STR_INIT("system"), STR_INIT("schema"), STR_INIT("stage") };
	const Str *hit = str_nearest(STR("shcema"), cand, 3);
	CHECK(hit == &cand[1]);
	CHECK(!str_nearest(STR("zebra"), cand, 3));
}

TEST(map_holds_many)
{
	Arena a = { 0 };
	Map m = { 0 };
	int value[500];
	for (int i = 0; i < 500; i++)
		CHECK(!map_add(&a, &m, str_fmt(&a, "key%d", i), &value[i]));
	for (int i = 0; i < 500; i++)
		CHECK(map_get(&m, str_fmt(&a, "key%d", i)) == &value[i]);
	CHECK(map_add(&a, &m, STR("key7"), &value[0]) == &value[7]);
	CHECK(!map_get(&m, STR("key500")));
	arena_free(&a);
}

TEST(buf_writes_json)
{
	Buf b = { 0 };
	buf_json_str(&b, STR("a\"\\\n\x01\x7f\xc3\xa9"));
	CHECK_STR(buf_str(&b), "\"a\\\"\\\\\\n\\u0001\x7f\xc3\xa9\"");
	b.n = 0;
	for (int i = 0; i < 1000; i++)
		buf_printf(&b, "%d,", i % 10);
	CHECK_INT(b.n, 2000);
	buf_free(&b);
}

TEST(embedded_tables_are_sorted)
{
	for (size_t i = 1; i < embed_stdlib_n; i++)
		CHECK(strcmp(embed_stdlib[i - 1].name, embed_stdlib[i].name) < 0);
	for (size_t i = 1; i < embed_targets_n; i++)
		CHECK(strcmp(embed_targets[i - 1].name, embed_targets[i].name) < 0);
	CHECK(!embed_stdlib[embed_stdlib_n].name && !embed_targets[embed_targets_n].name);
}

CHECK_MAIN(arena_aligns_and_zeroes, arena_grow_keeps_bytes, arena_grows_large, vec_grows, str_finds, str_nearest_is_near,
           map_holds_many, buf_writes_json, embedded_tables_are_sorted)
