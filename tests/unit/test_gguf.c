/* The GGUF reader: what it hands out, and what public reports show other readers taking. */
#include "runtime/gguf/gguf.h"
#include "runtime/base/buf.h"
#include "tests/unit/check.h"

typedef struct Maker { Buf b; uint64_t n_key, n_tensor; } Maker;

static void put_int(Buf *b, uint64_t v, int n)
{
	for (int i = 0; i < n; i++)
		buf_byte(b, (char)(v >> (8 * i)));
}

static void put_str(Buf *b, const char *s)
{
	put_int(b, strlen(s), 8);
	buf_putz(b, s);
}

static void put_key(Maker *m, const char *name, GgufType type, uint64_t value, int n)
{
	m->n_key++;
	put_str(&m->b, name);
	put_int(&m->b, type, 4);
	put_int(&m->b, value, n);
}

static void put_tensor(Maker *m, const char *name, uint32_t n_dim, uint64_t d0, uint64_t d1, uint32_t type, uint64_t off)
{
	m->n_tensor++;
	put_str(&m->b, name);
	put_int(&m->b, n_dim, 4);
	for (uint32_t d = 0; d < n_dim; d++)
		put_int(&m->b, d ? d1 : d0, 8);
	put_int(&m->b, type, 4);
	put_int(&m->b, off, 8);
}

/* The whole file, with n_data bytes behind the padding. */
static Str made(Arena *a, Maker *m, uint32_t alignment, size_t n_data)
{
	Buf b = { 0 };
	buf_putz(&b, "GGUF");
	put_int(&b, 3, 4);
	put_int(&b, m->n_tensor, 8);
	put_int(&b, m->n_key, 8);
	buf_put(&b, buf_str(&m->b));
	buf_fill(&b, 0, (alignment - b.n % alignment) % alignment);
	buf_fill(&b, 7, n_data);
	Str s = str_dup(a, buf_str(&b));
	buf_free(&b);
	buf_free(&m->b);
	return s;
}

/* "" if it opens, else why not. */
static Str open_made(Arena *a, Maker *m, size_t n_data)
{
	Gguf g;
	Str why = { "", 0 };
	size_t offset = 0;
	Str s = made(a, m, GGUF_ALIGNMENT, n_data);
	if (gguf_open(a, s, &g, &why, &offset))
		return STR("");
	return offset <= s.n ? why : STR("an offset past the end");
}

TEST(values)
{
	Arena a = { 0 };
	Maker m = { 0 };
	Gguf g;
	Str why;
	size_t offset;
	uint32_t u = 0;
	bool on = false;
	put_key(&m, "i8", GGUF_I8, 0xfe, 1);
	put_key(&m, "u64", GGUF_U64, 7, 8);
	put_key(&m, "big", GGUF_U64, (uint64_t)1 << 40, 8);
	put_key(&m, "yes", GGUF_BOOL, 1, 1);
	put_key(&m, "general.alignment", GGUF_U32, 64, 4);
	put_tensor(&m, "w", 2, 32, 3, GGUF_TENSOR_Q4_0, 0);
	put_tensor(&m, "n", 1, 5, 0, GGUF_TENSOR_F32, 64);
	Str s = made(&a, &m, 64, 64 + 20);
	if (CHECK(gguf_open(&a, s, &g, &why, &offset))) {
		CHECK_INT(gguf_item_int(gguf_find(&g, "i8"), 0), -2);
		CHECK(!gguf_to_u32(gguf_find(&g, "i8"), &u));
		CHECK(gguf_to_u32(gguf_find(&g, "u64"), &u) && u == 7);
		CHECK(!gguf_to_u32(gguf_find(&g, "big"), &u));
		CHECK(gguf_to_bool(gguf_find(&g, "yes"), &on) && on);
		CHECK(!gguf_find(&g, "no"));
		const GgufTensor *w = gguf_find_tensor(&g, STR("w")), *n = gguf_find_tensor(&g, STR("n"));
		CHECK_INT(w->data.n, 3 * 18);
		CHECK_INT(w->dim[1], 3);
		CHECK_INT(w->dim[2], 1);
		CHECK(n->data.p == w->data.p + 64 && n->data.p + 20 == s.p + s.n);
	}
	CHECK(!gguf_open(&a, str_sub(s, 0, s.n - 1), &g, &why, &offset));
	CHECK_STR(why, "tensor n: 20 bytes at 64 are not inside the file");
	arena_free(&a);
}

/* antirez/gguf-tools#27, huggingface/candle#3876: alignment 0 divided by zero. */
TEST(alignment)
{
	Arena a = { 0 };
	static const uint32_t bad[] = { 0, 3, 48 };
	for (int i = 0; i < 3; i++) {
		Maker m = { 0 };
		put_key(&m, "general.alignment", GGUF_U32, bad[i], 4);
		CHECK_STR(open_made(&a, &m, 0), str_z(&a, str_fmt(&a, "general.alignment %u is no power of two", bad[i])));
	}
	Maker m = { 0 };
	put_key(&m, "general.alignment", GGUF_U64, 32, 8);
	CHECK_STR(open_made(&a, &m, 0), "general.alignment is a u32, not u64");
	arena_free(&a);
}

static Str one_tensor(Arena *a, uint32_t n_dim, uint64_t d0, uint64_t d1, uint32_t type, uint64_t off)
{
	Maker m = { 0 };
	put_tensor(&m, "t", n_dim, d0, d1, type, off);
	return open_made(a, &m, 64);
}

