/* Texts and bodies for the text lints: see lint_view.h. */
#include "passes/lint_view.h"

Span lint_span(const LintText *t, size_t lo, size_t hi)
{
	if (t->text)
		return text_span(t->text, lo, hi);
	return (Span){ t->base + (uint32_t)lo, t->base + (uint32_t)hi };
}

/* ---- texts ------------------------------------------------------------------------------------ */

typedef void SeeText(Compiler *c, const LintText *t);

/* Depth is bounded by the parsers' nesting caps. */
static void each_unescaped(Compiler *c, const Node *n, SeeText *see)
{
	if (n->kind == N_TEXT && n->text && n->text->n_run > 1)
		see(c, &(LintText){ .s = n->text->s, .text = n->text });
	for (const Node *k = n->first; k; k = k->next)
		each_unescaped(c, k, see);
}

void lint_each_text(Compiler *c, Unit *u, SeeText *see)
{
	for (uint32_t i = 0; i < c->sources.file.n; i++) {
		const Source *s = c->sources.file.v[i];
		if (s->ok)
			see(c, &(LintText){ .s = s->text, .base = s->base });
	}
	if (u->front == FRONT_JSON || u->front == FRONT_YAML)
		each_unescaped(c, u->file, see);
}

/* ---- bodies ----------------------------------------------------------------------------------- */

typedef struct Gather {
	Arena *a;
	const Sources *sources;
	char *p;
	size_t n, cap;
	VEC(TextRun) run;
	LintBody *body;
} Gather;

static void gather_bytes(Gather *g, Str s)
{
	if (g->cap - g->n < s.n) {
		size_t cap = g->cap * 2 > g->n + s.n ? g->cap * 2 : g->n + s.n + 256;
		g->p = arena_grow(g->a, g->p, g->cap, cap);
		g->cap = cap;
	}
	if (s.n)
		memcpy(g->p + g->n, s.p, s.n);
	g->n += s.n;
}

static void gather_text(Gather *g, const Text *t)
{
	for (uint32_t i = 0; i < t->n_run; i++) {
		TextRun r = t->run[i];
		r.text_off += (uint32_t)g->n;
		vec_push(g->a, &g->run, r);
	}
	gather_bytes(g, t->s);
}

/* A hole stands for itself, as it is written. */
static void gather_hole(Gather *g, const Node *hole)
{
	Str s = source_slice(g->sources, hole->span);
	LintHole h = { g->n, g->n + s.n, hole };
	vec_push(g->a, &g->body->hole, h);
	vec_push(g->a, &g->run, (TextRun){ (uint32_t)g->n, hole->span.lo, (uint32_t)s.n });
	gather_bytes(g, s);
}

static void gather_kids(Gather *g, const Node *n)
{
	for (const Node *k = n->first; k; k = k->next) {
		if (k->kind == N_TEXT && k->text)
			gather_text(g, k->text);
		else if (k->kind == N_HOLE)
			gather_hole(g, k);
		else if (k->kind == N_IF || k->kind == N_BRANCH || k->kind == N_FOR || k->kind == N_BODY)
			gather_kids(g, k);
	}
}

static LintBody gather_body(Compiler *c, const Node *body, const Node *head, BodyUse use)
{
	LintBody b = { .head = head, .body = body, .use = use };
	const Node *only = body->first;
	if (only && !only->next && only->kind == N_TEXT && only->text) {
		b.text = *only->text;
		return b;
	}
	Gather g = { .a = &c->scratch, .sources = &c->sources, .body = &b };
	gather_kids(&g, body);
	b.text = (Text){ { g.p, g.n }, g.run.v, g.run.n };
	return b;
}

static BodyUse use_of(const Node *head, BodyUse outer)
{
	switch (head->kind) {
	case N_EXAMPLE: return BODY_EXAMPLE;
	case N_TEST: return BODY_TEST;
	case N_CONTEXT: return BODY_DATA;
	case N_RESULT: return outer == BODY_EXAMPLE ? outer : BODY_DATA;
	case N_MESSAGE:
		if (outer != BODY_INSTRUCTION)
			return outer;
		return head->op == ROLE_ASSISTANT ? BODY_SAID : head->op == ROLE_TOOL ? BODY_DATA : outer;
	default: return outer;
	}
}

typedef struct EachBody {
	Compiler *c;
	Unit *u;
	bool is_own;
	void (*see)(Compiler *c, Unit *u, const LintBody *b);
} EachBody;

static void each_body(EachBody *e, const Node *n, const Node *head, BodyUse use)
{
	if (n->kind == N_BODY) {
		LintBody b = gather_body(e->c, n, head, use);
		b.is_own = e->is_own;
		if (b.text.s.n)
			e->see(e->c, e->u, &b);
		return;
	}
	use = use_of(n, use);
	for (const Node *k = n->first; k; k = k->next)
		each_body(e, k, n, use);
}

void lint_each_body(Compiler *c, Unit *u, void (*see)(Compiler *c, Unit *u, const LintBody *b))
{
	EachBody e = { c, u, true, see };
	each_body(&e, u->file, u->file, BODY_INSTRUCTION);
	e.is_own = false;
	for (uint32_t i = 0; i < u->used.n; i++)
		each_body(&e, u->used.v[i], u->used.v[i], BODY_INSTRUCTION);
}
