/* Diags: see diag.h. The table of rules is the .def rows and nothing else. */
#include "compiler/source/diag.h"

#include <assert.h>
#include <stdlib.h>

const RuleInfo diag_rules[DIAG_COUNT] = {
#define RULE(code, slug, severity, fix, title, what, why, bad, good, decided, false_positives) \
	[code] = { #code, slug, severity, fix, title, what, why, bad, good, decided, false_positives },
#include "compiler/source/diag.def"
#undef RULE
};

int diag_find_rule(Str code_or_slug)
{
	for (int i = 0; i < DIAG_COUNT; i++)
		if (str_is(code_or_slug, diag_rules[i].code) || str_is(code_or_slug, diag_rules[i].slug))
			return i;
	return -1;
}

const char *severity_name(Severity s)
{
	static const char *const name[] = { "off", "info", "warning", "error" };
	return name[s];
}

static void count_severity(Diags *d, Severity s, uint32_t by)
{
	d->n_error += s == SEV_ERROR ? by : 0;
	d->n_warning += s == SEV_WARNING ? by : 0;
	d->n_info += s == SEV_INFO ? by : 0;
}

Diag *diag_add(Diags *d, DiagId id, Span at, const char *fmt, ...)
{
	Diag *g = arena_new(d->arena, Diag);
	va_list ap;
	va_start(ap, fmt);
	g->message = str_vfmt(d->arena, fmt, ap);
	va_end(ap);
	g->id = id;
	g->severity = diag_rules[id].severity;
	g->span = at;
	vec_push(d->arena, &d->list, g);
	count_severity(d, g->severity, 1);
	return g;
}

void diag_set_severity(Diags *d, Diag *g, Severity severity)
{
	count_severity(d, g->severity, UINT32_MAX); /* less one */
	g->severity = severity;
	count_severity(d, severity, 1);
}

void diag_label(Diags *d, Diag *g, Span at, const char *fmt, ...)
{
	DiagLabel **end = &g->label, *l = arena_new(d->arena, DiagLabel);
	va_list ap;
	va_start(ap, fmt);
	l->text = str_vfmt(d->arena, fmt, ap);
	va_end(ap);
	l->span = at;
	while (*end)
		end = &(*end)->next;
	*end = l;
}

void diag_help(Diags *d, Diag *g, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	g->help = str_vfmt(d->arena, fmt, ap);
	va_end(ap);
}

void diag_note(Diags *d, Diag *g, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	g->note = str_vfmt(d->arena, fmt, ap);
	va_end(ap);
}

void diag_fix(Diags *d, Diag *g, FixLevel level, Span at, Str replacement, const char *title)
{
	assert(level <= diag_rules[g->id].fix && "explain says what fix a rule offers at most");
	DiagEdit **end = &g->fix, *e = arena_new(d->arena, DiagEdit);
	if (!g->fix) {
		g->fix_level = level;
		g->fix_title = str_dup(d->arena, str_from(title));
	}
	e->span = at;
	e->text = str_dup(d->arena, replacement);
	while (*end)
		end = &(*end)->next;
	*end = e;
}

const Str *diag_did_you_mean(Diags *d, Diag *g, Span at, Str word, const Str *cand, size_t n)
{
	const Str *near = str_nearest(word, cand, n);
	if (!near)
		return NULL;
	diag_help(d, g, "did you mean `%.*s`?", STR_ARG(*near));
	Str title = str_fmt(d->arena, "write `%.*s`", STR_ARG(*near));
	diag_fix(d, g, FIX_UNSAFE, at, *near, title.p);
	return near;
}

/* Files stand in the space in the order they were added, so the offset orders files too. */
static int diag_order(const void *x, const void *y)
{
	const Diag *a = *(Diag *const *)x, *b = *(Diag *const *)y;
	if (a->span.lo != b->span.lo)
		return a->span.lo < b->span.lo ? -1 : 1;
	int c = strcmp(diag_rules[a->id].code, diag_rules[b->id].code);
	if (c)
		return c;
	if (a->span.hi != b->span.hi)
		return a->span.hi < b->span.hi ? -1 : 1;
	return str_cmp(a->message, b->message);
}

bool diag_reading_failed(const Diags *d)
{
	for (uint32_t i = 0; i < d->list.n; i++) {
		const Diag *g = d->list.v[i];
		if (g->id >= SD010 && g->id <= SD064 && g->severity == SEV_ERROR)
			return true;
	}
	return false;
}

void diag_finish(Diags *d)
{
	if (!d->list.n)
		return;
	qsort(d->list.v, d->list.n, sizeof *d->list.v, diag_order);
	uint32_t n = 1;
	for (uint32_t i = 1; i < d->list.n; i++)
		if (diag_order(&d->list.v[n - 1], &d->list.v[i]))
			d->list.v[n++] = d->list.v[i];
	d->list.n = n;
}
