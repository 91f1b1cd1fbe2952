/*
 * What the encoders of all models share: the pieces they have seen. token.h is the public part.
 */
#ifndef SEED_TOKEN_ENCODER_H
#define SEED_TOKEN_ENCODER_H

#include "runtime/base/utf8.h"
#include "runtime/token/bpe.h"
#include "runtime/token/norm.h"
#include "runtime/token/split.h"
#include "runtime/token/spm.h"
#include "runtime/token/token.h"

enum {
	SHORT_BYTES = 16, SHORT_IDS = 3, SHORT_LINES = 1 << 18,
	LONG_BYTES = 512, LONG_LINES = 1 << 14,
	POOL_WORDS = 1 << 22, ENCODER_BATCH = 128,
};

typedef struct ShortSlot {
	uint64_t lo, hi;         /* the piece, zero-padded */
	uint32_t id[SHORT_IDS];  /* or id[0]: where they stand in the pool */
	uint8_t n_bytes, pad;    /* n_bytes 0: empty */
	uint16_t n_id;
} ShortSlot;

typedef struct LongSlot {
	uint64_t hash;
	uint32_t word;           /* in the pool: the bytes, padded to words, then the ids */
	uint16_t n_bytes, n_id;  /* n_bytes 0: empty */
} LongSlot;

/* A piece of a batch, ready to be looked up. */
typedef struct Ready { uint64_t lo, hi, hash; } Ready;

struct Encoder {
	const Vocab *v;
	SplitBatch *batch;  /* pieces of a text without user-defined tokens */
	ShortSlot (*line)[2];
	LongSlot (*long_line)[2];
	uint32_t *pool;
	void *memory;  /* that the three above lie in */
	size_t memory_bytes;
	size_t pool_used;
	BpeScratch bpe;
	SpmScratch spm;     /* its user-defined tokens serve every model */
	Buf normal;         /* a text in its normal form */
	uint32_t *count;    /* room for the ids that are only counted */
	size_t count_cap;
	bool has_ill_formed; /* set by a text whose end depends on its ill-formed bytes; cleared by who asks */
	uint32_t end[ENCODER_BATCH];
	Ready ready[ENCODER_BATCH];
};

/* The ids of a valid text that has no user-defined token; *last: how many of them the last piece gave. */
size_t encoder_put(Encoder *e, Str text, uint32_t *ids, size_t *last);
/* The ids of bytes that are one piece. */
size_t encoder_put_piece(Encoder *e, Str piece, uint32_t *ids);

#endif
