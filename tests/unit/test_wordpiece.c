/* WordPiece and normal forms. Every expected list and text is what `tokenizers` 0.23.3 gives. */
#include "runtime/token/wordpiece.h"

#include <stdlib.h>

#include "runtime/token/norm.h"
#include "runtime/token/token.h"
#include "tests/unit/check.h"
#include "tests/unit/token_sample.h"

static const Piece piece[] = {
	{ "[UNK]", TOKEN_UNKNOWN, 0 }, { "un", 0, 0 }, { "##aff", 0, 0 }, { "##able", 0, 0 }, { "##a", 0, 0 }, { "a", 0, 0 },
	{ "e", 0, 0 }, { "##e", 0, 0 }, { "i", 0, 0 }, { "\xe4\xb8\xad", 0, 0 }, { "!", 0, 0 }, { "'", 0, 0 },
	{ "\xe1\x84\x92", 0, 0 }, { "##\xe1\x85\xa1", 0, 0 }, { "##\xe1\x86\xab", 0, 0 }, { "\xcf\x83", 0, 0 },
	{ "##\xcf\x83", 0, 0 }, { "ab", 0, 0 }, { "##c", 0, 0 }, { "\xc3\x9f", 0, 0 }, { "\xcc\x81", 0, 0 }, { "#", 0, 0 },
	{ "b", 0, 0 }, { "##b", 0, 0 }, { "\xe3\x80\xae", 0, 0 }, { "##\xe3\x80\xae", 0, 0 }, { "##\xf0\x9e\x80\x80", 0, 0 },
	{ "\xf0\x9e\x80\x80", 0, 0 }, { "[", 0, 0 }, { "unk", 0, 0 }, { "]", 0, 0 },
};

TEST(longest_match)
{
	static const struct { const char *text; const char *ids; } row[] = {
		{ "unaffable", "0" },             /* nine characters, six are the most */
		{ "UNAFFa", "1 2 4" }, { "aaaaaa", "5 4 4 4 4 4" }, { "aaaaaaa", "0" }, { "x", "0" }, { "a x a", "5 0 5" }, { "ax", "0" },
		{ "##a", "21 21 5" }, { "[UNK]", "28 29 30" }, { "", "" },
		{ "\xc3\x89" "e", "6 7" }, { "e\xcc\x81", "6" }, { "\xc4\xb0", "8" }, { "\xe1\xba\x9e", "19" }, { "\xce\xa3\xce\xa3", "15 16" },
		{ "a!'a", "5 10 11 5" }, { "a\xe4\xb8\xad" "a", "5 9 5" }, { "\xed\x95\x9c", "12 13 14" },
		{ "ab\xc2\xa0" "ab\n\tab", "17 17 17" }, { "a\xef\xbf\xbd" "b", "17" }, { "a\xff" "b", "17" },
		{ "a\xf0\x9e\x80\x80\xe3\x80\xae", "5 25 26" }, /* two marks that stay, put in order */
	};
	VocabSource source = { .model = VOCAB_WORDPIECE, .split = SPLIT_BERT, .norm = NORM_BERT, .unk = 0, .max_word = 6 };
	Sample s;
	sample_make(&s, &source, piece, sizeof piece / sizeof *piece);
	if (CHECK(s.is_built))
		for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
			uint32_t ids[64];
			Buf out = { 0 };
			size_t n = wordpiece_encode(&s.vocab, str_from(row[i].text), ids);
			for (size_t k = 0; k < n; k++)
				buf_printf(&out, "%s%u", k ? " " : "", ids[k]);
			CHECK_STR(buf_str(&out), row[i].ids);
			buf_free(&out);
		}
	sample_free(&s);
}

TEST(refuses_words_too_long)
{
	VocabSource source = { .model = VOCAB_WORDPIECE, .split = SPLIT_BERT, .norm = NORM_BERT, .unk = 0, .max_word = 2000 };
	Sample s;
	sample_make(&s, &source, piece, sizeof piece / sizeof *piece);
	CHECK(!s.is_built);
	CHECK_STR(s.why, "words of 2000 characters; a table holds 1 to 1024");
	sample_free(&s);
}

