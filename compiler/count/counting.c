/* Counts of one file: tokens to rows and sums. */
#include <stdlib.h>

#include "compiler/count/worker.h"
#include "runtime/token/estimate.h"

enum { CUT_WINDOW = 4096, LARGE_BYTES = 4 << 20 };

void counting_begin(Counting *c, uint32_t column)
{
	c->at = column;
	c->column = &c->w->run->set->column.v[column];
	const ShelfTable *table = shelf_find(&c->w->shelf, c->column->tokenizer);
	c->encoder = table->encoder;
	c->vocab = table->encoder ? &table->vocab : NULL;
	c->is_exact = !c->column->why.n;
}

static void tally_add(Tally *t, uint64_t n, bool is_estimate)
{
	t->n += n;
	t->is_set = true;
	t->is_estimate |= is_estimate;
}

static Tally *row_tally(Counting *c, Str name)
{
	CountedFile *f = c->file;
	for (uint32_t i = 0; i < f->row.n; i++)
		if (str_eq(f->row.v[i].name, name))
			return &f->row.v[i].tally[c->at];
	CountRow *r = vec_add(&c->w->keep, &f->row);
	r->name = str_dup(&c->w->keep, name);
	r->tally = arena_array(&c->w->keep, Tally, c->w->run->set->column.n);
	return &r->tally[c->at];
}

void counting_add(Counting *c, Str row, uint64_t n, bool is_estimate)
{
	tally_add(&c->file->total[c->at], n, is_estimate);
	if (row.n && c->w->run->set->by != COUNT_BY_FILE)
		tally_add(row_tally(c, row), n, is_estimate);
}

static uint64_t count_from(const Counting *c, Str text, size_t base, size_t end)
{
	Str part = str_sub(text, base, end);
	return base ? token_count_behind(c->encoder, part) : token_count(c->encoder, part);
}

/* Tokens of the text before each border, one pass: what lies before a cut that the vocabulary offers is never
 * counted again. */
static void count_before(const Counting *c, Str text, const size_t *border, uint32_t n, uint64_t *before)
{
	size_t base = 0;
	uint64_t n_base = 0;
	for (uint32_t i = 0; i < n; i++) {
		size_t from = border[i] > base + CUT_WINDOW ? border[i] - CUT_WINDOW : base + 1;
		size_t cut = border[i] > base ? token_cut(c->encoder, str_sub(text, 0, border[i]), from) : border[i];
		if (cut < border[i]) {
			n_base += count_from(c, text, base, cut);
			base = cut;
		}
		before[i] = n_base + count_from(c, text, base, border[i]);
	}
	/* More text can take fewer tokens: a row never has less than none. */
	for (uint32_t i = n; i-- > 1;)
		before[i - 1] = before[i - 1] < before[i] ? before[i - 1] : before[i];
}

static void put_ids(Counting *c, Str text)
{
	CountWorker *w = c->w;
	size_t room = token_bound(c->vocab, text.n);
	if (w->ids_cap < room) {
		w->ids_cap = room;
		w->ids = mem_must_grow(w->ids, room * sizeof *w->ids);
	}
	size_t n = token_encode(c->encoder, text, w->ids);
	for (size_t i = 0; i < n; i++)
		buf_printf(w->run->set->ids, "%u\n", w->ids[i]);
}

/* A large text is for the threads that have no file of their own, too. */
static uint64_t count_whole(const Counting *c, Str text)
{
	const CountRun *run = c->w->run;
	Encoder *e[TOKEN_THREADS_MAX] = { c->encoder };
	uint32_t spare = run->set->n_thread / run->n_worker, n = 1;
	if (text.n <= LARGE_BYTES)
		return token_count(c->encoder, text);
	while (n < spare && n < TOKEN_THREADS_MAX)
		e[n++] = encoder_new(c->vocab);
	uint64_t n_token = token_count_parallel(e, n, text);
	while (n-- > 1)
		encoder_free(e[n]);
	return n_token;
}

void counting_text(Counting *c, Str text, const RowStart *row, uint32_t n)
{
	bool is_whole = n == 1 || c->w->run->set->by == COUNT_BY_FILE;
	if (c->w->run->set->ids && c->encoder)
		put_ids(c, text);
	if (!c->encoder || is_whole) {
		for (uint32_t i = 0; i < (is_whole ? 1 : n); i++) {
			Str part = str_sub(text, is_whole ? 0 : row[i].lo, is_whole || i + 1 == n ? text.n : row[i + 1].lo);
			counting_add(c, row[i].row, c->encoder ? count_whole(c, part) : token_estimate(part), !c->is_exact);
		}
		return;
	}
	size_t *border = arena_array(&c->w->scratch, size_t, n);
	uint64_t *before = arena_array(&c->w->scratch, uint64_t, n);
	for (uint32_t i = 0; i < n; i++)
		border[i] = i + 1 < n ? row[i + 1].lo : text.n;
	count_before(c, text, border, n, before);
	for (uint32_t i = 0; i < n; i++)
		counting_add(c, row[i].row, before[i] - (i ? before[i - 1] : 0), !c->is_exact);
}
