/*
 * See places.h. Two scans over the text.
 *
 * JSON: a JSON string cannot hold a line end, so quotes are paired from the start of each line. In a fence
 * marked json, and in a text that is JSON from end to end, that decides; elsewhere only a member
 * (`"key": HOLE` or `"key": "HOLE"`, also in `[ ]`) of a line that opens with a quote or holds an open brace.
 * A hole that is all of a fence is the caller's own JSON.
 *
 * Tags: openers wait on a stack for a closer of the same name; what stood between becomes PLACE_TAGS, the
 * innermost pair first. Tags pair inside one fence, or outside all fences. Fences of other languages, and
 * tags in backticks, are code and hold no places.
 */
#include "passes/places.h"

#include "compiler/text/text_layer.h"

enum { LOOK_AHEAD_MAX = 1000, TAG_BYTES_MAX = 2000, TAG_DEPTH_MAX = 64 };

typedef enum Form { FORM_ANY, FORM_JSON, FORM_MARKUP, FORM_CODE } Form;

typedef struct Places {
	const TextLayer *t;
	Str s;
	Place *v;
	uint32_t n;
	bool is_json;       /* the whole text is */
} Places;

static Form form_of_fence(const Places *k, const TextBlock *b)
{
	static const struct { const char *info; Form form; } KNOWN[] = {
		{ "", FORM_MARKUP }, { "xml", FORM_MARKUP }, { "html", FORM_MARKUP }, { "svg", FORM_MARKUP },
		{ "json", FORM_JSON }, { "JSON", FORM_JSON }, { "jsonc", FORM_JSON }, { "json5", FORM_JSON }, { "jsonl", FORM_JSON },
	};
	Str info = str_trim(text_at(k->t, b->info_lo, b->info_hi));
	for (size_t i = 0; i < sizeof KNOWN / sizeof *KNOWN; i++)
		if (str_is(info, KNOWN[i].info))
			return KNOWN[i].form;
	return FORM_CODE;
}

/* The fence around a byte; NULL outside all. */
static const TextBlock *fence_at(const Places *k, size_t at)
{
	uint32_t i = text_block_at(k->t, (uint32_t)at);
	return i != TEXT_NONE && k->t->block.v[i].kind == BLOCK_FENCE ? &k->t->block.v[i] : NULL;
}

static Form form_at(const Places *k, size_t at)
{
	const TextBlock *fence = fence_at(k, at);
	return fence ? form_of_fence(k, fence) : k->is_json ? FORM_JSON : FORM_ANY;
}

/* ---- JSON ------------------------------------------------------------------------------------- */

/* One line, read from its start up to a hole. */
typedef struct Line {
	size_t at;
	bool in_string, has_object;
	bool in_list;          /* that is a member's value */
	size_t quote;          /* where the open string starts */
	char last, before;     /* significant bytes outside strings, of this line; a string counts as its quote */
} Line;

static void line_take(Line *l, char c)
{
	if (!l->last && c == '"')
		l->has_object = true;
	l->in_list = c != ']' && (l->in_list || (c == '[' && l->last == ':'));
	l->before = l->last;
	l->last = c;
}

static void line_step(const Places *k, Line *l)
{
	char c = k->s.p[l->at++];
	if (c == '\n') {
		*l = (Line){ .at = l->at };
	} else if (l->in_string) {
		if (c == '\\' && l->at < k->s.n && k->s.p[l->at] != '\n')
			l->at++;
		if (c == '"') {
			l->in_string = false;
			line_take(l, c);
		}
	} else if (c == '"') {
		l->in_string = true;
		l->quote = l->at - 1;
	} else if (c != ' ' && c != '\t') {
		l->has_object |= c == '{';
		line_take(l, c);
	}
}

/* The first significant byte behind; NUL at the end or where it is too far. */
static char next_sign(const Places *k, size_t at)
{
	for (size_t i = at; i < k->s.n && i - at < LOOK_AHEAD_MAX; i++)
		if (!strchr(" \t\n", k->s.p[i]))
			return k->s.p[i];
	return 0;
}

