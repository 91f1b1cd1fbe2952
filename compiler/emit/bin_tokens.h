/*
 * Pre-tokenising: ids of the texts that stand in a written file, by the vocabularies of machines that will
 * run it, as further optional sections (runtime/wire/shipped.h). What stands near the ends of a text depends
 * on its neighbours, so a record begins and ends at cuts inside it; a vocabulary that offers no cuts gets none.
 */
#ifndef SEED_EMIT_BIN_TOKENS_H
#define SEED_EMIT_BIN_TOKENS_H

#include "compiler/emit/bin_append.h"
#include "runtime/base/vec.h"
#include "runtime/token/token.h"

typedef VEC(Encoder *) Encoders;

/* As bin_append; no section yet where the file has texts' ids. The same vocabulary twice is there once. *n_id: ids
 * over all texts and vocabularies; with 0 the file stays as it is. */
BinStatus bin_append_tokens(Arena *a, const Encoders *encoders, Buf *bytes, Bin *bin, uint32_t *n_id, BinError *err);

#endif
