/* Walks bodies through branches, loops and includes. See walk.h. */
#include "compiler/sema/walk.h"

static void walk_branches(Walk *w, const Node *cond_if, const Scope *scope)
{
	const Guard *outer = w->guard;
	Guard hold[64];
	uint32_t n = 0;
	if (w->on_if)
		w->on_if(w, cond_if, scope);
	for (const Node *br = cond_if->first; br; br = br->next) {
		const Node *cond = br->first && node_is_cond(br->first) ? br->first : NULL;
		const Node *body = node_kid(br, N_BODY);
		if (cond && w->on_cond)
			w->on_cond(w, cond, scope);
		Guard yes = { w->guard, cond, true, scope };
		const Guard *before = w->guard;
		if (cond)
			w->guard = &yes;
		if (body)
			sema_walk_body(w, body, scope);
		w->guard = before;
		if (cond && n < 64) {
			hold[n] = (Guard){ w->guard, cond, false, scope };
			w->guard = &hold[n++];
		}
	}
	w->guard = outer;
}

static void walk_loop(Walk *w, const Node *loop, const Scope *scope)
{
	if (w->on_for)
		w->on_for(w, loop, scope);
	Scope in = { .outer = scope, .item = loop->name, .index = loop->aux, .loop = loop };
	const Node *body = node_kid(loop, N_BODY);
	if (body)
		sema_walk_body(w, body, &in);
}

static bool walk_must_stop(const Walk *w, const Node *block, WalkStop *why)
{
	for (const WalkFrame *f = w->frame; f; f = f->outer) {
		if (f->block == block) {
			*why = WALK_CYCLE;
			return true;
		}
	}
	*why = w->frame && w->frame->depth >= WALK_DEPTH_MAX ? WALK_TOO_DEEP : WALK_TOO_MANY;
	return *why == WALK_TOO_DEEP || w->n_include >= WALK_INCLUDES_MAX;
}

void sema_walk_include(Walk *w, const Node *include, const Scope *scope)
{
	const Node *block = sema_block(w->u, w->p, include);
	if (w->on_include)
		w->on_include(w, include, block, scope);
	if (!block)
		return;
	WalkStop why;
	if (walk_must_stop(w, block, &why)) {
		if (w->on_stop)
			w->on_stop(w, include, block, why);
		return;
	}
	w->n_include++;
	WalkFrame frame = { w->frame, block, include, w->frame ? w->frame->depth + 1 : 1 };
	Scope in = { .outer = scope, .binds = include };
	w->frame = &frame;
	sema_walk_decl(w, block, &in);
	w->frame = frame.outer;
}

void sema_walk_body(Walk *w, const Node *body, const Scope *scope)
{
	const Node *outer = w->body, *outer_before = w->before, *before = NULL;
	for (const Node *n = body->first; n; before = n, n = n->next) {
		w->body = body;
		w->before = before;
		switch (n->kind) {
		case N_TEXT:
			if (w->on_text)
				w->on_text(w, n, scope);
			break;
		case N_HOLE:
			if (w->on_hole)
				w->on_hole(w, n, scope);
			break;
		case N_INCLUDE:
			sema_walk_include(w, n, scope);
			break;
		case N_IF:
			walk_branches(w, n, scope);
			break;
		case N_FOR:
			walk_loop(w, n, scope);
			break;
		default:
			break;
		}
	}
	w->body = outer;
	w->before = outer_before;
}

static void walk_kids(Walk *w, const Node *decl, const Scope *scope)
{
	for (const Node *k = decl->first; k; k = k->next) {
		if (k->kind == N_BODY)
			sema_walk_body(w, k, scope);
		else if (k->kind == N_MESSAGE || k->kind == N_CALL || k->kind == N_RESULT)
			sema_walk_decl(w, k, scope);
	}
}

void sema_walk_decl(Walk *w, const Node *decl, const Scope *scope)
{
	const Guard *outer = w->guard;
	const Node *when = node_clause(decl, CL_WHEN);
	Guard hold = { outer, when ? when->first : NULL, true, scope };
	if (when && when->first) {
		if (w->on_cond)
			w->on_cond(w, when->first, scope);
		w->guard = &hold;
	}
	Scope doc = { .outer = scope, .item = STR("doc"), .loop = decl };
	walk_kids(w, decl, decl->kind == N_CONTEXT ? &doc : scope);
	w->guard = outer;
}

void sema_walk_part(Walk *w, const Part *part)
{
	w->part = part;
	if (part->kind == PART_CONSTRAINTS) {
		for (uint32_t i = 0; i < w->p->constraint.n; i++)
			if (!w->p->constraint.v[i].on.n)
				sema_walk_decl(w, w->p->constraint.v[i].decl, NULL);
	} else if (part->kind == PART_INCLUDE) {
		sema_walk_include(w, part->decl, NULL);
	} else if (part->decl) {
		sema_walk_decl(w, part->decl, NULL);
	}
	w->part = NULL;
}

void sema_walk_prompt(Walk *w)
{
	const Prompt *p = w->p;
	for (uint32_t i = 0; i < p->message.n; i++)
		for (uint32_t j = 0; j < p->message.v[i].part.n; j++)
			sema_walk_part(w, &p->message.v[i].part.v[j]);
	for (uint32_t i = 0; i < p->constraint.n; i++)
		if (p->constraint.v[i].on.n || p->constraints_placed)
			sema_walk_decl(w, p->constraint.v[i].decl, NULL);
	for (uint32_t i = 0; i < p->stage.n; i++)
		sema_walk_decl(w, p->stage.v[i].decl, NULL);
}

void sema_walk_library(Walk *w)
{
	sema_walk_prompt(w);
	for (uint32_t i = 0; i < w->p->block.n; i++) {
		WalkFrame frame = { NULL, w->p->block.v[i], NULL, 1 };
		w->frame = &frame;
		sema_walk_decl(w, w->p->block.v[i], NULL);
		w->frame = NULL;
	}
}

void sema_walk_cond_refs(const Node *cond, const Scope *s, WalkRef *fn, void *ctx)
{
	if (cond->kind == N_REF) {
		fn(ctx, cond, s);
		return;
	}
	for (const Node *k = cond->first; k; k = k->next)
		sema_walk_cond_refs(k, s, fn, ctx);
}
