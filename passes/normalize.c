/*
 * Pass normalize (-O2): lossless clean-up of template text. Line ends are LF since the source was
 * loaded; here invisible defects go: a byte order mark inside a text, and zero-width spaces, word
 * joiners and soft hyphens between ASCII characters, where no script gives them a meaning.
 *
 * Blank runs outside fences go only when the tokens strictly fall, which the vocabulary of the first target
 * proves; without one they are counted in a remark and stay. Text of an `exact` head is never touched.
 *
 * Needs: the IR. Breaks: protected texts are as written (what goes cannot be seen).
 */
#include "compiler/sema/budget.h"
#include "passes/pass_loop.h"
#include "runtime/base/utf8.h"

typedef VEC(TextCut) CutList;

static bool is_ascii_at(Str s, size_t at)
{
	return at >= s.n || (unsigned char)s.p[at] < 0x80;
}

/* The name of the defect at [at, at + n); NULL if it is none. */
static const char *find_defect(Str s, size_t at, uint32_t n, uint32_t cp)
{
	if (cp == 0xFEFF)
		return "a byte order mark";
	const char *name = cp == 0x200B ? "a zero-width space" : cp == 0x2060 ? "a word joiner" : cp == 0xAD ? "a soft hyphen" : NULL;
	bool between_ascii = (at == 0 || is_ascii_at(s, at - 1)) && is_ascii_at(s, at + n);
	return between_ascii ? name : NULL;
}

static void drop_defects(Compiler *c, IrSeg *s, Remarks *r)
{
	CutList cut = { 0 };
	Str text = s->text.s;
	for (size_t at = 0; at < text.n;) {
		uint32_t cp = (unsigned char)text.p[at], n = 1;
		if (cp >= 0x80)
			n = utf8_decode(text, at, &cp);
		const char *name = cp >= 0x80 ? find_defect(text, at, n, cp) : NULL;
		if (name && remark_change(r, text_span(&s->text, at, at + n), n, REMARK_NO_TOKENS, "drops %s (U+%04X)", name, cp))
			vec_push(&c->scratch, &cut, (TextCut){ at, at + n });
		at += n;
	}
	if (cut.n)
		s->text = text_without(&c->arena, &s->text, cut.v, cut.n);
}

/* ---- blank runs ---- */

enum { WINDOW_BYTES = 256 };

typedef struct Blanks {
	uint32_t n;         /* that stay */
	size_t bytes;
	bool in_fence;
	bool is_mid;        /* the text so far ends inside a line */
	uint32_t n_empty;   /* empty lines in a row */
} Blanks;

static bool is_fence(Str line)
{
	Str s = str_trim(line);
	return str_starts(s, STR("```")) || str_starts(s, STR("~~~"));
}

static size_t skip_blanks(Str text, size_t at)
{
	while (at < text.n && (text.p[at] == ' ' || text.p[at] == '\t'))
		at++;
	return at;
}

/* The end of the empty lines that follow each other from at on. */
static size_t skip_empty_lines(Str text, size_t at)
{
	for (size_t lf; (lf = skip_blanks(text, at)) < text.n && text.p[lf] == '\n';)
		at = lf + 1;
	return at;
}

/* The next of the runs from *at on: blanks at line ends beyond Markdown's two, and empty lines beyond one. */
static bool next_blanks(Blanks *b, Str text, size_t *at, TextCut *run)
{
	while (*at < text.n) {
		size_t lo = *at, lf = str_find(text, STR("\n"), lo), end = lf;
		bool is_whole = !b->is_mid && lf < text.n;
		*at = lf + 1;
		b->is_mid = lf == text.n;
		if (is_whole && is_fence(str_sub(text, lo, lf)))
			b->in_fence = !b->in_fence;
		while (end > lo && (text.p[end - 1] == ' ' || text.p[end - 1] == '\t'))
			end--;
		bool is_empty = is_whole && end == lo;
		*run = is_empty ? (TextCut){ lo, lf } : (TextCut){ end + 2, lf };
		if (is_empty && b->n_empty)
			run->hi = *at = skip_empty_lines(text, lo);
		b->n_empty = is_empty ? b->n_empty + 1 : 0;
		if (lf < text.n && run->lo < run->hi && !b->in_fence)
			return true;
	}
	return false;
}

/* Whether the tokens of both texts part there, whatever stands around them. */
static bool is_cut(const Encoder *e, Str x, size_t at_x, Str y, size_t at_y)
{
	return token_cut(e, x, at_x) == at_x && token_cut(e, y, at_y) == at_y;
}

