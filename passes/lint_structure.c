/*
 * Structure of bodies: SD201 (a fence or tag that nothing closes), SD202 (a section that stands twice),
 * SD205 (a placeholder that was left). The text layer says what is code and what is a heading.
 */
#include "compiler/text/text_layer.h"
#include "passes/lint_view.h"
#include "passes/pass_loop.h"
#include "runtime/base/map.h"

typedef struct Structure {
	Compiler *c;
	const LintBody *b;
	const TextLayer *t;
} Structure;

static Span at(const Structure *s, size_t lo, size_t hi)
{
	return text_span(&s->b->text, lo, hi);
}

/* ---- SD201: fences ---------------------------------------------------------------------------- */

static void see_fences(Structure *s)
{
	for (uint32_t i = 0; i < s->t->block.n; i++) {
		const TextBlock *b = &s->t->block.v[i];
		if (b->kind != BLOCK_FENCE || !b->is_open)
			continue;
		size_t end = str_find(s->t->text, STR("\n"), b->lo);
		Diag *g = diag_add(&s->c->diags, SD201, at(s, b->lo, end), "this fence is never closed");
		diag_help(&s->c->diags, g, "close it with as many of the same signs on a line of their own; all text below is code now");
	}
}

/* ---- SD201: tags ------------------------------------------------------------------------------ */

enum { TAG_NAME_MAX = 40, TAGS_MAX = 4096, NEAR_TRIES_MAX = 32 };

typedef struct Tag {
	Str name;
	size_t lo, hi;
	bool is_closing, is_matched;
} Tag;

static bool is_tag_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

/* HTML that needs no end. */
static bool is_void_tag(Str name)
{
	static const char *const known[] = { "br", "hr", "img", "input", "p", "li", "td", "tr", "th", "dt", "dd", "meta", "link" };
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (str_is(name, known[i]))
			return true;
	return false;
}

/* A line that is one tag and nothing else: `<name>` or `</name>`. */
static bool tag_of_line(Str line, Tag *tag)
{
	Str s = str_trim(line);
	if (s.n < 3 || s.p[0] != '<' || s.p[s.n - 1] != '>')
		return false;
	tag->is_closing = s.p[1] == '/';
	tag->name = str_sub(s, 1 + tag->is_closing, s.n - 1);
	if (!tag->name.n || tag->name.n > TAG_NAME_MAX || !is_tag_byte(tag->name.p[0]))
		return false;
	for (size_t i = 0; i < tag->name.n; i++)
		if (!is_tag_byte(tag->name.p[i]))
			return false;
	return !is_void_tag(tag->name);
}

/* Where each `</name` of the text stands last, in a line or alone on one. */
static void read_closers(Structure *s, Map *last)
{
	Str t = s->t->text;
	for (size_t at = str_find(t, STR("</"), 0); at < t.n; at = str_find(t, STR("</"), at + 2)) {
		size_t end = at + 2;
		while (end < t.n && is_tag_byte(t.p[end]))
			end++;
		map_set(&s->c->scratch, last, str_sub(t, at + 2, end), (void *)(t.p + at));
	}
}

/* Closed in the middle of a line, or told about. */
static bool closes_anywhere(const Structure *s, const Map *last, const Tag *tag)
{
	const char *close = map_get(last, tag->name);
	return close && close >= s->t->text.p + tag->hi;
}

static uint32_t read_tags(Structure *s, Tag *tag)
{
	uint32_t n = 0;
	size_t lo = 0;
	for (Str rest = s->t->text, line; n < TAGS_MAX && str_line(&rest, &line); lo += line.n + 1) {
		Tag one = { 0 };
		if (!tag_of_line(line, &one) || text_is_code(s->t, (uint32_t)lo))
			continue;
		one.lo = (size_t)(one.name.p - s->t->text.p) - 1 - one.is_closing;
		one.hi = one.lo + one.name.n + 2 + one.is_closing;
		tag[n++] = one;
	}
	return n;
}

/* Marks pairs; returns how many there are. */
static uint32_t match_tags(Tag *tag, uint32_t n)
{
	uint32_t pairs = 0;
	for (uint32_t i = 0; i < n; i++) {
		if (!tag[i].is_closing)
			continue;
		for (uint32_t k = i; k-- > 0;) {
			if (tag[k].is_closing || tag[k].is_matched || !str_eq(tag[k].name, tag[i].name))
				continue;
			tag[k].is_matched = tag[i].is_matched = true;
			pairs++;
			break;
		}
	}
	return pairs;
}

