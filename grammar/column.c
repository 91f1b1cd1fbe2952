/*
 * Lines that stand where no line of theirs may: text at column 0, head words nobody knows, indented
 * lines under a head without a body or under a comment, directives between declarations.
 *
 * One message per run of lines, with the way out; the run is skipped, so that it costs no second error.
 */
#include "grammar/lex.h"

#include "grammar/parse.h"

enum { FIX_LINES_MAX = 200 };

bool lex_is_head(const Lex *lx, LexLine ln, DeclPlace place, const DeclRow **row)
{
	Str rest = { lx->in.s.p + ln.ws, ln.hi - ln.ws };
	size_t n = 0;
	while (n < rest.n && rest.p[n] >= 'a' && rest.p[n] <= 'z')
		n++;
	if (!n || (n < rest.n && !strchr(" \t:", rest.p[n]) && !str_starts(str_sub(rest, n, rest.n), STR("->"))))
		return false;
	*row = decl_find((Str){ rest.p, n }, place);
	return *row != NULL;
}

/* ---- indented lines without a head ---- */

void lex_stray(Lex *lx, LexLine ln)
{
	Diags *d = &lx->c->diags;
	Diag *g;
	if (lx->last && lx->head.row == lx->last && lx->head.reported && !lx->comment_hi) {
		/* the head is what is wrong */
		lex_skip_deeper(lx, (Str){ lx->in.s.p, 0 });
		return;
	}
	if (lx->comment_hi) {
		g = lex_report(lx, SD022, ln.ws, ln.hi, "a comment at column 0 ended the body above; this line is outside it");
		diag_label(d, g, lex_span(lx, lx->comment_lo, lx->comment_hi), "the body ended here");
		diag_help(d, g, "indent the comment as `!#` in a text body, as `#` among fields");
		bool text = lx->last && lx->last->body == BODY_TEXT;
		Str put = str_fmt(&lx->c->arena, "%.*s%s", STR_ARG(lex_line_ws(lx, ln)), text ? "!" : "");
		lex_fix(lx, g, FIX_UNSAFE, lx->comment_lo, lx->comment_lo, put, "indent the comment");
	} else if (lx->last_inline) {
		g = lex_report(lx, SD034, ln.ws, ln.hi, "the text after `:` is this head's whole body");
		diag_label(d, g, lx->last_at, "this head");
		diag_help(d, g, "move that text to a line of its own, indented like this one");
	} else if (lx->last) {
		g = lex_report(lx, SD034, ln.ws, ln.hi, "`%.*s` has no indented lines here", STR_ARG(lx->last->word));
		diag_label(d, g, lx->last_at, "this declaration");
		diag_help(d, g, "it is written `%s`", lx->last->shape);
	} else {
		g = lex_report(lx, SD034, ln.ws, ln.hi, "this indented line belongs to no declaration");
		diag_help(d, g, "write a head above it, such as `role:` or `user:`");
	}
	lx->comment_hi = 0;
	lex_skip_deeper(lx, (Str){ lx->in.s.p, 0 });
}

/* ---- lines at column 0 ---- */

static bool next_is_deeper(const Lex *lx, LexLine ln)
{
	LexLine below = lex_line_filled(lx, ln.next);
	return below.ws < below.hi && below.ws > below.lo;
}

/* Would a reader take the line for a head: one near word, and a colon or an indented line after it? */
static bool looks_like_head(const Lex *lx, LexLine ln, size_t word_n)
{
	const char *p = lx->in.s.p;
	size_t hi = ln.hi;
	while (hi > ln.lo && (p[hi - 1] == ' ' || p[hi - 1] == '\t'))
		hi--;
	return p[hi - 1] == ':' || (ln.lo + word_n < hi && p[ln.lo + word_n] == ':') || next_is_deeper(lx, ln);
}

/* The head that was meant: behind a colon there is a body. */
static const DeclRow *near_head(const Lex *lx, LexLine ln, Str word)
{
	bool colon = ln.lo + word.n < ln.hi && lx->in.s.p[ln.lo + word.n] == ':';
	return colon ? decl_near_with_body(word, PLACE_TOP) : decl_near(word, PLACE_TOP);
}

static bool is_text_line(const Lex *lx, LexLine ln)
{
	const DeclRow *row;
	Str rest = { lx->in.s.p + ln.lo, ln.hi - ln.lo };
	if (ln.ws == ln.hi || rest.p[0] == '#' || (rest.p[0] == '!' && lex_mark(rest).kind != MARK_NONE))
		return false;
	if (ln.ws > ln.lo)
		return true;
	if (lex_is_head(lx, ln, PLACE_TOP, &row))
		return false;
	Str word = { rest.p, lex_name_len(rest) };
	return !(word.n && looks_like_head(lx, ln, word.n) && near_head(lx, ln, word));
}

