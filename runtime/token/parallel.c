/*
 * One large text by several threads: a part for each encoder, cut where the vocabulary offers it. Each
 * thread writes its ids where the parts before it cannot reach; then they are moved together.
 */
#include <pthread.h>
#include <string.h>

#include "runtime/token/encoder.h"

typedef struct Part {
	Encoder *e;
	Str text;
	uint32_t *ids;  /* NULL: only counted */
	size_t n;
	pthread_t thread;
	bool is_behind; /* a cut */
	bool has_thread;
} Part;

static void *part_run(void *p)
{
	Part *part = p;
	part->e->has_ill_formed = false;
	if (part->ids)
		part->n = (part->is_behind ? token_encode_behind : token_encode)(part->e, part->text, part->ids);
	else
		part->n = (part->is_behind ? token_count_behind : token_count)(part->e, part->text);
	return NULL;
}

/* How many parts there are: fewer than n where a text has no cuts. */
static unsigned make_parts(Part *part, Encoder *const *e, unsigned n, Str text, uint32_t *ids)
{
	const Vocab *v = encoder_vocab(e[0]);
	size_t at = 0, room = 0;
	unsigned k = 0;
	n = n < TOKEN_THREADS_MAX ? n : TOKEN_THREADS_MAX;
	for (; k < n && (at < text.n || !k); k++) {
		size_t from = text.n / n * (k + 1), to = text.n;
		if (k + 1 < n && text.n)
			to = token_cut(e[0], text, from > at ? from : at + 1);
		part[k] = (Part){ .e = e[k], .text = str_sub(text, at, to), .ids = ids ? ids + room : NULL, .is_behind = at };
		room += token_bound(v, to - at);
		at = to;
	}
	return k;
}

/* The last part is for the thread that was called. False when the parts need not be the whole. */
static bool run_parts(Part *part, unsigned n)
{
	bool is_whole = true;
	for (unsigned i = 0; i + 1 < n; i++)
		part[i].has_thread = !pthread_create(&part[i].thread, NULL, part_run, &part[i]);
	for (unsigned i = n; i--;)
		if (!part[i].has_thread)
			part_run(&part[i]);
	for (unsigned i = 0; i < n; i++) {
		if (part[i].has_thread)
			pthread_join(part[i].thread, NULL);
		is_whole &= !part[i].e->has_ill_formed;
	}
	return is_whole;
}

size_t token_encode_parallel(Encoder *const *e, unsigned n_encoder, Str text, uint32_t *ids)
{
	Part part[TOKEN_THREADS_MAX];
	unsigned n = make_parts(part, e, n_encoder, text, ids);
	if (n == 1 || !run_parts(part, n))
		return token_encode(e[0], text, ids);
	size_t n_id = part[0].n;
	for (unsigned i = 1; i < n; i++) {
		memmove(ids + n_id, part[i].ids, part[i].n * sizeof *ids);
		n_id += part[i].n;
	}
	return n_id;
}

size_t token_count_parallel(Encoder *const *e, unsigned n_encoder, Str text)
{
	Part part[TOKEN_THREADS_MAX];
	unsigned n = make_parts(part, e, n_encoder, text, NULL);
	if (n == 1 || !run_parts(part, n))
		return token_count(e[0], text);
	size_t n_id = 0;
	for (unsigned i = 0; i < n; i++)
		n_id += part[i].n;
	return n_id;
}
