/*
 * Shipped ids: those that a compiled prompt brings for one vocabulary, made when it was compiled
 * (compiler/emit/bin_tokens.h), so that a run tokenises only values and what stands around them.
 *
 * note [shipped ids]. A record says: these bytes of the string pool, taken as a text that stands behind a cut, have
 * these ids. It begins and ends at cuts of the text that it is a part of, more than token_cut_reach inside it, so both
 * are cuts of whatever that text becomes a part of; and what is encoded in parts at cuts has the ids of the whole
 * (token.h, "cut points"). At least reach + 1 bytes stand before a record: framing may drop a request's first space.
 *
 * A record is known by where its bytes lie. A text that was copied on the way has none, and is tokenised.
 */
#ifndef SEED_WIRE_SHIPPED_H
#define SEED_WIRE_SHIPPED_H

#include "runtime/bin/bin.h"
#include "runtime/token/token.h"

/* Borrows the file and the encoder. Zeroed: nothing is shipped. */
typedef struct ShippedIds {
	const Bin *bin;
	const Encoder *encoder;
	BinRange text;         /* TOKEN_TEXT records of this vocabulary; n 0: none */
} ShippedIds;

/* bin may be NULL. */
ShippedIds shipped_find(const Bin *bin, const Encoder *e);

/* Whether the text lies in the file's string pool. */
bool shipped_has(const ShippedIds *s, Str text);

typedef struct ShippedPart {
	size_t lo, hi;         /* of the text */
	const BinWord *id;
	uint32_t n_id;
} ShippedPart;

/* The first record of the text at or behind `from`; false when there is none. Ids that do not spell their text make a
 * record none: a file may be forged. So does a text that its vocabulary changes, as into another normal form. */
bool shipped_next(const ShippedIds *s, Str text, size_t from, ShippedPart *out);

#endif
