/* Collecting and ordering findings, colours, and the choice of a renderer: see render.h. */
#include "compiler/source/render.h"

#include <stdlib.h>

void findings_add(Arena *a, Findings *f, const Diags *d)
{
	for (uint32_t i = 0; i < d->list.n; i++) {
		const Diag *g = d->list.v[i];
		Finding *x = vec_add(a, &f->list);
		x->sources = d->sources;
		x->diag = g;
		x->lo = source_position(d->sources, g->span.lo);
		x->hi = source_position(d->sources, g->span.hi);
		x->path = x->lo.source ? x->lo.source->name : STR("");
	}
}

static int finding_place(const Finding *x, const Finding *y)
{
	int c = str_cmp(x->path, y->path);
	if (c)
		return c;
	if (x->lo.line != y->lo.line)
		return x->lo.line < y->lo.line ? -1 : 1;
	if (x->lo.col_byte != y->lo.col_byte)
		return x->lo.col_byte < y->lo.col_byte ? -1 : 1;
	return strcmp(diag_rules[x->diag->id].code, diag_rules[y->diag->id].code);
}

static bool finding_hidden(const Finding *x)
{
	return x->diag->suppressed || x->diag->severity == SEV_OFF;
}

static int finding_order(const void *p, const void *q)
{
	const Finding *x = p, *y = q;
	if (finding_hidden(x) != finding_hidden(y))
		return finding_hidden(x) ? 1 : -1;
	int c = finding_place(x, y);
	if (c)
		return c;
	if (x->hi.line != y->hi.line)
		return x->hi.line < y->hi.line ? -1 : 1;
	if (x->hi.col_byte != y->hi.col_byte)
		return x->hi.col_byte < y->hi.col_byte ? -1 : 1;
	return str_cmp(x->diag->message, y->diag->message);
}

void findings_finish(Findings *f)
{
	if (f->list.n)
		qsort(f->list.v, f->list.n, sizeof *f->list.v, finding_order);
	uint32_t n = 0;
	for (uint32_t i = 0; i < f->list.n; i++) {
		const Finding *x = &f->list.v[i];
		if (n && !finding_order(&f->list.v[n - 1], x))
			continue;
		f->list.v[n++] = *x;
		f->n_suppressed += x->diag->suppressed;
		if (finding_hidden(x))
			continue;
		f->n_shown = n;
		f->n_error += x->diag->severity == SEV_ERROR;
		f->n_warning += x->diag->severity == SEV_WARNING;
		f->n_info += x->diag->severity == SEV_INFO;
	}
	f->list.n = n;
}

void render_findings(Buf *out, const Findings *f, RenderFormat format, Colour colour)
{
	switch (format) {
	case RENDER_FULL: render_full(out, f, colour); break;
	case RENDER_CONCISE: render_concise(out, f, colour); break;
	case RENDER_JSON: render_json(out, f); break;
	case RENDER_JSONL: render_jsonl(out, f); break;
	case RENDER_SARIF: render_sarif(out, f); break;
	case RENDER_GITHUB: render_github(out, f); break;
	}
}

void paint_on(Buf *out, Colour colour, Paint paint)
{
	static const char *const code[] = {
		[PAINT_RED] = "1;31", [PAINT_YELLOW] = "1;33", [PAINT_CYAN] = "1;36",
		[PAINT_BLUE] = "1;34", [PAINT_GREEN] = "32",   [PAINT_BOLD] = "1",
	};
	if (colour == COLOUR_ON)
		buf_printf(out, "\033[%sm", code[paint]);
}

void paint_off(Buf *out, Colour colour)
{
	if (colour == COLOUR_ON)
		buf_lit(out, "\033[0m");
}

Paint paint_of(Severity s)
{
	return s == SEV_ERROR ? PAINT_RED : s == SEV_WARNING ? PAINT_YELLOW : PAINT_CYAN;
}
