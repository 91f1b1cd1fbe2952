/*
 * Directive lines of a body: IF, FOR and INCLUDE become tokens; branches are balanced here, so that
 * the parser never sees one left open, and closed in the column of their opener.
 */
#include "grammar/lex.h"

#include "grammar/parse.h"

static void read_rest(Lex *lx, LexLine ln, int token, size_t end, Str indent)
{
	lex_text_flush(lx);
	LexVal val = { .str = indent };
	lex_push_val(lx, token, val, ln.ws, end);
	lex_head_begin(lx, LEX_DIRECTIVE, NULL, ln, end);
}

static void branch_open(Lex *lx, LexLine ln, LexMark m, size_t end)
{
	LexBody *b = &lx->body;
	if (b->n_branch == LEX_DEPTH_MAX) {
		if (!b->n_over++) {
			Diag *g = lex_report(lx, SD026, ln.ws, ln.hi, "more than %d branches inside one another", LEX_DEPTH_MAX);
			diag_help(&lx->c->diags, g, "move the inner ones to a block and `!INCLUDE` it");
		}
		lx->at = ln.next;
		return;
	}
	Str indent = lex_body_indent(lx, ln, false);
	LexBranch *br = &b->branch[b->n_branch++];
	Str ws = lex_line_ws(lx, ln);
	*br = (LexBranch){ .is_for = m.row->token == T_D_FOR, .opener = lex_span(lx, ln.ws, ln.hi) };
	br->ws = str_sub(ws, lex_ws_common(ws, b->ws), ws.n);
	read_rest(lx, ln, m.row->token, end, indent);
}

static void check_column(Lex *lx, LexLine ln, LexMark m)
{
	LexBody *b = &lx->body;
	LexBranch *br = &b->branch[b->n_branch - 1];
	Str ws = lex_line_ws(lx, ln);
	size_t n = lex_ws_common(ws, b->ws);
	if (n == b->ws.n && str_eq(str_sub(ws, n, ws.n), br->ws))
		return;
	Diag *g = lex_report(lx, SD031, ln.ws, ln.ws + 1 + m.word.n, "`!%.*s` stands in another column than what it belongs to",
		STR_ARG(m.word));
	diag_label(&lx->c->diags, g, br->opener, "opened here");
	Str want = str_fmt(&lx->c->arena, "%.*s%.*s", STR_ARG(b->ws), STR_ARG(br->ws));
	lex_fix(lx, g, FIX_SAFE, ln.lo, ln.ws, want, "move it under its opener");
}

static bool is_else_if(const Lex *lx, LexLine ln, size_t at, size_t *end)
{
	const char *p = lx->in.s.p;
	while (at < ln.hi && (p[at] == ' ' || p[at] == '\t'))
		at++;
	*end = at + 2;
	return at + 2 <= ln.hi && p[at] == 'I' && p[at + 1] == 'F' && (at + 2 == ln.hi || strchr(" \t(", p[at + 2]));
}

static void stray(Lex *lx, LexLine ln, LexMark m, const char *why, const LexBranch *br)
{
	Diag *g = lex_report(lx, SD017, ln.ws, ln.ws + 1 + m.word.n, "%s", why);
	if (br)
		diag_label(&lx->c->diags, g, br->opener, "opened here");
	else
		diag_help(&lx->c->diags, g, "delete it, or write `!!%.*s` to send it as text", STR_ARG(m.word));
	lx->at = ln.next;
}

static void branch_else(Lex *lx, LexLine ln, LexMark m, size_t end)
{
	LexBody *b = &lx->body;
	LexBranch *br = b->n_branch ? &b->branch[b->n_branch - 1] : NULL;
	size_t if_end;
	bool elif = is_else_if(lx, ln, end, &if_end);
	if (!br || br->is_for) {
		stray(lx, ln, m, br ? "`!ELSE` belongs to `!IF`, and a `!FOR` is open" : "there is no `!IF` that this `!ELSE` belongs to", br);
		return;
	}
	if (br->has_else) {
		stray(lx, ln, m, "this `!IF` has its `!ELSE` already", br);
		return;
	}
	check_column(lx, ln, m);
	br->has_else = !elif;
	br->has_extra = false;
	br->extra = (Str){ lx->in.s.p, 0 };
	read_rest(lx, ln, elif ? T_D_ELIF : T_D_ELSE, elif ? if_end : end, br->extra);
}

static void branch_end(Lex *lx, LexLine ln, LexMark m, size_t end)
{
	LexBody *b = &lx->body;
	if (!b->n_branch) {
		stray(lx, ln, m, "there is no `!IF` or `!FOR` that this `!END` closes", NULL);
		return;
	}
	check_column(lx, ln, m);
	b->n_branch--;
	read_rest(lx, ln, T_D_END, end, (Str){ lx->in.s.p, 0 });
}

bool lex_directive_line(Lex *lx, LexLine ln, LexMark m)
{
	LexBody *b = &lx->body;
	size_t end = ln.ws + 1 + m.word.n;
	int token = m.row->token;
	if (b->n_over && (token == T_D_END || token == T_D_ELSE)) {
		b->n_over -= token == T_D_END;
		lx->at = ln.next;
	} else if (token == T_D_IF || token == T_D_FOR) {
		branch_open(lx, ln, m, end);
	} else if (token == T_D_ELSE) {
		branch_else(lx, ln, m, end);
	} else if (token == T_D_END) {
		branch_end(lx, ln, m, end);
	} else if (token == T_D_INCLUDE) {
		read_rest(lx, ln, token, end, lex_body_indent(lx, ln, false));
	} else {
		Diag *g = lex_report(lx, SD021, ln.ws, end, "`!%.*s` stands between declarations, not in a body", STR_ARG(m.word));
		diag_help(&lx->c->diags, g, "move it to column 0; to send it as text write `!!%.*s`", STR_ARG(m.word));
		lx->at = ln.next;
	}
	return true;
}

void lex_body_close_branches(Lex *lx)
{
	LexBody *b = &lx->body;
	Diags *d = &lx->c->diags;
	size_t at = lx->content_hi;
	if (b->fence && b->swallowed.hi) {
		Diag *g = diag_add(d, SD018, b->fence_at, "this fence is never closed and swallows an `!END`");
		diag_label(d, g, b->swallowed, "this `!END` is text");
		diag_help(d, g, "close the fence with %zu %s on a line of their own", b->fence_len,
			b->fence == '`' ? "backticks" : "tildes");
	}
	while (b->n_branch) {
		LexBranch *br = &b->branch[--b->n_branch];
		if (!(b->fence && b->swallowed.hi)) {
			Diag *g = diag_add(d, SD016, br->opener, "this `!%s` has no `!END`", br->is_for ? "FOR" : "IF");
			diag_help(d, g, "write `!END` in the column of its opener, before the body ends");
		}
		lex_push(lx, T_D_END, at, at);
		lex_push(lx, T_EOL, at, at);
	}
}
