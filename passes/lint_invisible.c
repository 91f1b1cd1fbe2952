/*
 * Characters that show nothing: SD102 (invisible, out of context), SD601 (tag characters), SD602
 * (bidirectional controls).
 *
 * note [context]: a joiner is a letter's business in Arabic and Indic scripts, and holds an emoji
 * together; a variation selector follows what it selects; a zero-width space breaks lines where words
 * are written without spaces. Everywhere else they hide. Two joiners in a row are never right.
 */
#include "passes/lint_view.h"
#include "passes/pass_loop.h"
#include "runtime/base/utf8.h"

enum { ZWSP = 0x200b, ZWNJ = 0x200c, ZWJ = 0x200d, LRM = 0x200e, RLM = 0x200f, ALM = 0x61c, BOM = 0xfeff, SHY = 0xad };
enum { LRE = 0x202a, RLE = 0x202b, PDF = 0x202c, LRO = 0x202d, RLO = 0x202e, LRI = 0x2066, FSI = 0x2068, PDI = 0x2069 };
enum { BLACK_FLAG = 0x1f3f4, TAG_FIRST = 0xe0000, TAG_LAST = 0xe007f };

typedef struct InvisibleName {
	uint32_t cp;
	const char *name;
} InvisibleName;

static const InvisibleName invisible_name[] = {
	{ SHY, "soft hyphen" },
	{ 0x34f, "combining grapheme joiner" },
	{ ALM, "Arabic letter mark" },
	{ 0x115f, "Hangul filler" },
	{ 0x1160, "Hangul filler" },
	{ 0x180e, "Mongolian vowel separator" },
	{ ZWSP, "zero-width space" },
	{ ZWNJ, "zero-width non-joiner" },
	{ ZWJ, "zero-width joiner" },
	{ LRM, "left-to-right mark" },
	{ RLM, "right-to-left mark" },
	{ 0x2060, "word joiner" },
	{ 0x2061, "invisible function application" },
	{ 0x2062, "invisible times" },
	{ 0x2063, "invisible separator" },
	{ 0x2064, "invisible plus" },
	{ 0x3164, "Hangul filler" },
	{ BOM, "byte order mark inside the text" },
	{ 0xffa0, "Hangul filler" },
};

static bool is_variation(uint32_t cp)
{
	return (cp >= 0xfe00 && cp <= 0xfe0f) || (cp >= 0xe0100 && cp <= 0xe01ef);
}

/* NULL: cp can be seen, or is another rule's business. */
static const char *invisible_what(uint32_t cp)
{
	for (size_t i = 0; i < sizeof invisible_name / sizeof *invisible_name; i++)
		if (invisible_name[i].cp == cp)
			return invisible_name[i].name;
	if (is_variation(cp))
		return "variation selector";
	return cp >= 0x206a && cp <= 0x206f ? "deprecated format character" : NULL;
}

static bool is_bidi(uint32_t cp)
{
	return (cp >= LRE && cp <= RLO) || (cp >= LRI && cp <= PDI);
}

static bool is_tag(uint32_t cp)
{
	return cp >= TAG_FIRST && cp <= TAG_LAST;
}

/* ---- neighbours ------------------------------------------------------------------------------- */

/* The code point that ends at at; 0 at the start. */
static uint32_t before(Str s, size_t at)
{
	if (!at)
		return 0;
	do
		at--;
	while (at && ((unsigned char)s.p[at] & 0xc0) == 0x80);
	uint32_t cp;
	utf8_decode(s, at, &cp);
	return cp;
}

static uint32_t after(Str s, size_t at)
{
	uint32_t cp = 0;
	if (at < s.n)
		utf8_decode(s, at, &cp);
	return cp;
}

static bool in(uint32_t cp, uint32_t lo, uint32_t hi)
{
	return cp >= lo && cp <= hi;
}

/* Cursive scripts, whose letters join. */
static bool is_cursive(uint32_t cp)
{
	return in(cp, 0x600, 0x7ff) || in(cp, 0x840, 0x8ff) || in(cp, 0x1800, 0x18af) || in(cp, 0xa840, 0xa87f) ||
	       in(cp, 0xfb50, 0xfdff) || in(cp, 0xfe70, 0xfefc) || in(cp, 0x1e900, 0x1e95f);
}

/* Scripts with viramas and conjuncts. */
static bool is_indic(uint32_t cp)
{
	return in(cp, 0x900, 0xdff) || in(cp, 0x1000, 0x109f) || in(cp, 0x1700, 0x17ff) || in(cp, 0x1900, 0x1cff) ||
	       in(cp, 0xa800, 0xa82f) || in(cp, 0xa880, 0xaa7f) || in(cp, 0x11000, 0x11fff);
}

/* Written without spaces between words. */
static bool is_unspaced(uint32_t cp)
{
	return in(cp, 0xe00, 0xfff) || in(cp, 0x1000, 0x109f) || in(cp, 0x1780, 0x17ff) || in(cp, 0x1950, 0x1aaf);
}