/* ggml-org/ggml#709, llama.cpp#14595, #25596. */
TEST(tensors)
{
	Arena a = { 0 };
	CHECK_STR(one_tensor(&a, 1, 16, 0, 0, 0), "");
	CHECK_STR(one_tensor(&a, 5, 1, 1, 0, 0), "tensor t has 5 dimensions; 1 to 4 are known");
	CHECK_STR(one_tensor(&a, 0, 1, 1, 0, 0), "tensor t has 0 dimensions; 1 to 4 are known");
	CHECK_STR(one_tensor(&a, 2, 4, 0, 0, 0), "tensor t: dimension 1 is zero");
	CHECK_STR(one_tensor(&a, 1, 4, 0, 5, 0), "tensor t has type 5, which is not known");
	CHECK_STR(one_tensor(&a, 1, 31, 0, GGUF_TENSOR_Q4_0, 0), "tensor t: rows of 31 are no whole blocks of Q4_0");
	CHECK_STR(one_tensor(&a, 2, (uint64_t)1 << 33, (uint64_t)1 << 33, 0, 0), "tensor t: its size overflows");
	CHECK_STR(one_tensor(&a, 1, (uint64_t)1 << 62, 0, 0, 0), "tensor t: its size overflows");
	CHECK_STR(one_tensor(&a, 1, 17, 0, 0, 0), "tensor t: 68 bytes at 0 are not inside the file");
	CHECK_STR(one_tensor(&a, 1, 1, 0, 0, 16), "tensor t: offset 16 is not aligned to 32");
	CHECK_STR(one_tensor(&a, 1, 1, 0, 0, UINT64_MAX - 31), "tensor t: 4 bytes at 18446744073709551584 are not inside the file");
	Maker m = { 0 };
	put_tensor(&m, "a", 1, 16, 0, 0, 0);
	put_tensor(&m, "b", 1, 1, 0, 0, 32);
	CHECK_STR(open_made(&a, &m, 64), "tensor b: offset 32 is inside the tensor before it");
	m = (Maker){ 0 };
	put_tensor(&m, "a", 1, 1, 0, 0, 0);
	put_tensor(&m, "a", 1, 1, 0, 0, 32);
	CHECK_STR(open_made(&a, &m, 64), "a stands twice");
	arena_free(&a);
}

TEST(counts)
{
	Arena a = { 0 };
	Maker m = { .n_key = (uint64_t)1 << 60 };
	CHECK_STR(open_made(&a, &m, 8), "1152921504606846976 keys, where 16 bytes remain");
	m = (Maker){ .n_tensor = UINT64_MAX };
	CHECK_STR(open_made(&a, &m, 0), "18446744073709551615 tensors, where 8 bytes remain");
	m = (Maker){ .n_key = 1 };
	put_str(&m.b, "x");
	put_int(&m.b, GGUF_ARRAY, 4);
	put_int(&m.b, GGUF_STRING, 4);
	put_int(&m.b, (uint64_t)1 << 61, 8);
	CHECK_STR(open_made(&a, &m, 0), "x: 2305843009213693952 values, where 15 bytes remain");
	m = (Maker){ .n_key = 1 };
	put_str(&m.b, "x");
	put_int(&m.b, GGUF_ARRAY, 4);
	put_int(&m.b, GGUF_ARRAY, 4);
	put_int(&m.b, 1, 8);
	CHECK_STR(open_made(&a, &m, 0), "x: an array of arrays");
	m = (Maker){ 0 };
	put_key(&m, "x", GGUF_BOOL, 2, 1);
	CHECK_STR(open_made(&a, &m, 0), "x: a bool is 0 or 1");
	m = (Maker){ 0 };
	put_key(&m, "x", GGUF_TYPE_COUNT, 2, 1);
	CHECK_STR(open_made(&a, &m, 0), "x: value type 13 is not known");
	arena_free(&a);
}

TEST(versions)
{
	Arena a = { 0 };
	Gguf g;
	Str why;
	size_t offset;
	static const char big[] = "GGUF\0\0\0\3\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", old[] = "GGUF\1\0\0\0\0\0\0\0\0\0\0\0";
	CHECK(!gguf_open(&a, (Str){ big, 24 }, &g, &why, &offset));
	CHECK_STR(why, "a big-endian GGUF; little-endian ones are known");
	CHECK(!gguf_open(&a, (Str){ old, 16 }, &g, &why, &offset));
	CHECK_STR(why, "GGUF version 1; 2 and 3 are known");
	arena_free(&a);
}

/* ggml-org/llama.cpp#19856: pairs of names compared took minutes. */
TEST(many_keys)
{
	enum { N = 50000 };
	Arena a = { 0 };
	Maker m = { 0 };
	char name[32];
	for (int i = 0; i < N; i++) {
		snprintf(name, sizeof name, "some.key.number.%d", i);
		put_key(&m, name, GGUF_U32, (uint64_t)i, 4);
	}
	Str s = made(&a, &m, GGUF_ALIGNMENT, 0), why;
	Gguf g;
	size_t offset;
	uint32_t v = 0;
	if (CHECK(gguf_open(&a, s, &g, &why, &offset)))
		for (int i = 0; i < N; i += 77) {
			snprintf(name, sizeof name, "some.key.number.%d", i);
			CHECK(gguf_to_u32(gguf_find(&g, name), &v) && v == (uint32_t)i);
		}
	arena_free(&a);
}

CHECK_MAIN(values, alignment, tensors, counts, versions, many_keys)
