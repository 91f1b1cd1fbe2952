/*
 * Text for people: the full form shows source lines with carets under the cells they mean, labels in
 * reading order, then help, note and fix; the concise form is one line each.
 */
#include "compiler/source/render.h"

void render_concise_line(Buf *out, const Finding *f, Colour colour)
{
	const Diag *g = f->diag;
	render_put_shown(out, f->path);
	buf_printf(out, ":%u:%u: ", f->lo.line, f->lo.col_code_point);
	paint_on(out, colour, paint_of(g->severity));
	buf_putz(out, severity_name(g->severity));
	paint_off(out, colour);
	buf_printf(out, "[%s] ", diag_rules[g->id].code);
	render_put_shown(out, g->message);
}

void render_concise(Buf *out, const Findings *f, Colour colour)
{
	for (uint32_t i = 0; i < f->n_shown; i++) {
		render_concise_line(out, &f->list.v[i], colour);
		buf_byte(out, '\n');
	}
}

/* ---- the full form ---------------------------------------------------------------------------- */

enum { MARKS_MAX = 16 };

/* A place to underline. */
typedef struct Mark {
	Span span;
	Str text;
	const Source *source;
	uint32_t line;
	bool is_primary;
} Mark;

typedef struct Snippet {
	Buf *out;
	const Sources *sources;
	const Diag *diag;
	Colour colour;
	Mark mark[MARKS_MAX];
	int n_mark, gutter;
} Snippet;

static void snippet_mark(Snippet *s, Span span, Str text, bool is_primary)
{
	if (s->n_mark == MARKS_MAX)
		return;
	Mark m = { span, text, source_of(s->sources, span.lo), source_line(s->sources, span.lo), is_primary };
	int at = s->n_mark++;
	/* In reading order; the primary place first on its line. The primary one's file stands first. */
	while (at && m.source == s->mark[at - 1].source && m.line < s->mark[at - 1].line) {
		s->mark[at] = s->mark[at - 1];
		at--;
	}
	s->mark[at] = m;
}

static int digits(uint32_t n)
{
	int d = 1;
	while (n >= 10)
		n /= 10, d++;
	return d;
}

static void snippet_gutter(Snippet *s, uint32_t line)
{
	paint_on(s->out, s->colour, PAINT_BLUE);
	if (line)
		buf_printf(s->out, "%*u |", s->gutter, line);
	else
		buf_printf(s->out, "%*s |", s->gutter, "");
	paint_off(s->out, s->colour);
}

static void snippet_blank(Snippet *s)
{
	snippet_gutter(s, 0);
	buf_byte(s->out, '\n');
}

/* The arrow names the primary place, even where a label stands on an earlier line of that file. */
static void snippet_place(Snippet *s, const Mark *m)
{
	bool is_primary = m->source == source_of(s->sources, s->diag->span.lo);
	Position p = source_position(s->sources, is_primary ? s->diag->span.lo : m->span.lo);
	paint_on(s->out, s->colour, PAINT_BLUE);
	buf_printf(s->out, "%*s%s", s->gutter, "", is_primary ? "--> " : "::: ");
	paint_off(s->out, s->colour);
	render_put_shown(s->out, m->source->name);
	buf_printf(s->out, ":%u:%u\n", p.line, p.col_code_point);
}

static void snippet_underline(Snippet *s, const LineView *v, const Mark *m, uint32_t line_lo)
{
	size_t lo = m->span.lo - line_lo, hi = m->span.hi - line_lo;
	uint32_t from = line_view_cell(v, lo), to = line_view_cell(v, hi > v->line.n ? v->line.n : hi);
	if (to <= from)
		to = from + 1;
	snippet_gutter(s, 0);
	buf_byte(s->out, ' ');
	buf_fill(s->out, ' ', from);
	paint_on(s->out, s->colour, m->is_primary ? paint_of(s->diag->severity) : PAINT_BLUE);
	buf_fill(s->out, m->is_primary ? '^' : '-', to - from);
	if (m->text.n) {
		buf_byte(s->out, ' ');
		render_put_shown(s->out, m->text);
	}
	paint_off(s->out, s->colour);
	buf_byte(s->out, '\n');
}

