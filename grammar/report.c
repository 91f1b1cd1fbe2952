/*
 * Syntax errors in words: what was found, what could stand there, how the declaration is written.
 * The parser calls this once per mistake; where the lexer has reported the head already, it is silent.
 */
#include "grammar/report.h"

enum { LISTED_MAX = 6, WORD_MAX = 64 };

/* The grammar's single characters are named 'x'. */
static void put_symbol(Buf *b, const char *name)
{
	if (name[0] == '\'')
		buf_printf(b, "`%c`", name[1]);
	else
		buf_putz(b, name);
}

/* "`must`, `should`, `may` or `never`"; what only the layout could give is left out. */
static Str list_wanted(Lex *lx, const char *const *want, size_t n)
{
	Buf b = { 0 };
	for (size_t i = 0; i < n && i < LISTED_MAX; i++) {
		buf_putz(&b, !i ? "" : i + 1 == n ? " or " : ", ");
		put_symbol(&b, want[i]);
	}
	if (n > LISTED_MAX)
		buf_putz(&b, " or others");
	Str s = str_dup(&lx->c->arena, buf_str(&b));
	buf_free(&b);
	return s;
}

/* A name stands where any word does: its words are then noise. */
static size_t pick_wanted(const char *const *want, size_t n, const char **out)
{
	bool any_name = false;
	size_t n_out = 0;
	for (size_t i = 0; i < n; i++)
		any_name |= !strcmp(want[i], "a name");
	for (size_t i = 0; i < n && n_out < WORD_MAX; i++) {
		bool word = want[i][0] == '`' && want[i][1] >= 'A' && want[i][1] <= 'z';
		if (!(any_name && word))
			out[n_out++] = want[i];
	}
	return n_out;
}

static Str found_text(Lex *lx, Span at, const char *found)
{
	Str s = source_slice(&lx->c->sources, at);
	if (!s.n || memchr(s.p, '\n', s.n) || found[0] == '`')
		return str_from(found);
	return str_fmt(&lx->c->arena, "`%.*s`", STR_ARG(s));
}

/* The word that was meant, where one of the wanted words is near. */
static void suggest(Lex *lx, Diag *g, Span at, const char *const *want, size_t n)
{
	Str cand[WORD_MAX];
	size_t n_cand = 0;
	for (size_t i = 0; i < n && n_cand < WORD_MAX; i++) {
		size_t len = strlen(want[i]);
		if (len > 4 && want[i][0] == '`' && want[i][1] >= 'a' && want[i][1] <= 'z')
			cand[n_cand++] = (Str){ want[i] + 1, len - 2 };
	}
	diag_did_you_mean(&lx->c->diags, g, at, source_slice(&lx->c->sources, at), cand, n_cand);
}

static bool is_half_version(Str s)
{
	return s.n > 1 && s.p[0] == 'v' && s.p[1] >= '0' && s.p[1] <= '9';
}

static void show_shape(Lex *lx, Diag *g, Span at)
{
	const LexHead *h = &lx->head;
	if (h->row && h->row->node == N_PROMPT && is_half_version(source_slice(&lx->c->sources, at)))
		diag_help(&lx->c->diags, g, "a version has two or three numbers: v1.0, v2.3.1");
	else if (h->row)
		diag_help(&lx->c->diags, g, "it is written `%s`", h->row->shape);
	else if (h->what == LEX_FIELD)
		diag_help(&lx->c->diags, g, "a field is written `name[?]: type \"doc\"`");
}

void gram_report_syntax(Lex *lx, Span at, const char *found, const char *const *want, size_t n_want)
{
	const char *pick[WORD_MAX];
	if (lx->head.reported)
		return;
	lx->head.reported = true;
	size_t n = pick_wanted(want, n_want, pick);
	Str got = found_text(lx, at, found);
	Diag *g;
	if (n)
		g = diag_add(&lx->c->diags, SD030, at, "expected %.*s, found %.*s", STR_ARG(list_wanted(lx, pick, n)), STR_ARG(got));
	else
		g = diag_add(&lx->c->diags, SD030, at, "did not expect %.*s here", STR_ARG(got));
	if (!strcmp(found, "a name"))
		suggest(lx, g, at, want, n_want);
	if (!g->help.n)
		show_shape(lx, g, at);
}

void gram_report_exhausted(Lex *lx, Span at, const char *msg)
{
	diag_add(&lx->c->diags, SD026, at, "%s", msg);
}
