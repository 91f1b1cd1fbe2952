/*
 * Branches (SD802): is there a branch that no request can take? All values of the finite inputs in an
 * `!IF`, and of those it stands under, are tried; what is not finite may be either way.
 */
#include <stdlib.h>

#include "compiler/sema/walk.h"
#include "passes/pass_loop.h"
#include "runtime/base/num.h"

enum { VAR_MAX = 12, VALUE_MAX = 64, COMBINATION_MAX = 4096 };

typedef enum Tri { NO, YES, MAYBE } Tri;

/* One input: each value it may have, or whether it is there at all. */
typedef struct Var {
	const Input *input;
	uint32_t n_value;       /* of its type; 0: presence only */
	int64_t int_lo;         /* INPUT_INT */
	bool may_be_absent;
	uint32_t at;            /* of the combination tried; n_value itself: absent */
} Var;

typedef struct Branches {
	Compiler *c;
	const Unit *u;
	const Prompt *p;
	Var var[VAR_MAX];
	uint32_t n_var;
} Branches;

static const Input *plain_input(Branches *k, const Node *ref, const Scope *s)
{
	Ref r;
	if (!ref || ref->kind != N_REF || ref->aux.n || sema_is_target(ref) || !sema_resolve(k->u, k->p, s, ref, &r))
		return NULL;
	return r.kind == REF_INPUT && !r.bound ? &k->p->input.v[r.index] : NULL;
}

static Var *find_var(Branches *k, const Input *in)
{
	for (uint32_t i = 0; i < k->n_var; i++)
		if (k->var[i].input == in)
			return &k->var[i];
	return NULL;
}

static void add_var(void *ctx, const Node *ref, const Scope *s)
{
	Branches *k = ctx;
	const Input *in = plain_input(k, ref, s);
	if (!in || find_var(k, in) || k->n_var == VAR_MAX || !in->type)
		return;
	Var v = { .input = in, .may_be_absent = in->is_optional };
	Num lo;
	bool values = in->type->is_finite && in->type->n_value <= VALUE_MAX &&
		(in->type->kind == INPUT_BOOL || in->type->kind == INPUT_ENUM ||
		 (in->type->kind == INPUT_INT && num_parse(in->type->lo, &lo) && num_to_i64(&lo, &v.int_lo)));
	if (values)
		v.n_value = (uint32_t)in->type->n_value;
	k->var[k->n_var++] = v;
}

static Str value_text(Branches *k, const Var *v)
{
	const Type *t = v->input->type;
	if (t->kind == INPUT_BOOL)
		return v->at ? STR("true") : STR("false");
	if (t->kind == INPUT_ENUM)
		return t->value.v[v->at]->name;
	return str_fmt(&k->c->scratch, "%lld", (long long)(v->int_lo + v->at));
}

static Tri compare(Str x, CmpOp op, Str y)
{
	Num a, b;
	bool numbers = num_parse(x, &a) && num_parse(y, &b);
	int d = numbers ? num_cmp(&a, &b) : str_eq(x, y) ? 0 : 2;
	switch (op) {
	case CMP_EQ:
		return d == 0;
	case CMP_NE:
		return d != 0;
	case CMP_LT:
		return numbers && d < 0;
	case CMP_LE:
		return numbers && d <= 0;
	case CMP_GT:
		return numbers && d > 0;
	case CMP_GE:
		return numbers && d >= 0;
	default:
		return MAYBE;
	}
}

static Tri eval(Branches *k, const Node *cond, const Scope *s);

static Tri eval_pair(Branches *k, const Node *cond, const Scope *s)
{
	const Node *x = cond->first, *y = x ? x->next : NULL;
	if (!x || !y)
		return MAYBE;
	Tri a = eval(k, x, s), b = eval(k, y, s), decides = cond->kind == N_AND ? NO : YES;
	if (a == decides || b == decides)
		return decides;
	return a == MAYBE || b == MAYBE ? MAYBE : decides == NO ? YES : NO;
}

static Tri eval_value(Branches *k, const Node *cond, const Scope *s)
{
	const Node *operand = cond->kind == N_REF ? cond : cond->first;
	const Input *in = plain_input(k, operand, s);
	const Var *v = in ? find_var(k, in) : NULL;
	if (!v || !v->n_value)
		return MAYBE;
	if (v->at == v->n_value)
		return NO; /* absent: nothing compares with it */
	Str x = value_text(k, v);
	if (cond->kind == N_REF)
		return str_is(x, "true") ? YES : NO;
	if (cond->kind == N_CMP)
		return operand->next ? compare(x, (CmpOp)cond->op, operand->next->name) : MAYBE;
	for (const Node *n = operand->next; n; n = n->next)
		if (compare(x, CMP_EQ, n->name) == YES)
			return YES;
	return NO;
}

