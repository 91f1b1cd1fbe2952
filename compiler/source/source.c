/*
 * Sources: see source.h. Texts are borrowed unless a CR has to go; line tables are made when the
 * first position in a file is asked for, so that a file without findings never pays for one.
 */
#include "compiler/source/source.h"

#include "compiler/source/diag.h"
#include "runtime/base/utf8.h"

enum { TAB_CELLS = 4, MARK_BYTES = 64 };

/* ---- loading ---------------------------------------------------------------------------------- */

/* note [dropped CR]: of CRLF the CR goes and its place is remembered; a lone CR turns into LF, which
 * moves nothing. */
static Str source_drop_cr(Arena *a, Source *s, Str bytes)
{
	char *out = arena_alloc(a, bytes.n + 1);
	size_t n = 0;
	for (size_t i = 0; i < bytes.n; i++) {
		char c = bytes.p[i];
		if (c == '\r' && i + 1 < bytes.n && bytes.p[i + 1] == '\n') {
			vec_push(a, &s->cr, (uint32_t)n);
			continue;
		}
		out[n++] = c == '\r' ? '\n' : c;
	}
	return (Str){ out, n };
}

static const char *source_why_bad(Str raw, Str text, size_t bad)
{
	bool le = str_starts(raw, STR("\xff\xfe")), be = str_starts(raw, STR("\xfe\xff"));
	if (le || be)
		return "convert it: iconv -f UTF-16 -t UTF-8";
	unsigned char c = (unsigned char)text.p[bad];
	if (!c)
		return "delete it, or look for the program that wrote it: no text holds a NUL";
	if (c == 0xed)
		return "write the character itself: UTF-8 has no halves of a surrogate pair";
	return "save the file as UTF-8; for a Latin-1 file: iconv -f LATIN1 -t UTF-8";
}

static void source_report_bad(Source *s, Diags *d, Str raw, size_t bad)
{
	uint32_t at = s->base + (uint32_t)bad;
	unsigned char c = (unsigned char)s->text.p[bad];
	Diag *g;
	if (!c)
		g = diag_add(d, SD101, (Span){ at, at + 1 }, "a NUL byte, which no text may hold");
	else
		g = diag_add(d, SD101, (Span){ at, at + 1 }, "byte 0x%02X is not valid UTF-8", c);
	diag_help(d, g, "%s", source_why_bad(raw, s->text, bad));
}

static Source *source_full(Sources *ss, Diags *d, Str name)
{
	uint32_t at = ss->end ? ss->end - 1 : 0;
	if (ss->file.n)
		diag_add(d, SD002, (Span){ at, at }, "%.*s does not fit: the sources of one unit hold at most 4 GiB",
		         STR_ARG(name));
	return NULL;
}

Source *source_add(Sources *ss, struct Diags *d, Str name, Str bytes)
{
	if (bytes.n >= UINT32_MAX - 1 - ss->end)
		return source_full(ss, d, name);
	Source *s = arena_new(ss->arena, Source);
	s->name = str_dup(ss->arena, name);
	s->base = ss->end;
	Str text = bytes;
	if (str_starts(text, STR("\xef\xbb\xbf"))) {
		s->bom_bytes = 3;
		text = str_sub(text, 3, text.n);
	}
	if (text.n && memchr(text.p, '\r', text.n))
		text = source_drop_cr(ss->arena, s, text);
	s->text = text.n ? text : STR("");
	ss->end += (uint32_t)text.n + 1;
	vec_push(ss->arena, &ss->file, s);

	size_t bad = utf8_find_bad(s->text);
	const char *nul = bad ? memchr(s->text.p, 0, bad) : NULL;
	if (nul)
		bad = (size_t)(nul - s->text.p);
	s->ok = bad == s->text.n;
	if (!s->ok)
		source_report_bad(s, d, bytes, bad);
	return s;
}

/* ---- places ----------------------------------------------------------------------------------- */

Source *source_of(const Sources *ss, uint32_t off)
{
	if (!ss->file.n)
		return NULL;
	uint32_t lo = 0, hi = ss->file.n;
	while (hi - lo > 1) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (ss->file.v[mid]->base <= off)
			lo = mid;
		else
			hi = mid;
	}
	return ss->file.v[lo];
}

static void source_index_lines(Arena *a, Source *s)
{
	if (s->line.n)
		return;
	vec_push(a, &s->line, 0);
	for (size_t at = 0; at < s->text.n;) {
		const char *lf = memchr(s->text.p + at, '\n', s->text.n - at);
		if (!lf)
			break;
		at = (size_t)(lf - s->text.p) + 1;
		vec_push(a, &s->line, (uint32_t)at);
	}
}

