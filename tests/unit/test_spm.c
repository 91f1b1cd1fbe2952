/* SentencePiece BPE over a tiny vocabulary. Every expected list is what `sentencepiece` 0.2.3 gives for the
 * same pieces. */
#include "runtime/token/spm.h"

#include <stdlib.h>

#include "runtime/token/token.h"
#include "tests/unit/check.h"
#include "tests/unit/token_sample.h"

#define S1 "\xe2\x96\x81"
#define S4 S1 S1 S1 S1

static const Piece piece[] = {
	{ "<unk>", TOKEN_UNKNOWN, 0 }, { S1, TOKEN_NORMAL, -9 }, { "a", TOKEN_NORMAL, -9 }, { "b", TOKEN_NORMAL, -9 },
	{ "c", TOKEN_NORMAL, -9 }, { "\xc3\xa9", TOKEN_NORMAL, -9 }, { "ab", TOKEN_NORMAL, -1 }, { "bc", TOKEN_NORMAL, -1 },
	{ "ca", TOKEN_NORMAL, -3 }, { S1 "a", TOKEN_NORMAL, -2 }, { "abc", TOKEN_NORMAL, -4 }, { "caab", TOKEN_NORMAL, -0.5f },
	{ S1 S1, TOKEN_NORMAL, -5 }, { S4, TOKEN_NORMAL, -5 }, { S1 S1 S1, TOKEN_NORMAL, -5 }, { "aa", TOKEN_NORMAL, -6 },
	{ "[b]", TOKEN_USER, 0 }, { "[b", TOKEN_USER, 0 }, { "<s>", TOKEN_SPECIAL, 0 },
};
enum { N_PIECE = sizeof piece / sizeof *piece };

static void make(Sample *s, unsigned flags)
{
	VocabSource source = { .model = VOCAB_SPM, .split = SPLIT_SPM, .flags = flags };
	source.unk = flags & VOCAB_BYTE_FALLBACK ? 256 : 0;
	sample_make(s, &source, piece, N_PIECE);
}

/* The ids of text, "P3" for the piece of row 3, else the byte token's hex. */
static Str ids_of(Sample *s, SpmScratch *scratch, Str text)
{
	uint32_t ids[64], base = s->vocab.header->flags & VOCAB_BYTE_FALLBACK ? 256 : 0;
	size_t n = spm_encode(&s->vocab, scratch, text, ids);
	Buf out = { 0 };
	for (size_t i = 0; i < n; i++)
		buf_printf(&out, ids[i] < base ? "%s%02x" : "%sP%u", i ? " " : "", ids[i] < base ? ids[i] : ids[i] - base);
	Str made = str_dup(&s->arena, buf_str(&out));
	buf_free(&out);
	return made;
}

typedef struct Case { const char *text, *ids; } Case;

static void check_cases(Check *check_, unsigned flags, const Case *row, size_t n)
{
	Sample s;
	SpmScratch scratch;
	make(&s, flags);
	if (CHECK(s.is_built)) {
		spm_init(&s.vocab, &scratch);
		for (size_t i = 0; i < n; i++)
			CHECK_STR(ids_of(&s, &scratch, str_from(row[i].text)), row[i].ids);
		spm_free(&scratch);
	}
	sample_free(&s);
}
#define CHECK_CASES(flags, ...) \
	static const Case row[] = { __VA_ARGS__ }; \
	check_cases(check_, flags, row, sizeof row / sizeof *row)

TEST(joins_by_score_then_leftmost)
{
	CHECK_CASES(VOCAB_BYTE_FALLBACK, { "abc", "P10" }, { "bca", "P7 P2" }, { "cab", "P4 P6" }, { "bcab", "P7 P6" },
	            { "aaaa", "P15 P15" }, { "a a", "P2 P9" }, { "    ", "P13" }, { "     ", "P13 P1" }, { "", "" },
	            { "\xc3\xa9", "P5" }, { "ab" S1 "c", "P6 P1 P4" }, { "  a b  ", "P1 P9 P1 P3 P12" }, { S1 "a" S1, "P9 P1" });
}

