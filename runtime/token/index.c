/* See index.h. One idea: whether a place is a cut depends on token_cut_reach bytes round it, so marks that an edit
 * does not reach stay, and those in between are sought anew. */
#include "runtime/token/index.h"

#include <stdlib.h>

/* ---- growing ------------------------------------------------------------------------------------ */

static void reserve_ids(TokenIndex *ix, size_t more)
{
	if (ix->id_cap - ix->n_id >= more)
		return;
	ix->id_cap = ix->n_id + more + ix->n_id / 2;
	ix->ids = mem_must_grow(ix->ids, ix->id_cap * sizeof *ix->ids);
}

static void reserve_marks(TokenIndex *ix, size_t more)
{
	if (ix->mark_cap - ix->n_mark >= more)
		return;
	ix->mark_cap = ix->n_mark + more + ix->n_mark / 2;
	ix->mark = mem_must_grow(ix->mark, ix->mark_cap * sizeof *ix->mark);
}

static void put_mark(TokenIndex *ix, size_t at)
{
	reserve_marks(ix, 1);
	ix->mark[ix->n_mark++] = (TokenMark){ at, ix->n_id };
}

/* Ids [lo, hi) of another index. */
static void put_ids(TokenIndex *ix, const TokenIndex *from, size_t lo, size_t hi)
{
	if (lo == hi)
		return;
	reserve_ids(ix, hi - lo);
	memcpy(ix->ids + ix->n_id, from->ids + lo, (hi - lo) * sizeof *ix->ids);
	ix->n_id += hi - lo;
}

/* Encodes text [lo, hi), and marks the cuts in it and its end; lo has its mark, and hi is a cut or the end. */
static void put_text(Encoder *e, TokenIndex *ix, Str text, size_t lo, size_t hi)
{
	Str well = ix->is_well ? text : str_sub(text, 0, token_cut_well(e, text));
	while (lo < hi) {
		size_t to = token_cut(e, well, lo + 1);
		to = to < well.n && to < hi ? to : hi;
		reserve_ids(ix, token_bound(encoder_vocab(e), to - lo));
		ix->n_id += (lo ? token_encode_behind : token_encode)(e, str_sub(text, lo, to), ix->ids + ix->n_id);
		put_mark(ix, to);
		lo = to;
	}
}

/* ---- the index ---------------------------------------------------------------------------------- */

void token_index(Encoder *e, Str text, TokenIndex *ix)
{
	ix->n_mark = ix->n_id = 0;
	ix->is_well = token_cut_well(e, text) == text.n;
	put_mark(ix, 0);
	put_text(e, ix, text, 0, text.n);
}

void token_index_free(TokenIndex *ix)
{
	free(ix->mark);
	free(ix->ids);
	*ix = (TokenIndex){ 0 };
}

size_t token_index_find(const TokenIndex *ix, size_t at)
{
	size_t lo = 0, hi = ix->n_mark;
	while (hi - lo > 1) {
		size_t mid = lo + (hi - lo) / 2;
		if (ix->mark[mid].at <= at)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

/* ---- editing ------------------------------------------------------------------------------------ */

/* The first mark that an edit ending at hi does not reach, or the last of all. */
static size_t mark_behind(const TokenIndex *ix, size_t hi, size_t reach)
{
	size_t at = token_index_find(ix, hi + reach);
	return at + (ix->mark[at].at < hi + reach && at + 1 < ix->n_mark);
}

/* What stands behind a mark of another index, whose text has moved by the distance of the two ends. */
static void put_rest(TokenIndex *ix, const TokenIndex *from, size_t mark, size_t end)
{
	size_t at = from->mark[mark].at, n_id = from->mark[mark].n_token, base = ix->n_id;
	put_ids(ix, from, n_id, from->n_id);
	reserve_marks(ix, from->n_mark - mark);
	while (++mark < from->n_mark)
		ix->mark[ix->n_mark++] = (TokenMark){ from->mark[mark].at - at + end, from->mark[mark].n_token - n_id + base };
}

void token_index_edit(Encoder *e, TokenIndex *ix, Str text, TokenEdit edit)
{
	size_t reach = token_cut_reach(e), first = edit.lo < reach ? 0 : token_index_find(ix, edit.lo - reach);
	size_t last = mark_behind(ix, edit.hi, reach);
	size_t lo = ix->mark[first].at, hi = ix->mark[last].at - edit.hi + edit.lo + edit.n;
	Str changed = str_sub(text, lo, hi);
	/* note [ill-formed bytes]: they end all cuts of a byte-level vocabulary, wherever they stand. */
	if (!ix->is_well || token_cut_well(e, changed) < changed.n) {
		token_index(e, text, ix);
		return;
	}
	TokenIndex made = { .is_well = true };
	reserve_marks(&made, ix->n_mark);
	memcpy(made.mark, ix->mark, (first + 1) * sizeof *made.mark);
	made.n_mark = first + 1;
	put_ids(&made, ix, 0, ix->mark[first].n_token);
	put_text(e, &made, text, lo, hi);
	put_rest(&made, ix, last, hi);
	token_index_free(ix);
	*ix = made;
}
