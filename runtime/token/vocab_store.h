/*
 * Where vocabulary tables lie: $SEEDC_VOCAB_DIR, else seedc/vocab under $XDG_DATA_HOME, else under
 * ~/.local/share; one file NAME.vocab each. What a table holds is runtime/token/vocab.h's.
 */
#ifndef SEED_VOCAB_STORE_H
#define SEED_VOCAB_STORE_H

#include "runtime/base/vec.h"
#include "runtime/token/vocab.h"

typedef VEC(Str) VocabNames;

/* Empty when the environment names no place. */
Str vocab_store_folder(Arena *a);
/* Makes the folder and those above it. */
bool vocab_store_make(Arena *a, Str folder, Str *why);
/* Letters, digits and . _ - that start with a letter or digit: what a table may be called. */
bool vocab_store_is_name(Str name);
/* NUL-terminated. */
const char *vocab_store_path(Arena *a, Str folder, Str name);
/* The names of the tables in the folder, sorted; none where it is not there. */
void vocab_store_list(Arena *a, Str folder, VocabNames *names);

#endif
