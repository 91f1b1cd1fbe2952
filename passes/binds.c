/*
 * Binds (SD301): `!INCLUDE[b: style = "dry"]` gives a value to a name that block b asks for, itself or in
 * what it includes. A binding that nothing asks for is a slip of the name, and changes nothing.
 *
 * Each include is looked at once, however many blocks lead to it.
 */
#include "compiler/sema/walk.h"
#include "passes/pass_loop.h"

typedef struct Binds {
	Compiler *c;
	Map seen;  /* an include's address -> the include */
} Binds;

typedef struct Asked {
	Arena *a;
	Map name;  /* each root that the block refers to */
	VEC(Str) list;
} Asked;

static void note_ref(void *ctx, const Node *ref, const Scope *s)
{
	Asked *k = ctx;
	(void)s;
	if (!map_add(k->a, &k->name, ref->name, (void *)ref))
		vec_push(k->a, &k->list, ref->name);
}

static void note_hole(Walk *w, const Node *hole, const Scope *s)
{
	const Node *ref = node_kid(hole, N_REF);
	if (ref)
		note_ref(w->ctx, ref, s);
}

static void note_cond(Walk *w, const Node *cond, const Scope *s)
{
	sema_walk_cond_refs(cond, s, note_ref, w->ctx);
}

static void note_include(Walk *w, const Node *include, const Node *block, const Scope *s)
{
	(void)block;
	for (const Node *b = include->first; b; b = b->next)
		if (b->kind == N_BIND && b->first && b->first->kind == N_NAME)
			note_ref(w->ctx, b->first, s);
}

static void on_include(Walk *w, const Node *include, const Node *block, const Scope *s)
{
	Binds *k = w->ctx;
	Arena *a = &k->c->arena;
	(void)s;
	if (!block || !node_kid(include, N_BIND))
		return;
	if (map_add(a, &k->seen, (Str){ arena_dup(a, &include, sizeof include), sizeof include }, (void *)include))
		return;
	Asked asked = { .a = a };
	Walk inner = { .u = w->u, .p = w->p, .ctx = &asked, .on_hole = note_hole, .on_for = note_hole, .on_cond = note_cond,
		.on_include = note_include };
	sema_walk_decl(&inner, block, NULL);
	for (const Node *b = include->first; b; b = b->next) {
		if (b->kind != N_BIND || map_get(&asked.name, b->name))
			continue;
		Diag *g = diag_add(&k->c->diags, SD301, b->name_span, "block `%.*s` does not ask for `%.*s`", STR_ARG(block->name),
			STR_ARG(b->name));
		diag_did_you_mean(&k->c->diags, g, b->name_span, b->name, asked.list.v, asked.list.n);
	}
}

void pass_binds(Compiler *c, Unit *u)
{
	Binds k = { .c = c };
	for (uint32_t i = 0; i < u->prompt.n; i++) {
		Walk w = { .u = u, .p = u->prompt.v[i], .ctx = &k, .on_include = on_include };
		sema_walk_prompt(&w);
	}
}
