/*
 * Pass normalize (-O2): lossless clean-up of template text. Line ends are LF since the source was
 * loaded; here invisible defects go: a byte order mark inside a text, and zero-width spaces, word
 * joiners and soft hyphens between ASCII characters, where no script gives them a meaning.
 *
 * Blank runs outside fences may go only when the tokens strictly fall; that needs a vocabulary, so
 * without one they are counted in a remark and stay. Text of an `exact` head is never touched.
 *
 * Needs: the IR. Breaks: protected texts are as written (what goes cannot be seen).
 */
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

typedef struct Blanks {
	uint32_t n;
	size_t bytes;
	bool in_fence;
	uint32_t n_empty;  /* empty lines in a row */
} Blanks;

static bool is_fence(Str line)
{
	Str s = str_trim(line);
	return str_starts(s, STR("```")) || str_starts(s, STR("~~~"));
}

/* Blanks at line ends beyond Markdown's two, and empty lines beyond one. */
static void count_blanks(Blanks *b, Str text)
{
	Str rest = text, line;
	while (str_line(&rest, &line)) {
		if (is_fence(line))
			b->in_fence = !b->in_fence;
		size_t end = line.n;
		while (end && (line.p[end - 1] == ' ' || line.p[end - 1] == '\t'))
			end--;
		size_t spare = end ? (line.n - end > 2 ? line.n - end - 2 : 0) : line.n + (b->n_empty > 0);
		b->n_empty = end ? 0 : b->n_empty + 1;
		if (spare && !b->in_fence) {
			b->n++;
			b->bytes += spare;
		}
	}
}

static void note_blanks(Remarks *r, const IrSeg *part, Blanks *b)
{
	if (b->n)
		remark_add(r, REMARK_MISSED, part->span, "keeps %u blank run%s (%zu bytes): no vocabulary proves that tokens fall", b->n, b->n > 1 ? "s" : "", b->bytes);
	*b = (Blanks){ 0 };
}

/* One part, [lo, hi): its template text. */
static void normalize_part(Compiler *c, IrPrompt *p, uint32_t lo, uint32_t hi, Remarks *r)
{
	Blanks blanks = { 0 };
	for (uint32_t i = lo; i < hi; i++) {
		IrSeg *s = &p->seg.v[i];
		if (s->kind != SEG_TEXT || s->flags & SEG_GENERATED)
			continue;
		drop_defects(c, s, r);
		count_blanks(&blanks, s->text.s);
	}
	note_blanks(r, &p->seg.v[lo], &blanks);
}

void pass_normalize(Compiler *c, Ir *ir, Remarks *r)
{
	for (uint32_t i = 0; i < ir->prompt.n; i++) {
		IrPrompt *p = ir->prompt.v[i];
		for (uint32_t k = 0; k < p->seg.n; k++) {
			IrSeg *s = &p->seg.v[k];
			if (s->kind == SEG_PART && !(s->flags & SEG_EXACT))
				normalize_part(c, p, k, s->partner, r);
		}
	}
}
