/*
 * Graph (SD301, SD801, SD803, SD804, SD806): includes, chains, cuts and routes lead somewhere, and not
 * back to where they came from.
 */
#include "compiler/sema/walk.h"
#include "passes/pass_loop.h"

typedef struct Graph {
	Compiler *c;
	const Unit *u;
	const Prompt *p;
	const Stage *stage;  /* whose text is walked; NULL in the prompt's own messages */
	bool in_prompt;
} Graph;

typedef VEC(Str) Names;

static Span name_at(const Node *n)
{
	return n->name_span.hi ? n->name_span : n->span;
}

static const Prompt *find_prompt(const Unit *u, Str name)
{
	for (uint32_t i = 0; i < u->prompt.n; i++)
		if (str_eq(u->prompt.v[i]->name, name))
			return u->prompt.v[i];
	return NULL;
}

/* ---- includes ---- */

static Str block_path(Graph *k, const Walk *w, const Node *again)
{
	Str s = again->name;
	for (const WalkFrame *f = w->frame; f; f = f->outer)
		s = str_fmt(&k->c->arena, "%.*s → %.*s", STR_ARG(f->block->name), STR_ARG(s));
	return s;
}

static void on_stop(Walk *w, const Node *include, const Node *block, WalkStop why)
{
	Graph *k = w->ctx;
	Diag *g;
	if (why == WALK_CYCLE) {
		g = diag_add(&k->c->diags, SD801, name_at(include), "block `%.*s` includes itself", STR_ARG(block->name));
		diag_note(&k->c->diags, g, "%.*s", STR_ARG(block_path(k, w, block)));
	} else if (why == WALK_TOO_DEEP) {
		diag_add(&k->c->diags, SD801, name_at(include), "includes are nested more than %d deep", WALK_DEPTH_MAX);
	} else if (w->n_include == WALK_INCLUDES_MAX) {
		w->n_include++; /* once */
		g = diag_add(&k->c->diags, SD801, name_at(include), "one prompt includes more than %d blocks", WALK_INCLUDES_MAX);
		diag_help(&k->c->diags, g, "blocks that include each other twice double at each level");
	}
}

/* ---- chains ---- */

static void report_chain_name(Graph *k, const Node *n)
{
	Names cand = { 0 };
	if (sema_is_lost(k->u, n->name))
		return;
	for (uint32_t i = 0; i < k->p->stage.n; i++)
		vec_push(&k->c->arena, &cand, k->p->stage.v[i].name);
	for (uint32_t i = 0; i < k->u->prompt.n; i++)
		vec_push(&k->c->arena, &cand, k->u->prompt.v[i]->name);
	Diag *g = diag_add(&k->c->diags, SD803, n->span, "`%.*s` is no stage of this prompt and no prompt of this file", STR_ARG(n->name));
	diag_did_you_mean(&k->c->diags, g, n->span, n->name, cand.v, cand.n);
	if (!g->help.n)
		diag_help(&k->c->diags, g, "declare it: `stage %.*s:`", STR_ARG(n->name));
}

enum { CHAIN_SHOWN_MAX = 24 };

static Str chain_text(Graph *k)
{
	Str s = { 0 };
	for (uint32_t i = 0; i < k->p->chain.n && i < CHAIN_SHOWN_MAX; i++)
		s = str_fmt(&k->c->arena, "%.*s%s%.*s", STR_ARG(s), i ? " → " : "", STR_ARG(k->p->chain.v[i]));
	return k->p->chain.n > CHAIN_SHOWN_MAX ? str_fmt(&k->c->arena, "%.*s → …", STR_ARG(s)) : s;
}

static Map chain_members(Graph *k)
{
	Map m = { 0 };
	for (uint32_t i = 0; i < k->p->stage.n; i++)
		map_set(&k->c->arena, &m, k->p->stage.v[i].name, k->c);
	for (uint32_t i = 0; i < k->u->prompt.n; i++)
		map_set(&k->c->arena, &m, k->u->prompt.v[i]->name, k->c);
	return m;
}