/* Tokens that go with the run [lo, hi) of old, compared between the nearest cuts on both sides; 0 where there are
 * none, and nothing is proved. */
static int64_t tokens_saved(Encoder *e, Str old, Str new, TextCut run)
{
	size_t n = run.hi - run.lo, lo = run.lo, hi = run.hi;
	do
		lo--;
	while (lo && lo < run.lo && !is_cut(e, old, lo, new, lo));
	do
		hi++;
	while (hi < old.n && !is_cut(e, old, hi, new, hi - n));
	if (!lo || lo >= run.lo || hi >= old.n)
		return 0;
	return (int64_t)token_count_behind(e, str_sub(old, lo, hi)) - (int64_t)token_count_behind(e, str_sub(new, lo, hi - n));
}

/* note [one run at a time]: each is judged in the text as the runs before it left it, so that tokens fall with every
 * step and not only on their own. done is that text up to the run. */
static int64_t run_saves(Encoder *e, const Buf *done, Str text, TextCut run)
{
	Buf old = { 0 }, new = { 0 };
	size_t from = done->n > WINDOW_BYTES ? done->n - WINDOW_BYTES : 0;
	size_t to = run.hi + WINDOW_BYTES < text.n ? run.hi + WINDOW_BYTES : text.n;
	while (from < done->n && (done->p[from] & 0xc0) == 0x80)
		from++;
	while (to < text.n && to > run.hi && (text.p[to] & 0xc0) == 0x80)
		to--;
	Str left = str_sub(buf_str(done), from, done->n);
	buf_put(&old, left);
	buf_put(&old, str_sub(text, run.lo, to));
	buf_put(&new, left);
	buf_put(&new, str_sub(text, run.hi, to));
	TextCut at = { left.n, left.n + run.hi - run.lo };
	int64_t saved = left.n ? tokens_saved(e, buf_str(&old), buf_str(&new), at) : 0;
	buf_free(&old);
	buf_free(&new);
	return saved;
}

static void drop_blanks(Compiler *c, Encoder *e, IrSeg *s, Blanks *b, Remarks *r)
{
	CutList cut = { 0 };
	TextCut run;
	Buf done = { 0 };
	Str text = s->text.s;
	size_t from = 0;
	for (size_t at = 0; next_blanks(b, text, &at, &run);) {
		size_t n = run.hi - run.lo;
		if (e)
			buf_put(&done, str_sub(text, from, run.lo));
		from = run.lo;
		int64_t saved = e && !(s->flags & SEG_PROTECTED) ? run_saves(e, &done, text, run) : 0;
		if (saved <= 0) {
			b->n++;
			b->bytes += n;
		} else if (remark_change(r, text_span(&s->text, run.lo, run.hi), (int64_t)n, saved, "drops a blank run")) {
			vec_push(&c->scratch, &cut, run);
			from = run.hi;
		}
	}
	buf_free(&done);
	if (cut.n)
		s->text = text_without(&c->arena, &s->text, cut.v, cut.n);
}

static void note_blanks(Remarks *r, const IrSeg *part, const Blanks *b, const Encoder *e)
{
	if (b->n)
		remark_add(r, REMARK_MISSED, part->span, "keeps %u blank run%s (%zu bytes): %s that tokens fall", b->n, b->n > 1 ? "s" : "", b->bytes,
		           e ? "nothing proves" : "no vocabulary proves");
}

/* One part, [lo, hi): its template text. */
static void normalize_part(Compiler *c, IrPrompt *p, uint32_t lo, uint32_t hi, Encoder *e, Remarks *r)
{
	Blanks blanks = { 0 };
	for (uint32_t i = lo; i < hi; i++) {
		IrSeg *s = &p->seg.v[i];
		if (s->kind != SEG_TEXT || s->flags & SEG_GENERATED) {
			blanks.is_mid |= s->kind != SEG_PART;
			continue;
		}
		drop_defects(c, s, r);
		drop_blanks(c, e, s, &blanks, r);
	}
	note_blanks(r, &p->seg.v[lo], &blanks, e);
}

void pass_normalize(Compiler *c, Ir *ir, Remarks *r)
{
	for (uint32_t i = 0; i < ir->prompt.n; i++) {
		IrPrompt *p = ir->prompt.v[i];
		TokenCounter counter = budget_counter(c, p->p);
		Encoder *e = counter_encoder(&counter);
		for (uint32_t k = 0; k < p->seg.n; k++) {
			IrSeg *s = &p->seg.v[k];
			if (s->kind == SEG_PART && !(s->flags & SEG_EXACT))
				normalize_part(c, p, k, s->partner, e, r);
		}
	}
}