static bool ends_line(const Places *k, size_t at)
{
	while (at < k->s.n && (k->s.p[at] == ' ' || k->s.p[at] == '\t'))
		at++;
	return at == k->s.n || k->s.p[at] == '\n';
}

static bool ends_value(const Places *k, size_t at)
{
	char c = next_sign(k, at);
	return ends_line(k, at) || c == ',' || c == '}' || c == ']';
}

/* The quote that closes the string on its line; the text's end if none is near. */
static size_t string_end(const Places *k, size_t at)
{
	for (size_t i = at; i < k->s.n && i - at < LOOK_AHEAD_MAX && k->s.p[i] != '\n'; i++) {
		if (k->s.p[i] == '"')
			return i;
		i += k->s.p[i] == '\\';
	}
	return k->s.n;
}

/* May a value stand here? */
static bool opens_value(const Line *l, Form form)
{
	if (form == FORM_JSON)
		return !l->last || strchr(":[,", l->last);
	return l->has_object && ((l->last == ':' && l->before == '"') || (l->in_list && (l->last == '[' || l->last == ',')));
}

static void see_string(const Places *k, const Line *l, Form form, Place *p)
{
	size_t end = string_end(k, p->hi);
	bool is_key = form == FORM_JSON && l->last == '{';
	if (end == k->s.n || !(is_key || opens_value(l, form)) || !(ends_value(k, end + 1) || (form == FORM_JSON && next_sign(k, end + 1) == ':')))
		return;
	p->kind = PLACE_JSON_STRING;
	p->is_whole = l->quote + 1 == p->lo && end == p->hi;
}

static void see_value(const Places *k, const Line *l, Form form, Place *p)
{
	char next = next_sign(k, p->hi);
	bool fits = l->last ? ends_value(k, p->hi) : next == ',' || next == ']';
	if (opens_value(l, form) && fits)
		p->kind = PLACE_JSON_VALUE;
}

static void find_json(const Places *k)
{
	Line l = { 0 };
	for (uint32_t i = 0; i < k->n; i++) {
		Place *p = &k->v[i];
		Form form = form_at(k, p->lo);
		while (l.at < p->lo)
			line_step(k, &l);
		if (form != FORM_CODE && form != FORM_MARKUP) {
			if (l.in_string)
				see_string(k, &l, form, p);
			else
				see_value(k, &l, form, p);
		}
		l.at = p->hi;
		if (!l.in_string)
			line_take(&l, '0');
	}
}

/* A whole text in braces whose first value is a string, an object or a list. */
static bool is_json(Str s)
{
	s = str_trim(s);
	if (s.n < 2 || str_starts(s, STR("{{")) || !((s.p[0] == '{' && s.p[s.n - 1] == '}') || (s.p[0] == '[' && s.p[s.n - 1] == ']')))
		return false;
	Str rest = str_trim(str_sub(s, 1, s.n));
	return rest.p[0] == '"' || (s.p[0] == '[' && rest.p[0] == '{');
}

/* ---- tags ------------------------------------------------------------------------------------- */

typedef struct Opener {
	Str name;
	const TextBlock *fence;
	uint32_t first;       /* hole behind it */
} Opener;

typedef struct Tags {
	const Places *k;
	Opener open[TAG_DEPTH_MAX];
	uint32_t depth;
	uint32_t next;        /* hole */
} Tags;

static bool is_name_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.' || c == ':';
}

static bool is_name_start(char c)
{
	return is_name_byte(c) && !(c >= '0' && c <= '9') && c != '-' && c != '.' && c != ':';
}

static void take_open(Tags *g, Str name, const TextBlock *fence)
{
	if (g->depth == TAG_DEPTH_MAX) {
		memmove(g->open, g->open + 1, sizeof *g->open * (TAG_DEPTH_MAX - 1));
		g->depth--;
	}
	g->open[g->depth++] = (Opener){ name, fence, g->next };
}

