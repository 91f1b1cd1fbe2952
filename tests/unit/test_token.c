/* Byte-level BPE over a small vocabulary: ids by hand, every splitter with every instruction set against
 * the portable one, pieces against the whole, a million of one character. */
#include "runtime/token/token.h"

#include <stdlib.h>

#include "runtime/token/encoder.h"
#include "runtime/token/vocab_char.h"
#include "tests/unit/check.h"

static const char *const word[] = { "th", "he", "in", "the", " t", " the", "  ", "    ", "ing", "\n\n", "'s", "12", "aa", "aaaa" };
enum { N_WORD = sizeof word / sizeof *word };

typedef struct Sample { Arena arena; Buf table; Vocab vocab; Str why; } Sample;

/* The 256 bytes, then the words, each of a higher rank than the one before. */
static bool make_of(Sample *s, VocabSplit split, const char *const *list, unsigned n)
{
	*s = (Sample){ 0 };
	VocabSource v = { .name = STR("sample"), .model = VOCAB_RANKS, .split = split, .flags = VOCAB_WHOLE_PIECE_FIRST,
	                  .n_token = 256 + n, .bos = TOKEN_NONE, .eos = TOKEN_NONE, .unk = TOKEN_NONE };
	v.token = arena_array(&s->arena, Str, v.n_token);
	v.type = arena_alloc(&s->arena, v.n_token);
	memset(v.type, TOKEN_NORMAL, v.n_token);
	for (unsigned i = 0; i < 256; i++) {
		char byte = (char)i;
		v.token[i] = str_dup(&s->arena, (Str){ &byte, 1 });
	}
	for (unsigned i = 0; i < n; i++)
		v.token[256 + i] = str_from(list[i]);
	return vocab_build(&s->arena, &v, &s->table, &s->why) && vocab_init(&s->arena, buf_str(&s->table), &s->vocab, &s->why);
}

static bool make(Sample *s, VocabSplit split)
{
	return make_of(s, split, word, N_WORD);
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

/* A character starts as one symbol but beside one that takes its last byte or its first. */
TEST(characters_that_fear)
{
	static const char *const list[] = { "\xe4\xb8", "\xe5\xad", "\xe5\xad\xb8", "\xad\xe5\xad\xb8", "\xe4\xb8\xad",
	                                    "\xe5\xad\xb8\xe3", "\xe3\x81", "\xe3\x81\x82" };
	static const struct { const char *text; unsigned n; uint32_t id[4]; } row[] = {
		{ "\xe4\xb8\xad\xe5\xad\xb8", 2, { 256, 259 } },
		{ "\xe4\xb8\xad\xe4\xb8\xad", 2, { 260, 260 } },
		{ "\xe5\xad\xb8\xe3\x81\x82", 3, { 261, 0x81, 0x82 } },
		{ "\xe4\xb8\xad\xe3\x81\x82", 2, { 260, 263 } },
	};
	Sample s;
	CHECK(make_of(&s, SPLIT_O200K, list, sizeof list / sizeof *list));
	CHECK(s.vocab.chars && (s.vocab.chars[char_place(list[4])] & CHAR_ID_MASK) == 260);
	CHECK((s.vocab.chars[char_place(list[7])] & CHAR_ID_MASK) == 263);
	Encoder *e = encoder_new(&s.vocab);
	for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
		uint32_t ids[32];
		size_t n = token_encode(e, str_from(row[i].text), ids);
		CHECK(n == row[i].n && !memcmp(ids, row[i].id, n * sizeof *ids));
	}
	encoder_free(e);
	drop(&s);
}

/* ---- against BPE as it is defined ---- */

enum { N_GROWN = 400, GROWN_BYTES = 12 };

static unsigned next_random(unsigned *seed, unsigned below)
{
	*seed = *seed * 1103515245u + 12345u;
	return (*seed >> 8) % below;
}

/* Bytes of characters of one, two, three and four, few of them, so that tokens meet often. */
static const char *const part_of[] = { "\xe4", "\xe5", "\xb8", "\xad", "\xe4\xb8", "\xb8\xad",
                                       "\xe4\xb8\xad", "\xe5\xb8\xad", "\xe5\xad\xb8",
                                       "\xe3\x81\x82", "\xf0\x9f\x98\x80", "\xc3\xa9", "a", "\n", "/" };

/* Ways to the characters of them, that some vocabularies go early and some late. */
static const char *const way_of[] = { "\xe4\xb8", "\xe4\xb8\xad", "\xe5\xb8", "\xe5\xb8\xad",
                                      "\xe5\xad", "\xe5\xad\xb8", "\xe3\x81", "\xe3\x81\x82" };

static bool is_token(const VocabSource *v, unsigned n, Str t)
{
	for (unsigned i = 0; i < n; i++)
		if (str_eq(v->token[i], t))
			return true;
	return !t.n || t.n > GROWN_BYTES;
}

