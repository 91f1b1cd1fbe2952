/*
 * Layout: lines and indents to tokens. This file owns the state machine, lines at column 0 and the
 * blocks of entries (fields; the insides of example, route and test). Heads are head.c's, text bodies
 * body.c's.
 *
 * Indents are compared as strings, never as widths: a line is in a block when its white space goes on
 * from the head's, and an entry's must be the first entry's.
 */
#include <stdlib.h>

#include "grammar/lex.h"

#include "grammar/parse.h"

void lex_init(Lex *lx, Compiler *c, Text in)
{
	memset(lx, 0, sizeof *lx);
	lx->c = c;
	lx->in = in;
}

void lex_free(Lex *lx)
{
	free(lx->queue.v);
	free(lx->run.v);
	buf_free(&lx->text);
}

/* ---- places ---- */

Span lex_span(const Lex *lx, size_t lo, size_t hi)
{
	if (lx->in.n_run != 1)
		return text_span(&lx->in, lo, hi);
	uint32_t off = lx->in.run[0].src_off - lx->in.run[0].text_off;
	return (Span){ off + (uint32_t)lo, off + (uint32_t)hi };
}

Diag *lex_report(Lex *lx, DiagId id, size_t lo, size_t hi, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	Str msg = str_vfmt(&lx->c->arena, fmt, ap);
	va_end(ap);
	return diag_add(&lx->c->diags, id, lex_span(lx, lo, hi), "%.*s", STR_ARG(msg));
}

void lex_fix(Lex *lx, Diag *g, FixLevel level, size_t lo, size_t hi, Str put, const char *title)
{
	if (lx->in.n_run == 1)
		diag_fix(&lx->c->diags, g, level, lex_span(lx, lo, hi), put, title);
}

/* ---- the queue ---- */

void lex_push_val(Lex *lx, int kind, LexVal val, size_t lo, size_t hi)
{
	if (lx->queue.n == lx->queue.cap) {
		lx->queue.cap = lx->queue.cap ? lx->queue.cap * 2 : 16;
		lx->queue.v = mem_must_grow(lx->queue.v, lx->queue.cap * sizeof *lx->queue.v);
	}
	lx->queue.v[lx->queue.n++] = (LexToken){ kind, val, lo, hi };
}

void lex_push(Lex *lx, int kind, size_t lo, size_t hi)
{
	LexVal none = { .str = { NULL, 0 } };
	lex_push_val(lx, kind, none, lo, hi);
}

int lex_next(Lex *lx, LexVal *val, Span *span)
{
	while (lx->queue_at == lx->queue.n) {
		lx->queue_at = lx->queue.n = 0;
		switch (lx->state) {
		case LEX_LINE: lex_line_step(lx); break;
		case LEX_TOKENS: lex_head_step(lx); break;
		case LEX_BODY: lex_body_step(lx); break;
		case LEX_TEXT: lex_text_step(lx); break;
		case LEX_DONE:
			*span = lex_span(lx, lx->in.s.n, lx->in.s.n);
			return 0;
		}
	}
	LexToken *t = &lx->queue.v[lx->queue_at++];
	*val = t->val;
	*span = lex_span(lx, t->lo, t->hi);
	return t->kind;
}

/* ---- lines ---- */

LexLine lex_line(const Lex *lx, size_t at)
{
	const char *p = lx->in.s.p;
	size_t n = lx->in.s.n;
	const char *lf = at < n ? memchr(p + at, '\n', n - at) : NULL;
	size_t hi = lf ? (size_t)(lf - p) : n;
	size_t ws = at;
	while (ws < hi && (p[ws] == ' ' || p[ws] == '\t'))
		ws++;
	return (LexLine){ at, ws, hi, lf ? hi + 1 : n };
}

LexLine lex_line_filled(const Lex *lx, size_t at)
{
	LexLine ln = lex_line(lx, at);
	while (ln.ws == ln.hi && ln.next > ln.lo)
		ln = lex_line(lx, ln.next);
	return ln;
}

Str lex_line_ws(const Lex *lx, LexLine ln)
{
	return (Str){ lx->in.s.p + ln.lo, ln.ws - ln.lo };
}

size_t lex_ws_common(Str a, Str b)
{
	size_t n = 0;
	while (n < a.n && n < b.n && a.p[n] == b.p[n])
		n++;
	return n;
}

WsOrder lex_ws_order(Str a, Str b)
{
	size_t n = lex_ws_common(a, b);
	if (n == a.n)
		return n == b.n ? WS_EQUAL : WS_SHALLOWER;
	return n == b.n ? WS_DEEPER : WS_MIXED;
}

