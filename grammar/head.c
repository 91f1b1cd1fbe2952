/*
 * Token by token: heads, field lines, directives and holes.
 *
 * A head ends with its line, unless a bracket is open that closes further down on deeper lines. Where
 * a text body may follow, the first `:` outside brackets opens it. Whatever is wrong with the bytes of
 * a head is reported here, once per head; the parser then stays silent about it.
 */
#include "grammar/lex.h"

#include "grammar/parse.h"

void lex_head_begin(Lex *lx, LexWhat what, const DeclRow *row, LexLine ln, size_t at)
{
	LexHead *h = &lx->head;
	h->what = what;
	h->row = row;
	h->ws = lex_line_ws(lx, ln);
	h->lo = ln.ws;
	h->at = at;
	h->hi = ln.hi;
	h->n_open = h->n_logic = h->n_token = 0;
	h->prev = row ? row->token : 0;
	h->flags = 0;
	h->unclosed = h->has_file = h->reported = false;
	lx->state = LEX_TOKENS;
}

/* ---- brackets ---- */

/* Does the bracket behind `at` close on this line, or on the deeper lines below? */
static bool bracket_closes(const Lex *lx, size_t at)
{
	const LexHead *h = &lx->head;
	const char *p = lx->in.s.p;
	bool one_line = h->what == LEX_DIRECTIVE || h->what == LEX_HOLE;
	size_t hi = h->hi, depth = 1;
	bool in_str = false;
	for (;; at++) {
		if (at >= hi) {
			LexLine ln = lex_line_filled(lx, hi < lx->in.s.n ? hi + 1 : hi);
			if (one_line || hi >= lx->in.s.n || ln.ws == ln.hi
			    || (h->what != LEX_FRAGMENT && lex_ws_order(lex_line_ws(lx, ln), h->ws) != WS_DEEPER))
				return false;
			at = ln.ws;
			hi = ln.hi;
			in_str = false;
		}
		char b = p[at];
		if (b == '"')
			in_str = !in_str;
		else if (!in_str && (b == '(' || b == '['))
			depth++;
		else if (!in_str && (b == ')' || b == ']') && !--depth)
			return true;
	}
}

/* Stops reading the head: what is left of its line is dropped. */
static void drop_rest(LexHead *h)
{
	h->at = h->hi;
	h->unclosed = true;
	h->reported = true;
}

static void too_deep(Lex *lx, size_t lo, size_t hi, const char *what)
{
	if (!lx->head.reported) {
		Diag *g = lex_report(lx, SD026, lo, hi, "more than %d %s", LEX_DEPTH_MAX, what);
		diag_help(&lx->c->diags, g, "name the inner part: a schema, a block or an enum of its own");
	}
	drop_rest(&lx->head);
}

/* false: one too many, dropped with the rest of the line. */
static bool bracket_open(Lex *lx, size_t lo)
{
	LexHead *h = &lx->head;
	if (h->n_open == LEX_DEPTH_MAX) {
		too_deep(lx, lo, lo + 1, "brackets inside one another");
		return false;
	}
	h->open[h->n_open++] = lo;
	if (h->n_open > 1 || h->unclosed || bracket_closes(lx, lo + 1))
		return true;
	h->unclosed = true;
	if (!h->reported) {
		char open = lx->in.s.p[lo];
		Diag *g = lex_report(lx, SD014, lo, lo + 1, "this `%c` is never closed", open);
		diag_help(&lx->c->diags, g, "close it with `%c` on this line, or on deeper lines below", open == '(' ? ')' : ']');
	}
	h->reported = true;
	return true;
}

static void close_open(Lex *lx)
{
	LexHead *h = &lx->head;
	while (h->n_open) {
		char open = lx->in.s.p[h->open[--h->n_open]];
		lex_push(lx, open == '(' ? ')' : ']', h->hi, h->hi);
	}
}

/* ---- bytes that are no token ---- */

static void stability_help(Lex *lx, Diag *g, const LexToken *tok, Str s)
{
	static const Str word[STAB_COUNT] = { STR_INIT("@static"), STR_INIT("@session"), STR_INIT("@turn") };
	if (str_nearest(s, word, STAB_COUNT))
		diag_did_you_mean(&lx->c->diags, g, lex_span(lx, tok->lo, tok->hi), s, word, STAB_COUNT);
	else
		diag_help(&lx->c->diags, g, "a stability is @static, @session or @turn");
}