static void check_chain(Graph *k)
{
	Map seen = { 0 }, member = k->p->chain_decl ? chain_members(k) : (Map){ 0 };
	for (Node *n = k->p->chain_decl ? k->p->chain_decl->first : NULL; n; n = n->next) {
		if (n->kind != N_NAME)
			continue;
		if (!map_get(&member, n->name))
			report_chain_name(k, n);
		const Node *old = map_add(&k->c->arena, &seen, n->name, n);
		if (!old)
			continue;
		Diag *g = diag_add(&k->c->diags, SD803, n->span, "the chain comes back to `%.*s`: %.*s", STR_ARG(n->name), STR_ARG(chain_text(k)));
		diag_label(&k->c->diags, g, old->span, "it was here already");
	}
	for (uint32_t i = 0; k->p->chain_decl && i < k->p->stage.n; i++) {
		const Stage *s = &k->p->stage.v[i];
		if (s->order >= 0)
			continue;
		Diag *g = diag_add(&k->c->diags, SD803, name_at(s->decl), "stage `%.*s` stands in no chain: it never runs", STR_ARG(s->name));
		diag_label(&k->c->diags, g, k->p->chain_decl->span, "the chain");
	}
}

static void check_from_name(Graph *k, const Stage *s, const Node *n)
{
	const Symbol *sym = map_get(&k->p->by_name, n->name);
	if (!sym && sema_is_lost(k->u, n->name))
		return;
	if (!sym || sym->kind == SYM_SCHEMA) {
		Str *cand;
		uint32_t n_cand = sema_scope_names(&k->c->arena, k->p, NULL, &cand);
		Diag *g = diag_add(&k->c->diags, SD803, n->span, "`from` names `%.*s`, which is no stage and no input", STR_ARG(n->name));
		diag_did_you_mean(&k->c->diags, g, n->span, n->name, cand, n_cand);
		return;
	}
	if (sym->kind != SYM_STAGE)
		return;
	const Stage *from = &k->p->stage.v[sym->index];
	if (from == s) {
		diag_add(&k->c->diags, SD803, n->span, "stage `%.*s` reads its own reply", STR_ARG(s->name));
	} else if (s->order >= 0 && from->order >= 0 && from->order > s->order) {
		Diag *g = diag_add(&k->c->diags, SD803, n->span, "stage `%.*s` reads `%.*s`, which runs later: the edge leads back", STR_ARG(s->name),
			STR_ARG(from->name));
		diag_note(&k->c->diags, g, "%.*s → … → %.*s → %.*s", STR_ARG(s->name), STR_ARG(from->name), STR_ARG(s->name));
		if (k->p->chain_decl)
			diag_label(&k->c->diags, g, k->p->chain_decl->span, "the order");
		diag_help(&k->c->diags, g, "move `%.*s` before `%.*s` in the chain", STR_ARG(from->name), STR_ARG(s->name));
	}
}

static bool reads(const Stage *s, Str name)
{
	for (uint32_t i = 0; i < s->from.n; i++)
		if (str_eq(s->from.v[i], name))
			return true;
	return false;
}

static void check_stage_ref(void *ctx, const Node *ref, const Scope *scope)
{
	Graph *k = ctx;
	Origin o;
	if (!sema_origin(k->u, k->p, scope, ref, &o) || !o.stage || (k->stage && reads(k->stage, o.stage->name)))
		return;
	Diag *g;
	if (!k->stage) {
		g = diag_add(&k->c->diags, SD803, ref->span, "`%.*s` is the reply of a stage; the prompt's own messages are sent before any stage ran",
			STR_ARG(o.stage->name));
		diag_help(&k->c->diags, g, "use it in the text of a later stage");
	} else {
		if (k->stage == o.stage)
			return; /* reported by its from, or the same fault */
		g = diag_add(&k->c->diags, SD803, ref->span, "stage `%.*s` uses `%.*s`, and its `from` does not list it", STR_ARG(k->stage->name),
			STR_ARG(o.stage->name));
		diag_help(&k->c->diags, g, "write `stage %.*s from %.*s`", STR_ARG(k->stage->name), STR_ARG(o.stage->name));
	}
	diag_label(&k->c->diags, g, name_at(o.stage->decl), "the stage");
}