/* From ln on, which the caller takes for text, to the first line that is none. */
static void text_at_column_0(Lex *lx, LexLine ln)
{
	Diags *d = &lx->c->diags;
	size_t end = ln.hi, n_line = 0;
	bool after_text = lx->last && lx->last->body == BODY_TEXT && !lx->last_inline;
	Diag *g = lex_report(lx, SD011, ln.lo, ln.hi, "text at column 0 belongs to no declaration");
	LexLine at = ln;
	do {
		end = at.hi;
		lx->at = at.next;
		if (after_text && n_line++ < FIX_LINES_MAX)
			lex_fix(lx, g, FIX_SAFE, at.lo, at.lo, lx->last_ws, "indent");
		at = lex_line_filled(lx, at.next);
	} while (is_text_line(lx, at));
	if (n_line > FIX_LINES_MAX)
		g->fix = NULL;
	g->span.hi = lex_span(lx, end, end).lo;
	if (after_text) {
		diag_label(d, g, lx->last_at, "its body is the indented lines");
		diag_help(d, g, "indent the text to make it part of the body above");
	} else {
		diag_help(d, g, "indent it under a head such as `role:` or `user:`; a comment starts with `# `");
	}
}

static const char *place_name(DeclPlace place)
{
	static const char *const name[] = { "at column 0", "inside an example", "inside a route", "inside a test" };
	return name[place];
}

static void unknown_setting(Lex *lx, LexLine ln, LexMark m)
{
	Str cand[16];
	size_t n = 0;
	for (size_t i = 0; i < directive_rows_n && n < 16; i++)
		if (directive_rows[i].place & DIR_TOP)
			cand[n++] = directive_rows[i].word;
	Diag *g = lex_report(lx, SD010, ln.lo, ln.lo + 1 + m.word.n, "unknown directive `!%.*s`", STR_ARG(m.word));
	diag_did_you_mean(&lx->c->diags, g, lex_span(lx, ln.lo + 1, ln.lo + 1 + m.word.n), m.word, cand, n);
	lx->at = ln.next;
}

/* A word that is a head elsewhere, or nearly a head. */
void lex_unknown(Lex *lx, LexLine ln)
{
	Diags *d = &lx->c->diags;
	Str word = { lx->in.s.p + ln.lo, lex_name_len((Str){ lx->in.s.p + ln.lo, ln.hi - ln.lo }) };
	const DeclRow *row = NULL;
	LexMark m = lex_mark((Str){ word.p, ln.hi - ln.lo });
	if (m.kind == MARK_UNKNOWN) {
		unknown_setting(lx, ln, m);
		return;
	}
	if (!word.n || !looks_like_head(lx, ln, word.n)) {
		text_at_column_0(lx, ln);
		return;
	}
	for (DeclPlace p = PLACE_EXAMPLE; p <= PLACE_TEST && !row; p++)
		row = decl_find(word, p);
	const DeclRow *near = row ? NULL : near_head(lx, ln, word);
	Str rest = { word.p + word.n, ln.hi - ln.lo - word.n };
	if (!row && !near && memchr(str_trim(rest).p, ' ', str_trim(rest).n)) {
		text_at_column_0(lx, ln);
		return;
	}
	Diag *g = lex_report(lx, SD010, ln.lo, ln.lo + word.n, row ? "`%.*s` is not a declaration"
		: "unknown declaration `%.*s`", STR_ARG(word));
	if (row)
		diag_help(d, g, "it stands %s", place_name(row->place));
	else if (near)
		diag_did_you_mean(d, g, lex_span(lx, ln.lo, ln.lo + word.n), word, &near->word, 1);
	else
		diag_help(d, g, "if it is text, indent it under a head such as `role:` or `user:`");
	lx->last = near;
	lx->last_at = lex_span(lx, ln.lo, ln.lo + word.n);
	lx->last_inline = false;
	lx->last_ws = STR("  ");
	lx->at = ln.next;
	if (!near) {
		lex_skip_deeper(lx, (Str){ lx->in.s.p, 0 });
		return;
	}
	LexVal val = { .row = near };
	lex_push_val(lx, near->token, val, ln.lo, ln.lo + word.n);
	lex_head_begin(lx, LEX_HEAD, near, ln, ln.lo + word.n);
	lx->head.reported = true;
}

void lex_stray_directive(Lex *lx, LexLine ln, const DirectiveRow *row)
{
	bool opens = row->token == T_D_IF || row->token == T_D_FOR;
	bool told = lx->n_stray_if > 0 && !opens;
	if (opens)
		lx->n_stray_if++;
	else if (told && row->token == T_D_END)
		lx->n_stray_if--;
	lx->at = ln.next;
	if (told)
		return;
	Diag *g = lex_report(lx, SD021, ln.lo, ln.lo + 1 + row->word.n, "`!%.*s` stands inside a body, not between declarations",
		STR_ARG(row->word));
	diag_help(&lx->c->diags, g, "indent it with the text that it governs; `when COND` on a head leaves out a whole part");
}
