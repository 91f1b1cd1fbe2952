/* Byte-level BPE over a small vocabulary: ids by hand, every splitter with every instruction set against
 * the portable one, pieces against the whole, a million of one character. */
#include "runtime/token/token.h"

#include <stdlib.h>

#include "runtime/token/encoder.h"
#include "tests/unit/check.h"

static const char *const word[] = { "th", "he", "in", "the", " t", " the", "  ", "    ", "ing", "\n\n", "'s", "12", "aa", "aaaa" };
enum { N_WORD = sizeof word / sizeof *word };

typedef struct Sample { Arena arena; Buf table; Vocab vocab; Str why; } Sample;

/* The 256 bytes, then the words, each of a higher rank than the one before. */
static bool make(Sample *s, VocabSplit split)
{
	*s = (Sample){ 0 };
	VocabSource v = { .name = STR("sample"), .model = VOCAB_RANKS, .split = split, .flags = VOCAB_WHOLE_PIECE_FIRST,
	                  .n_token = 256 + N_WORD, .bos = TOKEN_NONE, .eos = TOKEN_NONE, .unk = TOKEN_NONE };
	v.token = arena_array(&s->arena, Str, v.n_token);
	v.type = arena_alloc(&s->arena, v.n_token);
	for (unsigned i = 0; i < 256; i++) {
		char byte = (char)i;
		v.token[i] = str_dup(&s->arena, (Str){ &byte, 1 });
	}
	for (unsigned i = 0; i < N_WORD; i++)
		v.token[256 + i] = str_from(word[i]);
	return vocab_build(&s->arena, &v, &s->table, &s->why) && vocab_init(&s->arena, buf_str(&s->table), &s->vocab, &s->why);
}

static void drop(Sample *s)
{
	buf_free(&s->table);
	arena_free(&s->arena);
}

TEST(ids_by_hand)
{
	Sample s;
	CHECK(make(&s, SPLIT_O200K));
	Encoder *e = encoder_new(&s.vocab);
	uint32_t ids[64];
	/* Three pieces, the contraction in the last: "th" joins before " t" can. */
	size_t n = token_encode(e, STR("the the thing's"), ids);
	const uint32_t want[] = { 259, 261, ' ', 256, 264, 266 };
	CHECK(n == sizeof want / sizeof *want && !memcmp(ids, want, sizeof want));
	CHECK(vocab_verify(&s.arena, &s.vocab, &s.why));
	encoder_free(e);
	drop(&s);
}

/* Text of all kinds that patterns look at, from a fixed seed. */
static Str random_text(Arena *a, unsigned *seed, size_t n)
{
	static const char *const bit[] = {
		"a", "B", "the", "ING", " ", "  ", "\n", "\r\n", "\t", "1", "2345", "'s", "'LL", "'", "/", "//", ".", "(", ");", "\xc3\xa9",
		"\xe6\x97\xa5", "\xf0\x9f\x98\x80", "\xcc\x81", "\xe3\x80\x80", "\xc5\xbf", "\xd9\xa3", "\x01", "-", "word", " The",
	};
	Buf b = { 0 };
	while (b.n < n) {
		*seed = *seed * 1103515245u + 12345u;
		unsigned r = *seed >> 16, ascii = 22;
		buf_putz(&b, bit[r >> 3 & 7 ? r % ascii : r % (sizeof bit / sizeof *bit)]);
	}
	Str t = str_dup(a, buf_str(&b));
	buf_free(&b);
	return t;
}

TEST(same_pieces)
{
	static const char *const isa[] = { "avx512", "avx2" };
	Arena a = { 0 };
	unsigned seed = 7;
	for (unsigned round = 0; round < 3000; round++) {
		Str t = random_text(&a, &seed, 40 + round % 400);
		for (int split = SPLIT_R50K; split <= SPLIT_DEEPSEEK3; split++)
			for (unsigned i = 0; i < 2; i++) {
				SplitBatch *batch = split_batch(split, isa[i]);
				SplitNext *next = split_next(split);
				uint32_t end[128];
				size_t at = 0;
				while (at < t.n) {
					size_t k = batch(NULL, t, at, end, 128);
					for (size_t j = 0; j < k; j++) {
						size_t to = next(t.p, t.n, at);
						if (to != end[j]) {
							CHECK_STR(str_sub(t, at, end[j]), "other pieces than the portable splitter's");
							arena_free(&a);
							return;
						}
						at = to;
					}
				}
			}
	}
	CHECK(true);
	arena_free(&a);
}

