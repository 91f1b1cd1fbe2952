/* The text layer's first half: lines into blocks and sections. See text_layer.h. */
#include "compiler/text/text_scan.h"

enum { TITLE_WORDS_MAX = 8, TITLE_BYTES_MAX = 80, ITEM_DEPTH_MAX = 32, ORDINAL_DIGITS_MAX = 4 };

typedef struct Line {
	uint32_t lo, end, hi;   /* end: before the LF, hi: after it */
	uint32_t at;            /* first non-blank after indent and > marks */
	uint32_t indent;        /* columns before it, tabs to multiples of 4 */
	uint32_t quote;
} Line;

typedef struct Blocks {
	Arena *arena;
	TextLayer *t;
	const char *p;
	uint32_t n;
	uint32_t item_indent[ITEM_DEPTH_MAX];
	uint32_t n_item;
	bool no_comment_end;    /* no --> is left */
} Blocks;

static bool is_blank_char(char c) { return c == ' ' || c == '\t'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

static uint32_t skip_blanks(const Blocks *b, uint32_t at, uint32_t end, uint32_t *indent)
{
	for (; at < end && is_blank_char(b->p[at]); at++)
		*indent += b->p[at] == '\t' ? 4 - *indent % 4 : 1;
	return at;
}

static Line line_at(const Blocks *b, uint32_t lo)
{
	Line l = { .lo = lo };
	const char *lf = memchr(b->p + lo, '\n', b->n - lo);
	l.end = lf ? (uint32_t)(lf - b->p) : b->n;
	l.hi = lf ? l.end + 1 : b->n;
	l.at = skip_blanks(b, lo, l.end, &l.indent);
	while (l.at < l.end && b->p[l.at] == '>') {
		l.quote++;
		l.indent = 0;
		l.at = skip_blanks(b, l.at + 1, l.end, &l.indent);
	}
	return l;
}

static bool line_is_blank(const Line *l) { return l->at == l->end; }

static uint32_t run_of(const Blocks *b, uint32_t at, uint32_t end, char c)
{
	uint32_t n = 0;
	while (at + n < end && b->p[at + n] == c)
		n++;
	return n;
}

/* ---- what a line starts ------------------------------------------------------------------------ */

uint32_t text_fence_open(Str line)
{
	size_t i = 0;
	while (i < line.n && is_blank_char(line.p[i]))
		i++;
	if (i == line.n || (line.p[i] != '`' && line.p[i] != '~'))
		return 0;
	char c = line.p[i];
	size_t from = i;
	while (i < line.n && line.p[i] == c)
		i++;
	uint32_t n = (uint32_t)(i - from);
	bool info_has_tick = c == '`' && memchr(line.p + i, '`', line.n - i);
	return n >= 3 && !info_has_tick ? n : 0;
}

static uint32_t fence_of(const Blocks *b, const Line *l)
{
	return text_fence_open((Str){ b->p + l->at, l->end - l->at });
}

static bool fence_closes(const Blocks *b, const Line *l, char c, uint32_t n)
{
	uint32_t m = run_of(b, l->at, l->end, c), ignored = 0;
	return m >= n && skip_blanks(b, l->at + m, l->end, &ignored) == l->end;
}

static uint32_t heading_level(const Blocks *b, const Line *l)
{
	uint32_t n = run_of(b, l->at, l->end, '#');
	bool spaced = l->at + n == l->end || is_blank_char(b->p[l->at + n]);
	return n >= 1 && n <= 6 && spaced && l->indent < 4 ? n : 0;
}

static bool is_rule(const Blocks *b, const Line *l)
{
	char c = b->p[l->at];
	if (c != '-' && c != '*' && c != '_')
		return false;
	uint32_t n = 0;
	for (uint32_t i = l->at; i < l->end; i++) {
		if (b->p[i] == c)
			n++;
		else if (!is_blank_char(b->p[i]))
			return false;
	}
	return n >= 3;
}

static uint32_t setext_level(const Blocks *b, const Line *l)
{
	char c = b->p[l->at];
	uint32_t n = run_of(b, l->at, l->end, c), ignored = 0;
	bool whole = skip_blanks(b, l->at + n, l->end, &ignored) == l->end;
	return !whole || n < 2 || l->indent > 3 ? 0 : c == '=' ? 1 : c == '-' ? 2 : 0;
}

/* Bytes of a list marker with its space, 0 if the line starts none. */
static uint32_t marker_len(const Blocks *b, const Line *l, bool *is_ordered)
{
	uint32_t i = l->at;
	*is_ordered = false;
	if (l->end - i >= 3 && !memcmp(b->p + i, "\xe2\x80\xa2", 3)) {
		i += 3;
	} else if (b->p[i] == '-' || b->p[i] == '*' || b->p[i] == '+') {
		i++;
	} else {
		while (i < l->end && is_digit(b->p[i]) && i - l->at < ORDINAL_DIGITS_MAX)
			i++;
		if (i == l->at && is_letter(b->p[i]) && i + 1 < l->end && b->p[i + 1] == ')')
			i++;
		if (i == l->at || i == l->end || (b->p[i] != '.' && b->p[i] != ')'))
			return 0;
		i++;
		*is_ordered = true;
	}
	uint32_t ignored = 0, after = skip_blanks(b, i, l->end, &ignored);
	return after == i && i < l->end ? 0 : after - l->at;
}

static bool is_table_row(const Blocks *b, const Line *l)
{
	return b->p[l->at] == '|' && memchr(b->p + l->at + 1, '|', l->end - l->at - 1);
}

/* "Code style:" alone, short, capital first, after a blank line or at the start. */
static bool is_title(const Blocks *b, const Line *l)
{
	uint32_t end = l->end, words = 1;
	while (end > l->at && is_blank_char(b->p[end - 1]))
		end--;
	if (l->indent || end - l->at < 3 || end - l->at > TITLE_BYTES_MAX || b->p[end - 1] != ':')
		return false;
	bool marked = b->p[l->at] == '*' && end - l->at > 4;
	char first = b->p[l->at + (marked ? run_of(b, l->at, end, '*') : 0)];
	if (!(first >= 'A' && first <= 'Z'))
		return false;
	for (uint32_t i = l->at; i < end; i++) {
		words += is_blank_char(b->p[i]);
		if (b->p[i] == '.' || b->p[i] == ',' || b->p[i] == '?' || b->p[i] == '!')
			return false;
	}
	return words <= TITLE_WORDS_MAX;
}

/* ---- blocks ------------------------------------------------------------------------------------ */

static TextBlock *add_block(Blocks *b, BlockKind kind, const Line *l)
{
	TextBlock *k = vec_add(b->arena, &b->t->block);
	*k = (TextBlock){ .kind = kind, .lo = l->lo, .hi = l->hi, .body_lo = l->at, .body_hi = l->end, .quote = l->quote };
	return k;
}

static void trim_heading(const Blocks *b, TextBlock *k)
{
	uint32_t ignored = 0;
	k->body_lo = skip_blanks(b, k->body_lo, k->body_hi, &ignored);
	while (k->body_hi > k->body_lo && is_blank_char(b->p[k->body_hi - 1]))
		k->body_hi--;
	uint32_t hi = k->body_hi;
	while (hi > k->body_lo && b->p[hi - 1] == '#')
		hi--;
	if (hi == k->body_lo || is_blank_char(b->p[hi - 1]))
		k->body_hi = hi;
	while (k->body_hi > k->body_lo && (is_blank_char(b->p[k->body_hi - 1]) || b->p[k->body_hi - 1] == ':'))
		k->body_hi--;
}

static uint32_t take_fence(Blocks *b, Line l, uint32_t n)
{
	TextBlock *k = add_block(b, BLOCK_FENCE, &l);
	char c = b->p[l.at];
	k->info_lo = l.at + n;
	k->info_hi = l.end;
	k->body_lo = k->body_hi = l.hi;
	k->is_open = true;
	for (uint32_t lo = l.hi; lo < b->n;) {
		Line m = line_at(b, lo);
		k->hi = lo = m.hi;
		if (fence_closes(b, &m, c, n)) {
			k->body_hi = m.lo;
			k->is_open = false;
			return lo;
		}
		k->body_hi = m.hi;
	}
	return k->hi;
}

static uint32_t take_comment(Blocks *b, Line l)
{
	TextBlock *k = add_block(b, BLOCK_COMMENT, &l);
	Str rest = { b->p, b->n };
	size_t end = b->no_comment_end ? b->n : str_find(rest, STR("-->"), l.at);
	b->no_comment_end = end == b->n;
	if (end < b->n)
		k->hi = line_at(b, (uint32_t)end).hi;
	k->body_lo = k->body_hi = k->hi;
	return k->hi;
}

static uint32_t item_depth(Blocks *b, uint32_t indent)
{
	while (b->n_item && b->item_indent[b->n_item - 1] >= indent)
		b->n_item--;
	if (b->n_item < ITEM_DEPTH_MAX)
		b->item_indent[b->n_item++] = indent;
	return b->n_item;
}

static bool starts_block(const Blocks *b, const Line *l)
{
	bool ordered;
	return line_is_blank(l) || heading_level(b, l) || fence_of(b, l) || marker_len(b, l, &ordered) || is_rule(b, l) ||
		is_table_row(b, l);
}

/* The lines that go on with a paragraph or an item. */
static uint32_t take_continuation(Blocks *b, TextBlock *k, uint32_t lo, uint32_t quote)
{
	while (lo < b->n) {
		Line m = line_at(b, lo);
		if (m.quote != quote || starts_block(b, &m))
			break;
		k->hi = lo = m.hi;
		k->body_hi = m.end;
	}
	return lo;
}

/* A paragraph followed by === or --- is a heading. */
static uint32_t take_paragraph(Blocks *b, Line l)
{
	uint32_t lo = l.hi;
	Line next = lo < b->n ? line_at(b, lo) : (Line){ 0 };
	bool first = !b->t->block.n || b->t->block.v[b->t->block.n - 1].kind == BLOCK_BLANK;
	uint32_t level = lo < b->n && !line_is_blank(&next) && next.quote == l.quote ? setext_level(b, &next) : 0;
	if (level) {
		TextBlock *k = add_block(b, BLOCK_HEADING, &l);
		k->level = level;
		k->hi = next.hi;
		trim_heading(b, k);
		return next.hi;
	}
	if (first && is_title(b, &l)) {
		TextBlock *k = add_block(b, BLOCK_TITLE, &l);
		k->level = 7;
		trim_heading(b, k);
		return lo;
	}
	return take_continuation(b, add_block(b, BLOCK_PARAGRAPH, &l), lo, l.quote);
}

static uint32_t take_blank(Blocks *b, Line l)
{
	TextBlock *k = add_block(b, BLOCK_BLANK, &l);
	k->body_hi = l.at;
	while (k->hi < b->n) {
		Line m = line_at(b, k->hi);
		if (!line_is_blank(&m) || m.quote != l.quote)
			break;
		k->hi = m.hi;
	}
	return k->hi;
}

static uint32_t take_block(Blocks *b, Line l)
{
	uint32_t n;
	bool ordered;
	if (line_is_blank(&l))
		return take_blank(b, l);
	if ((n = fence_of(b, &l)))
		return take_fence(b, l, n);
	if ((n = heading_level(b, &l))) {
		TextBlock *k = add_block(b, BLOCK_HEADING, &l);
		k->level = n;
		k->body_lo += n;
		trim_heading(b, k);
		return l.hi;
	}
	if (is_rule(b, &l)) {
		add_block(b, BLOCK_RULE, &l);
		return l.hi;
	}
	if (l.end - l.at >= 4 && !memcmp(b->p + l.at, "<!--", 4))
		return take_comment(b, l);
	if ((n = marker_len(b, &l, &ordered))) {
		TextBlock *k = add_block(b, BLOCK_ITEM, &l);
		k->body_lo = l.at + n;
		k->is_ordered = ordered;
		k->level = item_depth(b, l.indent);
		return take_continuation(b, k, l.hi, l.quote);
	}
	if (is_table_row(b, &l)) {
		add_block(b, BLOCK_TABLE, &l);
		return l.hi;
	}
	return take_paragraph(b, l);
}

/* ---- sections ---------------------------------------------------------------------------------- */

static uint32_t open_section(Blocks *b, uint32_t current, const TextBlock *k)
{
	TextLayer *t = b->t;
	while (current != TEXT_NONE && t->section.v[current].level >= k->level) {
		t->section.v[current].hi = k->lo;
		current = t->section.v[current].parent;
	}
	if (current == 0) /* the text before the first heading holds no sections */
		current = TEXT_NONE;
	TextSection *s = vec_add(b->arena, &t->section);
	*s = (TextSection){ .lo = k->lo, .hi = b->n, .title_lo = k->body_lo, .title_hi = k->body_hi, .level = k->level, .parent = current };
	return t->section.n - 1;
}

static void find_sections(Blocks *b)
{
	TextLayer *t = b->t;
	uint32_t current = 0;
	*vec_add(b->arena, &t->section) = (TextSection){ .hi = b->n, .parent = TEXT_NONE };
	for (uint32_t i = 0; i < t->block.n; i++) {
		TextBlock *k = &t->block.v[i];
		if (k->kind == BLOCK_HEADING || k->kind == BLOCK_TITLE)
			current = open_section(b, current, k);
		k->section = current;
	}
	if (t->section.n > 1)
		t->section.v[0].hi = t->section.v[1].lo;
}

void text_scan_blocks(Arena *a, TextLayer *t)
{
	Blocks b = { .arena = a, .t = t, .p = t->text.p, .n = (uint32_t)t->text.n };
	for (uint32_t lo = 0; lo < b.n;) {
		Line l = line_at(&b, lo);
		lo = take_block(&b, l);
		BlockKind kind = t->block.v[t->block.n - 1].kind;
		if (kind == BLOCK_HEADING || kind == BLOCK_TITLE || kind == BLOCK_RULE || (kind == BLOCK_PARAGRAPH && !l.indent))
			b.n_item = 0;
	}
	find_sections(&b);
}
