/*
 * Stability: how long each part stays the same, and in how many variants. What is written stands; any
 * other part takes the least stable of what it contains and is never above the part before it.
 */
#include "compiler/sema/build.h"
#include "compiler/sema/walk.h"

typedef struct Collect {
	const Unit *u;
	const Prompt *p;
	Dependency dep;
	VEC(const Input *) counted;
	Arena *a;
} Collect;

static void count_variants(Collect *k, const Input *in)
{
	for (uint32_t i = 0; i < k->counted.n; i++)
		if (k->counted.v[i] == in)
			return;
	vec_push(k->a, &k->counted, in);
	double n = in->type && in->type->is_finite ? in->type->n_value : in->is_optional ? 1 : 0;
	if (n > 0)
		k->dep.n_variant *= in->is_optional ? n + 1 : n;
}

static void note_ref(void *ctx, const Node *ref, const Scope *s)
{
	Collect *k = ctx;
	Origin o;
	if (!sema_origin(k->u, k->p, s, ref, &o) || (!o.input && !o.stage))
		return;
	Stability stability = o.stage ? STAB_TURN : o.input->stability;
	if (o.input)
		count_variants(k, o.input);
	if (!k->dep.at || stability > k->dep.stability) {
		k->dep.stability = stability;
		k->dep.input = o.input;
		k->dep.stage = o.stage;
		k->dep.at = ref;
	}
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

static void note_for(Walk *w, const Node *loop, const Scope *s)
{
	const Node *ref = node_kid(loop, N_REF);
	if (ref)
		note_ref(w->ctx, ref, s);
}

Dependency sema_depends(const Unit *u, const Prompt *p, const Part *part)
{
	Collect k = { .u = u, .p = p, .dep = { .stability = STAB_STATIC, .n_variant = 1 }, .a = &u->c->arena };
	Walk w = { .u = u, .p = p, .ctx = &k, .on_hole = note_hole, .on_cond = note_cond, .on_for = note_for };
	if (part->kind == PART_CONTEXT || part->kind == PART_HISTORY) {
		const Symbol *sym = map_get(&p->by_name, part->decl->name);
		if (sym && sym->kind == SYM_INPUT) {
			const Input *in = &p->input.v[sym->index];
			k.dep = (Dependency){ in->stability, in, NULL, part->decl, 1 };
		}
	}
	sema_walk_part(&w, part);
	return k.dep;
}

static const Node *stability_clause(const Unit *u, const Prompt *p, const Part *part)
{
	const Node *decl = part->kind == PART_INCLUDE ? sema_block(u, p, part->decl) : part->decl;
	return decl ? node_clause(decl, CL_STABILITY) : NULL;
}

void build_stability(Build *b, Prompt *p)
{
	Stability before = STAB_STATIC;
	for (uint32_t i = 0; i < p->message.n; i++) {
		for (uint32_t j = 0; j < p->message.v[i].part.n; j++) {
			Part *part = &p->message.v[i].part.v[j];
			Dependency dep = sema_depends(b->u, p, part);
			const Node *written = stability_clause(b->u, p, part);
			part->n_variant = dep.n_variant;
			part->stability_written = written != NULL;
			part->stability = written ? (Stability)written->val : dep.stability > before ? dep.stability : before;
			before = part->stability;
		}
	}
}