static void on_hole(Walk *w, const Node *hole, const Scope *s)
{
	const Node *ref = node_kid(hole, N_REF);
	if (ref)
		check_stage_ref(w->ctx, ref, s);
}

static void on_cond(Walk *w, const Node *cond, const Scope *s)
{
	sema_walk_cond_refs(cond, s, check_stage_ref, w->ctx);
}

static void on_for(Walk *w, const Node *loop, const Scope *s)
{
	const Node *ref = node_kid(loop, N_REF);
	if (ref)
		check_stage_ref(w->ctx, ref, s);
}

static void check_stages(Graph *k, Walk *w)
{
	for (uint32_t i = 0; i < k->p->stage.n; i++) {
		const Node *from = node_clause(k->p->stage.v[i].decl, CL_FROM);
		k->stage = &k->p->stage.v[i];
		for (const Node *n = from ? from->first : NULL; n; n = n->next)
			check_from_name(k, k->stage, n);
		sema_walk_decl(w, k->stage->decl, NULL);
	}
	k->stage = NULL;
}

static void check_messages(Graph *k, Walk *w)
{
	(void)k;
	for (uint32_t i = 0; i < w->p->message.n; i++)
		for (uint32_t j = 0; j < w->p->message.v[i].part.n; j++)
			sema_walk_part(w, &w->p->message.v[i].part.v[j]);
}

/* ---- cuts and weights ---- */

typedef struct PartNames {
	Names name;
	Map has;
} PartNames;

/* What a cut or a weight may name. */
static PartNames part_names(Graph *k)
{
	PartNames parts = { 0 };
	for (uint32_t i = 0; i < k->p->decls.n; i++) {
		const Decl *d = &k->p->decls.v[i];
		NodeKind kind = d->node->kind;
		bool is_part = kind == N_ROLE || kind == N_BLOCK || kind == N_CONSTRAINT || kind == N_EXAMPLE || kind == N_MESSAGE ||
			kind == N_IN || kind == N_STAGE;
		Str own = kind == N_MESSAGE ? d->node->name : d->name;
		if (!is_part || !own.n)
			continue;
		vec_push(&k->c->arena, &parts.name, own);
		map_set(&k->c->arena, &parts.has, own, d->node);
	}
	return parts;
}

static bool is_named_part(const Graph *k, const PartNames *parts, Str name)
{
	return map_get(&k->p->by_name, name) || map_get(&parts->has, name);
}

static void check_cuts(Graph *k)
{
	bool weighted = false;
	PartNames parts = k->p->cut.n ? part_names(k) : (PartNames){ 0 };
	for (uint32_t i = 0; i < k->p->cut.n; i++)
		weighted |= k->p->cut.v[i].weight >= 0;
	for (uint32_t i = 0; i < k->p->constraint.n; i++)
		weighted |= k->p->constraint.v[i].weight >= 0;
	for (uint32_t i = 0; i < k->p->cut.n; i++) {
		const Cut *cut = &k->p->cut.v[i];
		if (!cut->name.n && !weighted && cut->decl->kind == N_CUT) {
			Diag *g = diag_add(&k->c->diags, SD804, cut->decl->span, "`!CUT[]` chooses among what has a weight, and nothing has one");
			diag_set_severity(&k->c->diags, g, SEV_WARNING);
			diag_help(&k->c->diags, g, "say what matters how much: `!WEIGHT[name: 0.5]`");
		} else if (cut->name.n && !is_named_part(k, &parts, cut->name) && !sema_is_lost(k->u, cut->name)) {
			Diag *g = diag_add(&k->c->diags, SD301, name_at(cut->decl), "there is no part or input `%.*s`", STR_ARG(cut->name));
			diag_did_you_mean(&k->c->diags, g, name_at(cut->decl), cut->name, parts.name.v, parts.name.n);
		}
	}
}

