/* A tiny vocabulary built and opened in a test: rows of (bytes, type, score). */
#ifndef SEED_TESTS_TOKEN_SAMPLE_H
#define SEED_TESTS_TOKEN_SAMPLE_H

#include "runtime/token/vocab.h"

typedef struct Piece {
	const char *text;
	TokenType type;
	float score;
} Piece;

typedef struct Sample {
	Arena arena;
	Buf table;
	Vocab vocab;
	Str why;
	bool is_built;
} Sample;

static inline void sample_free(Sample *s)
{
	buf_free(&s->table);
	arena_free(&s->arena);
}

/* Fills the source's tokens from the rows, behind the 256 bytes where it is byte-level or has the flag, and opens its
 * table. */
static inline void sample_make(Sample *s, VocabSource *source, const Piece *row, uint32_t n)
{
	bool is_byte_level = source->model == VOCAB_RANKS || source->model == VOCAB_MERGES;
	uint32_t at = 0, n_byte = is_byte_level || source->flags & VOCAB_BYTE_FALLBACK ? 256 : 0;
	*s = (Sample){ 0 };
	source->n_token = n_byte + n;
	source->token = arena_array(&s->arena, Str, source->n_token);
	source->type = arena_alloc(&s->arena, source->n_token);
	source->score = arena_array(&s->arena, float, source->n_token);
	for (; at < n_byte; at++) {
		char byte = (char)at;
		source->token[at] = str_dup(&s->arena, (Str){ &byte, 1 });
		source->type[at] = is_byte_level ? TOKEN_NORMAL : TOKEN_BYTE;
	}
	for (uint32_t i = 0; i < n; i++, at++) {
		source->token[at] = str_from(row[i].text);
		source->type[at] = (uint8_t)row[i].type;
		source->score[at] = row[i].score;
	}
	source->bos = source->eos = TOKEN_NONE;
	source->name = STR("sample");
	if (source->model != VOCAB_SPM)
		source->score = NULL;
	s->is_built = vocab_build(&s->arena, source, &s->table, &s->why) &&
	              vocab_init(&s->arena, buf_str(&s->table), &s->vocab, &s->why);
}

#endif
