/*
 * Formatting by tokens: the lexer runs over the text once more, and each head is written again from
 * its tokens as they were spelled. Lines that are no heads are copied.
 */
#include "compiler/fmt/fmt.h"

#include "grammar/lex.h"
#include "grammar/parse.h"
#include "runtime/base/utf8.h"

typedef struct FmtToken {
	int kind;
	size_t lo, hi;
} FmtToken;

/* A field line that waits for its neighbours: its doc goes into their column. */
typedef struct FmtRow {
	Str left, doc;
} FmtRow;

typedef struct Fmt {
	Lex lx;
	Compiler own;             /* the lexer's findings were reported by the parser; here they are dropped */
	Str s;
	size_t at;                /* first byte not yet written; the start of a line */
	Buf out;
	FmtToken ahead;
	VEC(FmtToken) head;
	VEC(FmtRow) row;
	uint32_t n_block;
	bool is_fields[LEX_DEPTH_MAX + 1];
} Fmt;

static FmtToken next_token(Fmt *f)
{
	LexVal val;
	Span span;
	FmtToken t = f->ahead;
	f->ahead.kind = lex_next(&f->lx, &val, &span);
	f->ahead.lo = span.lo;
	f->ahead.hi = span.hi;
	return t;
}

/* ---- spacing ---- */

static bool is_number(int kind) { return kind == T_INT || kind == T_NUM; }

static bool opens_tight(int prev)
{
	switch (prev) {
	case T_PATH: case T_IN: case T_AND: case T_OR: case T_NOT: case T_WHEN: case T_ROUTE_WHEN: case T_EXPECT:
	case ',': case ':': case '|': case '=': case ')': case ']': case T_ARROW: case T_CMP:
		return false;
	default:
		return true;
	}
}

static bool is_directive(int kind)
{
	return kind == T_D_INCLUDE || kind == T_D_CHAIN || kind == T_D_CUT || kind == T_D_WEIGHT || kind == T_D_ANCHOR;
}

static bool has_space(int before, int prev, int kind)
{
	switch (kind) {
	case ',': case ')': case ']': case ':': case '?': case '.':
		return false;
	case '(':
		return !opens_tight(prev) && prev != '(' && prev != '[';
	case '[':
		return !is_directive(prev) && prev != '[' && prev != '(';
	case T_DOTDOT:
		return !is_number(prev) && prev != '(' && prev != '[';
	case '-':
		if (prev == T_INT && before == T_SLOTS)
			return false;
		break;
	}
	switch (prev) {
	case '(': case '[': case '.': case '-':
		return false;
	case T_DOTDOT:
		return !is_number(kind) && kind != '-';
	default:
		return true;
	}
}

static void put_tokens(Fmt *f, Buf *out, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const FmtToken *t = &f->head.v[i];
		if (i && has_space(i > 1 ? t[-2].kind : 0, t[-1].kind, t->kind))
			buf_byte(out, ' ');
		buf_put(out, str_sub(f->s, t->lo, t->hi));
	}
}

/* ---- lines that are copied ---- */

static size_t line_lo(const Fmt *f, size_t at)
{
	while (at && f->s.p[at - 1] != '\n')
		at--;
	return at;
}

static size_t line_next(const Fmt *f, size_t at)
{
	size_t lf = str_find(f->s, STR("\n"), at);
	return lf < f->s.n ? lf + 1 : f->s.n;
}

static void flush_rows(Fmt *f)
{
	size_t width = 0, n_doc = 0;
	for (uint32_t i = 0; i < f->row.n; i++) {
		size_t w = utf8_width(f->row.v[i].left);
		if (f->row.v[i].doc.n && w > width)
			width = w;
		n_doc += f->row.v[i].doc.n > 0;
	}
	for (uint32_t i = 0; i < f->row.n; i++) {
		const FmtRow *r = &f->row.v[i];
		buf_put(&f->out, r->left);
		if (r->doc.n) {
			buf_fill(&f->out, ' ', width - utf8_width(r->left) + (n_doc > 1 ? 2 : 1));
			buf_put(&f->out, r->doc);
		}
		buf_byte(&f->out, '\n');
	}
	f->row.n = 0;
}

/* Blank lines and comments up to a line's start: runs of blank lines become one. */
static void copy_gap(Fmt *f, size_t to)
{
	if (f->at < to)
		flush_rows(f);
	bool blank_before = !f->out.n;
	while (f->at < to) {
		size_t next = line_next(f, f->at);
		Str line = str_sub(f->s, f->at, next);
		bool blank = !str_trim(line).n;
		if (!blank) {
			buf_put(&f->out, line);
			if (line.p[line.n - 1] != '\n')
				buf_byte(&f->out, '\n');
		} else if (!blank_before) {
			buf_byte(&f->out, '\n');
		}
		blank_before = blank;
		f->at = next;
	}
}

/* A body, from the line behind its head to its last line. */
static void copy_body(Fmt *f, size_t hi)
{
	if (hi <= f->at)
		return;
	buf_put(&f->out, str_sub(f->s, f->at, hi));
	buf_byte(&f->out, '\n');
	f->at = line_next(f, hi);
}

/* ---- heads ---- */

