/* See budget.h. */
#include "compiler/sema/budget.h"

#include "compiler/sema/walk.h"

enum { TAIL_BYTES = 256 };

typedef struct Count {
	Encoder *e;          /* NULL: no vocabulary */
	TokenRange sum;
	Buf text;            /* texts that stand side by side, under one guard and scope, so far */
	const Guard *guard;  /* theirs: only compared, they may be gone */
	const Scope *scope;
	bool is_sure;        /* it stands under no condition and in no loop */
	bool any_sure;       /* some text does */
} Count;

static uint64_t add(uint64_t x, uint64_t y)
{
	return x > BUDGET_UNBOUNDED - y ? BUDGET_UNBOUNDED : x + y;
}

TokenRange budget_add(TokenRange a, TokenRange b)
{
	return (TokenRange){ add(a.lo, b.lo), add(a.hi, b.hi) };
}

/* The last cut in the text's last bytes; hi if there is none. */
static size_t last_cut(const Encoder *e, Str text, size_t lo)
{
	size_t cut = text.n;
	size_t at = text.n > lo + TAIL_BYTES ? text.n - TAIL_BYTES : lo;
	while ((at = token_cut(e, text, at + 1)) < text.n)
		cut = at;
	return cut;
}

TokenRange budget_text(Encoder *e, Str text)
{
	TokenRange r = { 0, text.n };
	size_t lo = e ? token_cut(e, text, 1) : text.n;
	size_t hi = lo < text.n ? last_cut(e, text, lo) : text.n;
	if (hi == text.n)
		return r;
	r.lo = token_count_behind(e, str_sub(text, lo, hi));
	r.hi = r.lo + lo + (text.n - hi);
	return r;
}

TokenCounter budget_counter(Compiler *c, const Prompt *p)
{
	const Target *t = p->profile.n ? p->profile.v[0] : NULL;
	return (TokenCounter){ .shelf = compiler_shelf(c), .tokenizer = t ? t->tokenizer : STR("") };
}

/* Text under a condition or in a loop may be absent: it adds nothing to the lower end. A loop's text counts
 * once at the upper, as its list is one of the inputs. */
static void flush(Count *k)
{
	TokenRange r = budget_text(k->e, buf_str(&k->text));
	k->any_sure |= k->text.n && k->is_sure;
	k->sum = budget_add(k->sum, (TokenRange){ k->is_sure ? r.lo : 0, r.hi });
	k->text.n = 0;
}

static void on_text(Walk *w, const Node *text, const Scope *s)
{
	Count *k = w->ctx;
	if (w->guard != k->guard || s != k->scope)
		flush(k);
	k->guard = w->guard;
	k->scope = s;
	k->is_sure = !w->guard;
	for (; s; s = s->outer)
		k->is_sure &= !s->loop;
	if (text->text)
		buf_put(&k->text, text->text->s);
}

static void on_break(Walk *w, const Node *n, const Scope *s)
{
	(void)n;
	(void)s;
	flush(w->ctx);
}

static void on_include(Walk *w, const Node *include, const Node *block, const Scope *s)
{
	(void)block;
	on_break(w, include, s);
}

static TokenRange count_decl(Count *k, const Unit *u, const Prompt *p, const Part *part, const Node *decl)
{
	Walk w = { .u = u, .p = p, .ctx = k, .on_text = on_text, .on_hole = on_break, .on_if = on_break, .on_cond = on_break, .on_for = on_break,
	           .on_include = on_include };
	k->sum = (TokenRange){ 0, 0 };
	k->any_sure = false;
	if (part)
		sema_walk_part(&w, part);
	else
		sema_walk_decl(&w, decl, NULL);
	flush(k);
	const Node *head = part ? part->decl : decl;
	bool may_go = (part && part->kind == PART_CONTEXT) || (head && node_clause(head, CL_WHEN));
	if (may_go)
		k->sum.lo = 0;
	else if (!k->sum.lo && k->any_sure)
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

Budget budget_of(const Unit *u, const Prompt *p, const TokenCounter *t)
{
	Budget b = { .reply = reply_range(p) };
	Count k = { .e = t ? counter_encoder(t) : NULL };
	TokenRange longest = { 0, 0 };
	for (uint32_t i = 0; i < p->message.n; i++)
		for (uint32_t j = 0; j < p->message.v[i].part.n; j++)
			b.fixed = budget_add(b.fixed, count_decl(&k, u, p, &p->message.v[i].part.v[j], NULL));
	for (uint32_t i = 0; i < p->stage.n; i++) {
		TokenRange r = count_decl(&k, u, p, NULL, p->stage.v[i].decl);
		longest = r.hi > longest.hi ? r : longest;
	}
	b.fixed = budget_add(b.fixed, longest);
	b.is_counted = k.e != NULL;
	buf_free(&k.text);
	add_inputs(&b, p);
	b.total = budget_add(budget_add(b.fixed, b.input), (TokenRange){ b.reply.lo, b.reply.lo });
	return b;
}