static void bad_token(Lex *lx, const LexToken *tok)
{
	LexHead *h = &lx->head;
	Diags *d = &lx->c->diags;
	Diag *g;
	if (h->reported)
		return;
	h->reported = true;
	size_t lo = tok->lo, hi = tok->hi;
	Str s = { lx->in.s.p + lo, hi - lo };
	switch (tok->kind) {
	case T_BAD_STR:
		g = lex_report(lx, SD015, lo, hi, "this string is never closed");
		diag_help(d, g, "close it with `\"` on the same line; a quote inside is written `\"\"`");
		break;
	case T_BAD_NUM:
		g = lex_report(lx, SD029, lo, hi, "`%.*s` is not a number", STR_ARG(s));
		diag_help(d, g, "a number is digits, with one `.` inside or none: 12, 0.5; a time has ms, s, m, h or d after it: 90s");
		break;
	default:
		g = lex_report(lx, SD032, lo, hi, "`%.*s` means nothing here", STR_ARG(s));
		if (s.p[0] == '#')
			diag_help(d, g, "a comment is a line of its own that starts with `#`");
		else if (s.p[0] == '@')
			stability_help(lx, g, tok, s);
		else if (s.p[0] == '\'' || s.p[0] == '`')
			diag_help(d, g, "strings are in double quotes");
	}
}

/* ---- the end of a head ---- */

static void open_body(Lex *lx, size_t colon, LexLine ln)
{
	LexHead *h = &lx->head;
	const DeclRow *row = h->row;
	Span head = lex_span(lx, h->lo, colon);
	if (row->body == BODY_TEXT)
		lex_body_begin(lx, h->ws, colon, ln, h->flags);
	else
		lex_block_open(lx, row->body == BODY_DECLS ? BODY_DECLS : BODY_FIELDS, decl_entries(row), h->ws, ln.next, head);
}

static bool deeper_line_follows(const Lex *lx, LexLine ln)
{
	LexLine below = lex_line_filled(lx, ln.next);
	return below.ws < below.hi && lex_ws_order(lex_line_ws(lx, below), lx->head.ws) == WS_DEEPER;
}

/* The line of a head that has a body is over without a `:`. */
static bool colon_missing(Lex *lx, LexLine ln)
{
	LexHead *h = &lx->head;
	if (!h->row || h->has_file || h->row->body == BODY_NONE || h->row->body == BODY_TYPE || !deeper_line_follows(lx, ln))
		return false;
	size_t end = ln.hi;
	while (end > h->lo && strchr(" \t", lx->in.s.p[end - 1]))
		end--;
	if (!h->reported) {
		Diag *g = lex_report(lx, SD023, end, end, "this head needs a `:` before its body");
		lex_fix(lx, g, FIX_SAFE, end, end, STR(":"), "add `:`");
	}
	open_body(lx, end, (LexLine){ ln.lo, ln.ws, end, ln.next });
	return true;
}

static void end_line(Lex *lx)
{
	LexHead *h = &lx->head;
	LexLine ln = { h->hi, h->hi, h->hi, h->hi < lx->in.s.n ? h->hi + 1 : h->hi };
	close_open(lx);
	if (h->what != LEX_HOLE)
		lx->content_hi = h->hi;
	switch (h->what) {
	case LEX_HEAD:
		if (colon_missing(lx, ln))
			return;
		break;
	case LEX_FIELD:
		lx->block[lx->n_block - 1].may_nest = true;
		break;
	case LEX_HOLE:
		lex_push(lx, T_HOLE_END, h->hi, h->hi + 2);
		lx->state = LEX_TEXT;
		return;
	case LEX_FRAGMENT:
		lx->state = LEX_DONE;
		return;
	case LEX_SETTING: case LEX_DIRECTIVE:
		break;
	}
	lex_push(lx, T_EOL, h->hi, h->hi);
	lx->at = ln.next;
	lx->state = h->what == LEX_DIRECTIVE ? LEX_BODY : LEX_LINE;
}

/* The comment form of `cache`, on the line above `prompt`: the same tokens, after the prompt's. */
static void push_cache_comment(Lex *lx)
{
	size_t lo = lx->cache_lo, hi = lx->cache_hi;
	lx->cache_hi = 0;
	LexToken tok[8];
	size_t at = lo + 1;
	int n = 0;
	const char *p = lx->in.s.p;
	while (n < 8 && at < hi) {
		while (at < hi && strchr(" \t;", p[at]))
			at++;
		if (!lex_scan(lx, &at, hi, &tok[n]))
			break;
		n++;
	}
	bool slots = n == 8 && tok[3].kind == T_NAME && str_is(tok[3].val.str, "slot_hint") && tok[4].kind == ':'
		&& tok[5].kind == T_INT && tok[6].kind == '-' && tok[7].kind == T_INT;
	if (n < 3 || tok[1].kind != ':' || tok[2].kind != T_NAME || (n > 3 && !slots)) {
		Diag *g = lex_report(lx, SD030, lo, hi, "this cache comment is not understood");
		diag_help(&lx->c->diags, g, "write `# cache_domain: NAME; slot_hint: A-B`, or a `cache` declaration");
		return;
	}
	LexVal val = { .row = decl_of_node(N_CACHE) };
	lex_push_val(lx, T_CACHE, val, tok[0].lo, tok[0].hi);
	if (slots)
		tok[3].kind = T_SLOTS;
	for (int i = 2; i < n; i++)
		if (i != 4)
			lex_push_val(lx, tok[i].kind, tok[i].val, tok[i].lo, tok[i].hi);
	lex_push(lx, T_EOL, hi, hi);
}