TEST(falls_back_to_bytes)
{
	CHECK_CASES(VOCAB_BYTE_FALLBACK, { "x", "78" }, { "\xe6\x97\xa5", "e6 97 a5" }, { "a\xff" "c", "P2 ef bf bd P4" },
	            { "<unk>", "3c 75 6e 6b 3e" }, { "xyab", "78 79 P6" });
}

TEST(takes_user_tokens_out_first)
{
	CHECK_CASES(VOCAB_BYTE_FALLBACK, { "a[b]c", "P2 P16 P4" }, { "[b[b]", "P17 P16" }, { "[", "5b" });
}

TEST(puts_the_dummy_prefix)
{
	CHECK_CASES(VOCAB_BYTE_FALLBACK | VOCAB_DUMMY_PREFIX, { "abc", "P1 P10" }, { "aaaa", "P9 P15 P2" }, { "a a", "P9 P9" },
	            { "    ", "P13 P1" }, { "     ", "P13 P12" }, { "", "" }, { "a[b]c", "P9 P16 P4" }, { "[b[b]", "P1 P17 P16" });
}

TEST(fuses_unknown_characters)
{
	CHECK_CASES(VOCAB_FUSE_UNKNOWN, { "x", "P0" }, { "<unk>", "P0" }, { "xyab", "P0 P6" }, { "a\xff" "c", "P2 P0 P4" });
}

TEST(trims_spaces)
{
	CHECK_CASES(VOCAB_DUMMY_PREFIX | VOCAB_TRIM_SPACES | VOCAB_FUSE_UNKNOWN, { "    ", "" }, { "abc", "P1 P10" },
	            { "  a b  ", "P9 P1 P3" }, { "  a   a", "P9 P9" }, { S1 "a" S1, "P1 P9" }, { "x", "P1 P0" });
}

/* "bca" is made with a higher score than "ab" and is taken apart again: no "ab" comes of it. */
TEST(takes_unused_pieces_apart)
{
	static const Piece unused[] = {
		{ "a", TOKEN_NORMAL, -9 }, { "b", TOKEN_NORMAL, -9 }, { "c", TOKEN_NORMAL, -9 }, { "bc", TOKEN_NORMAL, -1 },
		{ "ab", TOKEN_NORMAL, -3 }, { "bca", TOKEN_UNUSED, -2.5f }, { "bcabca", TOKEN_UNUSED, -2.6f },
	};
	VocabSource source = { .model = VOCAB_SPM, .split = SPLIT_SPM, .unk = TOKEN_NONE };
	Sample s;
	SpmScratch scratch;
	sample_make(&s, &source, unused, sizeof unused / sizeof *unused);
	if (CHECK(s.is_built)) {
		spm_init(&s.vocab, &scratch);
		CHECK_STR(ids_of(&s, &scratch, STR("bcab")), "P3 P0 P1");
		CHECK_STR(ids_of(&s, &scratch, STR("bcabca")), "P3 P0 P3 P0");
		CHECK_STR(ids_of(&s, &scratch, STR("cab")), "P2 P4");
		spm_free(&scratch);
	}
	sample_free(&s);
}

