/*
 * Routes: their inputs are those of the prompts they may choose, by the names their conditions use,
 * one type a name. What is wrong with a route's rules is reported by pass graph.
 */
#include "compiler/sema/build.h"
#include "compiler/sema/walk.h"

typedef struct Gather {
	Build *b;
	Route *route;
	VEC(const Prompt *) chosen;  /* by its rules, each once */
	Map named;                   /* of those, by name */
	Map asked;                   /* names that conditions used before: a name is looked up once */
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
	if (map_add(k->b->a, &k->asked, ref->name, (void *)ref))
		return;
	for (uint32_t i = 0; i < k->chosen.n; i++) {
		const Input *in = input_of(k->chosen.v[i], ref->name);
		if (in)
			add_input(k, in, ref);
	}
}

static void note_prompt(Gather *k, Str name)
{
	const Prompt *p = map_get(&k->named, name) ? NULL : find_prompt(k->b->u, name);
	if (!p)
		return;
	map_add(k->b->a, &k->named, name, (void *)p);
	vec_push(k->b->a, &k->chosen, p);
}

void build_route(Build *b, const Node *n)
{
	Route *r = arena_new(b->a, Route);
	*r = (Route){ .name = n->name, .decl = n };
	for (const Node *k = n->first; k; k = k->next)
		if (k->kind == N_ROUTE_WHEN || k->kind == N_ROUTE_ELSE)
			vec_push(b->a, &r->rule, k);
	Gather k = { .b = b, .route = r };
	for (uint32_t i = 0; i < r->rule.n; i++)
		note_prompt(&k, r->rule.v[i]->name);
	for (uint32_t i = 0; i < r->rule.n; i++)
		if (r->rule.v[i]->first)
			sema_walk_cond_refs(r->rule.v[i]->first, NULL, note_ref, &k);
	vec_push(b->a, &b->u->route, r);
}