static void skip_body(Fmt *f, int close)
{
	FmtToken t;
	do
		t = next_token(f);
	while (t.kind && t.kind != close);
	if (close == T_END)
		copy_body(f, t.hi);
}

static bool ends_head(int kind)
{
	return !kind || kind == T_EOL || kind == T_BODY || kind == T_INLINE || kind == T_FIELDS || kind == T_DECLS;
}

static bool is_field_doc(const Fmt *f)
{
	uint32_t n = f->head.n;
	return n > 2 && f->n_block && f->is_fields[f->n_block - 1] && f->head.v[n - 1].kind == T_STR
		&& f->head.v[n - 2].kind != '~';
}

static void put_field(Fmt *f, Str indent)
{
	Buf left = { 0 };
	bool doc = is_field_doc(f);
	uint32_t n = f->head.n - doc;
	buf_put(&left, indent);
	put_tokens(f, &left, n);
	FmtRow row = { str_dup(&f->own.arena, buf_str(&left)), { NULL, 0 } };
	if (doc)
		row.doc = str_sub(f->s, f->head.v[n].lo, f->head.v[n].hi);
	vec_push(&f->own.arena, &f->row, row);
	buf_free(&left);
}

/* Opens what follows the head; the head's own line is written already, up to its colon. */
static void put_tail(Fmt *f, FmtToken end)
{
	size_t last = f->head.v[f->head.n - 1].hi;
	switch (end.kind) {
	case T_INLINE: {
		size_t lo = end.hi;
		while (f->s.p[lo] == ' ' || f->s.p[lo] == '\t')
			lo++;
		size_t hi = line_next(f, lo);
		buf_lit(&f->out, ": ");
		buf_put(&f->out, str_sub(f->s, lo, hi));
		if (f->s.p[hi - 1] != '\n')
			buf_byte(&f->out, '\n');
		f->at = hi;
		skip_body(f, T_EOL);
		break;
	}
	case T_BODY:
		buf_lit(&f->out, ":\n");
		f->at = line_next(f, end.lo);
		skip_body(f, T_END);
		break;
	case T_FIELDS: case T_DECLS:
		buf_putz(&f->out, f->head.v[f->head.n - 1].kind == ':' ? "\n" : ":\n");
		f->at = line_next(f, last);
		if (f->n_block <= LEX_DEPTH_MAX)
			f->is_fields[f->n_block++] = end.kind == T_FIELDS;
		break;
	default:
		buf_byte(&f->out, '\n');
		f->at = line_next(f, last);
	}
}

/* Tokens of one head into f->head; gives back the token that ended it. */
static FmtToken read_head(Fmt *f)
{
	f->head.n = 0;
	FmtToken t = next_token(f);
	while (!ends_head(t.kind)) {
		vec_push(&f->own.arena, &f->head, t);
		t = next_token(f);
	}
	return t;
}

static void put_head(Fmt *f)
{
	FmtToken end = read_head(f);
	if (!f->head.n)
		return;
	size_t first = f->head.v[0].lo, last = f->head.v[f->head.n - 1].hi;
	size_t lo = line_lo(f, first);
	if (first < f->at)
		return;  /* the tokens of a cache comment: it is copied as a comment */
	copy_gap(f, lo);
	Str indent = str_sub(f->s, lo, first);
	bool one_line = line_lo(f, last) == lo;
	if (one_line && end.kind == T_EOL && f->n_block && f->is_fields[f->n_block - 1]) {
		put_field(f, indent);
		f->at = line_next(f, last);
		return;
	}
	flush_rows(f);
	buf_put(&f->out, indent);
	if (one_line)
		put_tokens(f, &f->out, f->head.n);
	else
		buf_put(&f->out, str_sub(f->s, first, last));
	put_tail(f, end);
}

static void put_all(Fmt *f)
{
	next_token(f);
	while (f->ahead.kind) {
		if (f->ahead.kind == T_END) {
			flush_rows(f);
			f->n_block -= f->n_block > 0;
			next_token(f);
		} else if (f->ahead.kind == T_FIELDS) {
			flush_rows(f);
			if (f->n_block <= LEX_DEPTH_MAX)
				f->is_fields[f->n_block++] = true;
			next_token(f);
		} else {
			put_head(f);
		}
	}
	flush_rows(f);
	copy_gap(f, f->s.n);
	while (f->out.n > 1 && f->out.p[f->out.n - 1] == '\n' && f->out.p[f->out.n - 2] == '\n')
		f->out.n--;
}

static bool has_error(const Node *n)
{
	for (const Node *k = n->first; k; k = k->next)
		if (k->kind == N_ERROR || (k->first && has_error(k)))
			return true;
	return false;
}

Str fmt_source(Compiler *c, const Source *src, const Node *file)
{
	if (!src->ok || has_error(file))
		return src->text;
	Fmt f = { .s = src->text };
	TextRun run = { 0, 0, (uint32_t)src->text.n };
	compiler_init(&f.own);
	lex_init(&f.lx, &f.own, (Text){ src->text, &run, 1 });
	put_all(&f);
	Str out = str_dup(&c->arena, buf_str(&f.out));
	lex_free(&f.lx);
	buf_free(&f.out);
	compiler_free(&f.own);
	return out;
}