static bool is_inside(Str ws, Str head_ws)
{
	WsOrder order = lex_ws_order(ws, head_ws);
	return order == WS_DEEPER || order == WS_MIXED;
}

void lex_skip_deeper(Lex *lx, Str ws)
{
	LexLine ln = lex_line_filled(lx, lx->at);
	while (ln.ws < ln.hi && is_inside(lex_line_ws(lx, ln), ws)) {
		lx->at = ln.next;
		ln = lex_line_filled(lx, ln.next);
	}
}

/* ---- blocks of entries ---- */

static bool is_comment(const Lex *lx, LexLine ln) { return lx->in.s.p[ln.ws] == '#'; }

/* The first entry's line decides the indent of all. */
static LexLine first_entry(const Lex *lx, size_t from, Str head_ws)
{
	LexLine ln = lex_line_filled(lx, from);
	while (ln.ws < ln.hi && is_comment(lx, ln) && is_inside(lex_line_ws(lx, ln), head_ws))
		ln = lex_line_filled(lx, ln.next);
	return ln;
}

void lex_block_open(Lex *lx, BodyKind kind, DeclPlace place, Str head_ws, size_t from, Span head)
{
	int open = kind == BODY_FIELDS ? T_FIELDS : T_DECLS;
	LexLine ln = first_entry(lx, from, head_ws);
	Str ws = lex_line_ws(lx, ln);
	lex_push(lx, open, from, from);
	lx->at = from;
	lx->state = LEX_LINE;
	if (ln.ws == ln.hi || !is_inside(ws, head_ws)) {
		Diag *g = diag_add(&lx->c->diags, SD028, head, "this body is empty");
		diag_help(&lx->c->diags, g, "indent its %s under the head", kind == BODY_FIELDS ? "fields" : "entries");
		lex_push(lx, T_END, from, from);
		return;
	}
	if (lx->n_block == LEX_DEPTH_MAX) {
		lex_report(lx, SD026, ln.ws, ln.hi, "fields nest more than %d deep", LEX_DEPTH_MAX);
		lex_skip_deeper(lx, head_ws);
		lex_push(lx, T_END, from, from);
		return;
	}
	lx->block[lx->n_block++] = (LexBlock){ kind, place, head_ws, ws, head, false };
}

static void close_block(Lex *lx)
{
	lx->n_block--;
	lex_push(lx, T_END, lx->content_hi, lx->content_hi);
}

enum { FIX_RUN_MAX = 200 };

void lex_bad_indent(Lex *lx, LexLine ln, Str want, Span owner, const char *first_line)
{
	bool mixed = lex_ws_order(lex_line_ws(lx, ln), want) == WS_MIXED;
	Diag *g = lx->bad_line_next == ln.lo ? lx->bad_indent : NULL;
	lx->bad_line_next = ln.next;
	if (!g) {
		g = mixed
			? lex_report(lx, SD013, ln.lo, ln.ws, "this indent mixes tabs and spaces unlike %s", first_line)
			: lex_report(lx, SD012, ln.lo, ln.ws, "this indent does not go on from that of %s", first_line);
		diag_label(&lx->c->diags, g, owner, "in the body of this");
		diag_help(&lx->c->diags, g, "start the line with the white space of %s", first_line);
		lx->bad_indent = g;
		lx->n_bad_line = 0;
	}
	if (lx->n_bad_line++ < FIX_RUN_MAX)
		lex_fix(lx, g, g->id == SD013 ? FIX_UNSAFE : FIX_SAFE, ln.lo, ln.ws, want, "indent as the first line");
	else
		g->fix = NULL;
}

/* A line inside the innermost block; false when it opened a deeper one. */
static bool entry_indent(Lex *lx, LexLine ln)
{
	LexBlock *b = &lx->block[lx->n_block - 1];
	Str ws = lex_line_ws(lx, ln);
	WsOrder order = lex_ws_order(ws, b->ws);
	if (order == WS_DEEPER && b->may_nest) {
		b->may_nest = false;
		lex_block_open(lx, BODY_FIELDS, PLACE_TOP, b->ws, ln.lo, lex_span(lx, ln.ws, ln.hi));
		return false;
	}
	if (order != WS_EQUAL)
		lex_bad_indent(lx, ln, b->ws, b->head, "the first entry");
	return true;
}

