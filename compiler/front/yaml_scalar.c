/*
 * The text of YAML scalars, byte by byte from the source: folding, escapes, block indentation and
 * chomping as YAML 1.2 says, with LF as the only line end. libyaml has accepted the scalar before.
 *
 * Invariant: for sources without NEL, U+2028 and U+2029 the result equals libyaml's value (tested).
 */
#include "compiler/front/textbuf.h"
#include "compiler/front/yaml_tree.h"
#include "runtime/base/utf8.h"

typedef struct Scan {
	TextBuf out;
	Str s;          /* the scalar's bytes */
	uint32_t base;
	size_t at;
} Scan;

static bool is_blank(char b)
{
	return b == ' ' || b == '\t';
}

static void keep(Scan *sc, size_t lo, size_t hi)
{
	textbuf_source(&sc->out, str_sub(sc->s, lo, hi), sc->base + (uint32_t)lo);
}

/* A line end inside a flow scalar: at stands on the blanks before the LF. One break is a space, more
 * are as many LFs less one. */
static void fold_breaks(Scan *sc, bool escaped)
{
	size_t n_lf = 0;
	while (sc->at < sc->s.n && (is_blank(sc->s.p[sc->at]) || sc->s.p[sc->at] == '\n')) {
		if (sc->s.p[sc->at] == '\n') {
			if (n_lf++)
				keep(sc, sc->at, sc->at + 1);
		}
		sc->at++;
	}
	if (n_lf == 1 && !escaped)
		textbuf_made(&sc->out, STR(" "));
}

/* Blanks at `at` are kept if text follows them, and folded with the line ends they stand before. True
 * if there was either. */
static bool scan_space(Scan *sc)
{
	size_t i = sc->at;
	while (i < sc->s.n && is_blank(sc->s.p[i]))
		i++;
	if (i < sc->s.n && sc->s.p[i] == '\n') {
		fold_breaks(sc, false);
		return true;
	}
	keep(sc, sc->at, i);
	bool any = i > sc->at;
	sc->at = i;
	return any;
}

static void scan_plain(Scan *sc)
{
	while (sc->at < sc->s.n) {
		if (scan_space(sc))
			continue;
		keep(sc, sc->at, sc->at + 1);
		sc->at++;
	}
}

static void scan_single(Scan *sc)
{
	size_t end = sc->s.n - 1;
	sc->at = 1;
	while (sc->at < end) {
		if (scan_space(sc))
			continue;
		keep(sc, sc->at, sc->at + 1);
		sc->at += sc->s.p[sc->at] == '\'' ? 2 : 1;
	}
}

static uint32_t hex_value(Str digits)
{
	uint32_t v = 0;
	for (size_t i = 0; i < digits.n; i++) {
		char d = digits.p[i];
		v = v * 16 + (uint32_t)(d <= '9' ? d - '0' : (d | 32) - 'a' + 10);
	}
	return v;
}

/* The code point of the escape whose letter stands at at; *len its bytes after the backslash. */
static uint32_t escape_value(const Scan *sc, size_t *len)
{
	static const struct { char letter; uint32_t cp; } table[] = {
		{ '0', 0 }, { 'a', 7 }, { 'b', 8 }, { 't', 9 }, { '\t', 9 }, { 'n', 10 }, { 'v', 11 },
		{ 'f', 12 }, { 'r', 13 }, { 'e', 27 }, { ' ', ' ' }, { '"', '"' }, { '/', '/' }, { '\\', '\\' },
		{ 'N', 0x85 }, { '_', 0xA0 }, { 'L', 0x2028 }, { 'P', 0x2029 },
	};
	char letter = sc->s.p[sc->at + 1];
	*len = 1;
	size_t n_hex = letter == 'x' ? 2 : letter == 'u' ? 4 : letter == 'U' ? 8 : 0;
	if (n_hex) {
		*len += n_hex;
		return hex_value(str_sub(sc->s, sc->at + 2, sc->at + 2 + n_hex));
	}
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (table[i].letter == letter)
			return table[i].cp;
	return 0xFFFD;
}

static void scan_escape(Scan *sc)
{
	size_t len;
	char utf8[4];
	uint32_t cp = escape_value(sc, &len);
	uint32_t at = sc->base + (uint32_t)sc->at;
	sc->out.blame = (Span){ at, at + 1 + (uint32_t)len };
	textbuf_made(&sc->out, (Str){ utf8, utf8_encode(cp, utf8) });
	sc->at += 1 + len;
}

static void scan_double(Scan *sc)
{
	size_t end = sc->s.n - 1;
	sc->at = 1;
	while (sc->at < end) {
		if (sc->s.p[sc->at] == '\\' && sc->s.p[sc->at + 1] == '\n') {
			sc->at++;
			fold_breaks(sc, true);
		} else if (sc->s.p[sc->at] == '\\') {
			scan_escape(sc);
		} else if (!scan_space(sc)) {
			keep(sc, sc->at, sc->at + 1);
			sc->at++;
		}
	}
}

typedef enum Chomp { CHOMP_STRIP, CHOMP_CLIP, CHOMP_KEEP } Chomp;