static void take_close(Tags *g, Str name, const TextBlock *fence)
{
	uint32_t i = g->depth;
	while (i > 0 && !(g->open[i - 1].fence == fence && str_eq(g->open[i - 1].name, name)))
		i--;
	if (!i)
		return;
	for (uint32_t h = g->open[i - 1].first; h < g->next; h++) {
		Place *p = &g->k->v[h];
		if (p->kind == PLACE_PROSE && fence_at(g->k, p->lo) == fence) {
			p->kind = PLACE_TAGS;
			p->tag = name;
		}
	}
	g->depth = i - 1;
}

/* Where a tag with attributes ends (behind its `>`), or 0: this was no tag. Holes on the way are told
 * apart by quotes that stand behind `=`. */
static size_t attributes_end(Tags *g, Str name, size_t at)
{
	const Places *k = g->k;
	char quote = 0;
	uint32_t first = g->next;
	for (size_t i = at; i < k->s.n && i - at < TAG_BYTES_MAX; i++) {
		char c = k->s.p[i];
		if (g->next < k->n && i == k->v[g->next].lo) {
			Place *p = &k->v[g->next++];
			if (p->kind == PLACE_PROSE && (quote || k->s.p[i - 1] == '=')) {
				p->kind = PLACE_ATTRIBUTE;
				p->tag = name;
			}
			i = p->hi - 1;
		} else if (quote) {
			quote = c == quote ? 0 : quote;
		} else if ((c == '"' || c == '\'') && k->s.p[i - 1] == '=') {
			quote = c;
		} else if (c == '>') {
			return i + 1;
		} else if (c == '<') {
			break;
		}
	}
	while (g->next > first) {
		Place *p = &k->v[--g->next];
		if (p->kind == PLACE_ATTRIBUTE)
			*p = (Place){ .lo = p->lo, .hi = p->hi };
	}
	return 0;
}

/* At a `<`: reads a tag, if it is one; returns where to go on. */
static size_t take_tag(Tags *g, size_t at)
{
	Str s = g->k->s;
	bool closes = at + 1 < s.n && s.p[at + 1] == '/';
	size_t lo = at + 1 + closes, hi = lo;
	uint32_t r = text_region_at(g->k->t, (uint32_t)at);
	const TextBlock *fence = fence_at(g->k, at);
	while (hi < s.n && is_name_byte(s.p[hi]))
		hi++;
	if (hi == lo || hi == s.n || !is_name_start(s.p[lo]) || (r != TEXT_NONE && g->k->t->region.v[r].kind == REGION_CODE) ||
		(fence && form_of_fence(g->k, fence) != FORM_MARKUP))
		return at + 1;
	Str name = str_sub(s, lo, hi);
	if (closes) {
		if (s.p[hi] == '>')
			take_close(g, name, fence);
		return hi;
	}
	size_t end = s.p[hi] == '>' ? hi + 1 : strchr(" \t\n/", s.p[hi]) ? attributes_end(g, name, hi) : 0;
	if (end && s.p[end - 2] != '/')
		take_open(g, name, fence);
	return end ? end : at + 1;
}

static void find_tags(Arena *scratch, const Places *k)
{
	Tags *g = arena_new(scratch, Tags);
	g->k = k;
	for (size_t at = str_find(k->s, STR("<"), 0); at < k->s.n;) {
		while (g->next < k->n && k->v[g->next].lo < at)
			g->next++;
		at = str_find(k->s, STR("<"), take_tag(g, at));
	}
}

void places_find(Arena *scratch, Str text, Place *place, uint32_t n)
{
	TextLayer layer = { 0 };
	if (!n || (str_find(text, STR("<"), 0) == text.n && !memchr(text.p, '"', text.n) && !memchr(text.p, '[', text.n)))
		return;
	text_layer_build_shape(scratch, &layer, text);
	Places k = { &layer, text, place, n, is_json(text) };
	find_json(&k);
	find_tags(scratch, &k);
}
