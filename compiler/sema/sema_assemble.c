/*
 * Assembly: which part stands in which message (language.md 3.1 to 3.3).
 *
 * One idea: a head is open while what directly follows it may continue it. `role` is continued by
 * includes and `system`s; any message by includes. The constraints stand after the role and what
 * directly follows it; with no role they open the system message.
 */
#include "compiler/sema/build.h"
#include "compiler/sema/walk.h"

typedef struct Assembly {
	Build *b;
	Prompt *p;
	int open;         /* message that an include continues; -1: none */
	bool role_open;   /* it began with `role`, and a `system` continues it too */
	bool constraints_pending;
} Assembly;

static MessagePlan *add_message(Assembly *a, Role role, Str name)
{
	MessagePlan *m = vec_add(a->b->a, &a->p->message);
	m->role = role;
	m->name = name;
	return m;
}

static Part *add_part(Assembly *a, MessagePlan *m, PartKind kind, const Node *decl)
{
	Part *part = vec_add(a->b->a, &m->part);
	*part = (Part){ .kind = kind, .decl = decl, .n_variant = 1 };
	if (decl)
		part->name = decl->name;
	return part;
}

static int last_system(const Prompt *p)
{
	for (uint32_t i = p->message.n; i > 0; i--)
		if (p->message.v[i - 1].role == ROLE_SYSTEM)
			return (int)i - 1;
	return -1;
}

/* The role and what directly followed it have ended: the constraints come next. */
static void close_head(Assembly *a)
{
	if (a->role_open && a->constraints_pending) {
		add_part(a, &a->p->message.v[a->open], PART_CONSTRAINTS, NULL);
		a->constraints_pending = false;
	}
	a->role_open = false;
	a->open = -1;
}

static void put_role(Assembly *a, const Node *n)
{
	close_head(a);
	MessagePlan *m = add_message(a, ROLE_SYSTEM, n->name);
	add_part(a, m, PART_ROLE, n);
	a->open = (int)a->p->message.n - 1;
	a->role_open = true;
}

static void put_message(Assembly *a, const Node *n)
{
	if (a->role_open && n->op == ROLE_SYSTEM) {
		add_part(a, &a->p->message.v[a->open], PART_MESSAGE, n);
		return;
	}
	close_head(a);
	MessagePlan *m = add_message(a, (Role)n->op, n->name);
	const Node *body = node_body(n);
	m->is_exact = node_clause(n, CL_EXACT) || (body && body->kind == N_BODY && (body->flags & NF_EXACT));
	add_part(a, m, PART_MESSAGE, n);
	a->open = (int)a->p->message.n - 1;
}

static void put_include(Assembly *a, const Node *n)
{
	if (a->open < 0) {
		if (a->p->message.n) {
			Diag *g = diag_add(a->b->d, SD311, n->span, "`!INCLUDE[%.*s]` follows nothing that it could continue", STR_ARG(n->name));
			diag_help(a->b->d, g, "between declarations it continues the message directly above; put it under a head, indented");
			return;
		}
		add_message(a, ROLE_SYSTEM, (Str){ 0 });
		a->open = 0;
	}
	add_part(a, &a->p->message.v[a->open], PART_INCLUDE, n);
}

static void put_context(Assembly *a, const Node *n)
{
	close_head(a);
	if (node_clause(n, CL_AS_SYSTEM)) {
		int at = last_system(a->p);
		MessagePlan *m = at >= 0 ? &a->p->message.v[at] : add_message(a, ROLE_SYSTEM, (Str){ 0 });
		add_part(a, m, PART_CONTEXT, n);
		return;
	}
	add_part(a, add_message(a, ROLE_USER, n->name), PART_CONTEXT, n);
}

static void put_alone(Assembly *a, PartKind kind, const Node *n)
{
	close_head(a);
	add_part(a, add_message(a, ROLE_USER, n->name), kind, n);
}

static void put(Assembly *a, const Node *n)
{
	switch (n->kind) {
	case N_ROLE:
		put_role(a, n);
		break;
	case N_MESSAGE:
		put_message(a, n);
		break;
	case N_INCLUDE:
		put_include(a, n);
		break;
	case N_CONTEXT:
		put_context(a, n);
		break;
	case N_HISTORY:
		put_alone(a, PART_HISTORY, n);
		break;
	case N_EXAMPLE:
		put_alone(a, PART_EXAMPLE, n);
		break;
	default:
		break;
	}
}

/* With no role the constraints open the first system message, or stand in one of their own in front. */
static void put_constraints_first(Assembly *a)
{
	Prompt *p = a->p;
	uint32_t at = 0;
	while (at < p->message.n && p->message.v[at].role != ROLE_SYSTEM)
		at++;
	if (at == p->message.n) {
		vec_add(a->b->a, &p->message);
		memmove(p->message.v + 1, p->message.v, (p->message.n - 1) * sizeof *p->message.v);
		p->message.v[0] = (MessagePlan){ .role = ROLE_SYSTEM };
		at = 0;
	}
	MessagePlan *m = &p->message.v[at];
	vec_add(a->b->a, &m->part);
	memmove(m->part.v + 1, m->part.v, (m->part.n - 1) * sizeof *m->part.v);
	m->part.v[0] = (Part){ .kind = PART_CONSTRAINTS, .n_variant = 1 };
}

static void note_constraints_hole(Walk *w, const Node *hole, const Scope *s)
{
	const Node *ref = node_kid(hole, N_REF);
	Ref r;
	if (ref && str_is(ref->name, "constraints") && !sema_resolve(w->u, w->p, s, ref, &r))
		*(bool *)w->ctx = true;
}

static bool places_constraints(Build *b, const Prompt *p)
{
	bool found = false;
	Walk w = { .u = b->u, .p = p, .ctx = &found, .on_hole = note_constraints_hole };
	for (uint32_t i = 0; i < p->decls.n; i++) {
		const Node *n = p->decls.v[i].node;
		if (n->kind == N_INCLUDE)
			sema_walk_include(&w, n, NULL);
		else if (n->kind == N_ROLE || n->kind == N_MESSAGE || n->kind == N_CONTEXT || n->kind == N_STAGE)
			sema_walk_decl(&w, n, NULL);
	}
	return found;
}

void build_messages(Build *b, Prompt *p)
{
	p->constraints_placed = places_constraints(b, p);
	bool any = false;
	for (uint32_t i = 0; i < p->constraint.n; i++)
		any |= !p->constraint.v[i].on.n;
	Assembly a = { .b = b, .p = p, .open = -1, .constraints_pending = any && !p->constraints_placed };
	for (uint32_t i = 0; i < p->decls.n; i++)
		put(&a, p->decls.v[i].node);
	close_head(&a);
	if (a.constraints_pending)
		put_constraints_first(&a);
}
