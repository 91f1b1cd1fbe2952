/* Suppression comments: see suppress.h. */
#include "compiler/lint/suppress.h"

#include <stdlib.h>

typedef struct Suppression {
	int id;          /* DiagId */
	uint32_t line;   /* the line it speaks for; 0: the whole file */
	Span comment;    /* the whole line with its LF, for the fix */
	Span rule;       /* the code or name in it */
	bool is_alone;   /* the comment names no other rule */
	bool is_used;
} Suppression;

/* One comment with the marker. */
typedef struct SuppressComment {
	size_t rules, end;  /* in the text: where its rules start, its line's end */
	uint32_t line;      /* its own */
	uint32_t below;     /* the line it speaks for; 0: the whole file */
	uint32_t next;      /* the first line below that is no such comment */
	Span span;
} SuppressComment;

typedef struct SuppressRead {
	Compiler *c;
	const Source *src;
	FrontEnd front;
	VEC(Span) sent;     /* .sd and YAML: the source of the texts, in order */
	VEC(SuppressComment) comment;
	VEC(Suppression) list;
} SuppressRead;

static const Str marker = STR_INIT("seedc-ignore");

/* ---- is it a comment? ------------------------------------------------------------------------- */

static int span_order(const void *p, const void *q)
{
	const Span *x = p, *y = q;
	return x->lo < y->lo ? -1 : x->lo > y->lo;
}

static void gather_sent(SuppressRead *r, const Node *n)
{
	if (n->kind == N_TEXT && n->text)
		for (uint32_t i = 0; i < n->text->n_run; i++) {
			const TextRun *run = &n->text->run[i];
			vec_push(&r->c->scratch, &r->sent, (Span){ run->src_off, run->src_off + run->len });
		}
	for (const Node *k = n->first; k; k = k->next)
		gather_sent(r, k);
}

static bool is_sent(const SuppressRead *r, uint32_t off)
{
	uint32_t lo = 0, hi = r->sent.n;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (r->sent.v[mid].hi <= off)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < r->sent.n && r->sent.v[lo].lo <= off;
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
	return (r->front == FRONT_SD || r->front == FRONT_YAML) && str_is(before, "#") && !is_sent(r, off);
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
static void suppress_rules(SuppressRead *r, const SuppressComment *k)
{
	Str t = r->src->text;
	size_t at = k->rules, end = k->end;
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
			vec_push(&r->c->scratch, &r->list, (Suppression){ .id = id, .line = k->below, .comment = k->span, .rule = span });
	}
	if (!n)
		diag_add(&r->c->diags, SD902, k->span, "a suppression that names no rule");
	for (uint32_t i = from; n == 1 && i < r->list.n; i++)
		r->list.v[i].is_alone = true;
}

static void suppress_read(SuppressRead *r)
{
	Str t = r->src->text;
	for (size_t at = str_find(t, marker, 0); at < t.n; at = str_find(t, marker, at + marker.n)) {
		uint32_t off = r->src->base + (uint32_t)at, line_lo;
		Str line = source_line_text(&r->c->sources, off, &line_lo);
		size_t lo = line_lo - r->src->base, end = lo + line.n, rules = at + marker.n;
		if (!opens_comment(r, str_sub(t, lo, at), off))
			continue;
		bool whole = str_starts(str_sub(t, rules, end), STR("-file"));
		uint32_t own = source_line(&r->c->sources, off);
		vec_push(&r->c->scratch, &r->comment, (SuppressComment){
			.rules = rules + (whole ? 5 : 0), .end = end, .line = own, .below = whole ? 0 : own + 1, .next = own + 1,
			.span = { line_lo, line_lo + (uint32_t)line.n + (end < t.n) } });
	}
	/* Comments that stack speak for the same line: known from below. */
	for (uint32_t i = r->comment.n; i-- > 0;) {
		SuppressComment *k = &r->comment.v[i];
		if (i + 1 < r->comment.n && k[1].line == k->next)
			k->next = k[1].next;
		if (k->below)
			k->below = k->next;
	}
	for (uint32_t i = 0; i < r->comment.n; i++)
		suppress_rules(r, &r->comment.v[i]);
}

/* ---- applying --------------------------------------------------------------------------------- */

static int suppression_order(const void *p, const void *q)
{
	const Suppression *x = p, *y = q;
	return x->line != y->line ? (x->line < y->line ? -1 : 1) : x->id < y->id ? -1 : x->id > y->id;
}

/* Marks those of that line and rule. */
static bool suppression_use(SuppressRead *r, uint32_t line, int id)
{
	Suppression key = { .line = line, .id = id };
	uint32_t lo = 0, hi = r->list.n;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (suppression_order(&r->list.v[mid], &key) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	bool found = false;
	for (; lo < r->list.n && !suppression_order(&r->list.v[lo], &key); lo++)
		found = r->list.v[lo].is_used = true;
	return found;
}

static void suppress_apply(SuppressRead *r)
{
	Diags *d = &r->c->diags;
	if (r->list.n)
		qsort(r->list.v, r->list.n, sizeof *r->list.v, suppression_order);
	for (uint32_t i = 0; i < d->list.n; i++) {
		Diag *g = d->list.v[i];
		if (source_of(&r->c->sources, g->span.lo) != r->src || lint_rule_is_fixed(g->id))
			continue;
		bool here = suppression_use(r, source_line(&r->c->sources, g->span.lo), (int)g->id);
		bool whole = suppression_use(r, 0, (int)g->id);
		g->suppressed |= here || whole;
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
	SuppressRead r = { .c = c, .src = src, .front = u->front };
	if (r.front == FRONT_SD || r.front == FRONT_YAML)
		gather_sent(&r, u->file);
	if (r.sent.n)
		qsort(r.sent.v, r.sent.n, sizeof *r.sent.v, span_order);
	suppress_read(&r);
	suppress_apply(&r);
	suppress_report_unused(&r, levels);
	arena_free(&c->scratch);
}
