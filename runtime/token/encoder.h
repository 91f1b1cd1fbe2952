/*
 * What the encoders of all models share: the pieces they have seen. token.h is the public part.
 */
#ifndef SEED_TOKEN_ENCODER_H
#define SEED_TOKEN_ENCODER_H

#include "runtime/base/utf8.h"
#include "runtime/token/bpe_each.h"
#include "runtime/token/norm.h"
#include "runtime/token/seen.h"
#include "runtime/token/split.h"
#include "runtime/token/spm.h"
#include "runtime/token/token.h"

enum { ENCODER_BATCH = 128, ENCODER_MISSES = 64 };

/* A piece whose ids are to be found. Until then as many places stand free for them as it has bytes. */
typedef struct Miss {
	Ready ready;
	BpeJob job;          /* the piece, where its ids go, their number */
	uint32_t same;       /* the first miss of the same piece: this one, or one before it */
	bool is_new;         /* to be remembered */
} Miss;

struct Encoder {
	const Vocab *v;
	SplitBatch *batch;   /* pieces of a text without user-defined tokens */
	Seen seen;
	BpeEach *bpe_each;
	BpeScratch bpe;
	SpmScratch spm;      /* its user-defined tokens serve every model */
	Buf normal;          /* a text in its normal form */
	uint32_t *count;     /* room for the ids that are only counted */
	size_t count_cap;
	bool has_ill_formed; /* set by a text whose end depends on its ill-formed bytes; cleared by who asks */
	bool by_bytes;       /* byte-level: a piece has no more ids than bytes */
	unsigned n_miss;
	uint32_t end[ENCODER_BATCH];
	Ready ready[ENCODER_BATCH];
	Miss miss[ENCODER_MISSES];
};

/* The ids of a valid text that has no user-defined token; *last: how many of them the last piece gave. */
size_t encoder_put(Encoder *e, Str text, uint32_t *ids, size_t *last);
/* The ids of bytes that are one piece. */
size_t encoder_put_piece(Encoder *e, Str piece, uint32_t *ids);

#endif
