/* The loaders over damaged files: every prefix and every single-byte change of the fuzz seeds, each in
 * a buffer of its exact size. tests/fuzz/vocab_load.h says what must hold. */
#include "runtime/base/file.h"
#include "tests/fuzz/vocab_load.h"
#include "tests/unit/check.h"

static bool load_copy(VocabFormat format, const char *p, size_t n)
{
	char *exact = malloc(n ? n : 1);
	if (!exact)
		abort();
	memcpy(exact, p, n);
	bool ok = fuzz_vocab_load(format, (Str){ exact, n });
	free(exact);
	return ok;
}

/* The seed, which loads where `whole` says so, and everything one damage away from it. */
static void damage(Check *check_, VocabFormat format, const char *seed, bool whole)
{
	Arena a = { 0 };
	Str s, why;
	const char *root = getenv("ROOT") ? getenv("ROOT") : ".";
	static const unsigned char flip[] = { 0x01, 0x80, 0xff };
	if (!CHECK(file_read(&a, str_z(&a, str_fmt(&a, "%s/tests/fuzz/seeds/vocab_%s", root, seed)), &s, &why)))
		return;
	CHECK(vocab_format_of(s) == format);
	CHECK(load_copy(format, s.p, s.n) == whole);
	for (size_t n = 0; n < s.n; n++)
		load_copy(format, s.p, n);
	char *p = arena_dup(&a, s.p, s.n);
	for (size_t at = 0; at < s.n; at++)
		for (size_t i = 0; i < sizeof flip; i++) {
			p[at] = (char)(p[at] ^ flip[i]);
			load_copy(format, p, s.n);
			p[at] = s.p[at];
		}
	arena_free(&a);
}

TEST(tiktoken) { damage(check_, FORMAT_TIKTOKEN, "tiktoken/tiny", true); }
TEST(hf_bytes) { damage(check_, FORMAT_HF_JSON, "hf/hf_bytes", true); }
TEST(hf_spm) { damage(check_, FORMAT_HF_JSON, "hf/hf_spm", true); }
TEST(hf_wordpiece) { damage(check_, FORMAT_HF_JSON, "hf/hf_wordpiece", true); }
TEST(tekken) { damage(check_, FORMAT_TEKKEN, "tekken/tiny", true); }
TEST(spm) { damage(check_, FORMAT_SPM, "spm/identity", true); }
TEST(gguf_gpt2) { damage(check_, FORMAT_GGUF, "gguf/gpt2", true); }
TEST(gguf_llama) { damage(check_, FORMAT_GGUF, "gguf/llama", true); }
TEST(gguf_bert) { damage(check_, FORMAT_GGUF, "gguf/bert", true); }
TEST(gguf_tensors) { damage(check_, FORMAT_GGUF, "gguf/tensors", true); }

TEST(nothing_is_no_format)
{
	CHECK(vocab_format_of(STR("")) == FORMAT_COUNT);
	CHECK(vocab_format_of(STR("{}")) == FORMAT_COUNT);
	CHECK(vocab_format_of(STR("{\"a\": {\"model\": 1}, \"b\\\"\": [\"vocab\"")) == FORMAT_COUNT);
	CHECK(vocab_format_of(STR(" {\"x\": \"model\", \"model\" : {}}")) == FORMAT_HF_JSON);
	for (VocabFormat f = 0; f <= FORMAT_COUNT; f++)
		CHECK(!fuzz_vocab_load(f, STR("")));
}

TEST(nesting_is_capped)
{
	enum { N = 100000 };
	char *deep = malloc(N);
	memset(deep, '[', N);
	memcpy(deep, "{\"model\":", 9);
	CHECK(!load_copy(FORMAT_HF_JSON, deep, N));
	CHECK(!load_copy(FORMAT_TEKKEN, deep, N));
	free(deep);
}

TEST(a_token_has_an_end)
{
	enum { N = 1 << 20 };
	char *long_one = malloc(N + 3);
	memset(long_one, 'A', N);
	memcpy(long_one + N, " 0\n", 3);
	CHECK(!load_copy(FORMAT_TIKTOKEN, long_one, N + 3));
	memcpy(long_one + 4, " 0\n", 3);
	CHECK(load_copy(FORMAT_TIKTOKEN, long_one, 7));
	free(long_one);
}

CHECK_MAIN(tiktoken, hf_bytes, hf_spm, hf_wordpiece, tekken, spm, gguf_gpt2, gguf_llama, gguf_bert, gguf_tensors,
	nothing_is_no_format, nesting_is_capped, a_token_has_an_end)
