/* See embed.h. */
#include "runtime/oracle/embed.h"

#include <math.h>
#include <stdlib.h>

/* bos, the text's ids, eos, as the vocabulary frames a text; at most room of them. Room for all at ids. */
static EmbedCount put_ids(Encoder *e, Str text, uint32_t room, uint32_t *ids)
{
	const VocabHeader *h = encoder_vocab(e)->header;
	bool has_bos = h->flags & VOCAB_ADD_BOS && h->bos != TOKEN_NONE, has_eos = h->flags & VOCAB_ADD_EOS && h->eos != TOKEN_NONE;
	uint32_t n_own = (uint32_t)token_encode(e, text, ids + has_bos), n_frame = (uint32_t)has_bos + has_eos;
	uint32_t n_kept = n_own + n_frame > room ? room - n_frame : n_own;
	if (has_bos)
		ids[0] = h->bos;
	if (has_eos)
		ids[has_bos + n_kept] = h->eos;
	return (EmbedCount){ n_kept + n_frame, n_own - n_kept };
}

static void mean_unit(const float *x, uint32_t n, uint32_t width, float *unit)
{
	double square = 0;
	for (uint32_t i = 0; i < width; i++) {
		double sum = 0;
		for (uint32_t t = 0; t < n; t++)
			sum += x[(size_t)t * width + i];
		unit[i] = (float)(sum / n);
		square += (double)unit[i] * unit[i];
	}
	for (uint32_t i = 0; i < width; i++)
		unit[i] = square > 0 ? (float)(unit[i] / sqrt(square)) : 0;
}

EmbedCount embed_text(Oracle *o, Encoder *e, Str text, float *unit)
{
	const ModelShape *s = oracle_shape(o);
	uint32_t *ids = mem_must_alloc((token_bound(encoder_vocab(e), text.n) + 2) * sizeof *ids);
	EmbedCount c = put_ids(e, text, oracle_room(o), ids);
	memset(unit, 0, s->n_embd * sizeof *unit);
	if (c.n_token) {
		oracle_forward(o, ids, c.n_token, 0);
		mean_unit(oracle_hidden(o), c.n_token, s->n_embd, unit);
	}
	free(ids);
	return c;
}
