/*
 * Text bodies: lines to TEXT tokens as long as they can be, holes, and directives (directive.c).
 *
 * A text line gives its bytes less the body's indent and its own LF. Each byte that stood in the
 * source is in a run; the LF of a last line without one is generated.
 */
#include "grammar/lex.h"

#include "grammar/parse.h"

/* ---- the text being made ---- */

static void run_push(Lex *lx, uint32_t src, size_t n)
{
	if (lx->run.n) {
		TextRun *r = &lx->run.v[lx->run.n - 1];
		if (r->text_off + r->len == lx->text.n && r->src_off + r->len == src) {
			r->len += (uint32_t)n;
			return;
		}
	}
	if (lx->run.n == lx->run.cap) {
		lx->run.cap = lx->run.cap ? lx->run.cap * 2 : 64;
		lx->run.v = mem_must_grow(lx->run.v, lx->run.cap * sizeof *lx->run.v);
	}
	lx->run.v[lx->run.n++] = (TextRun){ (uint32_t)lx->text.n, src, (uint32_t)n };
}

/* The part of the input's runs that [lo, hi) covers, moved to where the text stands now. */
static void run_map(Lex *lx, size_t lo, size_t hi)
{
	const Text *in = &lx->in;
	uint32_t a = 0, b = in->n_run;
	while (a < b) {
		uint32_t mid = a + (b - a) / 2;
		if ((size_t)in->run[mid].text_off + in->run[mid].len <= lo)
			a = mid + 1;
		else
			b = mid;
	}
	size_t text_n = lx->text.n;
	for (; a < in->n_run && in->run[a].text_off < hi; a++) {
		size_t from = in->run[a].text_off > lo ? in->run[a].text_off : lo;
		size_t to = (size_t)in->run[a].text_off + in->run[a].len;
		to = to < hi ? to : hi;
		lx->text.n = text_n + (from - lo);
		run_push(lx, in->run[a].src_off + (uint32_t)(from - in->run[a].text_off), to - from);
	}
	lx->text.n = text_n;
}

void lex_text_add(Lex *lx, size_t lo, size_t hi)
{
	if (lo == hi)
		return;
	if (!lx->text.n)
		lx->text_lo = lo;
	lx->text_hi = hi;
	run_map(lx, lo, hi);
	buf_put(&lx->text, (Str){ lx->in.s.p + lo, hi - lo });
}

/* The LF that ends the line; made where the source has none. */
static void add_lf(Lex *lx, size_t hi)
{
	if (hi < lx->in.s.n) {
		lex_text_add(lx, hi, hi + 1);
		return;
	}
	if (!lx->text.n)
		lx->text_lo = lx->text_hi = hi;
	buf_byte(&lx->text, '\n');
}

void lex_text_flush(Lex *lx)
{
	if (!lx->text.n)
		return;
	Arena *a = &lx->c->arena;
	Text *t = arena_new(a, Text);
	t->s = str_dup(a, buf_str(&lx->text));
	t->n_run = (uint32_t)lx->run.n;
	t->run = lx->run.n ? arena_dup(a, lx->run.v, lx->run.n * sizeof *lx->run.v) : NULL;
	LexVal val = { .text = t };
	size_t hi = lx->text_hi;
	if (hi > lx->text_lo && lx->in.s.p[hi - 1] == '\n')
		hi--;
	lex_push_val(lx, T_TEXT, val, lx->text_lo, hi);
	lx->text.n = 0;
	lx->run.n = 0;
}

/* ---- one text line: escapes and holes ---- */

/* Takes the rest of [lx->at, next) up to the next hole; that hole's tokens come next. */
void lex_text_step(Lex *lx)
{
	const char *p = lx->in.s.p;
	size_t lo = lx->at, hi = lx->body.next, at = lo;
	while (!(lx->body.flags & NF_RAW) && at < hi) {
		const char *brace = memchr(p + at, '{', hi - at);
		if (!brace || (size_t)(brace - p) + 1 >= hi)
			break;
		at = (size_t)(brace - p);
		if (p[at + 1] != '{') {
			at++;
			continue;
		}
		Str rest = { p + at, hi - at };
		if (str_starts(rest, STR("{{{{"))) {
			lex_text_add(lx, lo, at + 2);
			lo = at = at + 4;
			continue;
		}
		size_t n = lex_hole_len(rest);
		if (!n) {
			at++;
			continue;
		}
		lex_text_add(lx, lo, at);
		lex_text_flush(lx);
		lex_push(lx, T_HOLE, at, at + 2);
		lx->at = at + n;
		lex_head_begin(lx, LEX_HOLE, NULL, (LexLine){ at, at, at + n - 2, at + n }, at + 2);
		return;
	}
	lex_text_add(lx, lo, hi);
	if (!(lx->body.flags & NF_INLINE)) {
		add_lf(lx, hi);
		lx->at = hi < lx->in.s.n ? hi + 1 : hi;
		lx->state = LEX_BODY;
		return;
	}
	lex_text_flush(lx);
	if (lx->body.whole) {
		lx->state = LEX_DONE;
		return;
	}
	lex_push(lx, T_EOL, hi, hi);
	lx->at = hi < lx->in.s.n ? hi + 1 : hi;
	lx->state = LEX_LINE;
}