/* Ids of the rows: P(1) is U+2581, P(9) U+2581 "a", P(13) four U+2581. */
#define P(row) (256 + (row))
TEST(decodes)
{
	static const struct { unsigned flags; uint32_t n, ids[4]; const char *text; } row[] = {
		{ VOCAB_DUMMY_PREFIX, 2, { P(9), P(9) }, "a a" }, { 0, 2, { P(9), P(9) }, " a a" },
		{ VOCAB_DUMMY_PREFIX, 2, { P(13), P(1) }, "    " }, { VOCAB_DUMMY_PREFIX, 2, { P(1), P(9) }, " a" },
		{ VOCAB_DUMMY_PREFIX | VOCAB_TRIM_SPACES, 2, { P(1), P(9) }, "a" },
		{ VOCAB_DUMMY_PREFIX, 3, { 0xe6, 0x97, P(9) }, "\xef\xbf\xbd\xef\xbf\xbd a" },
		{ 0, 4, { P(16), 0xc3, 0xa9, P(5) }, "[b]\xc3\xa9\xc3\xa9" }, { VOCAB_DUMMY_PREFIX, 2, { P(0), P(9) }, " \xe2\x81\x87  a" },
		{ VOCAB_DUMMY_PREFIX, 2, { P(18), P(9) }, "a" }, { 0, 0, { 0 }, "" },
	};
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		Sample s;
		Buf out = { 0 };
		size_t bad;
		make(&s, VOCAB_BYTE_FALLBACK | row[i].flags);
		if (CHECK(s.is_built)) {
			CHECK(token_decode(&s.vocab, row[i].ids, row[i].n, &out, &bad));
			CHECK_STR(buf_str(&out), row[i].text);
		}
		buf_free(&out);
		sample_free(&s);
	}
}

static size_t count_long(Sample *s, const char *unit, size_t n)
{
	SpmScratch scratch;
	Buf text = { 0 };
	for (size_t i = 0; i < n; i++)
		buf_putz(&text, unit);
	uint32_t *ids = mem_must_alloc(spm_bound(text.n) * sizeof *ids);
	spm_init(&s->vocab, &scratch);
	size_t got = spm_encode(&s->vocab, &scratch, buf_str(&text), ids);
	spm_free(&scratch);
	free(ids);
	buf_free(&text);
	return got;
}

/* Words longer than merge_short takes; a quadratic or recursive way would not end. */
TEST(long_words)
{
	Sample s;
	make(&s, VOCAB_BYTE_FALLBACK);
	if (CHECK(s.is_built)) {
		CHECK_INT(count_long(&s, "a", 1000001), 500001);
		CHECK_INT(count_long(&s, " ", 1000001), 250001);
		CHECK_INT(count_long(&s, "\xe6\x97\xa5", 100000), 300000);
		CHECK_INT(count_long(&s, "caab", 100000), 100000);
	}
	sample_free(&s);
}

/* A word ends where no piece holds both characters; "b" before U+2581 is in none, U+2581 before "b" neither. */
TEST(cuts_words_where_no_piece_crosses)
{
	Sample s;
	make(&s, VOCAB_BYTE_FALLBACK);
	if (CHECK(s.is_built)) {
		CHECK_INT(spm_next_word(&s.vocab, "ab a", 4, 0), 2);
		CHECK_INT(spm_next_word(&s.vocab, "ab a", 4, 2), 4);
		CHECK_INT(spm_next_word(&s.vocab, "  ab", 4, 0), 4);
		CHECK_INT(spm_next_word(&s.vocab, "a\xc3\xa9", 3, 0), 1);
	}
	sample_free(&s);
}

TEST(refuses_what_cannot_be_exact)
{
	static const Piece lone[] = { { "a", TOKEN_NORMAL, -1 }, { "ab", TOKEN_NORMAL, -2 } };
	VocabSource source = { .model = VOCAB_SPM, .split = SPLIT_SPM, .unk = TOKEN_NONE };
	Sample s;
	sample_make(&s, &source, lone, 2);
	CHECK(!s.is_built);
	CHECK_STR(s.why, "piece 1 holds a character that is no piece itself, or is not UTF-8");
	sample_free(&s);
}

CHECK_MAIN(joins_by_score_then_leftmost, falls_back_to_bytes, takes_user_tokens_out_first, puts_the_dummy_prefix,
           fuses_unknown_characters, trims_spaces, takes_unused_pieces_apart, decodes, long_words,
           cuts_words_where_no_piece_crosses, refuses_what_cannot_be_exact)