static Tri eval_has(Branches *k, const Node *cond, const Scope *s)
{
	const Input *in = plain_input(k, cond->first, s);
	const Var *v = in ? find_var(k, in) : NULL;
	if (!in)
		return MAYBE;
	if (!in->is_optional)
		return YES;
	return !v ? MAYBE : v->at == v->n_value ? NO : YES;
}

static Tri eval(Branches *k, const Node *cond, const Scope *s)
{
	switch (cond->kind) {
	case N_AND:
	case N_OR:
		return eval_pair(k, cond, s);
	case N_NOT: {
		Tri t = cond->first ? eval(k, cond->first, s) : MAYBE;
		return t == MAYBE ? MAYBE : t == YES ? NO : YES;
	}
	case N_HAS:
		return eval_has(k, cond, s);
	case N_REF:
	case N_CMP:
	case N_IN_SET:
		return eval_value(k, cond, s);
	default:
		return MAYBE;
	}
}

/* How many values a variable takes: presence alone takes two. */
static uint32_t var_states(const Var *v)
{
	if (!v->n_value)
		return v->may_be_absent ? 2 : 1;
	return v->n_value + v->may_be_absent;
}

static bool step(Branches *k)
{
	for (uint32_t i = 0; i < k->n_var; i++) {
		if (++k->var[i].at < var_states(&k->var[i]))
			return true;
		k->var[i].at = 0;
	}
	return false;
}

static bool guards_hold(Branches *k, const Walk *w)
{
	for (const Guard *g = w->guard; g; g = g->outer)
		if (eval(k, g->cond, g->scope) == (g->holds ? NO : YES))
			return false;
	return true;
}

/* A bit per branch that some combination takes; the top bit: the guards around hold at all. */
static uint64_t reachable(Branches *k, const Walk *w, const Node *cond_if, const Scope *s)
{
	uint64_t got = 0;
	do {
		if (!guards_hold(k, w))
			continue;
		got |= 1ull << 63;
		int i = 0;
		for (const Node *br = cond_if->first; br && i < 62; br = br->next, i++) {
			const Node *cond = br->first && node_is_cond(br->first) ? br->first : NULL;
			bool lost = br->first && br->first->kind == N_ERROR;
			Tri t = lost ? MAYBE : cond ? eval(k, cond, s) : YES;
			if (t != NO)
				got |= 1ull << i;
			if (t == YES)
				break;
		}
	} while (step(k));
	return got;
}

static void gather(Branches *k, const Walk *w, const Node *cond_if, const Scope *s)
{
	k->n_var = 0;
	for (const Node *br = cond_if->first; br; br = br->next)
		if (br->first && node_is_cond(br->first))
			sema_walk_cond_refs(br->first, s, add_var, k);
	for (const Guard *g = w->guard; g; g = g->outer)
		sema_walk_cond_refs(g->cond, g->scope, add_var, k);
}

static void report(Branches *k, const Node *br)
{
	const Node *cond = br->first && node_is_cond(br->first) ? br->first : NULL;
	if (cond) {
		Diag *g = diag_add(&k->c->diags, SD802, cond->span, "this branch is never taken: no value makes its condition true here");
		diag_help(&k->c->diags, g, "drop it, or mend the condition");
		return;
	}
	Span at = br->name_span.hi ? br->name_span : (Span){ br->span.lo, br->span.lo + 1 };
	Diag *g = diag_add(&k->c->diags, SD802, at, "this `!ELSE` is never taken: the branches above cover every value");
	diag_help(&k->c->diags, g, "drop it, or make the last branch the `!ELSE`");
}

static bool has_bad(const Node *cond_if)
{
	for (const Node *br = cond_if->first; br; br = br->next)
		if (br->first && br->first->flags & NF_BAD)
			return true;
	return false;
}

static void on_if(Walk *w, const Node *cond_if, const Scope *s)
{
	Branches *k = w->ctx;
	if (has_bad(cond_if))
		return;
	gather(k, w, cond_if, s);
	double n = 1;
	for (uint32_t i = 0; i < k->n_var; i++) {
		k->var[i].at = 0;
		n *= var_states(&k->var[i]);
	}
	if (n > COMBINATION_MAX)
		return;
	uint64_t got = reachable(k, w, cond_if, s);
	if (!(got >> 63))
		return; /* the outer branch is the one that is never taken */
	int i = 0;
	for (const Node *br = cond_if->first; br && i < 62; br = br->next, i++)
		if (!(got >> i & 1))
			report(k, br);
	arena_free(&k->c->scratch);
}

void pass_branches(Compiler *c, Unit *u)
{
	for (uint32_t i = 0; i < u->prompt.n; i++) {
		Branches k = { .c = c, .u = u, .p = u->prompt.v[i] };
		Walk w = { .u = u, .p = k.p, .ctx = &k, .on_if = on_if };
		sema_walk_prompt(&w);
	}
}
