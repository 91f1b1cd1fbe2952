/*
 * Encoding a text: split into pieces, each piece to ids.
 *
 * Texts repeat their pieces, so an encoder remembers what pieces became. Pieces of 16 bytes or fewer
 * stand in slots of 32 bytes with up to three ids inside, two slots a cache line, the newer first;
 * longer ones and those with more ids keep their words in a pool. What is remembered is bounded: a
 * full line forgets its older slot, a full pool forgets everything.
 */
#define _DEFAULT_SOURCE /* madvise */
#include "runtime/token/encoder.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "runtime/token/piece_hash.h"

static size_t spm_words(const Vocab *v, Str t, size_t at, uint32_t *end, size_t cap)
{
	size_t k = 0;
	while (at < t.n && k < cap)
		end[k++] = (uint32_t)(at = spm_next_word(v, t.p, t.n, at));
	return k;
}

Encoder *encoder_new(const Vocab *v)
{
	Encoder *e = mem_must_alloc(sizeof *e);
	*e = (Encoder){ .v = v, .batch = split_batch(v->header->split, getenv("SEEDC_ISA")) };
	if (v->header->model == VOCAB_SPM) {
		e->batch = spm_words;
		spm_init(v, &e->spm);
	} else {
		spm_init_user(v, &e->spm);
	}
	/* One block of zero pages as they are touched, large pages where the system has them: much of the
	 * time of a warm encoder would else go to page walks. */
	size_t n_short = SHORT_LINES * sizeof *e->line, n_long = LONG_LINES * sizeof *e->long_line;
	size_t n = n_short + n_long + POOL_WORDS * sizeof *e->pool;
	char *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		p = mem_must_alloc(SIZE_MAX);
#ifdef MADV_HUGEPAGE
	madvise(p, n_short, MADV_HUGEPAGE);
#endif
	e->memory = p;
	e->memory_bytes = n;
	e->line = (void *)p;
	e->long_line = (void *)(p + n_short);
	e->pool = (void *)(p + n_short + n_long);
	return e;
}

void encoder_free(Encoder *e)
{
	spm_free(&e->spm);
	buf_free(&e->normal);
	munmap(e->memory, e->memory_bytes);
	bpe_free(&e->bpe);
	free(e->count);
	free(e);
}

static void forget(Encoder *e)
{
	memset(e->line, 0, SHORT_LINES * sizeof *e->line);
	memset(e->long_line, 0, LONG_LINES * sizeof *e->long_line);
	e->pool_used = 0;
}

/* n words of the pool, after forgetting everything if it is full. */
static uint32_t pool_take(Encoder *e, size_t n)
{
	if (e->pool_used + n > POOL_WORDS)
		forget(e);
	uint32_t at = (uint32_t)e->pool_used;
	e->pool_used += n;
	return at;
}

static size_t encode_unknown(Encoder *e, const char *p, size_t n, uint64_t hash, uint32_t *ids)
{
	if (e->v->header->model == VOCAB_SPM)
		return spm_encode_word(e->v, &e->spm, (Str){ p, n }, ids);
	if (e->v->header->flags & VOCAB_WHOLE_PIECE_FIRST) {
		uint32_t id = vocab_find_hashed(e->v, (Str){ p, n }, hash);
		if (id != TOKEN_NONE) {
			ids[0] = id;
			return 1;
		}
	}
	return bpe_encode(e->v, &e->bpe, p, n, ids);
}

size_t encoder_put_piece(Encoder *e, Str piece, uint32_t *ids)
{
	return encode_unknown(e, piece.p, piece.n, piece_hash(piece.p, piece.n), ids);
}

static size_t learn_short(Encoder *e, const char *p, size_t n, uint64_t lo, uint64_t hi, uint64_t hash, uint32_t *ids)
{
	size_t n_id = encode_unknown(e, p, n, hash, ids);
	ShortSlot s = { .lo = lo, .hi = hi, .n_bytes = (uint8_t)n, .n_id = (uint16_t)n_id };
	if (n_id <= SHORT_IDS)
		memcpy(s.id, ids, n_id * sizeof *ids);
	else
		memcpy(e->pool + (s.id[0] = pool_take(e, n_id)), ids, n_id * sizeof *ids);
	ShortSlot *line = e->line[hash >> 40 & (SHORT_LINES - 1)];
	line[1] = line[0];
	line[0] = s;
	return n_id;
}

