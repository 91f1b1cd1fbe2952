/*
 * Inputs: type, trust, stability, default. What is not written follows from the type: text and what
 * contains it is untrusted, what has few values is static.
 */
#include "compiler/sema/build.h"

static Stability default_stability(const Type *t)
{
	if (!t)
		return STAB_TURN;
	if (t->is_finite)
		return STAB_STATIC;
	return t->kind == INPUT_DOCS || t->kind == INPUT_TURNS ? STAB_SESSION : STAB_TURN;
}

static void set_trust(Input *in, const Node *n)
{
	const Node *trust = node_clause(n, CL_TRUST);
	if (trust && trust->val < 0)
		in->trust_unknown = true;
	in->is_trusted = trust ? trust->val == 1 : in->type && !in->type->holds_text;
}

static void set_default(Build *b, Input *in, const Node *clause)
{
	const Node *value = clause ? clause->first : NULL;
	if (!value)
		return;
	Str why = sema_value_misfit(b->a, in->type, value);
	if (why.n) {
		Diag *g = diag_add(b->d, SD307, value->span, "the default of `%.*s` does not fit: %.*s", STR_ARG(in->name), STR_ARG(why));
		diag_label(b->d, g, in->decl->name_span, "declared %.*s", STR_ARG(in->type->spelled));
		return;
	}
	in->default_value = value;
	if (in->is_optional) {
		Diag *g = diag_add(b->d, SD310, value->span, "`%.*s?` is optional and has a default", STR_ARG(in->name));
		diag_help(b->d, g, "with a default it is always there: drop the `?`");
	}
}

static void add_input(Build *b, Prompt *p, const Decl *d)
{
	const Node *n = d->node, *type = NULL, *stab = node_clause(n, CL_STABILITY), *max = node_clause(n, CL_MAX);
	for (const Node *k = n->first; k && !type; k = k->next)
		if (node_is_type(k) || k->kind == N_FIELDS)
			type = k;
	const Type *t = type ? build_value_type(b, p, type) : NULL;
	Input *in = vec_add(b->a, &p->input);
	*in = (Input){ .name = d->name, .decl = n, .type = t };
	in->is_optional = n->flags & NF_OPTIONAL;
	in->is_key = node_clause(n, CL_KEY) != NULL;
	set_trust(in, n);
	in->stability_written = stab != NULL;
	in->stability = stab ? (Stability)stab->val : default_stability(in->type);
	in->max_tok = max ? (uint32_t)max->val : 0;
	in->doc = node_kid(n, N_DOC) ? node_kid(n, N_DOC)->name : (Str){ 0 };
	set_default(b, in, node_clause(n, CL_DEFAULT));
	build_symbol(b, p, d->name, SYM_INPUT, p->input.n - 1, n);
}

void build_inputs(Build *b, Prompt *p)
{
	for (uint32_t i = 0; i < p->decls.n; i++)
		if (p->decls.v[i].node->kind == N_IN)
			add_input(b, p, &p->decls.v[i]);
}
