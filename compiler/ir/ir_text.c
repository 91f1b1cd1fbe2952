/*
 * Text of segments: gathers what templates say and the indents that includes and constraints add to
 * it, with the runs that lead back to the source (language.md 2.7).
 *
 * Rule: a non-blank line begins with the indent of the includes around; a further line of a
 * constraint begins with two blanks more. Values are never indented.
 */
#include "compiler/ir/builder.h"

static void gather_run(Builder *b, TextRun r)
{
	Gather *g = &b->text;
	TextRun *last = g->run.n ? &g->run.v[g->run.n - 1] : NULL;
	if (last && last->text_off + last->len == r.text_off && last->src_off + last->len == r.src_off)
		last->len += r.len;
	else
		vec_push(b->a, &g->run, r);
	Span at = { r.src_off, r.src_off + r.len };
	g->span = g->span.hi ? span_join(g->span, at) : at;
}

static void gather_bytes(Builder *b, Str s)
{
	Gather *g = &b->text;
	vec_reserve(b->a, &g->byte, g->byte.n + (uint32_t)s.n);
	memcpy(g->byte.v + g->byte.n, s.p, s.n);
	g->byte.n += (uint32_t)s.n;
}

/* Bytes [lo, hi) of t; *run is the first run that may cover them and moves on. */
static void gather_slice(Builder *b, const Text *t, size_t lo, size_t hi, uint32_t *run)
{
	uint32_t base = b->text.byte.n;
	for (; *run < t->n_run && t->run[*run].text_off < hi; ++*run) {
		TextRun r = t->run[*run];
		size_t from = r.text_off > lo ? r.text_off : lo, to = (size_t)r.text_off + r.len;
		bool goes_on = to > hi;
		to = goes_on ? hi : to;
		if (from < to)
			gather_run(b, (TextRun){ base + (uint32_t)(from - lo), r.src_off + (uint32_t)(from - r.text_off), (uint32_t)(to - from) });
		if (goes_on)
			break;
	}
	gather_bytes(b, str_sub(t->s, lo, hi));
}

/* Turns `whole` into gathered bytes, before something is added to it. */
static void gather_open(Builder *b)
{
	const Text *t = b->text.whole;
	uint32_t run = 0;
	b->text.whole = NULL;
	if (t)
		gather_slice(b, t, 0, t->s.n, &run);
}

void text_flush(Builder *b)
{
	Gather *g = &b->text;
	if (!g->whole && !g->byte.n)
		return;
	Gather done = *g;
	*g = (Gather){ 0 };
	IrSeg *s = seg_add(b, SEG_TEXT, NULL);
	if (done.whole) {
		s->text = *done.whole;
		s->span = text_span(done.whole, 0, done.whole->s.n);
		return;
	}
	s->text = (Text){ { done.byte.v, done.byte.n }, done.run.v, done.run.n };
	s->span = done.span;
}

void text_put_generated(Builder *b, Str s)
{
	gather_open(b);
	gather_bytes(b, s);
	if (s.n)
		b->at_line_start = s.p[s.n - 1] == '\n';
}

void text_begin_line(Builder *b)
{
	if (!b->at_line_start)
		return;
	if (b->in_item && b->item_started) {
		text_flush(b);
		IrSeg *s = seg_add(b, SEG_TEXT, NULL);
		s->text.s = STR("  ");
		s->flags |= SEG_GENERATED | SEG_CONTINUATION;
	}
	b->item_started = true;
	if (b->indent.n)
		text_put_generated(b, b->indent);
	b->at_line_start = false;
}

static bool is_blank(Str line)
{
	for (size_t i = 0; i < line.n; i++)
		if (line.p[i] != ' ' && line.p[i] != '\t')
			return false;
	return true;
}

/* Lines one by one: those that say something get their indent. */
static void put_lines(Builder *b, const Text *t)
{
	uint32_t run = 0;
	for (size_t lo = 0, hi; lo < t->s.n; lo = hi) {
		size_t lf = str_find(t->s, STR("\n"), lo);
		bool ends = lf < t->s.n;
		hi = ends ? lf + 1 : lf;
		if (!ends || !is_blank(str_sub(t->s, lo, lf)))
			text_begin_line(b);
		gather_open(b);
		gather_slice(b, t, lo, hi, &run);
		b->at_line_start = ends;
	}
}

void text_put(Builder *b, const Text *t)
{
	if (!t || !t->s.n)
		return;
	if (b->indent.n || b->in_item) {
		put_lines(b, t);
		return;
	}
	if (!b->text.whole && !b->text.byte.n) {
		b->text.whole = t;
	} else {
		uint32_t run = 0;
		gather_open(b);
		gather_slice(b, t, 0, t->s.n, &run);
	}
	b->at_line_start = t->s.p[t->s.n - 1] == '\n';
}

const Text *text_drop_first(Arena *a, const Text *t)
{
	Text *out = arena_new(a, Text);
	*out = text_without(a, t, &(TextCut){ 0, 1 }, 1);
	return out;
}