/* The header line `|2-  # why`; returns the indentation indicator or 0. */
static int scan_header(Scan *sc, Chomp *chomp)
{
	int increment = 0;
	*chomp = CHOMP_CLIP;
	sc->at = 1;
	while (sc->at < sc->s.n && sc->s.p[sc->at] != '\n') {
		char b = sc->s.p[sc->at];
		if (b == '-' || b == '+')
			*chomp = b == '-' ? CHOMP_STRIP : CHOMP_KEEP;
		else if (b >= '1' && b <= '9')
			increment = b - '0';
		else
			break;
		sc->at++;
	}
	while (sc->at < sc->s.n && sc->s.p[sc->at] != '\n')
		sc->at++;
	sc->at += sc->at < sc->s.n;
	return increment;
}

static size_t spaces_at(const Scan *sc, size_t at)
{
	size_t n = 0;
	while (at + n < sc->s.n && sc->s.p[at + n] == ' ')
		n++;
	return n;
}

/* The deepest of the leading blank lines and the first line that is not. */
static size_t detect_indent(const Scan *sc, int parent_col)
{
	size_t at = sc->at, deepest = 0;
	for (;;) {
		size_t n = spaces_at(sc, at);
		deepest = n > deepest ? n : deepest;
		if (at + n >= sc->s.n || sc->s.p[at + n] != '\n')
			break;
		at += n + 1;
	}
	size_t least = (size_t)(parent_col + 1 > 1 ? parent_col + 1 : 1);
	return deepest > least ? deepest : least;
}

typedef struct Block {
	size_t indent;
	size_t lead;           /* position of the LF that ended the last content line; SIZE_MAX: none */
	VEC(uint32_t) trail;   /* LFs of the blank lines after it */
	bool lead_blank;       /* the last content line began with a blank */
} Block;

static void eat_indent_and_breaks(Scan *sc, Block *b)
{
	for (;;) {
		size_t n = spaces_at(sc, sc->at);
		n = n < b->indent ? n : b->indent;
		sc->at += n;
		if (sc->at >= sc->s.n || sc->s.p[sc->at] != '\n')
			return;
		vec_push(sc->out.arena, &b->trail, (uint32_t)sc->at);
		sc->at++;
	}
}

static void put_trail(Scan *sc, Block *b)
{
	for (uint32_t i = 0; i < b->trail.n; i++)
		keep(sc, b->trail.v[i], b->trail.v[i] + 1);
	b->trail.n = 0;
}

static void put_lead(Scan *sc, Block *b)
{
	if (b->lead != SIZE_MAX)
		keep(sc, b->lead, b->lead + 1);
	b->lead = SIZE_MAX;
}

/* True if at stands on a content line: its indentation was eaten whole. */
static bool on_content(const Scan *sc, const Block *b)
{
	if (sc->at >= sc->s.n || sc->at < b->indent)
		return false;
	for (size_t i = 1; i <= b->indent; i++)
		if (sc->s.p[sc->at - i] != ' ')
			return false;
	return sc->at == b->indent || sc->s.p[sc->at - b->indent - 1] == '\n';
}

static void scan_block(Scan *sc, YStyle style, int parent_col)
{
	Chomp chomp;
	int increment = scan_header(sc, &chomp);
	Block b = { .lead = SIZE_MAX };
	b.indent = increment ? (size_t)((parent_col > 0 ? parent_col : 0) + increment) : detect_indent(sc, parent_col);
	eat_indent_and_breaks(sc, &b);
	while (on_content(sc, &b)) {
		bool blank = is_blank(sc->s.p[sc->at]);
		if (style == Y_FOLDED && b.lead != SIZE_MAX && !b.lead_blank && !blank) {
			if (!b.trail.n)
				textbuf_made(&sc->out, STR(" "));
			b.lead = SIZE_MAX;
		}
		put_lead(sc, &b);
		put_trail(sc, &b);
		b.lead_blank = blank;
		size_t lf = str_find(sc->s, STR("\n"), sc->at);
		keep(sc, sc->at, lf);
		sc->at = lf;
		if (lf >= sc->s.n)
			break;
		b.lead = lf;
		sc->at++;
		eat_indent_and_breaks(sc, &b);
	}
	if (chomp != CHOMP_STRIP)
		put_lead(sc, &b);
	if (chomp == CHOMP_KEEP)
		put_trail(sc, &b);
}

Text *yaml_scalar_text(Arena *a, Str bytes, uint32_t base, YStyle style, int parent_col)
{
	Scan sc = { .out = { .arena = a, .blame = { base, base + (uint32_t)bytes.n } }, .s = bytes, .base = base };
	switch (style) {
	case Y_PLAIN:   scan_plain(&sc); break;
	case Y_SINGLE:  scan_single(&sc); break;
	case Y_DOUBLE:  scan_double(&sc); break;
	case Y_LITERAL:
	case Y_FOLDED:  scan_block(&sc, style, parent_col); break;
	}
	Text *t = textbuf_finish(&sc.out, a);
	textbuf_free(&sc.out);
	return t;
}
