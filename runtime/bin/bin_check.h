/*
 * The steps of bin_open. Each checks what it names, given that the steps before it held, and puts
 * the place and a static message into err. Kept apart so that each fits a page.
 */
#ifndef SEED_BIN_CHECK_H
#define SEED_BIN_CHECK_H

#include "runtime/bin/bin.h"

/* Sets err and gives BIN_CORRUPT. at points into the file. */
BinStatus bin_fault(const Bin *b, const void *at, const char *message, BinError *err);

/* Every field of every record by itself: bin_fields.def. */
BinStatus bin_check_fields(const Bin *b, BinError *err);
/* Records of one prompt belong to it alone; segments nest; references and programs hold. */
BinStatus bin_check_prompts(const Bin *b, BinError *err);
BinStatus bin_check_routes(const Bin *b, BinError *err);
/* Tokenizers, and the texts of each, are in order: they are searched by halves. */
BinStatus bin_check_tokens(const Bin *b, BinError *err);
/* A postfix program leaves one value. owner_input, owner_stage: what its references may name; seg: the
 * segment it stands in, or BIN_NONE. */
typedef struct BinScope {
	BinRange input, stage;
	uint32_t seg;
} BinScope;
BinStatus bin_check_cond(const Bin *b, BinRange program, const BinScope *scope, BinError *err);
BinStatus bin_check_ref(const Bin *b, uint32_t ref, const BinScope *scope, BinError *err);

static inline bool bin_in(BinRange r, uint32_t i) { return i >= r.first && i - r.first < r.n; }

#endif
