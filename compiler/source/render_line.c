/*
 * One source line on a terminal: see LineView in render.h. The text comes from strangers: what would
 * move the cursor, turn the direction or show nothing is spelled out, and counted as it is spelled.
 */
#include "compiler/source/render.h"
#include "runtime/base/utf8.h"

#include <stdio.h>

enum { VIEW_CELLS = 112, VIEW_BEFORE = 48, TAB_CELLS = 4 };

typedef struct Glyph {
	size_t n_bytes;
	uint32_t cells;
	char spelled[12];  /* empty: shown as it is */
} Glyph;

static bool is_tag(uint32_t cp)
{
	return cp >= 0xe0000 && cp <= 0xe007f;
}

/* Controls, formats, separators of lines: nothing a terminal should act on. */
static bool is_unshowable(uint32_t cp)
{
	const char *c = utf8_category(cp);
	return c[0] == 'C' || !strcmp(c, "Zl") || !strcmp(c, "Zp");
}

/* A joiner inside an emoji is part of the picture; a format character anywhere else is news. */
static bool cluster_hides(Str cluster, uint32_t first)
{
	bool picture = !strcmp(utf8_category(first), "So");
	for (size_t i = 0; i < cluster.n;) {
		uint32_t cp;
		i += utf8_decode(cluster, i, &cp);
		if (cp == UTF8_BAD || is_tag(cp) || (is_unshowable(cp) && !(picture && cp == 0x200d)))
			return true;
	}
	return false;
}

static Glyph glyph_spelled(uint32_t cp, unsigned char byte, size_t n_bytes)
{
	Glyph g = { .n_bytes = n_bytes };
	int n = cp == UTF8_BAD ? snprintf(g.spelled, sizeof g.spelled, "<%02X>", byte) :
	                         snprintf(g.spelled, sizeof g.spelled, "<U+%04X>", (unsigned)(cp & 0x1fffff));
	g.cells = (uint32_t)n;
	return g;
}

static Glyph glyph_at(Str line, size_t at, uint32_t cell)
{
	unsigned char c = (unsigned char)line.p[at];
	if (c == '\t')
		return (Glyph){ .n_bytes = 1, .cells = TAB_CELLS - cell % TAB_CELLS };
	bool alone = at + 1 == line.n || (unsigned char)line.p[at + 1] < 0x80;
	if (c >= 0x20 && c < 0x7f && alone)
		return (Glyph){ .n_bytes = 1, .cells = 1 };
	uint32_t cp;
	size_t n = utf8_decode(line, at, &cp);
	if (cp == UTF8_BAD || is_unshowable(cp))
		return glyph_spelled(cp, c, n);
	Str cluster = str_sub(line, at, at + utf8_cluster_len(line, at));
	if (cluster_hides(cluster, cp))
		cluster.n = n;
	return (Glyph){ .n_bytes = cluster.n, .cells = (uint32_t)utf8_cluster_width(cluster) };
}

/* A mark that a cut shows takes one cell. */
static uint32_t view_lead(const LineView *v)
{
	return v->from > 0;
}

LineView line_view(Str line, size_t focus)
{
	LineView v = { .line = line };
	size_t at = focus < line.n ? focus : line.n;
	for (int i = 0; i < VIEW_BEFORE && at; i++)
		do
			at--;
		while (at && ((unsigned char)line.p[at] & 0xc0) == 0x80);
	/* A short line is shown whole, wherever the focus is. */
	v.from = line.n <= VIEW_CELLS ? 0 : at;
	v.n_cells = view_lead(&v);
	for (v.to = v.from; v.to < line.n;) {
		Glyph g = glyph_at(line, v.to, v.n_cells);
		if (v.n_cells + g.cells > VIEW_CELLS && line.n > VIEW_CELLS)
			break;
		v.n_cells += g.cells;
		v.to += g.n_bytes;
	}
	v.n_cells += v.to < line.n;
	return v;
}

void line_view_put(Buf *out, const LineView *v)
{
	uint32_t cell = view_lead(v);
	if (v->from)
		buf_lit(out, "\xe2\x80\xa6");
	for (size_t at = v->from; at < v->to;) {
		Glyph g = glyph_at(v->line, at, cell);
		if (v->line.p[at] == '\t')
			buf_fill(out, ' ', g.cells);
		else if (g.spelled[0])
			buf_putz(out, g.spelled);
		else
			buf_put(out, str_sub(v->line, at, at + g.n_bytes));
		cell += g.cells;
		at += g.n_bytes;
	}
	if (v->to < v->line.n)
		buf_lit(out, "\xe2\x80\xa6");
}

uint32_t line_view_cell(const LineView *v, size_t at)
{
	uint32_t cell = view_lead(v);
	size_t i = v->from;
	while (i < v->to && i < at) {
		Glyph g = glyph_at(v->line, i, cell);
		if (i + g.n_bytes > at)
			break;
		cell += g.cells;
		i += g.n_bytes;
	}
	return at < v->from ? 0 : cell;
}

void render_put_shown(Buf *out, Str text)
{
	for (size_t at = 0; at < text.n;) {
		Glyph g = glyph_at(text, at, 0);
		if (text.p[at] == '\t')
			buf_byte(out, ' ');
		else if (g.spelled[0])
			buf_putz(out, g.spelled);
		else
			buf_put(out, str_sub(text, at, at + g.n_bytes));
		at += g.n_bytes;
	}
}