/* ---- lines ---- */

static bool is_inside(Str ws, Str head_ws)
{
	WsOrder order = lex_ws_order(ws, head_ws);
	return order == WS_DEEPER || order == WS_MIXED;
}

static bool is_live_comment(const Lex *lx, LexLine ln)
{
	return !(lx->body.flags & (NF_RAW | NF_EXACT)) && ln.ws + 1 < ln.hi && lx->in.s.p[ln.ws] == '!'
		&& lx->in.s.p[ln.ws + 1] == '#';
}

/* The first line that is more than a comment decides the indent. False: there is none. */
static bool find_indent(Lex *lx, size_t from)
{
	LexBody *b = &lx->body;
	LexLine ln = lex_line_filled(lx, from);
	while (ln.ws < ln.hi && is_live_comment(lx, ln) && is_inside(lex_line_ws(lx, ln), b->head_ws))
		ln = lex_line_filled(lx, ln.next);
	b->ws = lex_line_ws(lx, ln);
	return ln.ws < ln.hi && is_inside(b->ws, b->head_ws);
}

static void body_reset(Lex *lx, unsigned flags)
{
	LexBody *b = &lx->body;
	b->flags = flags;
	b->whole = b->any = false;
	b->blank_lo = SIZE_MAX;
	b->n_branch = b->n_over = 0;
	b->fence = 0;
	b->swallowed = (Span){ 0, 0 };
}

/* Behind a head's colon a directive is text. */
static void warn_inline(Lex *lx, size_t lo, size_t hi)
{
	if (lx->in.s.p[lo] != '!' || lx->body.flags & NF_RAW)
		return;
	LexMark m = lex_mark((Str){ lx->in.s.p + lo, hi - lo });
	if (m.kind != MARK_DIRECTIVE)
		return;
	Diag *g = lex_report(lx, SD019, lo, lo + 1 + m.word.n, "behind a head's `:` `!%.*s` is text", STR_ARG(m.word));
	diag_help(&lx->c->diags, g, "move it to a line of its own under the head");
}

void lex_body_begin(Lex *lx, Str head_ws, size_t colon, LexLine ln, unsigned flags)
{
	LexBody *b = &lx->body;
	body_reset(lx, flags);
	b->head_ws = head_ws;
	b->head = lex_span(lx, lx->head.lo, colon);
	size_t text = colon < ln.hi ? colon + 1 : ln.hi;
	while (text < ln.hi && (lx->in.s.p[text] == ' ' || lx->in.s.p[text] == '\t'))
		text++;
	LexVal val = { .num = (int)flags };
	if (text < ln.hi) {
		val.num |= NF_INLINE;
		b->flags |= NF_INLINE;
		b->next = ln.hi;
		lx->last_inline = true;
		lx->content_hi = ln.hi;
		lx->at = text;
		lx->state = LEX_TEXT;
		warn_inline(lx, text, ln.hi);
		lex_push_val(lx, T_INLINE, val, colon, colon + 1);
		return;
	}
	lex_push_val(lx, T_BODY, val, colon, colon < ln.hi ? colon + 1 : colon);
	lx->at = ln.next;
	lx->state = LEX_BODY;
	if (find_indent(lx, ln.next) && !head_ws.n)
		lx->last_ws = b->ws;
}

void lex_body_fragment(Lex *lx, unsigned flags)
{
	body_reset(lx, flags);
	lx->body.whole = true;
	lx->body.next = lx->in.s.n;
	lx->body.ws = lx->body.head_ws = (Str){ lx->in.s.p, 0 };
	lx->state = flags & NF_INLINE ? LEX_TEXT : LEX_BODY;
}

static void end_body(Lex *lx)
{
	LexBody *b = &lx->body;
	Diags *d = &lx->c->diags;
	lex_text_flush(lx);
	lex_body_close_branches(lx);
	if (b->whole) {
		lx->state = LEX_DONE;
		return;
	}
	if (!b->any && !(b->flags & NF_EXACT)) {
		Diag *g = diag_add(d, SD028, b->head, "this body is empty");
		diag_help(d, g, "indent its text under the head; an empty message is written `exact:` without lines");
	}
	lex_push(lx, T_END, lx->content_hi, lx->content_hi);
	lx->state = LEX_LINE;
}

