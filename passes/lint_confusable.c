/*
 * SD103: a letter of another script inside a word, that looks like a letter of the word's own script.
 *
 * A word is suspicious only if writing the foreign letters as their twins makes all of it one script:
 * formulas (`Δt`, `μm`) and real compounds (`SQLный`) hold letters that have no twin. Greek letters at
 * the edge of a word stand in formulas too (`νmax`) and count only inside it.
 */
#include "passes/lint_view.h"
#include "passes/pass_loop.h"
#include "runtime/base/utf8.h"

typedef struct Confusable {
	uint32_t cp;
	char latin;
} Confusable;

static const Confusable confusable[] = {
#define CONFUSABLE(cp, latin) { cp, latin },
#include "passes/confusable.def"
#undef CONFUSABLE
};

/* The ASCII letter that cp looks like; 0 if none. */
static char latin_twin(uint32_t cp)
{
	size_t lo = 0, hi = sizeof confusable / sizeof *confusable;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (confusable[mid].cp < cp)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < sizeof confusable / sizeof *confusable && confusable[lo].cp == cp ? confusable[lo].latin : 0;
}

static bool is_cyrillic(uint32_t cp)
{
	return cp >= 0x400 && cp <= 0x52f;
}

static bool has_cyrillic_twin(uint32_t cp)
{
	for (size_t i = 0; cp < 0x80 && i < sizeof confusable / sizeof *confusable; i++)
		if (is_cyrillic(confusable[i].cp) && confusable[i].latin == (char)cp)
			return true;
	return false;
}

static bool is_greek(uint32_t cp)
{
	return (cp >= 0x370 && cp <= 0x3ff) || (cp >= 0x1f00 && cp <= 0x1fff);
}

static bool is_latin(uint32_t cp)
{
	if (cp < 0x80)
		return (cp >= 'a' && cp <= 'z') || (cp >= 'A' && cp <= 'Z');
	return (cp >= 0xc0 && cp <= 0x24f && cp != 0xd7 && cp != 0xf7) || (cp >= 0x1e00 && cp <= 0x1eff);
}

static bool is_letter(uint32_t cp)
{
	if (cp < 0x80)
		return is_latin(cp);
	const char *cat = utf8_category(cp);
	return cat[0] == 'L' || cat[0] == 'M';
}

typedef struct Word {
	size_t lo, hi;
	uint32_t n, n_latin, n_cyrillic, n_other;  /* letters by script */
	uint32_t n_twin;         /* letters of another script with a Latin twin */
	uint32_t n_latin_twin;   /* Latin letters with a Cyrillic twin */
	uint32_t n_greek_edge;   /* Greek letters at the word's ends */
} Word;

static size_t word_read(Str s, size_t at, Word *w)
{
	*w = (Word){ .lo = at, .hi = at };
	uint32_t cp, last = 0;
	while (w->hi < s.n) {
		size_t n = utf8_decode(s, w->hi, &cp);
		if (cp == UTF8_BAD || !is_letter(cp))
			break;
		w->hi += n;
		w->n_greek_edge += !w->n && is_greek(cp);
		w->n++;
		w->n_latin += is_latin(cp);
		w->n_cyrillic += is_cyrillic(cp);
		w->n_latin_twin += is_latin(cp) && has_cyrillic_twin(cp);
		bool twin = !is_latin(cp) && latin_twin(cp);
		w->n_twin += twin;
		w->n_other += !is_latin(cp) && !twin;
		last = cp;
	}
	w->n_greek_edge += w->n > 1 && is_greek(last);
	return w->hi;
}

/* The word with every foreign twin written in ASCII. */
static Str word_in_latin(Arena *a, Str word)
{
	char *p = arena_alloc(a, word.n);
	size_t n = 0;
	for (size_t at = 0; at < word.n;) {
		uint32_t cp;
		size_t len = utf8_decode(word, at, &cp);
		char twin = is_latin(cp) ? 0 : latin_twin(cp);
		if (twin)
			p[n++] = twin;
		else
			memcpy(p + n, word.p + at, len), n += len;
		at += len;
	}
	return (Str){ p, n };
}

static void report_mixed(Compiler *c, const LintText *t, const Word *w, bool in_latin)
{
	Str word = str_sub(t->s, w->lo, w->hi);
	Span span = lint_span(t, w->lo, w->hi);
	Diag *g = diag_add(&c->diags, SD103, span, "`%.*s` mixes letters of two scripts that look alike", STR_ARG(word));
	for (size_t at = 0; at < word.n;) {
		uint32_t cp;
		size_t n = utf8_decode(word, at, &cp);
		if (in_latin ? !is_latin(cp) : is_latin(cp)) {
			Span one = lint_span(t, w->lo + at, w->lo + at + n);
			diag_label(&c->diags, g, one, "U+%04X, %s", (unsigned)cp,
			           is_latin(cp) ? "Latin" : is_cyrillic(cp) ? "Cyrillic" : is_greek(cp) ? "Greek" : "not Latin");
		}
		at += n;
	}
	if (!in_latin) {
		diag_help(&c->diags, g, "type the word again in its own alphabet");
		return;
	}
	Str latin = word_in_latin(&c->arena, word);
	diag_help(&c->diags, g, "for the model these are other letters: type the word again");
	diag_fix(&c->diags, g, FIX_UNSAFE, span, latin, "write it in Latin letters");
}

static void see_word(Compiler *c, const LintText *t, const Word *w)
{
	if (w->n < 3 || !w->n_latin || w->n_latin == w->n)
		return;
	bool as_latin = w->n_twin && !w->n_other && w->n_twin > w->n_greek_edge && w->n_latin >= 2;
	bool as_cyrillic = w->n_latin == w->n_latin_twin && w->n_cyrillic + w->n_latin == w->n && w->n_cyrillic > w->n_latin &&
	                   w->n_other >= 2;
	if (as_latin || as_cyrillic)
		report_mixed(c, t, w, as_latin);
}

static void see_confusable(Compiler *c, const LintText *t)
{
	size_t done = 0;
	for (size_t at = utf8_skip_ascii(t->s, 0); at < t->s.n; at = utf8_skip_ascii(t->s, at)) {
		while (at > done && is_latin((unsigned char)t->s.p[at - 1]))
			at--;
		Word w;
		size_t end = word_read(t->s, at, &w);
		if (end == at) {
			uint32_t cp;
			at += utf8_decode(t->s, at, &cp);
			continue;
		}
		see_word(c, t, &w);
		at = done = end;
	}
}

void pass_lint_confusable(Compiler *c, Unit *u)
{
	lint_each_text(c, u, see_confusable);
}
