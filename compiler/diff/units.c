/* Units of comparison: see units.h. */
#include "compiler/diff/units.h"

#include <stdlib.h>

#include "compiler/text/vars.h"
#include "runtime/base/buf.h"
#include "runtime/base/map.h"
#include "runtime/base/utf8.h"

typedef struct Builder {
	Arena *arena;
	Units *out;
	TextLayer t;
	uint32_t number, format;   /* cursors into the layer's lists */
	VarStyle vars;
} Builder;

/* ---- reduced forms ----------------------------------------------------------------------------- */

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n'; }

static Str squeeze(Arena *a, Str s)
{
	char *p = arena_alloc(a, s.n);
	size_t n = 0;
	for (size_t i = 0; i < s.n; i++) {
		bool space = is_space(s.p[i]);
		if (!space || (n && p[n - 1] != ' '))
			p[n++] = space ? ' ' : s.p[i];
	}
	while (n && p[n - 1] == ' ')
		n--;
	return (Str){ p, n };
}

static bool is_word_char(uint32_t cp)
{
	if (cp < 0x80)
		return (cp >= '0' && cp <= '9') || (cp >= 'a' && cp <= 'z') || (cp >= 'A' && cp <= 'Z') || cp == '_' || cp == '$';
	const char *cat = utf8_category(cp);
	return cat[0] == 'L' || cat[0] == 'M' || cat[0] == 'N';
}

static bool is_ideograph(uint32_t cp)
{
	return cp >= 0x2e80 && cp <= 0x9fff;
}

/* Words in order, one blank between; ideographs stand alone. */
static Str letters_of(Arena *a, Str s)
{
	char *p = arena_alloc(a, s.n * 2 + 1);
	size_t n = 0;
	bool gap = false;
	for (size_t i = 0; i < s.n;) {
		uint32_t cp;
		uint32_t len = utf8_decode(s, i, &cp);
		bool word = cp != UTF8_BAD && is_word_char(cp);
		bool apostrophe = (cp == '\'' || cp == 0x2019) && n && i + len < s.n;
		if (word) {
			if (n && (gap || is_ideograph(cp)))
				p[n++] = ' ';
			for (uint32_t k = 0; k < len; k++)
				p[n++] = s.p[i + k] >= 'A' && s.p[i + k] <= 'Z' ? (char)(s.p[i + k] + 32) : s.p[i + k];
			gap = is_ideograph(cp);
		} else if (!apostrophe) {
			gap = n > 0;
		}
		i += len;
	}
	return (Str){ p, n };
}

static int by_value(const void *x, const void *y)
{
	uint32_t p = *(const uint32_t *)x, q = *(const uint32_t *)y;
	return p < q ? -1 : p > q;
}

static AlignUnit align_unit(Arena *a, Str exact, Str letters)
{
	uint32_t n = 0, cap = 0;
	for (size_t i = 0; i < letters.n; i++)
		cap += letters.p[i] == ' ';
	uint32_t *word = arena_array(a, uint32_t, cap + 1);
	for (size_t i = 0; i < letters.n;) {
		size_t hi = str_find(letters, STR(" "), i);
		word[n++] = (uint32_t)hash_bytes(str_sub(letters, i, hi));
		i = hi + 1;
	}
	qsort(word, n, sizeof *word, by_value);
	return (AlignUnit){ hash_bytes(exact), word, n };
}

/* ---- facts of one sentence --------------------------------------------------------------------- */

/* A sentence can hold thousands of each. */
static void append(Buf *list, Str item)
{
	buf_printf(list, "%s%.*s", list->n ? ", " : "", STR_ARG(item));
}

static Str owned(Arena *a, Buf *list)
{
	Str s = str_dup(a, buf_str(list));
	buf_free(list);
	return s;
}

static void add_numbers(Builder *b, DiffUnit *u, uint32_t hi)
{
	const TextLayer *t = &b->t;
	Buf numbers = { 0 }, formats = { 0 };
	for (; b->number < t->number.n && t->number.v[b->number].lo < hi; b->number++) {
		const TextNumber *n = &t->number.v[b->number];
		static const char *const sign[][2] = { { "", "" }, { "<= ", "< " }, { ">= ", "> " } };
		if (n->lo < u->off)
			continue;
		append(&numbers, str_fmt(b->arena, "%s%.*s %.*s", sign[n->direction][n->is_strict],
			STR_ARG(text_at(t, n->lo, n->hi)), STR_ARG(text_at(t, n->unit_lo, n->unit_hi))));
	}
	for (; b->format < t->format.n && t->format.v[b->format].lo < hi; b->format++)
		if (t->format.v[b->format].lo >= u->off)
			append(&formats, str_from(t->format.v[b->format].name));
	u->numbers = owned(b->arena, &numbers);
	u->formats = owned(b->arena, &formats);
}

