/*
 * Encoding a text: split into pieces, each piece to ids.
 *
 * Texts repeat their pieces, so an encoder remembers what pieces became (seen.h). Whatever waits for memory
 * goes in rows: a batch of pieces is split, hashed and its slots asked for before any of them is looked at;
 * pieces that were never seen wait in a queue of misses, and are then encoded side by side.
 *
 * note [gaps]: ids behind a miss are written before the miss is known, as if it had the most ids that it can
 * have, one a byte. When the queue is worked off, what stands behind each gap moves up.
 */
#include "runtime/token/encoder.h"

#include <stdlib.h>

#include "runtime/token/vocab_find.h"

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
	memset(e, 0, offsetof(Encoder, end));
	e->v = v;
	e->batch = split_batch(v->header->split, getenv("SEEDC_ISA"));
	e->bpe_each = bpe_each(getenv("SEEDC_ISA"));
	e->by_bytes = v->header->model != VOCAB_SPM;
	if (e->by_bytes) {
		spm_init_user(v, &e->spm);
	} else {
		e->batch = spm_words;
		spm_init(v, &e->spm);
	}
	seen_init(&e->seen);
	return e;
}

void encoder_free(Encoder *e)
{
	spm_free(&e->spm);
	buf_free(&e->normal);
	seen_free(&e->seen);
	bpe_free(&e->bpe);
	free(e->count);
	free(e);
}

size_t encoder_put_piece(Encoder *e, Str piece, uint32_t *ids)
{
	if (!e->by_bytes)
		return spm_encode_word(e->v, &e->spm, piece, ids);
	if (e->v->header->flags & VOCAB_WHOLE_PIECE_FIRST && (*ids = vocab_find(e->v, piece)) != TOKEN_NONE)
		return 1;
	return bpe_encode(e->v, &e->bpe, piece.p, piece.n, ids);
}

/* ---- misses ---- */

/* Gives the pieces of the queue that are tokens as a whole their ids; the others become jobs. Their number. Each
 * pass asks for what the next one looks at. */
static size_t find_whole(Encoder *e, BpeJob **job)
{
	const Vocab *v = e->v;
	bool whole = v->header->flags & VOCAB_WHOLE_PIECE_FIRST;
	size_t n_new = 0, n_job = 0;
	for (unsigned i = 0; i < e->n_miss; i++) {
		Miss *m = &e->miss[i];
		BpeJob *j = &m->job;
		if (m->same != i || (j->piece.n <= SHORT_BYTES &&
		                     (j->n_id = (uint32_t)seen_fetch_beside(&e->seen, &m->ready, j->piece.n, j->ids))))
			continue;
		m->is_new = true;
		j->ids[0] = whole ? piece_guess(v, m->ready.hash) : TOKEN_NONE;
		job[n_new++] = j;
		if (j->ids[0] != TOKEN_NONE)
			__builtin_prefetch(&v->token_off[j->ids[0]]);
	}
	for (size_t i = 0; i < n_new; i++)
		__builtin_prefetch(vocab_token(v, job[i]->ids[0]).p);
	for (size_t i = 0; i < n_new; i++) {
		job[i]->n_id = 1;
		if (job[i]->ids[0] == TOKEN_NONE || (job[i]->ids[0] = vocab_find(v, job[i]->piece)) == TOKEN_NONE)
			job[n_job++] = job[i];
	}
	return n_job;
}

static void remember(Encoder *e, const Miss *m)
{
	const BpeJob *j = &m->job;
	if (j->piece.n <= SHORT_BYTES)
		seen_put_short(&e->seen, &m->ready, j->piece.n, j->ids, j->n_id);
	else
		seen_put_long(&e->seen, m->ready.hash, j->piece.p, j->piece.n, j->ids, j->n_id);
}

/* Works the queue off; end: of the ids with their gaps. The new end. */
static uint32_t *settle_misses(Encoder *e, const uint32_t *end)
{
	BpeJob *job[ENCODER_MISSES];
	e->bpe_each(e->v, &e->bpe, job, find_whole(e, job));
	uint32_t *to = e->n_miss ? e->miss[0].job.ids : NULL;
	for (unsigned i = 0; i < e->n_miss; i++) {
		Miss *m = &e->miss[i];
		const BpeJob *j = &e->miss[m->same].job;
		const uint32_t *behind = m->job.ids + m->job.piece.n;
		size_t n_behind = (size_t)((i + 1 < e->n_miss ? e->miss[i + 1].job.ids : end) - behind);
		if (m->is_new)
			remember(e, m);
		memmove(to, j->ids, j->n_id * sizeof *to);
		m->job.ids = to;
		m->job.n_id = j->n_id;
		to += j->n_id;
		memmove(to, behind, n_behind * sizeof *to);
		to += n_behind;
	}
	e->n_miss = 0;
	return to;
}

