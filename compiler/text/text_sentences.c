/*
 * The text layer: sentences. A sentence ends at . ! ? before a space and what can start one, at the CJK
 * full stops, and at a line end where the next line starts like a new statement: prompts put one rule a
 * line as often as they wrap prose.
 */
#include "compiler/text/text_scan.h"
#include "runtime/base/utf8.h"

typedef struct Cutter {
	Arena *arena;
	TextLayer *t;
	const char *p;
	uint32_t block, region;    /* next region that may matter */
	uint32_t lo, end;          /* start of the open sentence, end of the body */
} Cutter;

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n'; }
static bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
static bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
static bool is_alpha(char c) { return is_upper(c) || is_lower(c); }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static void end_sentence(Cutter *c, uint32_t hi)
{
	uint32_t lo = c->lo;
	while (lo < hi && (is_space(c->p[lo]) || c->p[lo] == '>'))
		lo++;
	c->lo = hi;
	while (hi > lo && is_space(c->p[hi - 1]))
		hi--;
	if (hi > lo)
		vec_push(c->arena, &c->t->sentence, (TextSentence){ lo, hi, c->block, TEXT_NONE });
}

/* The word that ends at hi, with inner dots (e.g). */
static Str word_before(const Cutter *c, uint32_t hi)
{
	uint32_t lo = hi;
	while (lo > c->lo && (is_alpha(c->p[lo - 1]) || (c->p[lo - 1] == '.' && lo < hi)))
		lo--;
	return (Str){ c->p + lo, hi - lo };
}

static bool is_abbreviation(Str w)
{
	static const char *const list[] = {
		"e.g", "i.e", "eg", "ie", "etc", "vs", "cf", "al", "Mr", "Mrs", "Ms", "Dr", "Prof", "St", "No", "Fig", "Eq", "Sec",
		"approx", "Inc", "Ltd", "Co", "Corp", "dept", "est", "min", "max", "Jr", "Sr", "a.m", "p.m", "U.S", "U.K",
	};
	if (w.n == 1 && is_alpha(w.p[0]) && w.p[0] != 'I')
		return true;
	for (size_t i = 0; i < sizeof list / sizeof *list; i++)
		if (str_is(w, list[i]))
			return true;
	return false;
}

static uint32_t skip_closers(const Cutter *c, uint32_t at)
{
	while (at < c->end) {
		if (strchr("\"')]*_", c->p[at]) && c->p[at])
			at++;
		else if (c->end - at >= 3 && (!memcmp(c->p + at, "\xe2\x80\x9d", 3) || !memcmp(c->p + at, "\xe2\x80\x99", 3) ||
			!memcmp(c->p + at, "\xe3\x80\x8d", 3)))
			at += 3;
		else
			break;
	}
	return at;
}

/* Length of 。 ！ ？ at at, else 0. */
static uint32_t cjk_stop(const Cutter *c, uint32_t at)
{
	if (c->end - at < 3)
		return 0;
	const char *q = c->p + at;
	return !memcmp(q, "\xe3\x80\x82", 3) || !memcmp(q, "\xef\xbc\x81", 3) || !memcmp(q, "\xef\xbc\x9f", 3) ? 3 : 0;
}

static uint32_t at_stop(Cutter *c, uint32_t at)
{
	char mark = c->p[at];
	uint32_t after = at;
	while (after < c->end && (c->p[after] == '.' || c->p[after] == '!' || c->p[after] == '?'))
		after++;
	bool dot = mark == '.' && after == at + 1;
	uint32_t past = skip_closers(c, after);
	if (past < c->end && !is_space(c->p[past]))
		return after;
	uint32_t next = past;
	while (next < c->end && is_space(c->p[next]))
		next++;
	bool goes_on = next < c->end && is_lower(c->p[next]);
	bool ordinal = dot && at > c->lo && is_digit(c->p[at - 1]) && past < c->end && c->p[past] == ' ' && goes_on;
	if (dot && next < c->end && (goes_on || ordinal || is_abbreviation(word_before(c, at))))
		return after;
	end_sentence(c, past);
	return past;
}

static bool line_starts_statement(const Cutter *c, uint32_t at)
{
	while (at < c->end && (c->p[at] == ' ' || c->p[at] == '\t' || c->p[at] == '>'))
		at++;
	return at < c->end && (!is_lower(c->p[at]) && !strchr(",;)]&|", c->p[at]));
}

static bool is_directive_line(const Cutter *c, uint32_t lf)
{
	uint32_t lo = lf;
	while (lo > c->lo && c->p[lo - 1] != '\n')
		lo--;
	while (lo < lf && is_space(c->p[lo]))
		lo++;
	return lo + 1 < lf && c->p[lo] == '!' && is_upper(c->p[lo + 1]);
}

static void at_newline(Cutter *c, uint32_t lf)
{
	uint32_t last = lf;
	while (last > c->lo && (c->p[last - 1] == ' ' || c->p[last - 1] == '\t'))
		last--;
	bool hard = lf - last >= 2 && last > c->lo;
	bool closed = last > c->lo && c->p[last - 1] && strchr(".!?:;", c->p[last - 1]);
	if (hard || closed || line_starts_statement(c, lf + 1) || is_directive_line(c, lf))
		end_sentence(c, lf);
}

static void cut_body(Cutter *c)
{
	const TextLayer *t = c->t;
	for (uint32_t at = c->lo; at < c->end;) {
		while (c->region < t->region.n && t->region.v[c->region].hi <= at)
			c->region++;
		if (c->region < t->region.n && t->region.v[c->region].lo == at) {
			at = t->region.v[c->region].hi;
			continue;
		}
		char ch = c->p[at];
		uint32_t stop = (unsigned char)ch >= 0xe0 ? cjk_stop(c, at) : 0;
		if (stop) {
			at = skip_closers(c, at + stop);
			end_sentence(c, at);
		} else if (ch == '.' || ch == '!' || ch == '?') {
			at = at_stop(c, at);
		} else {
			if (ch == '\n')
				at_newline(c, at);
			at++;
		}
	}
	end_sentence(c, c->end);
}

void text_scan_sentences(Arena *a, TextLayer *t)
{
	uint32_t region = 0;
	for (uint32_t i = 0; i < t->block.n; i++) {
		const TextBlock *k = &t->block.v[i];
		Cutter c = { .arena = a, .t = t, .p = t->text.p, .block = i, .region = region, .lo = k->body_lo, .end = k->body_hi };
		switch (k->kind) {
		case BLOCK_PARAGRAPH: case BLOCK_ITEM: cut_body(&c); break;
		case BLOCK_HEADING: case BLOCK_TITLE: case BLOCK_TABLE: end_sentence(&c, c.end); break;
		default: break;
		}
		region = c.region;
	}
}