static void snippet_lines(Snippet *s)
{
	const Mark *prev = NULL;
	for (int i = 0; i < s->n_mark; i++) {
		const Mark *m = &s->mark[i];
		uint32_t line_lo;
		Str line = source_line_text(s->sources, m->span.lo, &line_lo);
		LineView v = line_view(line, m->span.lo - line_lo);
		bool other_file = !prev || prev->source != m->source;
		if (other_file) {
			snippet_place(s, m);
			if (!m->source->text.n)
				continue;
			snippet_blank(s);
		} else if (m->line > prev->line + 1) {
			buf_lit(s->out, "...\n");
		}
		if (other_file || m->line != prev->line || v.from) {
			snippet_gutter(s, m->line);
			if (line.n)
				buf_byte(s->out, ' ');
			line_view_put(s->out, &v);
			buf_byte(s->out, '\n');
		}
		snippet_underline(s, &v, m, line_lo);
		prev = m;
	}
}

/* ---- help, note, fix -------------------------------------------------------------------------- */

static void snippet_note(Snippet *s, const char *what, Str text)
{
	while (text.n) {
		Str line;
		str_line(&text, &line);
		buf_fill(s->out, ' ', (size_t)s->gutter + 1);
		if (what) {
			paint_on(s->out, s->colour, PAINT_BOLD);
			buf_printf(s->out, "= %s:", what);
			paint_off(s->out, s->colour);
		} else {
			buf_lit(s->out, "  ");
		}
		buf_byte(s->out, ' ');
		render_put_shown(s->out, line);
		buf_byte(s->out, '\n');
		what = NULL;
	}
}

/* The line as one edit on it would leave it. */
static void snippet_edited_line(Snippet *s, const DiagEdit *e)
{
	uint32_t line_lo;
	Str line = source_line_text(s->sources, e->span.lo, &line_lo);
	bool on_one_line = e->span.hi <= line_lo + line.n && !memchr(e->text.p, '\n', e->text.n);
	if (e->next || !on_one_line)
		return;
	Buf b = { 0 };
	buf_put(&b, str_sub(line, 0, e->span.lo - line_lo));
	buf_put(&b, e->text);
	buf_put(&b, str_sub(line, e->span.hi - line_lo, line.n));
	LineView v = line_view(buf_str(&b), e->span.lo - line_lo);
	paint_on(s->out, s->colour, PAINT_BLUE);
	buf_printf(s->out, "%*u ", s->gutter, source_line(s->sources, e->span.lo));
	paint_on(s->out, s->colour, PAINT_GREEN);
	buf_lit(s->out, "+ ");
	paint_off(s->out, s->colour);
	line_view_put(s->out, &v);
	buf_byte(s->out, '\n');
	buf_free(&b);
}

static void snippet_fix(Snippet *s)
{
	const Diag *g = s->diag;
	if (!g->fix)
		return;
	const char *what = g->fix_level == FIX_SAFE ? "fix" : "fix (changes what is sent)";
	snippet_note(s, what, g->fix_title);
	snippet_edited_line(s, g->fix);
}

static void render_one(Buf *out, const Finding *f, Colour colour)
{
	const Diag *g = f->diag;
	Snippet s = { .out = out, .sources = f->sources, .diag = g, .colour = colour };
	paint_on(out, colour, paint_of(g->severity));
	buf_printf(out, "%s[%s]", severity_name(g->severity), diag_rules[g->id].code);
	paint_off(out, colour);
	paint_on(out, colour, PAINT_BOLD);
	buf_lit(out, ": ");
	render_put_shown(out, g->message);
	paint_off(out, colour);
	buf_byte(out, '\n');
	if (f->lo.source) {
		snippet_mark(&s, g->span, STR(""), true);
		for (const DiagLabel *l = g->label; l; l = l->next)
			snippet_mark(&s, l->span, l->text, false);
		for (int i = 0; i < s.n_mark; i++)
			if (digits(s.mark[i].line) > s.gutter)
				s.gutter = digits(s.mark[i].line);
		snippet_lines(&s);
	}
	snippet_note(&s, "help", g->help);
	snippet_note(&s, "note", g->note);
	snippet_fix(&s);
	buf_byte(out, '\n');
}

void render_full(Buf *out, const Findings *f, Colour colour)
{
	for (uint32_t i = 0; i < f->n_shown; i++)
		render_one(out, &f->list.v[i], colour);
}
