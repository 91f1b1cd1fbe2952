/*
 * SD101 beyond what loading refuses: control characters, U+FFFD, noncharacters, and text that was
 * decoded twice (mojibake). SD105: blanks that push text out of sight.
 *
 * note [mojibake]: a run of characters that Windows-1252 can write, which as bytes spells one UTF-8
 * character. Two-byte forms count only where the second is a symbol or a C1 control: capital A with a
 * tilde before a curly quote is Portuguese.
 */
#include "passes/lint_view.h"
#include "passes/pass_loop.h"
#include "runtime/base/utf8.h"

enum {
	PAD_COLUMNS = 120, /* blanks in one line with text behind them */
	PAD_LINES = 30,    /* blank lines with text below */
};

/* ---- control characters ----------------------------------------------------------------------- */

/* Tab and LF are text; FF is a page break in much converted text. */
static bool is_control(uint32_t cp)
{
	if (cp < 0x20)
		return cp != '\t' && cp != '\n' && cp != '\f';
	return cp == 0x7f || (cp >= 0x80 && cp < 0xa0);
}

static bool is_nonchar(uint32_t cp)
{
	return (cp & 0xfffe) == 0xfffe || (cp >= 0xfdd0 && cp <= 0xfdef);
}

static void report_invalid(Compiler *c, Span at, uint32_t cp)
{
	if (cp == 0xfffd) {
		Diag *g = diag_add(&c->diags, SD101, at, "U+FFFD stands where a character could not be decoded");
		diag_help(&c->diags, g, "write the character that was lost, or convert the original file again");
		return;
	}
	Diag *g = diag_add(&c->diags, SD101, at, "%s U+%04X in text", is_control(cp) ? "control character" : "noncharacter",
	                   (unsigned)cp);
	diag_help(&c->diags, g, "delete it");
	diag_fix(&c->diags, g, FIX_UNSAFE, at, STR(""), "delete it");
}

/* ---- mojibake --------------------------------------------------------------------------------- */

/* The byte that Windows-1252 (and Latin-1 for its gaps) writes for cp; -1 if none. 0x80..0xff only. */
static int cp1252_byte(uint32_t cp)
{
	static const uint16_t high[32] = {
		0x20ac, 0x81,   0x201a, 0x192,  0x201e, 0x2026, 0x2020, 0x2021, 0x2c6,  0x2030, 0x160,
		0x2039, 0x152,  0x8d,   0x17d,  0x8f,   0x90,   0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
		0x2013, 0x2014, 0x2dc,  0x2122, 0x161,  0x203a, 0x153,  0x9d,   0x17e,  0x178,
	};
	if (cp >= 0x80 && cp <= 0xff)
		return (int)cp;
	for (int i = 0; i < 32; i++)
		if (high[i] == cp)
			return 0x80 + i;
	return -1;
}

/* Bytes of text that the one original character takes now; 0 if there is none at at. */
static size_t mojibake_at(Str s, size_t at, uint32_t first, char original[4])
{
	int lead = first >= 0xc2 && first <= 0xf4 ? (int)first : -1;
	int n = lead < 0 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
	/* Only the leads that European text, punctuation and emoji give; others are letters of their own. */
	if (!n || (n == 2 && first > 0xc3) || (n == 3 && first != 0xe2) || (n == 4 && first != 0xf0))
		return 0;
	size_t i = at;
	uint32_t cp = 0;
	for (int k = 0; k < n; k++) {
		if (i >= s.n)
			return 0;
		i += utf8_decode(s, i, &cp);
		int byte = cp1252_byte(cp);
		if (byte < 0 || (k && (byte < 0x80 || byte > 0xbf)))
			return 0;
		original[k] = (char)byte;
	}
	if (n == 2 && (cp > 0xff || cp == 0xa0))
		return 0;
	uint32_t back;
	return utf8_decode((Str){ original, (size_t)n }, 0, &back) == (uint32_t)n && back != UTF8_BAD ? i - at : 0;
}