static void unknown_entry(Lex *lx, LexLine ln, const LexBlock *b)
{
	Str rest = { lx->in.s.p + ln.ws, ln.hi - ln.ws };
	size_t n = lex_name_len(rest);
	Str word = { rest.p, n };
	Diag *g = n ? lex_report(lx, SD010, ln.ws, ln.ws + n, "unknown entry `%.*s`", STR_ARG(word))
		: lex_report(lx, SD010, ln.ws, ln.hi, "this line is no entry");
	Str cand[16];
	size_t n_cand = 0;
	Buf list = { 0 };
	for (size_t i = 0; i < decl_rows_n && n_cand < 16; i++) {
		if (decl_rows[i].place != b->place)
			continue;
		buf_printf(&list, "%s`%.*s`", n_cand ? ", " : "", STR_ARG(decl_rows[i].word));
		cand[n_cand++] = decl_rows[i].word;
	}
	const Str *near = n ? str_nearest(word, cand, n_cand) : NULL;
	if (near)
		diag_did_you_mean(&lx->c->diags, g, lex_span(lx, ln.ws, ln.ws + n), word, cand, n_cand);
	else
		diag_help(&lx->c->diags, g, "an entry here starts with %.*s", STR_ARG(buf_str(&list)));
	buf_free(&list);
	lx->at = ln.next;
	lex_skip_deeper(lx, lex_line_ws(lx, ln));
}

static void open_entry(Lex *lx, LexLine ln)
{
	LexBlock *b = &lx->block[lx->n_block - 1];
	if (b->kind == BODY_FIELDS) {
		lex_head_begin(lx, LEX_FIELD, NULL, ln, ln.ws);
		return;
	}
	const DeclRow *row;
	if (!lex_is_head(lx, ln, b->place, &row)) {
		unknown_entry(lx, ln, b);
		return;
	}
	LexVal val = { .row = row };
	lex_push_val(lx, row->token, val, ln.ws, ln.ws + row->word.n);
	lex_head_begin(lx, LEX_HEAD, row, ln, ln.ws + row->word.n);
}

/* ---- column 0 ---- */

static void note_comment(Lex *lx, LexLine ln)
{
	Str s = { lx->in.s.p + ln.lo, ln.hi - ln.lo };
	lx->comment_lo = ln.lo;
	lx->comment_hi = ln.hi;
	if (str_starts(str_trim(str_sub(s, 1, s.n)), STR("cache_domain:"))) {
		lx->cache_lo = ln.lo;
		lx->cache_hi = ln.hi;
	}
	lx->at = ln.next;
}

static void open_setting(Lex *lx, LexLine ln, LexMark m)
{
	if (!(m.row->place & DIR_TOP)) {
		lex_stray_directive(lx, ln, m.row);
		return;
	}
	size_t end = ln.lo + 1 + m.word.n;
	LexVal val = { .str = { NULL, 0 } };
	lex_push_val(lx, m.row->token, val, ln.lo, end);
	lx->last = NULL;
	lx->last_at = lex_span(lx, ln.lo, end);
	lx->last_inline = false;
	lex_head_begin(lx, LEX_SETTING, NULL, ln, end);
}

static void open_top(Lex *lx, LexLine ln)
{
	Str rest = { lx->in.s.p + ln.lo, ln.hi - ln.lo };
	const DeclRow *row;
	if (rest.p[0] == '!') {
		LexMark m = lex_mark(rest);
		if (m.kind == MARK_DIRECTIVE) {
			lx->comment_hi = lx->cache_hi = 0;
			open_setting(lx, ln, m);
			return;
		}
	}
	if (!lex_is_head(lx, ln, PLACE_TOP, &row)) {
		lx->comment_hi = lx->cache_hi = 0;
		lex_unknown(lx, ln);
		return;
	}
	lx->comment_hi = 0;
	if (row->token != T_PROMPT)
		lx->cache_hi = 0;
	LexVal val = { .row = row };
	lex_push_val(lx, row->token, val, ln.lo, ln.lo + row->word.n);
	lx->last = row;
	lx->last_at = lex_span(lx, ln.lo, ln.lo + row->word.n);
	lx->last_inline = false;
	lx->last_ws = STR("  ");
	lex_head_begin(lx, LEX_HEAD, row, ln, ln.lo + row->word.n);
}

void lex_line_step(Lex *lx)
{
	LexLine ln = lex_line_filled(lx, lx->at);
	Str ws = lex_line_ws(lx, ln);
	lx->at = ln.lo;
	if (ln.ws == ln.hi) {
		while (lx->n_block)
			close_block(lx);
		lx->state = LEX_DONE;
		return;
	}
	while (lx->n_block && !is_inside(ws, lx->block[lx->n_block - 1].head_ws))
		close_block(lx);
	if (lx->n_block) {
		if (is_comment(lx, ln))
			lx->at = ln.next;
		else if (entry_indent(lx, ln))
			open_entry(lx, ln);
	} else if (ws.n) {
		lex_stray(lx, ln);
	} else if (is_comment(lx, ln)) {
		note_comment(lx, ln);
	} else {
		open_top(lx, ln);
	}
}