static Str any_part(const VocabSource *v, unsigned *seed, unsigned n)
{
	if (n > 280 && next_random(seed, 2))
		return v->token[256 + next_random(seed, n - 256)];
	return str_from(part_of[next_random(seed, 15)]);
}

/* Tokens that are joins of tokens before them, ranks in the order they are made or, for is_shuffled, in any. */
static bool make_grown(Sample *s, unsigned *seed, bool is_shuffled)
{
	*s = (Sample){ 0 };
	VocabSource v = { .name = STR("grown"), .model = VOCAB_RANKS, .split = SPLIT_NONE, .n_token = 256 + N_GROWN,
	                  .bos = TOKEN_NONE, .eos = TOKEN_NONE, .unk = TOKEN_NONE };
	v.flags = next_random(seed, 2) ? VOCAB_WHOLE_PIECE_FIRST : 0;
	v.token = arena_array(&s->arena, Str, v.n_token);
	v.type = arena_alloc(&s->arena, v.n_token);
	memset(v.type, TOKEN_NORMAL, v.n_token);
	for (unsigned i = 0; i < 256; i++) {
		char byte = (char)i;
		v.token[i] = str_dup(&s->arena, (Str){ &byte, 1 });
	}
	unsigned way = 0, late = 1 + next_random(seed, 9);
	for (unsigned i = 256; i < v.n_token; i++) {
		Str t = way < 8 && !next_random(seed, late) ? str_from(way_of[way++]) : (Str){ 0 };
		while (is_token(&v, i, t)) {
			Str l = any_part(&v, seed, i), r = any_part(&v, seed, i);
			t = str_fmt(&s->arena, "%.*s%.*s", STR_ARG(l), STR_ARG(r));
		}
		v.token[i] = t;
	}
	for (unsigned i = 256; is_shuffled && i < v.n_token; i++) {
		unsigned j = 256 + next_random(seed, N_GROWN);
		Str t = v.token[i];
		v.token[i] = v.token[j];
		v.token[j] = t;
	}
	return vocab_build(&s->arena, &v, &s->table, &s->why) && vocab_init(&s->arena, buf_str(&s->table), &s->vocab, &s->why);
}

/* One piece: the pair whose join is the token of the lowest rank joins, leftmost first. */
static size_t joined_ids(const Vocab *v, Str piece, uint32_t *ids)
{
	uint32_t end[256], id;
	size_t k = piece.n;
	if (v->header->flags & VOCAB_WHOLE_PIECE_FIRST && (ids[0] = vocab_find(v, piece)) != TOKEN_NONE)
		return 1;
	for (size_t i = 0; i < k; i++)
		end[i] = (uint32_t)i + 1;
	for (;;) {
		uint32_t low = TOKEN_NONE;
		size_t at = 0;
		for (size_t i = 0; i + 1 < k; i++)
			if ((id = vocab_find(v, str_sub(piece, i ? end[i - 1] : 0, end[i + 1]))) < low) {
				low = id;
				at = i;
			}
		if (low == TOKEN_NONE)
			break;
		memmove(end + at, end + at + 1, (--k - at) * sizeof *end);
	}
	for (size_t i = 0; i < k; i++)
		ids[i] = vocab_find(v, str_sub(piece, i ? end[i - 1] : 0, end[i]));
	return k;
}

/* Whatever the vocabulary: pieces with whole characters, parts of them and neighbours that take them apart. */
TEST(ids_as_defined)
{
	Arena a = { 0 };
	unsigned seed = 17, n_wrong = 0, n_char = 0;
	for (unsigned round = 0; round < 40; round++) {
		Sample s;
		CHECK(make_grown(&s, &seed, round & 1));
		Encoder *e = encoder_new(&s.vocab);
		for (uint32_t i = 0; s.vocab.chars && i < CHAR_COUNT; i++)
			n_char += (s.vocab.chars[i] & CHAR_ID_MASK) != CHAR_ID_MASK;
		for (unsigned k = 0; k < 400; k++) {
			char text[200];
			size_t n = 0, want = 1 + next_random(&seed, k % 4 ? 20 : 150), good = k % 2 ? 6 : 0;
			while (n < want) {
				Str part = str_from(part_of[good + next_random(&seed, 15 - (unsigned)good)]);
				memcpy(text + n, part.p, part.n);
				n += part.n;
			}
			uint32_t ids[600], as_defined[200];
			size_t n_id = token_encode(e, (Str){ text, n }, ids);
			size_t n_defined = joined_ids(&s.vocab, (Str){ text, n }, as_defined);
			n_wrong += n_id != n_defined || memcmp(ids, as_defined, n_id * sizeof *ids);
		}
		encoder_free(e);
		drop(&s);
	}
	CHECK_INT(n_wrong, 0);
	CHECK(n_char > 20);
	arena_free(&a);
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

CHECK_MAIN(ids_by_hand, same_pieces, pieces_are_the_whole, threads_are_the_whole, a_million, characters_that_fear, ids_as_defined, ill_formed)