/* What the line shares with the indent that it should have is taken off. */
static size_t bad_indent(Lex *lx, LexLine ln, Str ws, Str want)
{
	lex_bad_indent(lx, ln, want, lx->body.head, "the body's first line");
	return lex_ws_order(ws, want) == WS_MIXED ? ws.n : lex_ws_common(ws, want);
}

/*
 * Beyond the body's indent a line keeps its white space, less what each open branch's first line has
 * beyond its directive: a branch stands where its directive stands.
 */
Str lex_body_indent(Lex *lx, LexLine ln, bool add)
{
	LexBody *b = &lx->body;
	Str ws = lex_line_ws(lx, ln);
	WsOrder order = lex_ws_order(ws, b->ws);
	size_t from = order == WS_EQUAL || order == WS_DEEPER ? b->ws.n : bad_indent(lx, ln, ws, b->ws);
	Str own = str_sub(ws, from, ws.n);
	Buf keep = { 0 };
	size_t at = 0;
	for (uint32_t i = 0; i < b->n_branch; i++) {
		LexBranch *br = &b->branch[i];
		size_t same = lex_ws_common(own, br->ws);
		if (same > at) {
			if (add)
				lex_text_add(lx, ln.lo + from + at, ln.lo + from + same);
			else
				buf_put(&keep, str_sub(own, at, same));
			at = same;
		}
		Str rest = str_sub(own, at, own.n);
		if (same == br->ws.n && !br->has_extra) {
			br->extra = rest;
			br->has_extra = true;
		}
		size_t off = same == br->ws.n ? lex_ws_common(rest, br->extra) : 0;
		if (same < br->ws.n || off < br->extra.n) {
			Str want = str_fmt(&lx->c->arena, "%.*s%.*s%.*s", STR_ARG(b->ws), STR_ARG(br->ws), STR_ARG(br->extra));
			lex_bad_indent(lx, ln, want, br->opener, "the branch's first line");
			at += off;
			break;
		}
		at += off;
	}
	Str left = str_sub(own, at, own.n);
	if (add) {
		lex_text_add(lx, ln.lo + from + at, ln.ws);
		return left;
	}
	if (!keep.n)
		return left;
	buf_put(&keep, left);
	Str out = str_dup(&lx->c->arena, buf_str(&keep));
	buf_free(&keep);
	return out;
}

/* A blank line inside the body: what it has beyond the indent, and its LF. */
static void add_blank(Lex *lx, LexLine ln)
{
	LexBody *b = &lx->body;
	Str ws = lex_line_ws(lx, ln);
	size_t at = ln.lo;
	if (lex_ws_common(ws, b->ws) == b->ws.n) {
		at += b->ws.n;
		if (b->n_branch) {
			LexBranch *br = &b->branch[b->n_branch - 1];
			size_t cut = b->ws.n + br->ws.n + br->extra.n;
			at = ln.lo + (cut < ws.n ? cut : ws.n);
		}
		lex_text_add(lx, at, ln.ws);
	}
	add_lf(lx, ln.hi);
}

static void take_blanks(Lex *lx, size_t end)
{
	LexBody *b = &lx->body;
	size_t at = b->blank_lo;
	b->blank_lo = SIZE_MAX;
	if (at == SIZE_MAX || (!b->any && !b->whole))
		return;
	while (at < end) {
		LexLine ln = lex_line(lx, at);
		if (b->flags & NF_EXACT && !b->whole) {
			Diag *g = lex_report(lx, SD027, ln.lo, ln.hi, "each line of an exact body starts with `|`");
			lex_fix(lx, g, FIX_SAFE, ln.lo, ln.hi, str_fmt(&lx->c->arena, "%.*s|", STR_ARG(b->ws)), "write `|` for the empty line");
		}
		add_blank(lx, ln);
		at = ln.next;
	}
}

/* ---- kinds of lines ---- */

static void text_line(Lex *lx, LexLine ln, size_t from)
{
	lx->at = from;
	lx->body.next = ln.hi;
	lx->state = LEX_TEXT;
}

static void exact_line(Lex *lx, LexLine ln)
{
	Str ws = lex_line_ws(lx, ln);
	if (lx->in.s.p[ln.ws] != '|') {
		Diag *g = lex_report(lx, SD027, ln.ws, ln.hi, "each line of an exact body starts with `|`");
		lex_fix(lx, g, FIX_SAFE, ln.ws, ln.ws, STR("|"), "add `|`");
		text_line(lx, ln, ln.ws);
		return;
	}
	if (lex_ws_order(ws, lx->body.ws) != WS_EQUAL)
		bad_indent(lx, ln, ws, lx->body.ws);
	text_line(lx, ln, ln.ws + 1);
}

