/*
 * SentencePiece BPE (VOCAB_SPM): neighbours whose join is a piece join, highest score first, leftmost
 * first among equals; what is no piece becomes its bytes. As `sentencepiece` 0.2 does it.
 *
 * One idea: ' ' stands for U+2581 throughout. spm_prepare gives the text in that form, user-defined
 * tokens are taken out of it, and what is left is cut into words wherever no piece holds the two
 * characters side by side: no join can cross there, so words are independent of each other and an
 * encoder may remember what they become. A table of such pairs is made by vocab_build (VSEC_CROSS).
 */
#ifndef SEED_TOKEN_SPM_H
#define SEED_TOKEN_SPM_H

#include "runtime/token/vocab.h"

/* VSEC_CROSS: two words of bits for each ASCII character (bit b of row a: some piece holds a before b), then
 * 2^k words of bits by spm_cross_hash for the pairs in which one is not ASCII. */
enum { SPM_ASCII = 128, SPM_CROSS_ROWS = 2 * SPM_ASCII };

static inline uint64_t spm_cross_hash(uint32_t a, uint32_t b)
{
	return ((uint64_t)a << 21 ^ b) * 0x9e3779b97f4a7c15u >> 32;
}

/* The section, from the source and the pieces in view. False with *why: pieces that are no UTF-8 or made of a
 * character that is no piece, byte tokens that are missing. */
bool spm_cross_build(Arena *a, const VocabSource *source, const Vocab *view, Str *section, Str *why);

typedef struct SpmUser { const char *p; uint32_t n, id; } SpmUser;

/* What an encoder keeps; spm_init makes it, spm_free frees it. Long words make it grow. */
typedef struct SpmScratch {
	uint32_t ascii[SPM_ASCII];      /* symbol of each ASCII character */
	uint64_t starts[(1 << 16) / 64]; /* first two bytes (the second high) of user-defined tokens */
	SpmUser *user;                  /* by bytes */
	uint32_t n_user;
	size_t user_most;               /* bytes of the longest */
	char *user_bytes, *text;
	uint64_t *heap, *unmerge;       /* unmerge: how a piece of type TOKEN_UNUSED came to be; NULL: there are none */
	uint32_t *id, *join, *next, *prev;
	size_t cap, text_cap;
} SpmScratch;

void spm_init(const Vocab *v, SpmScratch *s);
void spm_free(SpmScratch *s);
/* spm_init's part for user-defined tokens. */
void spm_init_user(const Vocab *v, SpmScratch *s);

/* The text with ' ' for U+2581, the dummy prefix before it and spaces trimmed if flags (VocabFlag) say so, and U+FFFD
 * for each ill-formed byte. Good until the next call; it is the text itself where nothing changes. */
Str spm_prepare(SpmScratch *s, unsigned flags, Str text);

/* Of a prepared text: where the next user-defined token starts, from `from`; text.n if there is none. The longest
 * one there is *user. */
size_t spm_find_user(const SpmScratch *s, Str text, size_t from, const SpmUser **user);
/* Of a text as it is: may a user-defined token of any model stand across at? True where what is near is not certain. */
bool spm_crosses_user(const Vocab *v, const SpmScratch *s, Str text, size_t at);
/* Some piece may hold these two characters side by side. */
bool spm_may_cross(const Vocab *v, uint32_t a, uint32_t b);
/* The end of the word that starts at at (< n). */
size_t spm_next_word(const Vocab *v, const char *text, size_t n, size_t at);
/* The ids of one word; no more than spm_bound(word.n). Not where s->unmerge is set: words depend on each other there,
 * and only spm_encode has them right. */
size_t spm_encode_word(const Vocab *v, SpmScratch *s, Str word, uint32_t *ids);

/* A text, from nothing remembered. */
size_t spm_encode(const Vocab *v, SpmScratch *s, Str text, uint32_t *ids);
/* Runs of the unknown token become one, where the vocabulary says so; the new number. */
size_t spm_fuse_unknown(const Vocab *v, uint32_t *ids, size_t n);

/* Ids that n bytes can take at the most: U+2581 and U+FFFD may be three bytes each. */
static inline size_t spm_bound(size_t n_bytes) { return 3 * n_bytes + 3; }

#endif
