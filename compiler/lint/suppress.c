/* Suppression comments: see suppress.h. */
#include "compiler/lint/suppress.h"

typedef struct Suppression {
	int id;          /* DiagId */
	uint32_t line;   /* the line it speaks for; 0: the whole file */
	Span comment;    /* the whole line with its LF, for the fix */
	Span rule;       /* the code or name in it */
	bool is_alone;   /* the comment names no other rule */
	bool is_used;
} Suppression;

typedef struct SuppressRead {
	Compiler *c;
	const Source *src;
	FrontEnd front;
	const Node *file;
	VEC(Suppression) list;
} SuppressRead;

static const Str marker = STR_INIT("seedc-ignore");

/* ---- is it a comment? ------------------------------------------------------------------------- */

static bool text_covers(const Node *n, uint32_t off)
{
	if (n->kind == N_TEXT && n->text)
		for (uint32_t i = 0; i < n->text->n_run; i++)
			if (off - n->text->run[i].src_off < n->text->run[i].len)
				return true;
	for (const Node *k = n->first; k; k = k->next)
		if (text_covers(k, off))
			return true;
	return false;
}

/* What stands in front of the marker on its line, without blanks, must open a comment; in .sd and YAML
 * a `#` that is part of a text that is sent opens none. */
static bool opens_comment(const SuppressRead *r, Str before, uint32_t off)
{
	before = str_trim(before);
	if (r->front == FRONT_MARKDOWN || r->front == FRONT_TEXT)
		return str_is(before, "<!--");
	if (r->front == FRONT_SD && str_is(before, "!#"))
		return true;
	return (r->front == FRONT_SD || r->front == FRONT_YAML) && str_is(before, "#") && !text_covers(r->file, off);
}

/* ---- reading ---------------------------------------------------------------------------------- */

static bool is_word_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

static void suppress_unknown(SuppressRead *r, Span at, Str word)
{
	Str cand[2 * DIAG_COUNT];
	for (int i = 0; i < DIAG_COUNT; i++) {
		cand[2 * i] = str_from(diag_rules[i].code);
		cand[2 * i + 1] = str_from(diag_rules[i].slug);
	}
	Diag *g = diag_add(&r->c->diags, SD902, at, "no rule is called `%.*s`", STR_ARG(word));
	diag_did_you_mean(&r->c->diags, g, at, word, cand, 2 * DIAG_COUNT);
}

/* The rules of one comment: words with commas or blanks between, up to a colon or the end. */
static void suppress_rules(SuppressRead *r, size_t at, size_t end, uint32_t line, Span comment)
{
	Str t = r->src->text;
	uint32_t from = r->list.n, n = 0;
	for (; at < end && t.p[at] != ':' && str_cmp(str_sub(t, at, at + 3), STR("-->"));) {
		size_t lo = at;
		while (at < end && is_word_byte(t.p[at]) && str_cmp(str_sub(t, at, at + 3), STR("-->")))
			at++;
		if (at == lo) {
			at++;
			continue;
		}
		Str word = str_sub(t, lo, at);
		Span span = { r->src->base + (uint32_t)lo, r->src->base + (uint32_t)at };
		int id = diag_find_rule(word);
		n++;
		if (id < 0)
			suppress_unknown(r, span, word);
		else
			vec_push(&r->c->scratch, &r->list, (Suppression){ .id = id, .line = line, .comment = comment, .rule = span });
	}
	if (!n)
		diag_add(&r->c->diags, SD902, comment, "a suppression that names no rule");
	for (uint32_t i = from; n == 1 && i < r->list.n; i++)
		r->list.v[i].is_alone = true;
}

/* A line that holds nothing but a suppression. */
static bool is_suppression_line(const SuppressRead *r, Str line, uint32_t off)
{
	size_t at = str_find(line, marker, 0);
	return at < line.n && opens_comment(r, str_sub(line, 0, at), off + (uint32_t)at);
}

/* The line that a comment on `line` speaks for. */
static uint32_t line_below(const SuppressRead *r, size_t at, uint32_t line)
{
	Str rest = str_sub(r->src->text, at, r->src->text.n), one;
	while (str_line(&rest, &one)) {
		line++;
		if (!is_suppression_line(r, one, r->src->base + (uint32_t)(one.p - r->src->text.p)))
			break;
	}
	return line;
}

static void suppress_read(SuppressRead *r)
{
	Str t = r->src->text;
	for (size_t at = str_find(t, marker, 0); at < t.n; at = str_find(t, marker, at + marker.n)) {
		uint32_t off = r->src->base + (uint32_t)at, line_lo;
		Str line = source_line_text(&r->c->sources, off, &line_lo);
		size_t lo = line_lo - r->src->base, end = lo + line.n;
		if (!opens_comment(r, str_sub(t, lo, at), off))
			continue;
		Span comment = { line_lo, line_lo + (uint32_t)line.n + (end < t.n) };
		size_t rules = at + marker.n;
		bool whole = str_starts(str_sub(t, rules, end), STR("-file"));
		uint32_t speaks_for = whole ? 0 : line_below(r, end + (end < t.n), source_line(&r->c->sources, off));
		suppress_rules(r, rules + (whole ? 5 : 0), end, speaks_for, comment);
	}
}

/* ---- applying --------------------------------------------------------------------------------- */

static void suppress_apply(SuppressRead *r)
{
	Diags *d = &r->c->diags;
	for (uint32_t i = 0; i < d->list.n; i++) {
		Diag *g = d->list.v[i];
		if (source_of(&r->c->sources, g->span.lo) != r->src || lint_rule_is_fixed(g->id))
			continue;
		uint32_t line = source_line(&r->c->sources, g->span.lo);
		for (uint32_t k = 0; k < r->list.n; k++) {
			Suppression *s = &r->list.v[k];
			if (s->id != (int)g->id || (s->line && s->line != line))
				continue;
			s->is_used = true;
			g->suppressed = true;
		}
	}
}

static void suppress_report_unused(SuppressRead *r, const LintLevels *levels)
{
	for (uint32_t i = 0; i < r->list.n; i++) {
		const Suppression *s = &r->list.v[i];
		if (s->is_used || levels->of[s->id] == SEV_OFF)
			continue;
		const RuleInfo *rule = &diag_rules[s->id];
		Diag *g = diag_add(&r->c->diags, SD901, s->rule, "%s finds nothing %s", rule->code,
		                   s->line ? "on the line below" : "in this file");
		diag_help(&r->c->diags, g, "delete the suppression");
		if (s->is_alone && r->front != FRONT_MARKDOWN && r->front != FRONT_TEXT)
			diag_fix(&r->c->diags, g, FIX_SAFE, s->comment, STR(""), "delete the suppression");
	}
}

void lint_suppress(Compiler *c, const Unit *u, const Source *src, const LintLevels *levels)
{
	if (!src->ok || str_find(src->text, marker, 0) == src->text.n)
		return;
	SuppressRead r = { .c = c, .src = src, .front = u->front, .file = u->file };
	suppress_read(&r);
	suppress_apply(&r);
	suppress_report_unused(&r, levels);
	arena_free(&c->scratch);
}
