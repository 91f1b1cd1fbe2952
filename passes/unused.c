/*
 * Unused (SD302): inputs, blocks, schemas and names of a `use` that nothing refers to. Runs after pass
 * names, which has counted the uses of inputs and shown schemas.
 *
 * In a file with a mistake of syntax nothing is: its use may stand in what was lost.
 *
 * A declaration shared by several prompts is unused when none of them uses it. What a library declares
 * is for others and is never reported.
 */
#include "compiler/sema/walk.h"
#include "passes/pass_loop.h"

typedef struct Unused {
	Compiler *c;
	Unit *u;
	const Prompt *p;
	Map used;  /* a node's address -> the node */
} Unused;

static Str key_of(Unused *k, const Node *const n)
{
	return (Str){ arena_dup(&k->c->arena, &n, sizeof n), sizeof n };
}

static void mark(Unused *k, const Node *n)
{
	if (n)
		map_set(&k->c->arena, &k->used, key_of(k, n), (void *)n);
}

static bool is_marked(Unused *k, const Node *n)
{
	return map_get(&k->used, key_of(k, n)) != NULL;
}

static void on_include(Walk *w, const Node *include, const Node *block, const Scope *s)
{
	(void)include;
	(void)s;
	mark(w->ctx, block);
}

/* Every schema named in a type under n, n's own name aside. */
static void mark_types(Unused *k, const Node *n, const Node *self, int depth)
{
	if (n->kind == N_TYPE) {
		const Schema *s = sema_schema(k->p, n->name);
		if (s && s->decl != self)
			mark(k, s->decl);
	}
	for (const Node *kid = n->first; kid && depth < 200; kid = kid->next)
		mark_types(k, kid, self, depth + 1);
}

static bool holds_types(NodeKind kind)
{
	return kind == N_IN || kind == N_REPLY || kind == N_STAGE || kind == N_TOOL || kind == N_SCHEMA;
}

static void mark_prompt(Unused *k)
{
	const Prompt *p = k->p;
	Walk w = { .u = k->u, .p = p, .ctx = k, .on_include = on_include };
	sema_walk_prompt(&w);
	for (uint32_t i = 0; i < p->decls.n; i++)
		if (holds_types(p->decls.v[i].node->kind))
			mark_types(k, p->decls.v[i].node, p->decls.v[i].node, 0);
	for (uint32_t i = 0; i < p->schema.n; i++)
		if (p->schema.v[i].n_use)
			mark(k, p->schema.v[i].decl);
	for (uint32_t i = 0; i < p->input.n; i++)
		if (p->input.v[i].n_use || p->input.v[i].is_key)
			mark(k, p->input.v[i].decl);
}

static void report(Unused *k, const Decl *d)
{
	const Node *n = d->node, *use = d->use;
	Span at = use ? use->span : n->name_span.hi ? n->name_span : n->span;
	Diag *g = diag_add(&k->c->diags, SD302, at, "%s `%.*s` is never used", n->kind == N_IN ? "input" : node_kind_name(n->kind), STR_ARG(d->name));
	if (use && use->kind == N_USE_NAME)
		diag_help(&k->c->diags, g, "take it out of the `use`");
	else if (n->kind == N_IN)
		diag_help(&k->c->diags, g, "callers must supply it and nothing changes: use it as {{%.*s}}, or drop it", STR_ARG(d->name));
	else if (n->kind == N_BLOCK)
		diag_help(&k->c->diags, g, "place it with !INCLUDE[%.*s], or drop it", STR_ARG(d->name));
	else
		diag_help(&k->c->diags, g, "name it in a type, show it with {{%.*s}}, or drop it", STR_ARG(d->name));
}

/* A whole file brought in by `use` without names, of which nothing is used. */
static bool report_use(Unused *k, const Prompt *p, const Node *use)
{
	for (uint32_t i = 0; i < p->decls.n; i++) {
		const Decl *d = &p->decls.v[i];
		bool acts = d->node->kind != N_BLOCK && d->node->kind != N_SCHEMA && d->node->kind != N_IN;
		if (d->use == use && (acts || is_marked(k, d->node)))
			return false;
	}
	return true;
}

static void report_prompt(Unused *k, const Prompt *p)
{
	const Node *last_use = NULL;
	for (uint32_t i = 0; i < p->decls.n; i++) {
		const Decl *d = &p->decls.v[i];
		if (d->use && d->use->kind == N_USE) {
			if (d->use != last_use && report_use(k, p, d->use))
				diag_add(&k->c->diags, SD302, d->use->span, "nothing of `%.*s` is used", STR_ARG(d->use->name));
			last_use = d->use;
			continue;
		}
		NodeKind kind = d->node->kind;
		if ((kind == N_IN || kind == N_BLOCK || kind == N_SCHEMA) && !is_marked(k, d->node) && !(d->node->flags & NF_BAD))
			report(k, d);
	}
}

void pass_unused(Compiler *c, Unit *u)
{
	Unused k = { .c = c, .u = u };
	if (diag_reading_failed(&c->diags))
		return;
	for (uint32_t i = 0; i < u->prompt.n; i++) {
		k.p = u->prompt.v[i];
		mark_prompt(&k);
	}
	for (uint32_t i = 0; i < u->prompt.n; i++)
		report_prompt(&k, u->prompt.v[i]);
}