/* ---- routes ---- */

static void check_route_ref(void *ctx, const Node *ref, const Scope *s);

typedef struct RouteRef {
	Graph *k;
	const Route *route;
} RouteRef;

static void check_route_ref(void *ctx, const Node *ref, const Scope *s)
{
	RouteRef *r = ctx;
	Names cand = { 0 };
	(void)s;
	for (uint32_t i = 0; i < r->route->input.n; i++)
		if (str_eq(r->route->input.v[i].name, ref->name))
			return;
	if (sema_is_lost(r->k->u, ref->name))
		return;
	for (uint32_t i = 0; i < r->route->rule.n; i++) {
		const Prompt *p = find_prompt(r->k->u, r->route->rule.v[i]->name);
		for (uint32_t j = 0; p && j < p->input.n; j++)
			vec_push(&r->k->c->arena, &cand, p->input.v[j].name);
	}
	Diag *g = diag_add(&r->k->c->diags, SD301, ref->span, "no prompt that this route may choose takes `%.*s`", STR_ARG(ref->name));
	diag_did_you_mean(&r->k->c->diags, g, name_at(ref), ref->name, cand.v, cand.n);
}

static void check_route_target(Graph *k, const Node *rule)
{
	if (find_prompt(k->u, rule->name) || sema_is_lost(k->u, rule->name))
		return;
	Names cand = { 0 };
	for (uint32_t i = 0; i < k->u->prompt.n; i++)
		vec_push(&k->c->arena, &cand, k->u->prompt.v[i]->name);
	Diag *g = diag_add(&k->c->diags, SD806, name_at(rule), "there is no prompt `%.*s` in this file", STR_ARG(rule->name));
	diag_did_you_mean(&k->c->diags, g, name_at(rule), rule->name, cand.v, cand.n);
}

static void check_route(Graph *k, const Route *route)
{
	const Node *otherwise = NULL;
	RouteRef refs = { k, route };
	for (uint32_t i = 0; i < route->rule.n; i++) {
		const Node *rule = route->rule.v[i];
		if (otherwise) {
			Diag *g = diag_add(&k->c->diags, SD806, rule->span, "this rule is never reached: `else` stands above it");
			diag_label(&k->c->diags, g, otherwise->span, "`else` takes everything");
		}
		if (rule->kind == N_ROUTE_ELSE)
			otherwise = rule;
		check_route_target(k, rule);
		if (rule->first && node_is_cond(rule->first))
			sema_walk_cond_refs(rule->first, NULL, check_route_ref, &refs);
	}
	/* a line that could not be read may have been it */
	if (otherwise || route->decl->flags & NF_BAD || node_kid(route->decl, N_ERROR))
		return;
	Diag *g = diag_add(&k->c->diags, SD806, name_at(route->decl), "route `%.*s` has no `else`", STR_ARG(route->name));
	diag_help(&k->c->diags, g, "say which prompt answers when no rule holds: `else -> NAME`");
}

void pass_graph(Compiler *c, Unit *u)
{
	for (uint32_t i = 0; i < u->prompt.n + (u->self != NULL); i++) {
		bool library = i == u->prompt.n;
		Graph k = { .c = c, .u = u, .p = library ? u->self : u->prompt.v[i] };
		Walk includes = { .u = u, .p = k.p, .ctx = &k, .on_stop = on_stop };
		Walk refs = { .u = u, .p = k.p, .ctx = &k, .on_hole = on_hole, .on_cond = on_cond, .on_for = on_for };
		if (library) {
			sema_walk_library(&includes);
			continue;
		}
		sema_walk_prompt(&includes);
		check_chain(&k);
		check_stages(&k, &refs);
		check_messages(&k, &refs);
		check_cuts(&k);
	}
	Graph k = { .c = c, .u = u };
	for (uint32_t i = 0; i < u->route.n; i++)
		check_route(&k, u->route.v[i]);
}