/* A SentencePiece word may have more ids than bytes, so it waits for nothing. */
static uint32_t *put_word(Encoder *e, Str word, const Ready *r, uint32_t *ids)
{
	size_t n_id = 0;
	if (word.n <= SHORT_BYTES) {
		seen_expect(&e->seen, r, word.n, 0);
		n_id = seen_fetch_beside(&e->seen, r, word.n, ids);
	}
	if (n_id)
		return ids + n_id;
	n_id = spm_encode_word(e->v, &e->spm, word, ids);
	remember(e, &(Miss){ .ready = *r, .job = { word, ids, (uint32_t)n_id } });
	return ids + n_id;
}

static uint32_t *put_miss(Encoder *e, Str piece, const Ready *r, uint32_t *ids)
{
	if (!e->by_bytes)
		return put_word(e, piece, r, ids);
	unsigned i = e->n_miss++;
	e->miss[i] = (Miss){ .ready = *r, .job = { piece, ids, 0 }, .same = i };
	if (piece.n <= SHORT_BYTES) {
		__builtin_prefetch(e->seen.line[seen_short_line(r->hash) ^ 1]);
		seen_expect(&e->seen, r, piece.n, i);
	}
	piece_expect(e->v, r->hash);
	return ids + piece.n;
}

/* ---- pieces ---- */

static inline uint32_t *put_short(Encoder *e, Str piece, const Ready *r, uint32_t *ids)
{
	const ShortSlot *s = seen_find_short(&e->seen, r, piece.n);
	if (!s)
		return put_miss(e, piece, r, ids);
	memcpy(ids, s->id, sizeof s->id);
	if (s->n_id <= SHORT_IDS)
		return ids + s->n_id;
	if (s->n_id != SEEN_PENDING) {
		memcpy(ids, seen_ids(&e->seen, s), s->n_id * sizeof *ids);
		return ids + s->n_id;
	}
	e->miss[e->n_miss++] = (Miss){ .job = { piece, ids, 0 }, .same = s->id[0] };
	return ids + piece.n;
}

static uint32_t *put_long(Encoder *e, Str piece, const Ready *r, uint32_t *ids)
{
	if (piece.n > LONG_BYTES)
		return ids + encoder_put_piece(e, piece, ids);
	const LongSlot *s = seen_find_long(&e->seen, r->hash, piece.n);
	const uint32_t *word = s ? e->seen.pool + s->word : NULL;
	if (!s || memcmp(word, piece.p, piece.n))
		return put_miss(e, piece, r, ids);
	memcpy(ids, word + (piece.n + 3) / 4, s->n_id * sizeof *ids);
	return ids + s->n_id;
}

/* The piece at p as two zero-padded words; room: bytes that may be read at p. */
static inline void load_words(const char *p, size_t n, size_t room, Ready *r)
{
	static const uint64_t mask[4] = { UINT64_MAX, UINT64_MAX };
	const char *from = (const char *)mask + SHORT_BYTES - n;
	uint64_t lo, hi;
	if (room < SHORT_BYTES) {
		piece_words(p, n, &r->lo, &r->hi);
		return;
	}
	memcpy(&r->lo, p, 8);
	memcpy(&r->hi, p + 8, 8);
	memcpy(&lo, from, 8);
	memcpy(&hi, from + 8, 8);
	r->lo &= lo;
	r->hi &= hi;
}

/* Hashes the pieces of a batch and asks for their lines, so that their latencies overlap. */
static inline void prepare(Encoder *e, Str t, size_t at, size_t k)
{
	for (size_t i = 0; i < k; i++) {
		size_t n = e->end[i] - at;
		Ready *r = &e->ready[i];
		if (n <= SHORT_BYTES) {
			load_words(t.p + at, n, t.n - at, r);
			r->hash = hash_short(r->lo, r->hi, n);
			__builtin_prefetch(e->seen.line[seen_short_line(r->hash)]);
		} else if (n <= LONG_BYTES) {
			r->hash = piece_hash(t.p + at, n);
			__builtin_prefetch(e->seen.long_line[seen_long_line(r->hash)]);
		}
		at = e->end[i];
	}
}

size_t encoder_put(Encoder *e, Str t, uint32_t *ids, size_t *last)
{
	uint32_t *out = ids, *before = ids;
	for (size_t at = 0; at < t.n;) {
		size_t k = e->batch(e->v, t, at, e->end, ENCODER_BATCH);
		prepare(e, t, at, k);
		for (size_t i = 0; i < k; i++) {
			Str piece = { t.p + at, e->end[i] - at };
			if (e->n_miss == ENCODER_MISSES)
				out = settle_misses(e, out);
			before = out;
			out = piece.n <= SHORT_BYTES ? put_short(e, piece, &e->ready[i], out) : put_long(e, piece, &e->ready[i], out);
			at = e->end[i];
		}
	}
	*last = (size_t)(out - before);
	if (e->n_miss) {
		const BpeJob *j = &e->miss[e->n_miss - 1].job;
		out = settle_misses(e, out);
		if (j->piece.p + j->piece.n == t.p + t.n)
			*last = j->n_id;
	}
	return (size_t)(out - ids);
}