static bool is_rtl(uint32_t cp)
{
	return in(cp, 0x590, 0x8ff) || in(cp, 0xfb1d, 0xfdff) || in(cp, 0xfe70, 0xfefc) || in(cp, 0x10800, 0x10fff) ||
	       in(cp, 0x1e800, 0x1efff);
}

static bool is_cjk(uint32_t cp)
{
	return in(cp, 0x2e80, 0x9fff) || in(cp, 0xf900, 0xfaff) || in(cp, 0x20000, 0x3ffff);
}

static bool is_picture(uint32_t cp)
{
	if (cp < 0x80)
		return cp == '#' || cp == '*' || in(cp, '0', '9');
	const char *cat = utf8_category(cp);
	return cat[0] == 'S' || cp == 0x2139 || cp == 0x203c || cp == 0x2049 || cp == 0x3030 || in(cp, 0x1f000, 0x1faff) ||
	       in(cp, 0x24c2, 0x24c2) || in(cp, 0x2190, 0x2bff);
}

/* Both sides of an emoji's joiner: a picture, perhaps with a selector or a skin tone after it. */
static bool joins_pictures(uint32_t prev, uint32_t next)
{
	return (is_picture(prev) || prev == 0xfe0f || in(prev, 0x1f3fb, 0x1f3ff)) && prev >= 0x80 && is_picture(next) &&
	       next >= 0x80;
}

static bool is_in_context(uint32_t cp, uint32_t prev, uint32_t next)
{
	switch (cp) {
	case ZWNJ: return (is_cursive(prev) && is_cursive(next)) || (is_indic(prev) && is_indic(next));
	case ZWJ: return joins_pictures(prev, next) || is_cursive(prev) || is_cursive(next) || is_indic(prev);
	case ZWSP: return is_unspaced(prev) && is_unspaced(next);
	case LRM:
	case RLM:
	case ALM: return is_rtl(prev) || is_rtl(next);
	case 0x34f: return utf8_category(prev)[0] == 'M' || utf8_category(next)[0] == 'M';
	case 0x180e: return in(prev, 0x1800, 0x18af);
	case 0x115f:
	case 0x1160: return in(prev, 0x1100, 0x11ff) || in(next, 0x1100, 0x11ff);
	}
	if (in(cp, 0xfe0e, 0xfe0f))
		return is_picture(prev) || is_cjk(prev);
	if (in(cp, 0xfe00, 0xfe0d))
		return is_cjk(prev) || utf8_category(prev)[0] == 'S' || in(prev, 0x1000, 0x109f);
	return is_variation(cp) && is_cjk(prev);
}

/* ---- SD102 ------------------------------------------------------------------------------------ */

static Str invisible_message(Compiler *c, uint32_t cp, int n)
{
	const char *what = invisible_what(cp);
	if (n > 1)
		return str_fmt(&c->arena, "%d invisible characters in a row, the first a %s (U+%04X)", n, what, (unsigned)cp);
	return str_fmt(&c->arena, "an invisible character: %s (U+%04X)", what, (unsigned)cp);
}

/* All invisible characters from at on; returns their bytes. */
static size_t see_invisible_run(Compiler *c, const LintText *t, size_t at)
{
	size_t end = at;
	uint32_t first = after(t->s, at), cp = first;
	int n = 0;
	while (end < t->s.n && invisible_what(cp)) {
		uint32_t ignored;
		end += utf8_decode(t->s, end, &ignored);
		cp = after(t->s, end);
		n++;
	}
	/* A selector in front of the joiner is how many emoji are spelled. */
	bool spelled = n == 2 && first == 0xfe0f && before(t->s, end) == ZWJ;
	uint32_t prev = before(t->s, at), next = cp;
	if (spelled ? is_picture(prev) && is_picture(next) : n == 1 && is_in_context(first, prev, next))
		return end - at;
	Span span = lint_span(t, at, end);
	Str message = invisible_message(c, first, n);
	Diag *g = diag_add(&c->diags, SD102, span, "%.*s", STR_ARG(message));
	diag_help(&c->diags, g, "delete it: the model reads it as part of the text, people do not see it");
	diag_fix(&c->diags, g, FIX_SAFE, span, STR(""), "delete what is invisible");
	return end - at;
}

/* ---- SD601 ------------------------------------------------------------------------------------ */

/* Flags with a tag sequence that Unicode recommends: the three of emoji-sequences.txt, and the United
 * States' states, which some fonts draw. */
static bool is_flag(const char *tags, size_t n)
{
	static const char *const known[] = { "gbeng", "gbsct", "gbwls" };
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (strlen(known[i]) == n && !memcmp(known[i], tags, n))
			return true;
	return n == 4 && !memcmp(tags, "us", 2) && in((unsigned char)tags[2], 'a', 'z') && in((unsigned char)tags[3], 'a', 'z');
}

