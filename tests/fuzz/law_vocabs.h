/* Small vocabularies of every kind, over few characters, so that texts meet their tokens often; for the laws of
 * token_law.h. A number chooses one. */
#ifndef SEED_TESTS_LAW_VOCABS_H
#define SEED_TESTS_LAW_VOCABS_H

#include "runtime/token/split.h"
#include "tests/unit/token_sample.h"

#define S1 "\xe2\x96\x81"

static const Piece law_word[] = {
	{ "th", 0, 0 }, { "he", 0, 0 }, { "in", 0, 0 }, { "the", 0, 0 }, { " t", 0, 0 }, { " the", 0, 0 }, { "  ", 0, 0 }, { "    ", 0, 0 },
	{ "ing", 0, 0 }, { "\n\n", 0, 0 }, { "'s", 0, 0 }, { "12", 0, 0 }, { "aa", 0, 0 }, { "aaaa", 0, 0 }, { "\xc3\xa9", 0, 0 },
	{ " \n", 0, 0 }, { ".\n", 0, 0 }, { "a b", TOKEN_USER, 0 }, { "the.", TOKEN_USER, 0 }, { "e\xcc\x81", TOKEN_USER, 0 },
};
static const Piece law_piece[] = {
	{ "<unk>", TOKEN_UNKNOWN, 0 }, { S1, 0, -9 }, { "a", 0, -9 }, { "t", 0, -9 }, { "h", 0, -9 }, { "e", 0, -9 }, { "\n", 0, -9 },
	{ "\xc3\xa9", 0, -9 }, { "\xe6\x97\xa5", 0, -9 }, { "1", 0, -9 }, { "th", 0, -1 }, { "the", 0, -2 }, { S1 "t", 0, -3 },
	{ S1 "the", 0, -4 }, { S1 S1, 0, -5 }, { S1 S1 S1 S1, 0, -5 }, { "aa", 0, -6 }, { "a" S1, 0, -7 }, { "\n" S1, 0, -8 },
	{ "\xe6\x97\xa5" "a", 0, -2 }, { "a" S1 "the", TOKEN_USER, 0 }, { S1 S1 "e", TOKEN_USER, 0 }, { "\n\n", TOKEN_USER, 0 },
};
static const Piece law_bert[] = {
	{ "[UNK]", TOKEN_UNKNOWN, 0 }, { "a", 0, 0 }, { "##a", 0, 0 }, { "the", 0, 0 }, { "t", 0, 0 }, { "##h", 0, 0 }, { "##e", 0, 0 },
	{ "e", 0, 0 }, { "1", 0, 0 }, { ".", 0, 0 }, { "'", 0, 0 }, { "\xe6\x97\xa5", 0, 0 }, { "##\xcc\x81", 0, 0 },
	{ "a the", TOKEN_USER, 0 }, { "1\n", TOKEN_USER, 0 },
};

enum {
	LAW_USERS_OF_WORDS = 3, LAW_USERS_OF_PIECES = 3, LAW_USERS_OF_BERT = 2,
	LAW_SPLITS = SPLIT_DEEPSEEK3 - SPLIT_R50K + 1,
	LAW_BYTE_LEVEL = LAW_SPLITS * 3 * 2,   /* normal forms, with user-defined tokens and without */
	LAW_SPM = 2 * 2, LAW_BERT = 2,
	LAW_VOCABS = LAW_BYTE_LEVEL + LAW_SPM + LAW_BERT,
};
#define LAW_COUNT(rows) (uint32_t)(sizeof rows / sizeof *rows)

static inline void law_make_bytes(Sample *s, unsigned which)
{
	static const VocabNorm norm[] = { NORM_NONE, NORM_NFC, NORM_NFKC };
	unsigned n_leave = which & 1 ? LAW_USERS_OF_WORDS : 0;
	VocabSource source = { .model = VOCAB_RANKS, .split = SPLIT_R50K + which / 6, .norm = norm[which / 2 % 3],
	                       .unk = TOKEN_NONE };
	sample_make(s, &source, law_word, LAW_COUNT(law_word) - n_leave);
}

static inline void law_make(Sample *s, unsigned which)
{
	if (which < LAW_BYTE_LEVEL) {
		law_make_bytes(s, which);
	} else if ((which -= LAW_BYTE_LEVEL) < LAW_SPM) {
		VocabSource source = { .model = VOCAB_SPM, .split = SPLIT_SPM, .unk = 256,
		                       .flags = VOCAB_BYTE_FALLBACK | (which & 2 ? VOCAB_DUMMY_PREFIX : 0) };
		sample_make(s, &source, law_piece, LAW_COUNT(law_piece) - (which & 1 ? LAW_USERS_OF_PIECES : 0));
	} else {
		VocabSource source = { .model = VOCAB_WORDPIECE, .split = SPLIT_BERT, .norm = NORM_BERT, .unk = 0, .max_word = 6 };
		sample_make(s, &source, law_bert, LAW_COUNT(law_bert) - ((which - LAW_SPM) & 1 ? LAW_USERS_OF_BERT : 0));
	}
}

#endif
