/*
 * Budget (SD701, SD702, SD703): can the request fit, and will it always? Without a vocabulary what is said
 * holds for every tokenizer: the fixed text counts for nothing above what must be there.
 */
#include "compiler/sema/budget.h"
#include "passes/pass_loop.h"

typedef struct Fit {
	Compiler *c;
	const Unit *u;
	const Prompt *p;
	Budget by_bytes;  /* without a vocabulary */
	Budget b;         /* for the limit at hand */
} Fit;

static const char *counted(const Fit *k)
{
	return k->b.is_counted ? "" : " (fixed text not counted: no vocabulary)";
}

static Span reply_at(const Fit *k, Span otherwise)
{
	const Reply *r = &k->p->reply;
	for (uint32_t i = 0; i < k->p->stage.n && !(r->decl && r->max_tok); i++)
		r = &k->p->stage.v[i].reply;
	return r->decl ? r->decl->span : otherwise;
}

static void label_largest(Fit *k, Diag *g)
{
	if (k->b.largest && k->b.largest->decl)
		diag_label(&k->c->diags, g, k->b.largest->decl->name_span, "up to %u of them", k->b.largest->max_tok);
}

static void help_largest(Fit *k, Diag *g)
{
	if (k->b.largest)
		diag_help(&k->c->diags, g, "lower its `max`, or let it shrink: `!CUT[%.*s: tail]`", STR_ARG(k->b.largest->name));
}

/* note [bytes first]: a token is a byte at least, so that a request that fits by its bytes fits, and no
 * vocabulary is opened for it. */
static bool fits_by_bytes(const Fit *k, uint64_t limit)
{
	TokenRange rigid = budget_add(k->by_bytes.rigid, k->by_bytes.fixed);
	return budget_add(rigid, (TokenRange){ 0, k->by_bytes.reply.lo }).hi <= limit;
}

/* What is certain, then what may be. rigid is what no cut can mend. */
static void check_limit(Fit *k, uint64_t limit, Str tokenizer, DiagId id, Span at, const char *what, Str name)
{
	TokenCounter counter = { .shelf = compiler_shelf(k->c), .tokenizer = tokenizer };
	if (fits_by_bytes(k, limit))
		return;
	k->b = counter_encoder(&counter) ? budget_of(k->u, k->p, &counter) : k->by_bytes;
	uint64_t least = budget_add(k->b.fixed, k->b.reply).lo;
	TokenRange rigid = budget_add(k->b.rigid, (TokenRange){ k->b.reply.lo, k->b.reply.lo });
	uint64_t most = budget_add(rigid, (TokenRange){ 0, k->b.is_counted ? k->b.fixed.hi : 0 }).hi;
	Diag *g;
	if (least > limit) {
		g = diag_add(&k->c->diags, SD701, at, "the request takes at least %llu tokens; %s%.*s is %llu%s", (unsigned long long)least, what,
			STR_ARG(name), (unsigned long long)limit, counted(k));
		if (k->b.reply.lo)
			diag_label(&k->c->diags, g, reply_at(k, at), "%llu of them are the reply's reserve", (unsigned long long)k->b.reply.lo);
	} else if (most > limit) {
		g = diag_add(&k->c->diags, id, at, "the request may take %llu tokens; %s%.*s is %llu%s", (unsigned long long)most, what, STR_ARG(name),
			(unsigned long long)limit, counted(k));
		diag_set_severity(&k->c->diags, g, SEV_WARNING);
		label_largest(k, g);
		help_largest(k, g);
	}
}

static void check_targets(Fit *k)
{
	for (uint32_t i = 0; i < k->p->profile.n; i++) {
		const Target *t = k->p->profile.v[i];
		Span at = k->p->target_decl.v[i]->span;
		if (!t)
			continue;
		if (t->window_tok)
			check_limit(k, t->window_tok, t->tokenizer, SD701, at, "the window of ", k->p->target.v[i]);
		if (!t->max_output_tok || k->by_bytes.reply.lo <= t->max_output_tok)
			continue;
		Diag *g = diag_add(&k->c->diags, SD701, reply_at(k, at), "`%.*s` answers with at most %u tokens, not %llu", STR_ARG(k->p->target.v[i]),
			t->max_output_tok, (unsigned long long)k->by_bytes.reply.lo);
		diag_label(&k->c->diags, g, at, "the target");
	}
}

static bool is_cut(const Prompt *p, Str name)
{
	for (uint32_t i = 0; i < p->cut.n; i++)
		if (str_eq(p->cut.v[i].name, name))
			return true;
	return false;
}

static bool is_unbounded(const Input *in)
{
	return in->n_use && !in->max_tok && in->decl && in->type && in->type->holds_text && in->type->kind != INPUT_IMAGE &&
		in->type->kind != INPUT_FILE && !(in->type->kind == INPUT_TEXT && in->type->hi.n);
}

static void check_unbounded(Fit *k)
{
	for (uint32_t i = 0; i < k->p->input.n; i++) {
		const Input *in = &k->p->input.v[i];
		if (!is_unbounded(in) || is_cut(k->p, in->name))
			continue;
		Diag *g = diag_add(&k->c->diags, SD703, in->decl->name_span, "`%.*s` has no bound, and the budget is %u tokens", STR_ARG(in->name),
			k->p->budget_tok);
		diag_help(&k->c->diags, g, "write `max N tok`, or say how it may shrink: `!CUT[%.*s: tail]`", STR_ARG(in->name));
	}
}

static Span budget_at(const Prompt *p)
{
	for (uint32_t i = 0; i < p->decls.n; i++)
		if (p->decls.v[i].node->kind == N_BUDGET)
			return p->decls.v[i].node->span;
	return p->decl ? p->decl->span : (Span){ 0, 0 };
}

void pass_budget(Compiler *c, Unit *u)
{
	for (uint32_t i = 0; i < u->prompt.n; i++) {
		Fit k = { .c = c, .u = u, .p = u->prompt.v[i] };
		if (!k.p->budget_tok && !k.p->profile.n)
			continue;
		k.by_bytes = budget_of(u, k.p, NULL);
		check_targets(&k);
		if (!k.p->budget_tok)
			continue;
		check_limit(&k, k.p->budget_tok, budget_counter(c, k.p).tokenizer, SD702, budget_at(k.p), "the budget", (Str){ 0 });
		check_unbounded(&k);
	}
}
