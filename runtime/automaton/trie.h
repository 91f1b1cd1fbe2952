/*
 * TokenTrie: a vocabulary's tokens in the order of their bytes, as the machine reads them. Made once when a
 * vocabulary is loaded. The sorted list is the trie: token i shares its first `shared` bytes with token
 * i - 1, so a walk steps each distinct prefix once, and a refused byte skips all that share it.
 *
 * Two lists: plain tokens (valid UTF-8 without '"', '\\' and controls), all of which may stand anywhere in a
 * free string, and the few others. Control, unused and unknown tokens are in neither.
 */
#ifndef SEED_AUTOMATON_TRIE_H
#define SEED_AUTOMATON_TRIE_H

#include "runtime/token/vocab.h"

typedef struct TokenList {
	uint32_t n;
	uint32_t *id;            /* by place */
	uint32_t *off;           /* n + 1, into text */
	uint16_t *shared;        /* bytes shared with the place before; 0 at place 0 */
	uint8_t *chars;          /* code points, 255 at the most; of plain tokens only */
	uint32_t lead[257];      /* the first place of each first byte */
	char *text;
} TokenList;

typedef struct TokenTrie {
	const Vocab *vocab;
	TokenList plain, other;
	uint32_t n_word;         /* u64 words of a mask: a bit per id */
	uint32_t max_bytes;      /* of a token */
	uint32_t max_chars;      /* of a plain token */
	uint64_t *plain_mask;    /* every plain token */
	const uint32_t *off;     /* by id: what a token adds to a text, which is not what the vocabulary has in SentencePiece */
	const char *text;
} TokenTrie;

/* v must outlive it. False with *why for a vocabulary that does not generate text (WordPiece). */
bool token_trie_init(Arena *a, const Vocab *v, TokenTrie *t, Str *why);
/* The bytes that the token adds to a text; empty for one that is in no list. Borrowed. */
Str token_trie_text(const TokenTrie *t, uint32_t id);

#endif
