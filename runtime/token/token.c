/*
 * Texts to ids and back: what goes before the pieces (normal form, user-defined tokens, ill-formed
 * bytes) and what each model does after them.
 */
#include "runtime/token/token.h"

#include <stdlib.h>

#include "runtime/token/encoder.h"
#include "runtime/token/wordpiece.h"

enum { COUNT_STEP = 1 << 16 };

size_t token_bound(const Vocab *v, size_t n_bytes)
{
	return (v->header->model == VOCAB_SPM ? spm_bound(n_bytes) : norm_bound(v->header->norm, n_bytes)) +
	       TOKEN_PART_ROOM;
}

const Vocab *encoder_vocab(const Encoder *e)
{
	return e->v;
}

static bool is_blank(Str token)
{
	for (size_t i = 0; i < token.n; i++)
		if (token.p[i] != ' ' && token.p[i] != '\n' && token.p[i] != '\t')
			return false;
	return true;
}

/* How many ids at the end could change when bytes follow: the last piece, and if that starts blank,
 * every blank token before it (as tiktoken decides it). */
static size_t unstable_ids(const Vocab *v, const uint32_t *ids, size_t n, size_t last)
{
	if (last && is_blank(vocab_token(v, ids[n - last])))
		while (last < n && is_blank(vocab_token(v, ids[n - last - 1])))
			last++;
	return last;
}

/* A text without user-defined tokens. */
static size_t encode_bytes(Encoder *e, Str text, uint32_t *ids)
{
	size_t last, good = utf8_find_bad(text);
	size_t n = encoder_put(e, str_sub(text, 0, good), ids, &last);
	if (good == text.n)
		return n;
	e->has_ill_formed = true;
	size_t from = good;
	for (last = unstable_ids(e->v, ids, n, last); last; last--) {
		size_t back = vocab_token(e->v, ids[--n]).n;
		from -= back < from ? back : from;
	}
	return n + encoder_put_piece(e, str_sub(text, from, text.n), ids + n);
}

static size_t encode_around_user(Encoder *e, Str text, uint32_t *ids)
{
	size_t n = 0, last;
	for (size_t at = 0; at < text.n;) {
		const SpmUser *user = NULL;
		size_t to = spm_find_user(&e->spm, text, at, &user);
		Str part = str_sub(text, at, to);
		if (e->v->header->model == VOCAB_SPM)
			n += encoder_put(e, part, ids + n, &last);
		else if (e->v->header->model == VOCAB_WORDPIECE)
			n += wordpiece_encode(e->v, part, ids + n);
		else
			n += encode_bytes(e, norm_text(e->v->header->norm, part, &e->normal), ids + n);
		at = to;
		if (user) {
			ids[n++] = user->id;
			at += user->n;
		}
	}
	return n;
}

/* flags: the vocabulary's, less what does not hold where the text stands. */
static size_t encode(Encoder *e, unsigned flags, Str text, uint32_t *ids)
{
	seen_meet(&e->seen, text.n);
	if (e->v->header->model != VOCAB_SPM)
		return encode_around_user(e, text, ids);
	if (e->spm.unmerge)
		return spm_encode(e->v, &e->spm, text, ids);
	return spm_fuse_unknown(e->v, ids, encode_around_user(e, spm_prepare(&e->spm, flags, text), ids));
}

size_t token_encode(Encoder *e, Str text, uint32_t *ids)
{
	return encode(e, e->v->header->flags, text, ids);
}

size_t token_encode_behind(Encoder *e, Str text, uint32_t *ids)
{
	return encode(e, e->v->header->flags & ~VOCAB_DUMMY_PREFIX, text, ids);
}

static size_t count(Encoder *e, unsigned flags, Str text)
{
	size_t room = token_bound(e->v, text.n);
	if (e->count_cap < room) {
		e->count_cap = room;
		e->count = mem_must_grow(e->count, room * sizeof *e->count);
	}
	return encode(e, flags, text, e->count);
}

static size_t count_by_steps(Encoder *e, unsigned flags, Str text)
{
	size_t n = 0, good = token_cut_well(e, text);
	while (good - (good < text.n) > COUNT_STEP) {
		size_t cut = token_cut(e, str_sub(text, 0, good), COUNT_STEP);
		if (cut == good)
			break;
		n += count(e, flags, str_sub(text, 0, cut));
		flags &= ~VOCAB_DUMMY_PREFIX;
		text = str_sub(text, cut, text.n);
		good -= cut;
	}
	return n + count(e, flags, text);
}

size_t token_count(Encoder *e, Str text)
{
	return count_by_steps(e, e->v->header->flags, text);
}

size_t token_count_behind(Encoder *e, Str text)
{
	return count_by_steps(e, e->v->header->flags & ~VOCAB_DUMMY_PREFIX, text);
}
