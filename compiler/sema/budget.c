/* See budget.h. */
#include "compiler/sema/budget.h"

#include "compiler/sema/walk.h"

typedef struct Count {
	const Vocabulary *v;
	TokenRange sum;
	bool is_counted;
	bool any_sure;   /* some text stands under no condition */
} Count;

static uint64_t add(uint64_t x, uint64_t y)
{
	return x > BUDGET_UNBOUNDED - y ? BUDGET_UNBOUNDED : x + y;
}

TokenRange budget_add(TokenRange a, TokenRange b)
{
	return (TokenRange){ add(a.lo, b.lo), add(a.hi, b.hi) };
}

/* Text under a condition may be absent: it adds nothing to the lower end. A loop's text counts once, as
 * its list is one of the inputs. */
static void on_text(Walk *w, const Node *text, const Scope *s)
{
	Count *k = w->ctx;
	uint64_t n = text->text ? text->text->s.n : 0;
	bool exact = k->v && text->text && k->v->count(k->v->context, text->text->s, &n);
	(void)s;
	k->is_counted &= exact;
	k->any_sure |= n && !w->guard;
	uint64_t lo = exact ? n : 0;
	k->sum = budget_add(k->sum, (TokenRange){ w->guard ? 0 : lo, n });
}

static TokenRange count_decl(Count *k, const Unit *u, const Prompt *p, const Part *part, const Node *decl)
{
	Walk w = { .u = u, .p = p, .ctx = k, .on_text = on_text };
	k->sum = (TokenRange){ 0, 0 };
	k->any_sure = false;
	if (part)
		sema_walk_part(&w, part);
	else
		sema_walk_decl(&w, decl, NULL);
	const Node *head = part ? part->decl : decl;
	bool may_go = (part && part->kind == PART_CONTEXT) || (head && node_clause(head, CL_WHEN));
	if (may_go)
		k->sum.lo = 0;
	else if (!k->v && k->sum.hi && k->any_sure)
		k->sum.lo = 1;
	return k->sum;
}

static bool may_shrink(const Prompt *p, Str name)
{
	for (uint32_t i = 0; i < p->cut.n; i++)
		if (str_eq(p->cut.v[i].name, name) && (p->cut.v[i].weight >= 0 || p->cut.v[i].decl->kind == N_CUT))
			return true;
	return false;
}

/* The bound of a value that a finite type or a length gives, for every tokenizer: bytes of its text. */
static uint64_t bound_of(const Input *in)
{
	uint64_t most = 0;
	if (in->max_tok)
		return in->max_tok;
	if (!in->type || !in->type->is_finite)
		return in->type && (in->type->kind == INPUT_INT || in->type->kind == INPUT_NUMBER) ? 32 : BUDGET_UNBOUNDED;
	for (uint32_t i = 0; i < in->type->value.n; i++)
		most = in->type->value.v[i]->name.n > most ? in->type->value.v[i]->name.n : most;
	if (in->type->kind == INPUT_INT)
		return in->type->lo.n > in->type->hi.n ? in->type->lo.n : in->type->hi.n;
	return most ? most : sizeof "false" - 1;
}

static void add_inputs(Budget *b, const Prompt *p)
{
	for (uint32_t i = 0; i < p->input.n; i++) {
		const Input *in = &p->input.v[i];
		if (!in->n_use)
			continue;
		TokenRange r = { 0, bound_of(in) };
		b->input = budget_add(b->input, r);
		if (r.hi != BUDGET_UNBOUNDED && !may_shrink(p, in->name))
			b->rigid = budget_add(b->rigid, r);
		if (in->max_tok && (!b->largest || in->max_tok > b->largest->max_tok))
			b->largest = in;
	}
}

static TokenRange reply_range(const Prompt *p)
{
	uint64_t most = p->reply.max_tok;
	for (uint32_t i = 0; i < p->stage.n; i++)
		most = p->stage.v[i].reply.max_tok > most ? p->stage.v[i].reply.max_tok : most;
	return (TokenRange){ most, most ? most : BUDGET_UNBOUNDED };
}

Budget budget_of(const Unit *u, const Prompt *p, const Vocabulary *v)
{
	Budget b = { .reply = reply_range(p) };
	Count k = { .v = v, .is_counted = true };
	TokenRange longest = { 0, 0 };
	for (uint32_t i = 0; i < p->message.n; i++)
		for (uint32_t j = 0; j < p->message.v[i].part.n; j++)
			b.fixed = budget_add(b.fixed, count_decl(&k, u, p, &p->message.v[i].part.v[j], NULL));
	for (uint32_t i = 0; i < p->stage.n; i++) {
		TokenRange r = count_decl(&k, u, p, NULL, p->stage.v[i].decl);
		longest = r.hi > longest.hi ? r : longest;
	}
	b.fixed = budget_add(b.fixed, longest);
	b.is_counted = v && k.is_counted;
	add_inputs(&b, p);
	b.total = budget_add(budget_add(b.fixed, b.input), (TokenRange){ b.reply.lo, b.reply.lo });
	return b;
}