static void warn_fenced(Lex *lx, Span at, Str word)
{
	Diag *g = diag_add(&lx->c->diags, SD019, at, "inside a fence `!%.*s` is text", STR_ARG(word));
	diag_label(&lx->c->diags, g, lx->body.fence_at, "the fence opened here");
}

/* Inside an open fence: only its end means something, and holes. An `!END` that the fence may swallow waits: if
 * nothing closes the fence, that is one mistake (SD018). */
static void fenced_line(Lex *lx, LexLine ln, Str s)
{
	LexBody *b = &lx->body;
	LexMark m = s.p[0] == '!' ? lex_mark(s) : (LexMark){ MARK_NONE, { NULL, 0 }, NULL };
	if (m.kind == MARK_DIRECTIVE || m.kind == MARK_COMMENT) {
		Str word = m.word.n ? m.word : STR("#");
		Span at = lex_span(lx, ln.ws, ln.ws + 1 + word.n);
		if (m.row && m.row->token == T_D_END && b->fence_branch && !b->swallowed.hi)
			b->swallowed = at;
		else
			warn_fenced(lx, at, word);
	}
	if (lex_fence_closes(s, b->fence, b->fence_len)) {
		b->fence = 0;
		if (b->swallowed.hi)
			warn_fenced(lx, b->swallowed, STR("END"));
	}
	lex_body_indent(lx, ln, true);
	text_line(lx, ln, ln.ws);
}

static void open_fence(Lex *lx, LexLine ln, Str s)
{
	LexBody *b = &lx->body;
	b->fence_len = lex_fence_open(s);
	if (!b->fence_len)
		return;
	b->fence = s.p[0];
	b->fence_at = lex_span(lx, ln.ws, ln.hi);
	b->fence_branch = b->n_branch;
	b->swallowed = (Span){ 0, 0 };
}

static void unknown_mark(Lex *lx, LexLine ln, LexMark m)
{
	Str cand[16];
	size_t n = 0;
	for (size_t i = 0; i < directive_rows_n && n < 16; i++)
		cand[n++] = directive_rows[i].word;
	Diag *g = lex_report(lx, SD020, ln.ws, ln.ws + 1 + m.word.n, "`!%.*s` is no directive and is sent as text", STR_ARG(m.word));
	diag_did_you_mean(&lx->c->diags, g, lex_span(lx, ln.ws + 1, ln.ws + 1 + m.word.n), m.word, cand, n);
}

static void live_line(Lex *lx, LexLine ln)
{
	Str s = { lx->in.s.p + ln.ws, ln.hi - ln.ws };
	size_t from = ln.ws;
	if (lx->body.fence) {
		fenced_line(lx, ln, s);
		return;
	}
	if (s.p[0] == '!') {
		LexMark m = lex_mark(s);
		if (m.kind == MARK_DIRECTIVE && lex_directive_line(lx, ln, m))
			return;
		if (m.kind == MARK_UNKNOWN)
			unknown_mark(lx, ln, m);
		from += m.kind == MARK_ESCAPE;
	} else if (s.p[0] == '`' || s.p[0] == '~') {
		open_fence(lx, ln, s);
	}
	lex_body_indent(lx, ln, true);
	text_line(lx, ln, from);
}

/* A fragment keeps every line, and text that ends in LF has one more, empty line behind it. */
static void end_fragment(Lex *lx)
{
	take_blanks(lx, lx->in.s.n);
	if (!lx->in.s.n || lx->in.s.p[lx->in.s.n - 1] == '\n')
		add_lf(lx, lx->in.s.n);
	end_body(lx);
}

void lex_body_step(Lex *lx)
{
	LexBody *b = &lx->body;
	LexLine ln = lex_line(lx, lx->at);
	if (ln.next == ln.lo) {
		if (b->whole)
			end_fragment(lx);
		else
			end_body(lx);
		return;
	}
	if (ln.ws == ln.hi) {
		if (b->blank_lo == SIZE_MAX)
			b->blank_lo = ln.lo;
		lx->at = ln.next;
		return;
	}
	if (!b->whole && !is_inside(lex_line_ws(lx, ln), b->head_ws)) {
		end_body(lx);
		return;
	}
	take_blanks(lx, ln.lo);
	b->any = true;
	lx->content_hi = ln.hi;
	if (b->flags & NF_EXACT && !b->whole) {
		exact_line(lx, ln);
	} else if (b->flags & (NF_RAW | NF_EXACT)) {
		lex_body_indent(lx, ln, true);
		text_line(lx, ln, ln.ws);
	} else if (!b->fence && is_live_comment(lx, ln)) {
		lx->at = ln.next;
	} else {
		live_line(lx, ln);
	}
}