/* The closing tag that was probably meant: near in name, and closing nothing. */
static const Tag *near_closer(const Tag *tag, uint32_t n, const Tag *open)
{
	uint32_t n_tried = 0;
	for (uint32_t i = 0; i < n && n_tried < NEAR_TRIES_MAX; i++) {
		if (!tag[i].is_closing || tag[i].is_matched || tag[i].lo < open->lo)
			continue;
		if (str_distance(tag[i].name, open->name, 2) <= 2)
			return &tag[i];
		n_tried++;
	}
	return NULL;
}

static void see_tags(Structure *s)
{
	if (str_find(s->t->text, STR("</"), 0) == s->t->text.n)
		return;
	Map last = { 0 };
	Tag *tag = arena_array(&s->c->scratch, Tag, TAGS_MAX);
	uint32_t n = read_tags(s, tag);
	/* One pair at least: else tags on lines of their own are not this prompt's habit. */
	if (!match_tags(tag, n))
		return;
	read_closers(s, &last);
	for (uint32_t i = 0; i < n; i++) {
		if (tag[i].is_closing || tag[i].is_matched)
			continue;
		const Tag *near = near_closer(tag, n, &tag[i]);
		if (!near && closes_anywhere(s, &last, &tag[i]))
			continue;
		Diag *g = diag_add(&s->c->diags, SD201, at(s, tag[i].lo, tag[i].hi), "`<%.*s>` is never closed", STR_ARG(tag[i].name));
		if (near) {
			diag_label(&s->c->diags, g, at(s, near->lo, near->hi), "this one closes nothing");
			diag_help(&s->c->diags, g, "write `</%.*s>` there", STR_ARG(tag[i].name));
			Str name = str_fmt(&s->c->scratch, "</%.*s>", STR_ARG(tag[i].name));
			diag_fix(&s->c->diags, g, FIX_UNSAFE, at(s, near->lo, near->hi), name, "close the tag that was opened");
		} else {
			diag_help(&s->c->diags, g, "close it with `</%.*s>` where its part ends", STR_ARG(tag[i].name));
		}
	}
}

/* ---- SD202: sections -------------------------------------------------------------------------- */

/* Sections of one title beside each other. */
typedef struct Twins {
	uint32_t first, second;  /* section indices */
	uint32_t n;
} Twins;

/* Sections of one level under one parent. */
typedef struct Siblings {
	uint32_t n_twins;  /* titles that stand more than once */
} Siblings;

static bool section_is_empty(const Structure *s, const TextSection *x)
{
	size_t line = str_find(s->t->text, STR("\n"), x->title_hi);
	return !str_trim(text_at(s->t, (uint32_t)line, x->hi)).n;
}

static Siblings *siblings_of(const Structure *s, Map *map, const TextSection *x)
{
	Str key = str_fmt(&s->c->scratch, "%u %u", x->parent, x->level);
	Siblings *sib = map_get(map, key);
	if (!sib)
		map_set(&s->c->scratch, map, key, sib = arena_new(&s->c->scratch, Siblings));
	return sib;
}

/* A heading without text under it is a mark ("End of rule"), not a section. */
static void count_twins(Structure *s, Map *titles, Map *siblings)
{
	for (uint32_t i = 0; i < s->t->section.n; i++) {
		const TextSection *x = &s->t->section.v[i];
		Str title = str_trim(text_at(s->t, x->title_lo, x->title_hi));
		if (!title.n || !x->level || x->level > 6 || section_is_empty(s, x))
			continue;
		Str key = str_fmt(&s->c->scratch, "%u %u %.*s", x->parent, x->level, STR_ARG(title));
		Twins *twins = map_get(titles, key);
		if (!twins)
			map_set(&s->c->scratch, titles, key, twins = arena_new(&s->c->scratch, Twins));
		if (!twins->n++)
			twins->first = i;
		else if (twins->n == 2) {
			twins->second = i;
			siblings_of(s, siblings, x)->n_twins++;
		}
	}
}

static void report_twins(Structure *s, const TextSection *first, const TextSection *again)
{
	Str title = str_trim(text_at(s->t, again->title_lo, again->title_hi));
	Diag *g = diag_add(&s->c->diags, SD202, at(s, again->title_lo, again->title_hi), "section `%.*s` stands twice",
	                   STR_ARG(title));
	diag_set_severity(&s->c->diags, g, SEV_WARNING);
	diag_label(&s->c->diags, g, at(s, first->title_lo, first->title_hi), "first here");
	diag_help(&s->c->diags, g, "merge the two, or give the second a title of its own");
}

