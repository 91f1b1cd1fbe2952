/*
 * The token ids of one request, as its model reads them: special tokens from the chat template alone, one
 * BOS at the most, and what stands between two specials encoded as one text, whoever wrote it. A value
 * that spells a special token stays text.
 *
 * Ids that the compiled prompt ships for the vocabulary are taken from it (shipped.h); the ids are the same
 * with them and without.
 */
#ifndef SEED_WIRE_FRAME_IDS_H
#define SEED_WIRE_FRAME_IDS_H

#include "runtime/token/token.h"
#include "runtime/wire/frame.h"
#include "runtime/wire/shipped.h"

typedef VEC(uint32_t) FrameIds;

/* What ids came from, over all frames so far; special tokens are in neither. */
typedef struct FrameCounts {
	uint32_t n_shipped;    /* taken from the file */
	uint32_t n_made;       /* tokenised */
	size_t n_copied;       /* bytes of the file's string pool that were copied for it */
} FrameCounts;

typedef struct FrameCoder {
	Arena *arena;
	Encoder *encoder;
	ShippedIds shipped;
	FrameCounts counts;
} FrameCoder;

/* bin: where the frames' own text lies, for the ids that it ships; NULL: none. */
FrameCoder frame_coder(Arena *a, Encoder *e, const Bin *bin);

/* Appends the ids of f, whose target has the chat template `chat`. False with *why: framing that is not
 * public, a special token that this vocabulary lacks, an image. */
bool frame_ids(FrameCoder *c, const WireFrame *f, const ChatTemplate *chat, FrameIds *out, Str *why);
/* The same behind ids that end with a reply: no BOS. */
bool frame_ids_more(FrameCoder *c, const WireFrame *f, FrameIds *out, Str *why);

#endif
