/*
 * Stages and their order. Without `!CHAIN` stages run in source order; a stage without `from` takes
 * the one before it. The chain is a path, so an edge may only lead from an earlier stage to a later one.
 *
 * Faults of the graph are reported by pass graph; here what is unknown is left out.
 */
#include "compiler/sema/build.h"

static void add_stage(Build *b, Prompt *p, const Decl *d)
{
	const Node *n = d->node, *reply = node_clause(n, CL_REPLY);
	Stage *s = vec_add(b->a, &p->stage);
	s->name = d->name;
	s->decl = n;
	s->weight = -1;
	s->order = -1;
	if (reply)
		s->reply = build_reply(b, p, reply->first, node_clause(n, CL_MAX), reply);
	build_symbol(b, p, d->name, SYM_STAGE, p->stage.n - 1, n);
}

static Stage *find_stage(Prompt *p, Str name)
{
	for (uint32_t i = 0; i < p->stage.n; i++)
		if (str_eq(p->stage.v[i].name, name))
			return &p->stage.v[i];
	return NULL;
}

static void order_by_chain(Build *b, Prompt *p)
{
	int next = 0;
	for (const Node *k = p->chain_decl->first; k; k = k->next) {
		if (k->kind != N_NAME)
			continue;
		vec_push(b->a, &p->chain, k->name);
		Stage *s = find_stage(p, k->name);
		if (s && s->order < 0)
			s->order = next++;
	}
}

static const Stage *stage_at(const Prompt *p, int order)
{
	for (uint32_t i = 0; order >= 0 && i < p->stage.n; i++)
		if (p->stage.v[i].order == order)
			return &p->stage.v[i];
	return NULL;
}

static void resolve_from(Build *b, Prompt *p, Stage *s)
{
	const Node *from = node_clause(s->decl, CL_FROM);
	if (!from) {
		const Stage *before = stage_at(p, s->order - 1);
		if (before)
			vec_push(b->a, &s->from, before->name);
		return;
	}
	for (const Node *k = from->first; k; k = k->next) {
		const Symbol *sym = map_get(&p->by_name, k->name);
		if (sym && sym->kind != SYM_SCHEMA)
			vec_push(b->a, &s->from, k->name);
	}
}

static void share_reply(Build *b, Prompt *p)
{
	Stage *last = NULL;
	for (uint32_t i = 0; i < p->stage.n; i++)
		if (p->stage.v[i].order >= 0 && (!last || p->stage.v[i].order > last->order))
			last = &p->stage.v[i];
	if (!last)
		return;
	if (!last->reply.decl) {
		last->reply = p->reply;
		return;
	}
	if (p->reply.decl) {
		Diag *g = diag_add(b->d, SD310, p->reply.decl->span, "the last stage, `%.*s`, has a reply of its own", STR_ARG(last->name));
		diag_label(b->d, g, last->reply.decl->span, "it stands here");
		diag_help(b->d, g, "the prompt's reply is that of its last stage: say it once");
	}
	p->reply = last->reply;
}

static void weigh_stages(Prompt *p)
{
	for (uint32_t i = 0; i < p->cut.n; i++) {
		Stage *s = find_stage(p, p->cut.v[i].name);
		if (s)
			s->weight = p->cut.v[i].weight;
	}
}

void build_stages(Build *b, Prompt *p)
{
	for (uint32_t i = 0; i < p->decls.n; i++)
		if (p->decls.v[i].node->kind == N_STAGE)
			add_stage(b, p, &p->decls.v[i]);
	if (p->chain_decl)
		order_by_chain(b, p);
	else
		for (uint32_t i = 0; i < p->stage.n; i++)
			p->stage.v[i].order = (int)i;
	for (uint32_t i = 0; i < p->stage.n; i++)
		resolve_from(b, p, &p->stage.v[i]);
	share_reply(b, p);
	weigh_stages(p);
}