/* Titles that stand three times, or several titles that stand twice among the same siblings (Input,
 * Output, Input, Output), are entries of a list and no mistake. */
static void see_sections(Structure *s)
{
	Map titles = { 0 }, siblings = { 0 };
	const TextSection *v = s->t->section.v;
	count_twins(s, &titles, &siblings);
	for (uint32_t i = 0; i < s->t->section.n; i++) {
		Str title = str_trim(text_at(s->t, v[i].title_lo, v[i].title_hi));
		Str key = str_fmt(&s->c->scratch, "%u %u %.*s", v[i].parent, v[i].level, STR_ARG(title));
		const Twins *twins = map_get(&titles, key);
		if (twins && twins->n == 2 && twins->second == i && siblings_of(s, &siblings, &v[i])->n_twins == 1)
			report_twins(s, &v[twins->first], &v[i]);
	}
}

/* ---- SD205 ------------------------------------------------------------------------------------ */

static void report_placeholder(Structure *s, size_t lo, size_t hi)
{
	Str what = str_sub(s->t->text, lo, hi);
	Diag *g = diag_add(&s->c->diags, SD205, at(s, lo, hi), "a placeholder was left: %.*s", STR_ARG(what));
	diag_help(&s->c->diags, g, "write what belongs here, or make it an input: {{name}}");
}

/* [INSERT …] and its kin, up to the bracket on the same line; 0 if there is none. */
static size_t bracketed(Str text, size_t lo)
{
	static const char *const opener[] = { "[INSERT ", "[YOUR ", "[ENTER ", "[FILL ", "[TODO", "[TBD", "[PLACEHOLDER", "<INSERT ",
	                                      "<INSERT_", "<YOUR ", "<YOUR_", "<YOUR-", "<FILL ", "<TODO", "<PLACEHOLDER", "<ENTER " };
	for (size_t i = 0; i < sizeof opener / sizeof *opener; i++) {
		if (!str_starts(str_sub(text, lo, text.n), str_from(opener[i])))
			continue;
		char close = opener[i][0] == '[' ? ']' : '>';
		size_t hi = lo + 1;
		while (hi < text.n && hi - lo < 120 && text.p[hi] != close && text.p[hi] != '\n')
			hi++;
		bool is_link = hi + 1 < text.n && close == ']' && (text.p[hi + 1] == '(' || text.p[hi + 1] == '[');
		if (hi < text.n && text.p[hi] == close && !is_link)
			return hi + 1 - lo;
	}
	return 0;
}

/* {{ }} with blanks only. */
static size_t empty_braces(Str text, size_t lo)
{
	if (!str_starts(str_sub(text, lo, text.n), STR("{{")))
		return 0;
	size_t hi = lo + 2;
	while (hi < text.n && text.p[hi] == ' ')
		hi++;
	return str_starts(str_sub(text, hi, text.n), STR("}}")) ? hi + 2 - lo : 0;
}

static bool is_quiet(const Structure *s, size_t lo)
{
	uint32_t r = text_region_at(s->t, (uint32_t)lo);
	return text_is_code(s->t, (uint32_t)lo) || (r != TEXT_NONE && s->t->region.v[r].kind == REGION_LITERAL);
}

static void see_placeholders(Structure *s)
{
	Str text = s->t->text;
	for (size_t lo = 0; lo < text.n;) {
		char c = text.p[lo];
		size_t n = c == '[' || c == '<' ? bracketed(text, lo) : c == '{' ? empty_braces(text, lo) : 0;
		if (n && !is_quiet(s, lo))
			report_placeholder(s, lo, lo + n);
		lo += n ? n : 1;
	}
}

static void see_body(Compiler *c, Unit *u, const LintBody *b)
{
	(void)u;
	if (!b->is_own || b->use == BODY_TEST)
		return;
	TextLayer t = { 0 };
	text_layer_build_shape(&c->scratch, &t, b->text.s);
	Structure s = { c, b, &t };
	see_fences(&s);
	see_tags(&s);
	see_sections(&s);
	see_placeholders(&s);
}

void pass_lint_structure(Compiler *c, Unit *u)
{
	lint_each_body(c, u, see_body);
}
