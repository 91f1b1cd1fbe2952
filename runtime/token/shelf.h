/*
 * Shelf: the vocabularies at hand, by name. A table of the folder that vocab_store.h names is mapped
 * when its name is first asked for, never before: what asks for no tokenizer opens no file.
 *
 * A shelf belongs to one thread, with the one encoder that each of its tables has.
 */
#ifndef SEED_TOKEN_SHELF_H
#define SEED_TOKEN_SHELF_H

#include "runtime/base/vec.h"
#include "runtime/token/token.h"

typedef struct ShelfTable {
	Str name;
	Vocab vocab;
	Encoder *encoder;  /* NULL: no such table */
	Str why;           /* of a table that is there and cannot be used */
} ShelfTable;

/* Zeroed is a valid empty one. */
typedef struct TokenShelf {
	Arena arena;
	VEC(ShelfTable *) table;  /* asked for so far, also those that are not there */
} TokenShelf;

/* Never NULL; good until the shelf is freed. An empty name has no table. */
const ShelfTable *shelf_find(TokenShelf *s, Str name);
void shelf_free(TokenShelf *s);

/* Counts tokens with the vocabulary of one name. Zeroed: none. */
typedef struct TokenCounter {
	TokenShelf *shelf;
	Str tokenizer;
	Encoder *encoder;  /* of a model at hand, in place of both; or NULL */
} TokenCounter;

/* A tokenizer of a present model that its maker keeps to himself: a table of that name is another one. */
bool tokenizer_is_closed(Str name);

/* NULL where that vocabulary is not at hand, or is not the model's own: what it counts proves nothing. */
Encoder *counter_encoder(const TokenCounter *t);
/* Exact, special tokens off; false where there is no encoder. */
bool counter_count(const TokenCounter *t, Str text, uint64_t *n_token);

#endif
