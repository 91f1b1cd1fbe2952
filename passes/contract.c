/*
 * Contract (SD401, SD404, SD410): what comes back, and whether everything in the prompt agrees about it.
 * Rules that read prose (SD402, SD403) are in passes/lint_fields.c, what is missing in lint_parts.c.
 */
#include "compiler/sema/walk.h"
#include "passes/pass_loop.h"
#include "runtime/base/json.h"

typedef struct Contract {
	Compiler *c;
	Unit *u;
	Prompt *p;
	Str wanted;        /* schema looked for by on_hole */
	bool found;
} Contract;

static Span name_at(const Node *n)
{
	return n->name_span.hi ? n->name_span : n->span;
}

/* ---- SD401: examples ---- */

static bool is_fixed(const Node *body)
{
	for (const Node *n = body->first; n; n = n->next)
		if (n->kind != N_TEXT)
			return false;
	return true;
}

static Span issue_span(const Text *t, uint32_t lo, uint32_t hi)
{
	return hi > lo ? text_span(t, lo, hi) : text_span(t, 0, t->s.n);
}

static void report_answer(Contract *k, Span at, const Node *example, Str what)
{
	Diag *g = diag_add(&k->c->diags, SD401, at, "this answer of example `%.*s` is not what `reply` asks for: %.*s", STR_ARG(example->name),
		STR_ARG(what));
	if (k->p->reply.decl)
		diag_label(&k->c->diags, g, k->p->reply.decl->span, "declared here");
}

static void check_json_answer(Contract *k, const Node *example, const Text *t)
{
	JsonDoc doc;
	SchemaIssues issues = { 0 };
	Arena *a = &k->c->arena;
	if (!json_read(a, t->s, 0, &doc)) {
		report_answer(k, issue_span(t, doc.err.offset, doc.err.offset + 1 <= t->s.n ? doc.err.offset + 1 : doc.err.offset), example,
			str_fmt(a, "it is no JSON (%.*s)", STR_ARG(doc.err.message)));
		return;
	}
	if (!k->p->reply.type->schema || schema_validate(a, k->p->reply.type->schema, doc.root, SCHEMA_NULL_IS_ABSENT, &issues))
		return;
	for (uint32_t i = 0; i < issues.n && i < 4; i++) {
		const SchemaIssue *s = &issues.v[i];
		Str where = s->instance.n ? str_fmt(a, "%.*s ", STR_ARG(s->instance)) : (Str){ 0 };
		report_answer(k, issue_span(t, s->lo, s->hi), example, str_fmt(a, "%.*s%.*s", STR_ARG(where), STR_ARG(s->message)));
	}
}

/* Enums, bools and numbers are bare text. */
static void check_bare_answer(Contract *k, const Node *example, const Text *t)
{
	Str s = str_trim(t->s);
	InputType kind = k->p->reply.type->kind;
	Node value = { .kind = kind == INPUT_INT || kind == INPUT_NUMBER ? N_NUM : N_NAME, .name = s };
	Str why = sema_value_misfit(&k->c->arena, k->p->reply.type, &value);
	if (why.n)
		report_answer(k, issue_span(t, 0, t->s.n), example, why);
}

static void check_answer(Contract *k, const Node *example, const Node *message)
{
	const Node *body = node_kid(message, N_BODY);
	if (!body || !body->first || body->first->next || !is_fixed(body) || !body->first->text)
		return;
	const Text *t = body->first->text;
	if (k->p->reply.kind == REPLY_SCHEMA || k->p->reply.kind == REPLY_JSON)
		check_json_answer(k, example, t);
	else if (k->p->reply.kind == REPLY_BARE)
		check_bare_answer(k, example, t);
}

static void check_examples(Contract *k)
{
	if (!k->p->reply.type)
		return;
	for (uint32_t i = 0; i < k->p->example.n; i++)
		for (const Node *m = k->p->example.v[i]->first; m; m = m->next)
			if (m->kind == N_MESSAGE && m->op == ROLE_ASSISTANT)
				check_answer(k, k->p->example.v[i], m);
}

