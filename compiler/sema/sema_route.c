/*
 * Routes: their inputs are those of the prompts they may choose, by the names their conditions use,
 * one type a name. What is wrong with a route's rules is reported by pass graph.
 */
#include "compiler/sema/build.h"
#include "compiler/sema/walk.h"

typedef struct Gather {
	Build *b;
	Route *route;
} Gather;

static const Prompt *find_prompt(const Unit *u, Str name)
{
	for (uint32_t i = 0; i < u->prompt.n; i++)
		if (str_eq(u->prompt.v[i]->name, name))
			return u->prompt.v[i];
	return NULL;
}

static const Input *input_of(const Prompt *p, Str name)
{
	const Symbol *s = map_get(&p->by_name, name);
	return s && s->kind == SYM_INPUT ? &p->input.v[s->index] : NULL;
}

static void add_input(Gather *k, const Input *in, const Node *ref)
{
	for (uint32_t i = 0; i < k->route->input.n; i++) {
		Input *old = &k->route->input.v[i];
		if (!str_eq(old->name, in->name))
			continue;
		if (old->type && in->type && !str_eq(old->type->spelled, in->type->spelled)) {
			Diag *g = diag_add(k->b->d, SD806, ref->span, "`%.*s` is `%.*s` in one prompt and `%.*s` in another", STR_ARG(in->name),
				STR_ARG(old->type->spelled), STR_ARG(in->type->spelled));
			diag_label(k->b->d, g, old->decl->name_span, "declared here");
			diag_label(k->b->d, g, in->decl->name_span, "and here");
			diag_help(k->b->d, g, "a route reads one value: give both inputs one type");
		}
		return;
	}
	vec_push(k->b->a, &k->route->input, *in);
}

static void note_ref(void *ctx, const Node *ref, const Scope *s)
{
	(void)s;
	Gather *k = ctx;
	for (uint32_t i = 0; i < k->route->rule.n; i++) {
		const Prompt *p = find_prompt(k->b->u, k->route->rule.v[i]->name);
		const Input *in = p ? input_of(p, ref->name) : NULL;
		if (in)
			add_input(k, in, ref);
	}
}

void build_route(Build *b, const Node *n)
{
	Route *r = arena_new(b->a, Route);
	*r = (Route){ .name = n->name, .decl = n };
	for (const Node *k = n->first; k; k = k->next)
		if (k->kind == N_ROUTE_WHEN || k->kind == N_ROUTE_ELSE)
			vec_push(b->a, &r->rule, k);
	Gather k = { b, r };
	for (uint32_t i = 0; i < r->rule.n; i++)
		if (r->rule.v[i]->first)
			sema_walk_cond_refs(r->rule.v[i]->first, NULL, note_ref, &k);
	vec_push(b->a, &b->u->route, r);
}