/* Index of the line that holds the offset (in the file). */
static uint32_t source_line_index(const Sources *ss, Source *s, uint32_t at)
{
	source_index_lines(ss->arena, s);
	uint32_t lo = 0, hi = s->line.n;
	while (hi - lo > 1) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (s->line.v[mid] <= at)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

static uint32_t source_clamp(const Source *s, uint32_t off)
{
	uint32_t at = off < s->base ? 0 : off - s->base;
	return at > s->text.n ? (uint32_t)s->text.n : at;
}

uint32_t source_line(const Sources *ss, uint32_t off)
{
	Source *s = source_of(ss, off);
	return s ? source_line_index(ss, s, source_clamp(s, off)) + 1 : 1;
}

/* Bytes of the cluster at at; its cells are added to *cells, which count from the line's start. */
static size_t cluster_step(Str line, size_t at, uint32_t *cells)
{
	unsigned char c = (unsigned char)line.p[at];
	bool alone = c < 0x80 && (at + 1 == line.n || (unsigned char)line.p[at + 1] < 0x80);
	size_t n = alone || c == '\t' ? 1 : utf8_cluster_len(line, at);
	if (c == '\t')
		*cells += TAB_CELLS - *cells % TAB_CELLS;
	else if (alone)
		*cells += c >= 0x20 && c != 0x7f;
	else
		*cells += (uint32_t)utf8_cluster_width(str_sub(line, at, at + n));
	return n;
}

uint32_t source_cells(Str line)
{
	uint32_t cells = 0;
	for (size_t i = 0; i < line.n;)
		i += cluster_step(line, i, &cells);
	return cells;
}

/* Index of the last mark at or before at. */
static uint32_t source_mark_before(const Source *s, uint32_t at)
{
	uint32_t lo = 0, hi = s->mark.n;
	while (hi - lo > 1) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (s->mark.v[mid].at <= at)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

/* The columns at at, on the line that starts at line_lo. */
static ColumnMark source_columns(Arena *a, Source *s, uint32_t line_lo, uint32_t at)
{
	Str before = str_sub(s->text, 0, at);
	if (!s->mark.n || s->mark.v[0].at != line_lo) {
		s->mark.n = 0;
		vec_push(a, &s->mark, (ColumnMark){ .at = line_lo });
	}
	ColumnMark c = s->mark.v[source_mark_before(s, at)];
	while (c.at < at) {
		if (c.at >= s->mark.v[s->mark.n - 1].at + MARK_BYTES)
			vec_push(a, &s->mark, c);
		size_t n = cluster_step(before, c.at, &c.cells);
		Str cluster = str_sub(before, c.at, c.at + n);
		c.code_points += (uint32_t)(n == 1 ? 1 : utf8_count(cluster));
		c.utf16 += (uint32_t)(n == 1 ? 1 : utf8_count_utf16(cluster));
		c.at += (uint32_t)n;
	}
	return c;
}

Position source_position(const Sources *ss, uint32_t off)
{
	Source *s = source_of(ss, off);
	if (!s)
		return (Position){ .line = 1, .col_byte = 1, .col_code_point = 1, .col_utf16 = 1, .col_display = 1 };
	uint32_t at = source_clamp(s, off), i = source_line_index(ss, s, at);
	ColumnMark c = source_columns(ss->arena, s, s->line.v[i], at);
	return (Position){
		.source = s,
		.line = i + 1,
		.col_byte = at - s->line.v[i] + 1,
		.col_code_point = c.code_points + 1,
		.col_utf16 = c.utf16 + 1,
		.col_display = c.cells + 1,
	};
}

Str source_line_text(const Sources *ss, uint32_t off, uint32_t *line_lo)
{
	Source *s = source_of(ss, off);
	if (!s) {
		*line_lo = 0;
		return STR("");
	}
	uint32_t i = source_line_index(ss, s, source_clamp(s, off));
	uint32_t lo = s->line.v[i];
	uint32_t hi = i + 1 < s->line.n ? s->line.v[i + 1] - 1 : (uint32_t)s->text.n;
	*line_lo = s->base + lo;
	return str_sub(s->text, lo, hi);
}

/* The first byte of what the offset's character was: of CRLF, the CR. */
size_t source_raw_offset(const Source *s, uint32_t off)
{
	uint32_t at = source_clamp(s, off), lo = 0, hi = s->cr.n;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (s->cr.v[mid] < at)
			lo = mid + 1;
		else
			hi = mid;
	}
	return (size_t)at + s->bom_bytes + lo;
}

Str source_slice(const Sources *ss, Span sp)
{
	Source *s = source_of(ss, sp.lo);
	return s ? str_sub(s->text, source_clamp(s, sp.lo), source_clamp(s, sp.hi)) : STR("");
}

/* ---- texts made of runs ----------------------------------------------------------------------- */

/* Index of the last run that starts at or before text offset at; n_run when there is none. */
static uint32_t text_run_at(const Text *t, size_t at)
{
	uint32_t lo = 0, hi = t->n_run;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (t->run[mid].text_off <= at)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? lo - 1 : t->n_run;
}

static uint32_t text_source_of_first(const Text *t, size_t at)
{
	uint32_t i = text_run_at(t, at);
	if (i == t->n_run)
		return t->run[0].src_off;
	const TextRun *r = &t->run[i];
	size_t in = at - r->text_off;
	if (in < r->len)
		return r->src_off + (uint32_t)in;
	/* A generated byte: it stands between two runs; the source between them made it. */
	return r->src_off + r->len;
}

static uint32_t text_source_past_last(const Text *t, size_t last)
{
	uint32_t i = text_run_at(t, last);
	if (i == t->n_run)
		return t->run[0].src_off;
	const TextRun *r = &t->run[i];
	size_t in = last - r->text_off;
	if (in < r->len)
		return r->src_off + (uint32_t)in + 1;
	return i + 1 < t->n_run && t->run[i + 1].src_off > r->src_off ? t->run[i + 1].src_off : r->src_off + r->len;
}

Span text_span(const Text *t, size_t lo, size_t hi)
{
	if (!t->n_run)
		return (Span){ 0, 0 };
	if (hi > t->s.n)
		hi = t->s.n;
	if (lo >= hi) {
		/* A point: where the byte at lo starts, or where the last byte ends. */
		uint32_t at = lo < t->s.n ? text_source_of_first(t, lo) :
		              t->s.n      ? text_source_past_last(t, t->s.n - 1) : t->run[0].src_off;
		return (Span){ at, at };
	}
	Span sp = { text_source_of_first(t, lo), text_source_past_last(t, hi - 1) };
	if (sp.hi < sp.lo)
		sp.hi = sp.lo;
	return sp;
}
