/*
 * What an encoder remembers of the pieces it has seen: their ids.
 *
 * Pieces of 16 bytes or fewer stand in slots of 32 bytes with up to three ids inside, two slots a cache line,
 * the one used last first; what a line has no room for moves to the line beside it. Longer pieces, and ids
 * that a slot has no room for, keep their words in a pool. What is remembered is bounded: full lines forget
 * their oldest, a full pool forgets everything. Memory is zero pages until it is touched.
 */
#ifndef SEED_TOKEN_SEEN_H
#define SEED_TOKEN_SEEN_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/token/piece_hash.h"

enum {
	SHORT_BYTES = 16, SHORT_IDS = 3, SHORT_LINES = 1 << 18,
	LONG_BYTES = 512, LONG_WAYS = 4, LONG_LINES = 1 << 18,
	POOL_WORDS = 1 << 23,
	SEEN_PENDING = UINT16_MAX,  /* for n_id: the ids are being found, id[0] says where */
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

/* A piece with its hash, and its words where it is short. */
typedef struct Ready { uint64_t lo, hi, hash; } Ready;

typedef struct Seen {
	ShortSlot (*line)[2];
	LongSlot (*long_line)[LONG_WAYS];
	uint32_t *pool;
	size_t pool_used;
	void *memory;            /* that the three above lie in */
	size_t memory_bytes;
	size_t n_text;           /* bytes of text met, up to LARGE_TEXT */
} Seen;

enum { LARGE_TEXT = 1 << 15 };

void seen_init(Seen *s);
/* A text of n bytes is about to be looked up in it. */
void seen_meet(Seen *s, size_t n);
void seen_free(Seen *s);

static inline size_t seen_short_line(uint64_t hash) { return hash >> 40 & (SHORT_LINES - 1); }
static inline size_t seen_long_line(uint64_t hash) { return hash >> 40 & (LONG_LINES - 1); }

static inline bool seen_is(const ShortSlot *s, const Ready *r, size_t n)
{
	return !((s->lo ^ r->lo) | (s->hi ^ r->hi) | (s->n_bytes ^ n));
}

/* The slot of a short piece in its own line, moved to the front; NULL where it is not there. */
static inline ShortSlot *seen_find_short(Seen *s, const Ready *r, size_t n)
{
	ShortSlot *line = s->line[seen_short_line(r->hash)];
	if (seen_is(line, r, n))
		return line;
	if (!seen_is(line + 1, r, n))
		return NULL;
	ShortSlot found = line[1];
	line[1] = line[0];
	line[0] = found;
	return line;
}

/* The slot of a long piece; its bytes are still to be compared. */
static inline const LongSlot *seen_find_long(const Seen *s, uint64_t hash, size_t n)
{
	const LongSlot *line = s->long_line[seen_long_line(hash)];
	for (int i = 0; i < LONG_WAYS; i++)
		if (line[i].hash == hash && line[i].n_bytes == n)
			return &line[i];
	return NULL;
}

static inline const uint32_t *seen_ids(const Seen *s, const ShortSlot *slot)
{
	return slot->n_id <= SHORT_IDS ? slot->id : s->pool + slot->id[0];
}

/* A pending slot, with `where`, for a short piece that its line does not have. */
void seen_expect(Seen *s, const Ready *r, size_t n, uint32_t where);
/* The number of ids of an expected piece that stands in the line beside, whose slot takes the place of the
 * pending one; 0: it is not there. */
size_t seen_fetch_beside(Seen *s, const Ready *r, size_t n, uint32_t *ids);
/* The ids of a piece that was expected, unless its slot is gone; of a long one. */
void seen_put_short(Seen *s, const Ready *r, size_t n, const uint32_t *ids, size_t n_id);
void seen_put_long(Seen *s, uint64_t hash, const char *p, size_t n, const uint32_t *ids, size_t n_id);

#endif