/* ---- one token ---- */

/* A word is a name, whatever else it means, behind these. */
static bool name_follows(int prev)
{
	switch (prev) {
	case ',': case '(': case '.': case T_ON: case T_BY: case T_FROM: case T_REPLY: case T_CMP: case T_HAS:
	case T_AND: case T_OR: case T_NOT: case T_WHEN: case T_AS:
		return true;
	default:
		return false;
	}
}

static void note_token(Lex *lx, LexToken *tok)
{
	LexHead *h = &lx->head;
	bool is_name = name_follows(h->prev) || (h->row && (int)h->n_token < h->row->n_name);
	switch (tok->kind) {
	case T_RAW:
		h->flags |= is_name ? 0 : NF_RAW;
		break;
	case T_EXACT:
		h->flags |= is_name ? 0 : NF_EXACT;
		break;
	case T_STR:
		h->has_file |= h->prev == T_FILE || (h->prev == T_FROM && h->row && h->row->body != BODY_TEXT);
		break;
	case T_AND: case T_OR:
		if (++h->n_logic > LEX_DEPTH_MAX)
			too_deep(lx, tok->lo, tok->hi, "`and`s and `or`s in one condition");
		break;
	case T_BAD_STR:
		bad_token(lx, tok);
		h->unclosed = true;
		tok->kind = T_STR;
		break;
	case T_BAD_NUM:
		bad_token(lx, tok);
		tok->kind = T_INT;
		tok->val.str = STR("0");
		break;
	}
	h->prev = tok->kind;
	h->n_token++;
}

static bool rest_is_blank(const Lex *lx, size_t at, size_t hi)
{
	return !str_trim((Str){ lx->in.s.p + at, hi - at }).n;
}

/* `:` outside brackets; true when it opened a body. */
static bool colon(Lex *lx, size_t lo)
{
	LexHead *h = &lx->head;
	bool blank = rest_is_blank(lx, lo + 1, h->hi);
	if (h->what != LEX_HEAD || !(h->n_open == 0 || (h->unclosed && blank)))
		return false;
	LexLine ln = { h->lo, h->lo, h->hi, h->hi < lx->in.s.n ? h->hi + 1 : h->hi };
	BodyKind body = h->row->body;
	if (body == BODY_NONE || (body != BODY_TEXT && !blank))
		return false;
	if (body == BODY_TYPE) {
		if (!deeper_line_follows(lx, ln))
			return false;
		lex_push(lx, ':', lo, lo + 1);
	}
	close_open(lx);
	lx->content_hi = lo + 1;
	open_body(lx, lo, ln);
	return true;
}

static int scan(Lex *lx, LexToken *tok)
{
	LexHead *h = &lx->head;
	if (h->row && h->row->token == T_USE && !h->n_token)
		return lex_scan_path(lx, &h->at, h->hi, tok);
	if (h->row && h->row->token == T_TARGET)
		return lex_scan_profile(lx, &h->at, h->hi, tok);
	return lex_scan(lx, &h->at, h->hi, tok);
}

static void next_line(Lex *lx)
{
	LexHead *h = &lx->head;
	LexLine ln = lex_line_filled(lx, h->hi < lx->in.s.n ? h->hi + 1 : h->hi);
	h->at = ln.ws;
	h->hi = ln.hi;
}

void lex_head_step(Lex *lx)
{
	LexHead *h = &lx->head;
	LexToken tok;
	int kind = scan(lx, &tok);
	bool more = h->n_open || (h->what == LEX_FRAGMENT && !rest_is_blank(lx, h->hi, lx->in.s.n));
	if (!kind && more && !h->unclosed) {
		next_line(lx);
		return;
	}
	if (!kind) {
		bool is_prompt = h->row && h->row->token == T_PROMPT;
		end_line(lx);
		if (is_prompt && lx->cache_hi)
			push_cache_comment(lx);
		return;
	}
	if (kind == T_BAD) {
		bad_token(lx, &tok);
		return;
	}
	if (kind == ':' && colon(lx, tok.lo))
		return;
	if ((kind == '(' || kind == '[') && !bracket_open(lx, tok.lo))
		return;
	if ((kind == ')' || kind == ']') && h->n_open)
		h->n_open--;
	note_token(lx, &tok);
	lex_push_val(lx, tok.kind, tok.val, tok.lo, tok.hi);
}