/* A user-defined token is taken out as it is spelled; what stands around it are texts of their own. */
TEST(user_tokens_and_cuts)
{
	static const Piece row[] = { { "[UNK]", TOKEN_UNKNOWN, 0 }, { "a", 0, 0 }, { "##a", 0, 0 }, { "<A b>", TOKEN_USER, 0 } };
	static const uint32_t want[] = { 1, 3, 1, 2 };
	VocabSource source = { .model = VOCAB_WORDPIECE, .split = SPLIT_BERT, .norm = NORM_BERT, .unk = 0, .max_word = 6 };
	Sample s;
	uint32_t ids[32];
	sample_make(&s, &source, row, 4);
	if (CHECK(s.is_built)) {
		Encoder *e = encoder_new(&s.vocab);
		CHECK_INT(token_encode(e, STR("A<A b>aa"), ids), 4);
		CHECK(!memcmp(ids, want, sizeof want));
		CHECK_INT(token_cut(e, STR("a a"), 0), 1);
		CHECK_INT(token_cut(e, STR("a\na"), 0), 1);
		CHECK_INT(token_cut(e, STR("<A b>a a"), 0), 6);
		CHECK_INT(token_cut(e, STR("<A b"), 0), 2);
		encoder_free(e);
	}
	sample_free(&s);
}

TEST(decodes)
{
	static const Piece row[] = { { "[UNK]", TOKEN_UNKNOWN, 0 }, { "a", 0, 0 }, { "##a", 0, 0 }, { ".", 0, 0 }, { "'", 0, 0 }, { "n't", 0, 0 },
	                             { "[SEP]", TOKEN_SPECIAL, 0 }, { "x ' do not", TOKEN_USER, 0 }, { "...", 0, 0 } };
	static const struct { uint32_t n, ids[5]; const char *text; } want[] = {
		{ 3, { 1, 2, 1 }, "aa a" }, { 2, { 2, 1 }, "##a a" }, { 5, { 1, 3, 8, 1, 3 }, "a.... a." }, { 3, { 1, 4, 1 }, "a ' a" },
		{ 2, { 1, 5 }, "an't" }, { 4, { 6, 2, 0, 2 }, "##aa" }, { 2, { 3, 7 }, ". x'do not" }, { 0, { 0 }, "" },
	};
	VocabSource source = { .model = VOCAB_WORDPIECE, .split = SPLIT_BERT, .norm = NORM_BERT, .unk = 0, .max_word = 6 };
	Sample s;
	sample_make(&s, &source, row, sizeof row / sizeof *row);
	for (size_t i = 0; CHECK(s.is_built) && i < sizeof want / sizeof *want; i++) {
		Buf out = { 0 };
		size_t bad;
		CHECK(token_decode(&s.vocab, want[i].ids, want[i].n, &out, &bad));
		CHECK_STR(buf_str(&out), want[i].text);
		buf_free(&out);
	}
	sample_free(&s);
}

TEST(normal_forms)
{
	static const struct { VocabNorm form; const char *text, *want; } row[] = {
		{ NORM_NFC, "plain", "plain" }, { NORM_NFC, "e\xcc\x81x", "\xc3\xa9x" }, { NORM_NFC, "\xe2\x84\xab", "\xc3\x85" },
		{ NORM_NFC, "a\xcc\x95\xcc\xa7z", "a\xcc\xa7\xcc\x95z" },                         /* marks in order */
		{ NORM_NFC, "\xe1\x84\x92\xe1\x85\xa1\xe1\x86\xab", "\xed\x95\x9c" },
		{ NORM_NFC, "\xf0\x91\xa4\xb5\xf0\x91\xa4\xb0", "\xf0\x91\xa4\xb5\xf0\x91\xa4\xb0" },  /* Unicode 13 composes these */
		{ NORM_NFC, "\xef\xac\x81", "\xef\xac\x81" }, { NORM_NFKC, "\xef\xac\x81", "fi" },
		{ NORM_NFKC, "\xe3\x8b\xbf", "\xe3\x8b\xbf" },                                         /* Unicode 12.1 */
		{ NORM_NFKC, "\xef\xbd\xb6\xef\xbe\x9e", "\xe3\x82\xac" }, { NORM_NFC, "e\xff\xcc\x81", "e\xff\xcc\x81" },
		{ NORM_NONE, "e\xcc\x81", "e\xcc\x81" }, { NORM_NFC, "", "" },
	};
	Buf out = { 0 };
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		CHECK_STR(norm_text(row[i].form, str_from(row[i].text), &out), row[i].want);
	buf_free(&out);
}

/* Marks of two classes in turn: ordering them by swaps would be quadratic. */
TEST(many_marks)
{
	Buf text = { 0 }, out = { 0 };
	buf_byte(&text, 'a');
	for (int i = 0; i < 300000; i++)
		buf_putz(&text, "\xcc\x95\xcc\xa7");
	Str made = norm_text(NORM_NFC, buf_str(&text), &out);
	CHECK_INT(made.n, text.n);
	CHECK_STR(str_sub(made, 0, 5), "a\xcc\xa7\xcc\xa7");
	CHECK_STR(str_sub(made, made.n - 4, made.n), "\xcc\x95\xcc\x95");
	buf_free(&text);
	buf_free(&out);
}

CHECK_MAIN(longest_match, refuses_words_too_long, user_tokens_and_cuts, decodes, normal_forms, many_marks)
