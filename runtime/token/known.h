/* Which tables may have the name of a tokenizer that is known: known.def. */
#ifndef SEED_TOKEN_KNOWN_H
#define SEED_TOKEN_KNOWN_H

#include "runtime/token/vocab.h"

bool known_has(Str name);
/* False with *why where the table contradicts what is known of that name; of other names nothing is. */
bool known_allows(Arena *a, Str name, const VocabHeader *h, Str *why);

#endif
