/* Applying fixes: see fix.h. */
#include "compiler/lint/fix.h"

#include <stdlib.h>

typedef struct Edit {
	size_t lo, hi;   /* in the raw bytes */
	Str text;
	uint32_t group;  /* edits of one fix go together */
} Edit;

typedef VEC(Edit) Edits;

static int edit_order(const void *p, const void *q)
{
	const Edit *x = p, *y = q;
	return x->lo != y->lo ? (x->lo < y->lo ? -1 : 1) : x->hi != y->hi ? (x->hi < y->hi ? -1 : 1) : 0;
}

/* Touching counts as overlapping: which of two insertions at one place comes first is nobody's to say. */
static bool edits_clash(const Edits *taken, const Edit *e)
{
	for (uint32_t i = 0; i < taken->n; i++)
		if (e->lo <= taken->v[i].hi && taken->v[i].lo <= e->hi)
			return true;
	return false;
}

static bool fix_applies(const Compiler *c, const Source *src, const Diag *g, FixLevel level)
{
	if (!g->fix || g->suppressed || g->severity == SEV_OFF || g->fix_level > level)
		return false;
	for (const DiagEdit *e = g->fix; e; e = e->next)
		if (source_of(&c->sources, e->span.lo) != src)
			return false;
	return true;
}

/* A fix writes LF; a file with CRLF gets CRLF. */
static Str edit_text(Arena *a, const Source *src, Str text)
{
	if (!src->cr.n || !memchr(text.p, '\n', text.n))
		return text;
	char *p = arena_alloc(a, text.n * 2);
	size_t n = 0;
	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] == '\n')
			p[n++] = '\r';
		p[n++] = text.p[i];
	}
	return (Str){ p, n };
}

static void fix_take(Arena *a, const Source *src, const Diag *g, Edits *taken, uint32_t *n)
{
	Edits own = { 0 };
	for (const DiagEdit *e = g->fix; e; e = e->next) {
		Edit edit = { source_raw_offset(src, e->span.lo), source_raw_offset(src, e->span.hi), edit_text(a, src, e->text), *n };
		if (edits_clash(taken, &edit))
			return;
		vec_push(a, &own, edit);
	}
	for (uint32_t i = 0; i < own.n; i++)
		vec_push(a, taken, own.v[i]);
	++*n;
}

static Str edits_apply(Arena *a, Str raw, Edits *e)
{
	size_t size = raw.n, at = 0, n = 0;
	for (uint32_t i = 0; i < e->n; i++)
		size += e->v[i].text.n;
	qsort(e->v, e->n, sizeof *e->v, edit_order);
	char *p = arena_alloc(a, size);
	for (uint32_t i = 0; i < e->n; i++) {
		const Edit *x = &e->v[i];
		memcpy(p + n, raw.p + at, x->lo - at);
		n += x->lo - at;
		if (x->text.n)
			memcpy(p + n, x->text.p, x->text.n);
		n += x->text.n;
		at = x->hi;
	}
	memcpy(p + n, raw.p + at, raw.n - at);
	return (Str){ p, n + raw.n - at };
}

Str lint_fix_apply(Arena *a, const Compiler *c, const Source *src, Str raw, FixLevel level, uint32_t *n)
{
	Edits taken = { 0 };
	*n = 0;
	for (uint32_t i = 0; i < c->diags.list.n; i++)
		if (fix_applies(c, src, c->diags.list.v[i], level))
			fix_take(a, src, c->diags.list.v[i], &taken, n);
	return *n ? edits_apply(a, raw, &taken) : raw;
}
