/* Texts that remember their source. See textbuf.h. */
#include "compiler/front/textbuf.h"

#include "compiler/front/parts.h"

void textbuf_free(TextBuf *b)
{
	buf_free(&b->bytes);
}

void textbuf_source(TextBuf *b, Str bytes, uint32_t src_off)
{
	if (!bytes.n)
		return;
	TextRun *last = b->run.n ? &b->run.v[b->run.n - 1] : NULL;
	if (last && last->text_off + last->len == b->bytes.n && last->src_off + last->len == src_off)
		last->len += (uint32_t)bytes.n;
	else
		vec_push(b->arena, &b->run, (TextRun){ (uint32_t)b->bytes.n, src_off, (uint32_t)bytes.n });
	buf_put(&b->bytes, bytes);
}

void textbuf_made(TextBuf *b, Str bytes)
{
	if (!bytes.n)
		return;
	vec_push(b->arena, &b->anchor, (TextAnchor){ (uint32_t)b->bytes.n, b->blame });
	buf_put(&b->bytes, bytes);
}

void textbuf_made_fmt(TextBuf *b, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	Arena scratch = { 0 };
	textbuf_made(b, str_vfmt(&scratch, fmt, ap));
	arena_free(&scratch);
	va_end(ap);
}

/* Index of the first run of t that ends after off. */
static uint32_t first_run(const TextRun *run, uint32_t n, size_t off)
{
	uint32_t lo = 0, hi = n;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		if ((size_t)run[mid].text_off + run[mid].len > off)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

void textbuf_text(TextBuf *b, const Text *t, size_t lo, size_t hi)
{
	for (uint32_t r = first_run(t->run, t->n_run, lo); lo < hi; r++) {
		size_t start = r < t->n_run ? t->run[r].text_off : hi;
		if (start > lo) {
			size_t stop = start < hi ? start : hi;
			textbuf_made(b, str_sub(t->s, lo, stop));
			lo = stop;
		}
		if (lo >= hi)
			return;
		size_t end = (size_t)t->run[r].text_off + t->run[r].len;
		end = end < hi ? end : hi;
		textbuf_source(b, str_sub(t->s, lo, end), t->run[r].src_off + (uint32_t)(lo - start));
		lo = end;
	}
}

Text *textbuf_finish(const TextBuf *b, Arena *a)
{
	Text *t = arena_new(a, Text);
	t->s = str_dup(a, buf_str(&b->bytes));
	t->n_run = b->run.n;
	t->run = arena_dup(a, b->run.v, sizeof *b->run.v * b->run.n);
	return t;
}

/* The place of one byte. */
static Span byte_span(const TextBuf *b, size_t off)
{
	uint32_t r = first_run(b->run.v, b->run.n, off);
	if (r < b->run.n && b->run.v[r].text_off <= off) {
		uint32_t at = b->run.v[r].src_off + (uint32_t)(off - b->run.v[r].text_off);
		return (Span){ at, at + 1 };
	}
	uint32_t lo = 0, hi = b->anchor.n;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (b->anchor.v[mid].text_off > off)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo ? b->anchor.v[lo - 1].span : b->blame;
}

Span textbuf_span(const TextBuf *b, size_t lo, size_t hi)
{
	Span first = byte_span(b, lo);
	if (hi <= lo)
		return (Span){ first.lo, first.lo };
	return span_join(first, byte_span(b, hi - 1));
}

Text *front_text(Arena *a, const Source *src, size_t lo, size_t hi)
{
	Text *t = arena_new(a, Text);
	t->s = str_sub(src->text, lo, hi);
	t->n_run = t->s.n > 0;
	t->run = arena_array(a, TextRun, 1);
	t->run[0] = (TextRun){ 0, src->base + (uint32_t)lo, (uint32_t)t->s.n };
	return t;
}

Text *front_text_sub(Arena *a, const Text *t, size_t lo, size_t hi)
{
	Text *sub = arena_new(a, Text);
	sub->s = str_sub(t->s, lo, hi);
	sub->run = arena_array(a, TextRun, t->n_run + 1);
	for (uint32_t i = 0; i < t->n_run; i++) {
		TextRun r = t->run[i];
		size_t from = r.text_off > lo ? r.text_off : lo;
		size_t to = r.text_off + r.len < hi ? r.text_off + r.len : hi;
		if (from >= to)
			continue;
		sub->run[sub->n_run++] = (TextRun){ (uint32_t)(from - lo),
			r.src_off + (uint32_t)(from - r.text_off), (uint32_t)(to - from) };
	}
	return sub;
}

/* Text byte text_off is source byte src_off: the last run grows, or a new one starts. */
static void run_add_byte(Text *t, size_t text_off, uint32_t src_off)
{
	TextRun *last = t->n_run ? &t->run[t->n_run - 1] : NULL;
	if (last && last->text_off + last->len == text_off && last->src_off + last->len == src_off)
		last->len++;
	else
		t->run[t->n_run++] = (TextRun){ (uint32_t)text_off, src_off, 1 };
}

/* CRLF and CR as LF; runs are cut where a byte goes. */
static Text *normalized(Arena *a, const Text *t)
{
	Text *out = arena_new(a, Text);
	char *p = arena_alloc(a, t->s.n + 1);
	out->run = arena_array(a, TextRun, t->n_run + t->s.n / 2 + 1);
	size_t n = 0;
	uint32_t r = 0;
	for (size_t i = 0; i < t->s.n; i++) {
		char b = t->s.p[i];
		bool crlf = b == '\r' && i + 1 < t->s.n && t->s.p[i + 1] == '\n';
		while (r < t->n_run && t->run[r].text_off + t->run[r].len <= i)
			r++;
		if (crlf)
			continue;
		if (b != '\r' && r < t->n_run && t->run[r].text_off <= i)
			run_add_byte(out, n, t->run[r].src_off + (uint32_t)(i - t->run[r].text_off));
		p[n++] = b == '\r' ? '\n' : b;
	}
	out->s = (Str){ p, n };
	return out;
}

Text *front_checked_text(Compiler *c, Text *t, Span at, CrRule rule)
{
	size_t nul = t->s.n ? str_find(t->s, (Str){ "", 1 }, 0) : 0;
	if (nul < t->s.n)
		diag_add(&c->diags, SD058, text_span(t, nul, nul + 1), "a NUL cannot stand in a prompt");
	size_t cr = str_find(t->s, STR("\r"), 0);
	if (cr == t->s.n)
		return t;
	if (c->normalize)
		return normalized(&c->arena, t);
	if (rule == CR_KEEP)
		return t;
	Span where = text_span(t, cr, cr + 1);
	Diag *g = diag_add(&c->diags, SD057, where.hi > where.lo ? where : at, "a carriage return inside this text");
	diag_help(&c->diags, g, "`seedc import --normalize` reads it as a line feed");
	return t;
}