TEST(pieces_are_the_whole)
{
	Arena a = { 0 };
	unsigned seed = 11, n_cut = 0, n_wrong = 0, n_miscount = 0;
	for (int split = SPLIT_R50K; split <= SPLIT_DEEPSEEK3; split++) {
		Sample s;
		CHECK(make(&s, split));
		Encoder *e = encoder_new(&s.vocab);
		for (unsigned round = 0; round < 300; round++) {
			Str t = random_text(&a, &seed, 200);
			uint32_t *whole = arena_array(&a, uint32_t, 600), *part = arena_array(&a, uint32_t, 600);
			size_t n = token_encode(e, t, whole);
			n_miscount += token_count(e, t) != n;
			for (size_t cut = token_cut(e, t, 1); cut < t.n; cut = token_cut(e, t, cut + 1), n_cut++) {
				size_t k = token_encode(e, str_sub(t, 0, cut), part);
				k += token_encode(e, str_sub(t, cut, t.n), part + k);
				n_wrong += k != n || memcmp(whole, part, n * sizeof *whole);
			}
		}
		encoder_free(e);
		drop(&s);
	}
	CHECK(n_cut > 10000);
	CHECK_INT(n_wrong, 0);
	CHECK_INT(n_miscount, 0);
	arena_free(&a);
}

/* By threads: the ids of one encoder, also where a text has no cuts, ill-formed bytes or is too short. */
TEST(threads_are_the_whole)
{
	enum { N_THREAD = 5, N_BYTES = 3000 };
	static const char *const odd[] = { "", "a", "the", "              ", "\xff", ("x the\xff" "the the 12 the the the the") };
	Arena a = { 0 };
	unsigned seed = 13, n_wrong = 0;
	for (int split = SPLIT_R50K; split <= SPLIT_DEEPSEEK3; split++) {
		Sample s;
		Encoder *e[N_THREAD];
		CHECK(make(&s, split));
		for (unsigned i = 0; i < N_THREAD; i++)
			e[i] = encoder_new(&s.vocab);
		size_t room = token_bound(&s.vocab, N_BYTES + 100) + N_THREAD * TOKEN_PART_ROOM;
		uint32_t *whole = arena_array(&a, uint32_t, room), *part = arena_array(&a, uint32_t, room);
		for (unsigned round = 0; round < 40; round++) {
			Str t = round < sizeof odd / sizeof *odd ? str_from(odd[round]) : random_text(&a, &seed, N_BYTES);
			if (round % 4 == 3 && t.n > N_BYTES / 2)
				((char *)t.p)[(seed >> 8) % t.n] = '\xff';
			size_t n = token_encode(e[0], t, whole);
			for (unsigned k = 1; k <= N_THREAD; k++) {
				n_wrong += token_encode_parallel(e, k, t, part) != n || memcmp(whole, part, n * sizeof *whole);
				n_wrong += token_count_parallel(e, k, t) != n;
			}
		}
		for (unsigned i = 0; i < N_THREAD; i++)
			encoder_free(e[i]);
		drop(&s);
	}
	CHECK_INT(n_wrong, 0);
	arena_free(&a);
}

TEST(a_million)
{
	static const char *const one[] = { "a", "^", " ", "\n", "Z", "_", "\xe6\x97\xa5", "\xf0\x9f\x98\x80", "\xcc\x81" };
	Sample s;
	CHECK(make(&s, SPLIT_CL100K));
	Encoder *e = encoder_new(&s.vocab);
	for (unsigned i = 0; i < sizeof one / sizeof *one; i++) {
		Buf b = { 0 }, back = { 0 };
		size_t bad;
		while (b.n < 1000000)
			buf_putz(&b, one[i]);
		uint32_t *ids = malloc(token_bound(&s.vocab, b.n) * sizeof *ids);
		size_t n = token_encode(e, buf_str(&b), ids);
		CHECK(token_decode(&s.vocab, ids, n, &back, &bad) && str_eq(buf_str(&back), buf_str(&b)));
		free(ids);
		buf_free(&b);
		buf_free(&back);
	}
	encoder_free(e);
	drop(&s);
}

TEST(ill_formed)
{
	Sample s;
	CHECK(make(&s, SPLIT_R50K));
	Encoder *e = encoder_new(&s.vocab);
	uint32_t ids[32];
	/* "the" is taken back and joins with what follows: t h e 0xff t h e, joined as one piece. */
	size_t n = token_encode(e, STR("x the\xff" "the"), ids);
	const uint32_t want[] = { 'x', 261, 0xff, 259 };
	CHECK(n == 4 && !memcmp(ids, want, sizeof want));
	encoder_free(e);
	drop(&s);
}

CHECK_MAIN(ids_by_hand, same_pieces, pieces_are_the_whole, threads_are_the_whole, a_million, ill_formed)
