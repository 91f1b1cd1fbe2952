/* The laws of token_law.h over random texts, for small vocabularies of every kind. */
#include "tests/fuzz/token_law.h"

#include "tests/fuzz/law_vocabs.h"
#include "tests/unit/check.h"

enum { ROUNDS = 60, TEXT_BYTES = 150 };

/* Text of what the vocabularies know and of what they do not, at times ill-formed. */
static Str random_text(Buf *b, unsigned *seed)
{
	static const char *const bit[] = {
		"a", "the", " ", " the", "  ", "\n", "e", "t", "th", "1", "12", "'s", ".", " a", "a b", "a the", "\n\n", "THE", "\xc3\xa9", "e\xcc\x81",
		"\xe6\x97\xa5", S1, "\t", "\r\n", "'", "ing", "\xcc\x81", "\xf0\x9f\x98\x80", "\xe3\x80\x80", "\xe2\x84\x80", "\xff", "\xe2\x96",
	};
	unsigned n_ascii = 18, n_well = 30, n_bit = sizeof bit / sizeof *bit;
	*seed = *seed * 1103515245u + 12345u;
	unsigned most = *seed >> 16 & 3 ? n_well : n_bit;
	for (b->n = 0; b->n < TEXT_BYTES;) {
		*seed = *seed * 1103515245u + 12345u;
		unsigned r = *seed >> 16;
		buf_putz(b, bit[r >> 3 & 3 ? r % n_ascii : r % most]);
	}
	return str_sub(buf_str(b), 0, *seed >> 16 & 1 ? b->n : *seed % TEXT_BYTES);
}

TEST(pieces_are_the_whole)
{
	unsigned seed = 17;
	Buf b = { 0 };
	for (unsigned which = 0; which < LAW_VOCABS; which++) {
		Sample s;
		uint32_t n_cut = 0;
		law_make(&s, which);
		if (!CHECK(s.is_built))
			break;
		Encoder *e = encoder_new(&s.vocab);
		CHECK_INT(token_count(e, STR("the")), 1);
		for (unsigned round = 0; round < ROUNDS; round++) {
			Law l = law_check(e, random_text(&b, &seed));
			n_cut += l.n_cut;
			if (!CHECK_INT(l.n_wrong, 0))
				CHECK_STR(str_fmt(&s.arena, "vocabulary %u: %.*s", which, STR_ARG(l.text)), "");
		}
		CHECK(n_cut > ROUNDS);
		encoder_free(e);
		sample_free(&s);
	}
	buf_free(&b);
}

/* Where a cut would change ids, there is none. */
TEST(no_cuts_where_ids_depend_on_more)
{
	static const Piece unused[] = { { "a", 0, -1 }, { "b", 0, -1 }, { S1, 0, -1 }, { "ab", TOKEN_UNUSED, -2 } };
	VocabSource trims = { .model = VOCAB_SPM, .split = SPLIT_SPM, .unk = TOKEN_NONE, .flags = VOCAB_TRIM_SPACES };
	VocabSource fuses = { .model = VOCAB_SPM, .split = SPLIT_SPM, .unk = TOKEN_NONE, .flags = VOCAB_FUSE_UNKNOWN };
	VocabSource parts = { .model = VOCAB_SPM, .split = SPLIT_SPM, .unk = TOKEN_NONE };
	VocabSource plain = parts;
	VocabSource *source[] = { &trims, &fuses, &parts, &plain };
	for (unsigned i = 0; i < 4; i++) {
		Sample s;
		sample_make(&s, source[i], unused, source[i] == &parts ? 4 : 3);
		if (!CHECK(s.is_built))
			continue;
		Encoder *e = encoder_new(&s.vocab);
		CHECK_INT(token_cut(e, STR("a b"), 1), source[i] == &plain ? 1 : 3);
		CHECK_INT(token_cut_last(e, STR("a b a b a b"), 0), source[i] == &plain ? 7 : 0);
		CHECK_INT(token_cut_last(e, STR("a b a b a b"), 8), 0);
		encoder_free(e);
		sample_free(&s);
	}
}

CHECK_MAIN(pieces_are_the_whole, no_cuts_where_ids_depend_on_more)