/* ---- SD404: fields of a reply that is text ---- */

static void check_stage_field(Contract *k, const Node *ref, const Scope *s, bool loops)
{
	Ref r;
	if ((!ref->aux.n && !loops) || !sema_resolve(k->u, k->p, s, ref, &r) || r.kind != REF_STAGE)
		return;
	const Stage *st = &k->p->stage.v[r.index];
	if (st->reply.kind != REPLY_TEXT)
		return;
	Diag *g = diag_add(&k->c->diags, SD404, ref->span, "stage `%.*s` replies with text, which has no fields", STR_ARG(st->name));
	diag_label(&k->c->diags, g, name_at(st->decl), "it has no `reply` with a schema");
	diag_help(&k->c->diags, g, "declare what it gives: `stage %.*s reply NAME:` and `schema NAME:` with the field `%.*s`", STR_ARG(st->name),
		STR_ARG(ref->aux.n ? ref->aux : STR("items")));
}

static void on_ref_hole(Walk *w, const Node *hole, const Scope *s)
{
	const Node *ref = node_kid(hole, N_REF);
	if (ref)
		check_stage_field(w->ctx, ref, s, false);
}

static void on_ref_for(Walk *w, const Node *loop, const Scope *s)
{
	const Node *ref = node_kid(loop, N_REF);
	if (ref)
		check_stage_field(w->ctx, ref, s, true);
}

/* ---- SD410: a schema nobody sees ---- */

static void on_shown(Walk *w, const Node *hole, const Scope *s)
{
	Contract *k = w->ctx;
	const Node *ref = node_kid(hole, N_REF);
	Ref r;
	if (ref && str_eq(ref->name, k->wanted) && !sema_resolve(k->u, k->p, s, ref, &r))
		k->found = true;
}

static Str shown_name(const Type *t)
{
	while (t && !t->schema_name.n && t->item)
		t = t->item;
	return t ? t->schema_name : (Str){ 0 };
}

static bool is_shown(Contract *k, const Reply *r)
{
	k->wanted = shown_name(r->type);
	k->found = false;
	Walk w = { .u = k->u, .p = k->p, .ctx = k, .on_hole = on_shown };
	if (k->wanted.n)
		sema_walk_prompt(&w);
	return k->found;
}

static bool enforces(const Target *t)
{
	return t->native != NATIVE_NONE && t->native != NATIVE_JSON_OBJECT;
}

static void check_seen(Contract *k, const Reply *r)
{
	if (r->kind != REPLY_SCHEMA || !r->decl || !r->type || is_shown(k, r))
		return;
	for (uint32_t i = 0; i < k->p->profile.n; i++) {
		const Target *t = k->p->profile.v[i];
		if (!t || enforces(t))
			continue;
		Diag *g = diag_add(&k->c->diags, SD410, r->decl->span, "nothing shows the model this schema, and `%.*s` does not enforce one",
			STR_ARG(k->p->target.v[i]));
		diag_label(&k->c->diags, g, k->p->target_decl.v[i]->span, "the target");
		if (k->wanted.n)
			diag_help(&k->c->diags, g, "show it where you ask for the answer: {{%.*s}}", STR_ARG(k->wanted));
		else
			diag_help(&k->c->diags, g, "give the type a name, `schema Answer:`, and show it where you ask: {{Answer}}");
		return;
	}
}

static void check_replies(Contract *k)
{
	check_seen(k, &k->p->reply);
	for (uint32_t i = 0; i < k->p->stage.n; i++)
		if (k->p->stage.v[i].reply.decl != k->p->reply.decl)
			check_seen(k, &k->p->stage.v[i].reply);
}

void pass_contract(Compiler *c, Unit *u)
{
	for (uint32_t i = 0; i < u->prompt.n; i++) {
		Contract k = { .c = c, .u = u, .p = u->prompt.v[i] };
		Walk w = { .u = u, .p = k.p, .ctx = &k, .on_hole = on_ref_hole, .on_for = on_ref_for };
		check_examples(&k);
		sema_walk_prompt(&w);
		check_replies(&k);
	}
}