static size_t encode_long(Encoder *e, const char *p, size_t n, uint32_t *ids)
{
	uint64_t hash = piece_hash(p, n);
	if (n > LONG_BYTES)
		return encode_unknown(e, p, n, hash, ids);
	LongSlot *line = e->long_line[hash >> 40 & (LONG_LINES - 1)];
	size_t n_word = (n + 3) / 4;
	for (int i = 0; i < 2; i++)
		if (line[i].hash == hash && line[i].n_bytes == n && !memcmp(e->pool + line[i].word, p, n)) {
			memcpy(ids, e->pool + line[i].word + n_word, line[i].n_id * sizeof *ids);
			return line[i].n_id;
		}
	size_t n_id = encode_unknown(e, p, n, hash, ids);
	uint32_t word = pool_take(e, n_word + n_id);
	memcpy(e->pool + word, p, n);
	memcpy(e->pool + word + n_word, ids, n_id * sizeof *ids);
	line[1] = line[0];
	line[0] = (LongSlot){ hash, word, (uint16_t)n, (uint16_t)n_id };
	return n_id;
}

static inline size_t encode_short(Encoder *e, const char *p, size_t n, const Ready *r, uint32_t *ids)
{
	const ShortSlot *s = e->line[r->hash >> 40 & (SHORT_LINES - 1)];
	if ((s->lo ^ r->lo) | (s->hi ^ r->hi) | (s->n_bytes ^ n)) {
		s++;
		if ((s->lo ^ r->lo) | (s->hi ^ r->hi) | (s->n_bytes ^ n))
			return learn_short(e, p, n, r->lo, r->hi, r->hash, ids);
	}
	memcpy(ids, s->id, sizeof s->id);
	if (s->n_id > SHORT_IDS)
		memcpy(ids, e->pool + s->id[0], s->n_id * sizeof *ids);
	return s->n_id;
}

/* The piece at p as two zero-padded words; room: bytes that may be read at p. */
static inline void load_words(const char *p, size_t n, size_t room, uint64_t *lo, uint64_t *hi)
{
	if (room < 16) {
		piece_words(p, n, lo, hi);
		return;
	}
	memcpy(lo, p, 8);
	memcpy(hi, p + 8, 8);
	*lo &= n < 8 ? ((uint64_t)1 << 8 * n) - 1 : UINT64_MAX;
	*hi = n <= 8 ? 0 : *hi & UINT64_MAX >> (128 - 8 * n);
}

/* Hashes the pieces of a batch and asks for their cache lines, so that their latencies overlap. */
static inline void prepare(Encoder *e, Str t, size_t at, size_t k)
{
	for (size_t i = 0; i < k; i++) {
		size_t n = e->end[i] - at;
		Ready *r = &e->ready[i];
		if (n <= SHORT_BYTES) {
			load_words(t.p + at, n, t.n - at, &r->lo, &r->hi);
			r->hash = hash_short(r->lo, r->hi, n);
			__builtin_prefetch(e->line[r->hash >> 40 & (SHORT_LINES - 1)]);
		}
		at = e->end[i];
	}
}

size_t encoder_put(Encoder *e, Str t, uint32_t *ids, size_t *last)
{
	size_t at = 0, out = 0;
	*last = 0;
	while (at < t.n) {
		size_t k = e->batch(e->v, t, at, e->end, ENCODER_BATCH);
		prepare(e, t, at, k);
		for (size_t i = 0; i < k; i++) {
			size_t n = e->end[i] - at;
			if (n <= SHORT_BYTES)
				*last = encode_short(e, t.p + at, n, &e->ready[i], ids + out);
			else
				*last = encode_long(e, t.p + at, n, ids + out);
			out += *last;
			at = e->end[i];
		}
	}
	return out;
}