static size_t report_mojibake(Compiler *c, const LintText *t, size_t at, uint32_t first)
{
	char original[4];
	size_t n = mojibake_at(t->s, at, first, original);
	if (!n)
		return 0;
	int n_original = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
	Span span = lint_span(t, at, at + n);
	Str now = str_sub(t->s, at, at + n);
	Diag *g = diag_add(&c->diags, SD101, span, "`%.*s` is `%.*s` decoded twice", STR_ARG(now), n_original, original);
	diag_help(&c->diags, g, "the file was read as Windows-1252 and saved as UTF-8; convert the original again");
	diag_fix(&c->diags, g, FIX_UNSAFE, span, (Str){ original, (size_t)n_original }, "write the character that was meant");
	return n;
}

static void see_invalid(Compiler *c, const LintText *t)
{
	for (size_t at = 0; at < t->s.n;) {
		unsigned char b = (unsigned char)t->s.p[at];
		if (b < 0x80) {
			if (is_control(b) && (b || !t->text)) /* a NUL that was escaped is SD058 */
				report_invalid(c, lint_span(t, at, at + 1), b);
			at++;
			continue;
		}
		uint32_t cp;
		size_t n = utf8_decode(t->s, at, &cp);
		size_t moji = cp < 0x100 ? report_mojibake(c, t, at, cp) : 0;
		if (!moji && (is_control(cp) || is_nonchar(cp) || cp == 0xfffd))
			report_invalid(c, lint_span(t, at, at + n), cp);
		at += moji ? moji : n;
	}
}

/* ---- padding ---------------------------------------------------------------------------------- */

/* Bytes of the blank at at, and how many columns it fills; 0 if there is no blank. */
static size_t blank_at(Str s, size_t at, uint32_t *columns)
{
	char b = s.p[at];
	*columns = b == '\t' ? 4 : 1;
	if (b == ' ' || b == '\t')
		return 1;
	if ((unsigned char)b < 0x80)
		return 0;
	uint32_t cp;
	size_t n = utf8_decode(s, at, &cp);
	bool blank = cp == 0xa0 || (cp >= 0x2000 && cp <= 0x200a) || cp == 0x202f || cp == 0x205f || cp == 0x3000 ||
	             cp == 0x2800 || cp == 0x3164;
	return blank ? n : 0;
}

static void pad_in_line(Compiler *c, const LintText *t, size_t lo, Str line)
{
	for (size_t at = 0; at < line.n;) {
		uint32_t columns, width = 0;
		size_t from = at, n;
		while (at < line.n && (n = blank_at(line, at, &columns)))
			at += n, width += columns;
		if (width >= PAD_COLUMNS && at < line.n) {
			Diag *g = diag_add(&c->diags, SD105, lint_span(t, lo + from, lo + at),
			                   "%u blanks push the text behind them out of sight", (unsigned)width);
			diag_help(&c->diags, g, "read what stands at the end of this line, then delete the blanks");
		}
		if (at == from)
			at++;
	}
}

static bool is_blank_line(Str line)
{
	uint32_t columns;
	for (size_t at = 0, n; at < line.n; at += n)
		if (!(n = blank_at(line, at, &columns)))
			return false;
	return true;
}

static void see_padding(Compiler *c, const LintText *t)
{
	size_t blank_lo = 0, lo = 0;
	uint32_t n_blank = 0;
	bool text_above = false;
	for (Str rest = t->s, line; str_line(&rest, &line); lo += line.n + 1) {
		if (is_blank_line(line)) {
			if (!n_blank++)
				blank_lo = lo;
			continue;
		}
		if (n_blank >= PAD_LINES && text_above) {
			Diag *g = diag_add(&c->diags, SD105, lint_span(t, lo, lo + line.n), "%u blank lines push this text out of sight",
			                   (unsigned)n_blank);
			diag_label(&c->diags, g, lint_span(t, blank_lo, blank_lo), "the blank lines start here");
			diag_help(&c->diags, g, "read what stands below them, then delete the blank lines");
		}
		n_blank = 0;
		text_above = true;
		if (line.n >= PAD_COLUMNS / 4)
			pad_in_line(c, t, lo, line);
	}
}

void pass_lint_invalid(Compiler *c, Unit *u)
{
	lint_each_text(c, u, see_invalid);
	lint_each_text(c, u, see_padding);
}
