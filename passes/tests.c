/*
 * Tests (SD307, SD312, SD420): can each test run, and can it fail? What a test gives must fit an input
 * that is there; what it expects must be something that a test knows.
 */
#include "compiler/sema/sema.h"
#include "passes/pass_loop.h"
#include "runtime/base/regex.h"

typedef struct Tests {
	Compiler *c;
	const Prompt *p;
	const Node *test;
} Tests;

static const char *const KNOWN[] = { "messages", "tokens", "prefix", "system", "developer", "user", "assistant", "tool", "reply" };
enum { KNOWN_N = sizeof KNOWN / sizeof *KNOWN };

static Span name_at(const Node *n)
{
	return n->name_span.hi ? n->name_span : n->span;
}

static const Symbol *value_symbol(const Prompt *p, Str name)
{
	const Symbol *s = map_get(&p->by_name, name);
	return s && s->kind != SYM_SCHEMA ? s : NULL;
}

static void report_name(Tests *k, Span at, Str name, const char *fmt, bool with_known)
{
	VEC(Str) cand = { 0 };
	for (uint32_t i = 0; i < k->p->input.n; i++)
		vec_push(&k->c->arena, &cand, k->p->input.v[i].name);
	for (uint32_t i = 0; i < k->p->stage.n; i++)
		vec_push(&k->c->arena, &cand, k->p->stage.v[i].name);
	for (int i = 0; with_known && i < KNOWN_N; i++)
		vec_push(&k->c->arena, &cand, str_from(KNOWN[i]));
	Diag *g = diag_add(&k->c->diags, SD420, at, "%s `%.*s`", fmt, STR_ARG(name));
	diag_did_you_mean(&k->c->diags, g, at, name, cand.v, cand.n);
	if (!g->help.n && with_known)
		diag_help(&k->c->diags, g, "tests know messages, tokens, prefix, the roles, reply and the inputs");
}

static void check_given(Tests *k, const Node *n)
{
	const Symbol *s = value_symbol(k->p, n->name);
	if (!s) {
		report_name(k, name_at(n), n->name, "this prompt takes no input", false);
		return;
	}
	if (s->kind != SYM_INPUT || !n->first || !node_is_value(n->first))
		return;
	const Input *in = &k->p->input.v[s->index];
	Str why = sema_value_misfit(&k->c->arena, in->type, n->first);
	if (!why.n)
		return;
	Diag *g = diag_add(&k->c->diags, SD307, n->first->span, "`%.*s` is never this: %.*s", STR_ARG(n->name), STR_ARG(why));
	if (in->decl)
		diag_label(&k->c->diags, g, in->decl->name_span, "declared %.*s", STR_ARG(in->type->spelled));
}

static void check_ref(Tests *k, const Node *ref)
{
	bool known = value_symbol(k->p, ref->name) != NULL;
	for (int i = 0; i < KNOWN_N && !known; i++)
		known = str_is(ref->name, KNOWN[i]);
	if (!known)
		report_name(k, name_at(ref), ref->name, "a test does not know", true);
}

static void check_cond(Tests *k, const Node *n)
{
	RegexError err;
	if (n->kind == N_REF)
		check_ref(k, n);
	else if (n->kind == N_MATCH && !regex_new(&k->c->arena, n->name, &err))
		diag_add(&k->c->diags, SD312, name_at(n), "bad regex: %.*s at byte %u", STR_ARG(err.message), err.offset);
	for (const Node *kid = n->first; kid && n->kind != N_REF; kid = kid->next)
		check_cond(k, kid);
}

static bool is_given(const Tests *k, Str name)
{
	for (const Node *n = k->test->first; n; n = n->next)
		if (n->kind == N_GIVEN && str_eq(n->name, name))
			return true;
	return false;
}

static void check_missing(Tests *k)
{
	for (uint32_t i = 0; i < k->p->input.n; i++) {
		const Input *in = &k->p->input.v[i];
		if (in->is_optional || in->default_value || !in->n_use || is_given(k, in->name))
			continue;
		Diag *g = diag_add(&k->c->diags, SD420, name_at(k->test), "this test gives nothing for `%.*s`", STR_ARG(in->name));
		if (in->decl)
			diag_label(&k->c->diags, g, in->decl->name_span, "needed");
		diag_help(&k->c->diags, g, "write `given %.*s = …`", STR_ARG(in->name));
	}
}

static void check_test(Tests *k)
{
	uint32_t n_expect = 0;
	for (const Node *n = k->test->first; n; n = n->next) {
		n_expect += n->kind == N_EXPECT || n->kind == N_EXPECT_VALID || n->kind == N_REPLY_TEXT;
		if (n->kind == N_GIVEN)
			check_given(k, n);
		else if (n->kind == N_EXPECT && n->first)
			check_cond(k, n->first);
	}
	check_missing(k);
	if (n_expect)
		return;
	Diag *g = diag_add(&k->c->diags, SD420, name_at(k->test), "this test expects nothing: it cannot fail");
	diag_set_severity(&k->c->diags, g, SEV_WARNING);
	diag_help(&k->c->diags, g, "say what must hold, as in `expect user ~ \"…\"`");
}

void pass_tests(Compiler *c, Unit *u)
{
	for (uint32_t i = 0; i < u->prompt.n; i++) {
		Tests k = { .c = c, .p = u->prompt.v[i] };
		for (uint32_t j = 0; j < k.p->test.n; j++) {
			k.test = k.p->test.v[j];
			check_test(&k);
		}
	}
}
