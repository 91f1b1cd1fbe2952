/* A text that arrives in pieces; see token.h. What stands before the last cut that no later byte can move is encoded;
 * the rest is held. */
#include <stdlib.h>

#include "runtime/token/token.h"

enum { CHAR_MOST = 4 };

/* The ids of the first n bytes that are held. */
static size_t give(TokenStream *s, size_t n)
{
	size_t room = token_bound(encoder_vocab(s->e), n);
	if (s->ids_cap < room) {
		s->ids_cap = room + room / 2;
		s->ids = mem_must_grow(s->ids, s->ids_cap * sizeof *s->ids);
	}
	size_t n_id = (s->is_behind ? token_encode_behind : token_encode)(s->e, str_sub(buf_str(&s->held), 0, n), s->ids);
	memmove(s->held.p, s->held.p + n, s->held.n - n);
	s->held.n -= n;
	s->n_seen = 0;
	s->is_behind = true;
	return n_id;
}

size_t token_stream_put(TokenStream *s, Str piece)
{
	buf_put(&s->held, piece);
	size_t cut = token_cut_last(s->e, buf_str(&s->held), s->n_seen);
	size_t unseen = token_cut_reach(s->e) + CHAR_MOST;  /* the last character may not be whole */
	s->n_seen = s->held.n > unseen ? s->held.n - unseen : 0;
	return cut ? give(s, cut) : 0;
}

size_t token_stream_end(TokenStream *s)
{
	size_t n = s->held.n ? give(s, s->held.n) : 0;
	s->is_behind = false;
	return n;
}

void token_stream_free(TokenStream *s)
{
	buf_free(&s->held);
	free(s->ids);
	*s = (TokenStream){ 0 };
}