static void add_literals(Builder *b, DiffUnit *u)
{
	const TextLayer *t = &b->t;
	uint32_t hi = u->off + (uint32_t)u->text.n;
	uint32_t lo = 0, n = t->region.n;
	Buf literals = { 0 };
	while (lo < n) {
		uint32_t mid = (lo + n) / 2;
		if (t->region.v[mid].hi <= u->off)
			lo = mid + 1;
		else
			n = mid;
	}
	for (; lo < t->region.n && t->region.v[lo].lo < hi; lo++) {
		const TextRegion *r = &t->region.v[lo];
		if (r->kind == REGION_LITERAL || r->kind == REGION_CODE)
			append(&literals, text_at(t, r->body_lo, r->body_hi));
	}
	u->literals = owned(b->arena, &literals);
}

static void add_variables(Builder *b, DiffUnit *u)
{
	VarSpan v;
	Buf variables = { 0 };
	for (size_t at = 0; b->vars != VARS_NONE && vars_next(u->text, at, b->vars, &v); at = v.hi)
		append(&variables, str_sub(u->text, v.name_lo, v.name_hi));
	u->variables = owned(b->arena, &variables);
}

static DiffUnit *add_unit(Builder *b, uint32_t lo, uint32_t hi, Str section)
{
	DiffUnit *u = vec_add(b->arena, &b->out->unit);
	u->text = text_at(&b->t, lo, hi);
	u->off = lo;
	u->section = section;
	u->squeezed = squeeze(b->arena, u->text);
	u->letters = letters_of(b->arena, u->text);
	add_variables(b, u);
	return u;
}

static void add_sentence(Builder *b, uint32_t i, Str section)
{
	const TextSentence *s = &b->t.sentence.v[i];
	DiffUnit *u = add_unit(b, s->lo, s->hi, section);
	BlockKind kind = b->t.block.v[s->block].kind;
	u->is_heading = kind == BLOCK_HEADING || kind == BLOCK_TITLE;
	if (s->statement != TEXT_NONE) {
		u->modality = b->t.statement.v[s->statement].modality;
		u->is_negative = b->t.statement.v[s->statement].is_negative;
	}
	u->predicate = text_predicate(b->arena, &b->t, i);
	add_numbers(b, u, s->hi);
	add_literals(b, u);
}

/* Fences and comments are compared line by line. */
static void add_lines(Builder *b, const TextBlock *k, Str section)
{
	for (uint32_t lo = k->lo; lo < k->hi;) {
		Str rest = text_at(&b->t, lo, k->hi), line = { 0 };
		str_line(&rest, &line);
		uint32_t hi = lo + (uint32_t)line.n;
		if (str_trim(line).n)
			add_unit(b, lo, hi, section)->is_code = true;
		lo = hi + 1;
	}
}

static Str section_path(Arena *a, const TextLayer *t, uint32_t section)
{
	Str path = { 0 };
	for (int depth = 0; section != TEXT_NONE && depth < 16; depth++) {
		const TextSection *s = &t->section.v[section];
		Str title = text_at(t, s->title_lo, s->title_hi);
		if (title.n)
			path = path.n ? str_fmt(a, "%.*s > %.*s", STR_ARG(title), STR_ARG(path)) : title;
		section = s->parent;
	}
	return path;
}

void units_build(Arena *a, Units *out, Str text)
{
	*out = (Units){ 0 };
	Builder b = { .arena = a, .out = out, .vars = vars_style_of(text) };
	text_layer_build(a, &b.t, text);
	uint32_t sentence = 0, section = TEXT_NONE;
	Str path = { 0 };
	for (uint32_t i = 0; i < b.t.block.n; i++) {
		const TextBlock *k = &b.t.block.v[i];
		if (k->section != section) {
			section = k->section;
			path = section_path(a, &b.t, section);
		}
		if (k->kind == BLOCK_FENCE || k->kind == BLOCK_COMMENT || k->kind == BLOCK_RULE)
			add_lines(&b, k, path);
		for (; sentence < b.t.sentence.n && b.t.sentence.v[sentence].block == i; sentence++)
			add_sentence(&b, sentence, path);
	}
	out->align = arena_array(a, AlignUnit, out->unit.n);
	for (uint32_t i = 0; i < out->unit.n; i++)
		out->align[i] = align_unit(a, out->unit.v[i].text, out->unit.v[i].letters);
}

double units_similarity(Arena *a, Str x, Str y)
{
	AlignUnit p = align_unit(a, x, letters_of(a, x)), q = align_unit(a, y, letters_of(a, y));
	return align_similarity(&p, &q);
}

static bool is_hidden(uint32_t cp)
{
	bool tag = cp >= 0xe0000 && cp <= 0xe007f;
	bool bidi = (cp >= 0x202a && cp <= 0x202e) || (cp >= 0x2066 && cp <= 0x2069);
	bool zero_width = cp == 0x200b || cp == 0x2060 || cp == 0xfeff || cp == 0x00ad || cp == 0x180e;
	return tag || bidi || zero_width;
}

uint32_t units_count_hidden(Str s)
{
	uint32_t n = 0, cp;
	for (size_t i = 0; i < s.n;) {
		if ((unsigned char)s.p[i] < 0x80) {
			i++;
			continue;
		}
		i += utf8_decode(s, i, &cp);
		n += cp != UTF8_BAD && is_hidden(cp);
	}
	return n;
}
