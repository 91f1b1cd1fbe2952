/*
 * The token ids of one request, as its model reads them: special tokens from the chat template alone, one
 * BOS at the most, and what stands between two specials encoded as one text, whoever wrote it. A value
 * that spells a special token stays text.
 */
#ifndef SEED_WIRE_FRAME_IDS_H
#define SEED_WIRE_FRAME_IDS_H

#include "runtime/token/token.h"
#include "runtime/wire/frame.h"

typedef VEC(uint32_t) FrameIds;

/* Appends the ids of f, whose target has the chat template `chat`. False with *why: framing that is not
 * public, a special token that this vocabulary lacks, an image. */
bool frame_ids(Arena *a, const WireFrame *f, const ChatTemplate *chat, Encoder *e, FrameIds *out, Str *why);
/* The same behind ids that end with a reply: no BOS. */
bool frame_ids_more(Arena *a, const WireFrame *f, Encoder *e, FrameIds *out, Str *why);

#endif