static size_t see_tags(Compiler *c, const LintText *t, size_t at)
{
	enum { SHOWN_MAX = 80 };
	char shown[SHOWN_MAX];
	size_t end = at, n = 0;
	uint32_t cp = 0, last = 0;
	while (end < t->s.n && is_tag(after(t->s, end))) {
		end += utf8_decode(t->s, end, &cp);
		if (in(cp, 0xe0020, 0xe007e) && n < SHOWN_MAX)
			shown[n++] = (char)(cp - TAG_FIRST);
		last = cp;
	}
	if (before(t->s, at) == BLACK_FLAG && last == TAG_LAST && is_flag(shown, n))
		return end - at;
	Span span = lint_span(t, at, end);
	Diag *g = diag_add(&c->diags, SD601, span, "tag characters carry text that nobody sees");
	if (n)
		diag_note(&c->diags, g, "it reads: %.*s", (int)n, shown);
	diag_help(&c->diags, g, "delete it, and find out how it came here");
	diag_fix(&c->diags, g, FIX_UNSAFE, span, STR(""), "delete the tag characters");
	return end - at;
}

/* ---- SD602 ------------------------------------------------------------------------------------ */

enum { BIDI_DEPTH = 16 };

typedef struct BidiStack {
	uint32_t opener[BIDI_DEPTH];
	size_t at[BIDI_DEPTH];
	int n;
} BidiStack;

static void report_bidi(Compiler *c, const LintText *t, size_t at, const char *fault)
{
	Span span = lint_span(t, at, at + 3);
	Diag *g = diag_add(&c->diags, SD602, span, "a bidirectional control (U+%04X) %s", (unsigned)after(t->s, at), fault);
	diag_help(&c->diags, g, "delete it: text after it is shown in another order than the model reads it");
	diag_fix(&c->diags, g, FIX_UNSAFE, span, STR(""), "delete the control");
}

static bool has_rtl(Str s)
{
	for (size_t at = utf8_skip_ascii(s, 0); at < s.n;) {
		uint32_t cp;
		at += utf8_decode(s, at, &cp);
		if (is_rtl(cp))
			return true;
	}
	return false;
}

static void bidi_close(Compiler *c, const LintText *t, BidiStack *st, size_t at, bool isolate)
{
	bool opener_is_isolate = st->n && in(st->opener[st->n - 1], LRI, FSI);
	if (!st->n || opener_is_isolate != isolate) {
		report_bidi(c, t, at, "closes nothing");
		return;
	}
	st->n--;
}

/* One line: balanced isolates are what careful programs write around names; balanced embeddings belong
 * around right-to-left words; an override has no use in a prompt. */
static void see_bidi_line(Compiler *c, const LintText *t, size_t lo, size_t hi)
{
	BidiStack st = { .n = 0 };
	bool rtl = has_rtl(str_sub(t->s, lo, hi));
	for (size_t at = utf8_skip_ascii(t->s, lo); at < hi;) {
		uint32_t cp;
		size_t n = utf8_decode(t->s, at, &cp);
		if (cp == LRO || cp == RLO)
			report_bidi(c, t, at, "overrides the order of the letters");
		else if ((cp == LRE || cp == RLE) && !rtl)
			report_bidi(c, t, at, "stands where no right-to-left text is");
		if (cp == PDF || cp == PDI)
			bidi_close(c, t, &st, at, cp == PDI);
		else if (is_bidi(cp) && st.n < BIDI_DEPTH) {
			st.opener[st.n] = cp;
			st.at[st.n++] = at;
		}
		at = utf8_skip_ascii(t->s, at + n);
	}
	for (int i = 0; i < st.n; i++)
		if (st.opener[i] != LRO && st.opener[i] != RLO)
			report_bidi(c, t, st.at[i], "is not closed in its line");
}

/* ---- all three -------------------------------------------------------------------------------- */

static size_t line_end(Str s, size_t at)
{
	const char *lf = memchr(s.p + at, '\n', s.n - at);
	return lf ? (size_t)(lf - s.p) : s.n;
}

static size_t line_start(Str s, size_t at)
{
	while (at && s.p[at - 1] != '\n')
		at--;
	return at;
}

static void see_invisible(Compiler *c, const LintText *t)
{
	size_t bidi_done = 0;
	for (size_t at = utf8_skip_ascii(t->s, 0); at < t->s.n; at = utf8_skip_ascii(t->s, at)) {
		uint32_t cp;
		size_t n = utf8_decode(t->s, at, &cp);
		if (is_bidi(cp) && at >= bidi_done) {
			bidi_done = line_end(t->s, at);
			see_bidi_line(c, t, line_start(t->s, at), bidi_done);
		}
		if (is_tag(cp)) {
			at += see_tags(c, t, at);
		} else if (invisible_what(cp)) {
			at += see_invisible_run(c, t, at);
		} else {
			at += n;
		}
	}
}

void pass_lint_invisible(Compiler *c, Unit *u)
{
	lint_each_text(c, u, see_invisible);
}
