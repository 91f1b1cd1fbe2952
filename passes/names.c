/*
 * Names (SD301, SD303, SD306): every reference in what a prompt sends is resolved where it stands, with
 * the loops, bindings and conditions around it, and counted for pass unused.
 *
 * Each place is reported once, however many prompts share it: the sink drops exact duplicates.
 */
#include "compiler/sema/walk.h"
#include "passes/pass_loop.h"

typedef struct Names {
	Compiler *c;
	Unit *u;
	Prompt *p;
	bool is_library;  /* what its blocks do not find, their users declare */
} Names;

static Span name_at(const Node *n)
{
	return n->name_span.hi ? n->name_span : n->span;
}

/* One mistake, one message: the input that was probably meant is not reported as unused too. */
static void count_meant(Names *k, const Str *meant)
{
	for (uint32_t i = 0; meant && i < k->p->input.n; i++)
		if (str_eq(k->p->input.v[i].name, *meant))
			k->p->input.v[i].n_use++;
}

/* A loop whose head is wrong may be what declares the name. */
static bool in_broken_loop(const Scope *s)
{
	while (s && !(s->loop && s->loop->kind == N_FOR && node_kid(s->loop, N_ERROR)))
		s = s->outer;
	return s != NULL;
}

static void report_root(Names *k, const Node *ref, const Scope *s, const Node *hole)
{
	if (k->is_library || in_broken_loop(s) || sema_is_lost(k->u, ref->name))
		return;
	Diag *g = diag_add(&k->c->diags, SD301, name_at(ref), "nobody declared `%.*s`", STR_ARG(ref->name));
	Str *cand;
	uint32_t n = sema_scope_names(&k->c->arena, k->p, s, &cand);
	const Str *meant = diag_did_you_mean(&k->c->diags, g, name_at(ref), ref->name, cand, n);
	count_meant(k, meant);
	if (g->help.n)
		return;
	if (!hole) {
		diag_help(&k->c->diags, g, "declare it: `in %.*s: text`", STR_ARG(ref->name));
		return;
	}
	diag_help(&k->c->diags, g, "declare it: `in %.*s: text`; braces meant as text are written {{{{%.*s}}", STR_ARG(ref->name),
		STR_ARG(ref->name));
	diag_fix(&k->c->diags, g, FIX_UNSAFE, (Span){ hole->span.lo, hole->span.lo }, STR("{{"), "make the braces text");
}

static void report_field(Names *k, const Node *ref, const Type *t)
{
	Span at = ref->aux_span.hi ? ref->aux_span : ref->span;
	Diag *g = diag_add(&k->c->diags, SD301, at, "`%.*s` has no field `%.*s`", STR_ARG(ref->name), STR_ARG(ref->aux));
	VEC(Str) cand = { 0 };
	for (uint32_t i = 0; t && i < t->field.n; i++)
		vec_push(&k->c->arena, &cand, t->field.v[i].name);
	diag_did_you_mean(&k->c->diags, g, at, ref->aux, cand.v, cand.n);
	if (!g->help.n && t && t->kind == INPUT_LIST)
		diag_help(&k->c->diags, g, "`%.*s` is a list: take its items with `!FOR x IN %.*s`", STR_ARG(ref->name), STR_ARG(ref->name));
}

static void count_use(Names *k, const Ref *r)
{
	if (r->kind == REF_INPUT && !r->bound)
		k->p->input.v[r->index].n_use++;
}

/* `target`, `constraints` and schemas stand where references do. */
static bool is_special(Names *k, const Node *ref, const Node *hole)
{
	if (sema_is_target(ref)) {
		if (hole || !str_is(ref->aux, "family"))
			diag_add(&k->c->diags, SD301, ref->span, "of `target` only `target.family` is known, in conditions");
		return true;
	}
	if (hole && str_is(ref->name, "constraints") && !ref->aux.n)
		return true;
	const Schema *s = sema_schema(k->p, ref->name);
	if (!s)
		return false;
	k->p->schema.v[s - k->p->schema.v].n_use++;
	if (!hole || ref->aux.n)
		diag_add(&k->c->diags, SD301, ref->span, "`%.*s` is a schema: it can only be shown whole, with {{%.*s}}", STR_ARG(ref->name),
			STR_ARG(ref->name));
	return true;
}

/* A field on the way is missing: which type lacks it? The root without its field says. */
static void report_missing(Names *k, const Node *ref, const Scope *s, const Node *hole)
{
	Node root = *ref;
	Ref r;
	root.aux = (Str){ 0 };
	if (!ref->aux.n || !sema_resolve(k->u, k->p, s, &root, &r)) {
		report_root(k, ref, s, hole);
		return;
	}
	count_use(k, &r);
	bool no_docs = r.kind == REF_LOOP && r.loop->kind == N_CONTEXT && (!r.type || !str_is(r.type->spelled, "doc"));
	if (!no_docs) /* else the context's input has been reported */
		report_field(k, ref, r.type);
}

static bool check_ref(Names *k, const Node *ref, const Scope *s, const Node *hole, Ref *out)
{
	if (ref->flags & NF_BAD)
		return false;
	if (!sema_resolve(k->u, k->p, s, ref, out)) {
		if (!is_special(k, ref, hole))
			report_missing(k, ref, s, hole);
		return false;
	}
	count_use(k, out);
	return true;
}

/* ---- SD306: may it be missing here? ---- */

typedef struct Wanted {
	const Unit *u;
	const Prompt *p;
	const Input *input;
	Str field;
} Wanted;

static bool is_wanted(const Wanted *k, const Node *ref, const Scope *s)
{
	Origin o;
	return ref && str_eq(ref->aux, k->field) && sema_origin(k->u, k->p, s, ref, &o) && o.input == k->input;
}

/* Does the condition, holding or failing, say that the input is there? */
static bool says_has(const Wanted *k, const Node *cond, bool holds, const Scope *s)
{
	switch (cond->kind) {
	case N_HAS:
	case N_COUNT:
		return holds && is_wanted(k, cond->first, s);
	case N_NOT:
		return cond->first && says_has(k, cond->first, !holds, s);
	case N_AND:
	case N_OR: {
		bool all = holds == (cond->kind == N_AND); /* both sides are known */
		const Node *x = cond->first, *y = x ? x->next : NULL;
		bool left = x && says_has(k, x, holds, s), right = y && says_has(k, y, holds, s);
		return all ? left || right : left && right;
	}
	case N_CMP:
	case N_IN_SET:
		return holds && cond->op != CMP_NE && cond->first && cond->first->kind == N_REF && is_wanted(k, cond->first, s);
	case N_REF:
		return holds && is_wanted(k, cond, s);
	default:
		return false;
	}
}

static bool is_guarded(const Walk *w, const Wanted *wanted)
{
	for (const Guard *g = w->guard; g; g = g->outer)
		if (says_has(wanted, g->cond, g->holds, g->scope))
			return true;
	return false;
}

static bool has_filter(const Node *hole, const char *name)
{
	for (const Node *f = hole->first; f; f = f->next)
		if (f->kind == N_FILTER && str_is(f->name, name))
			return true;
	return false;
}

static void check_presence(Names *k, const Walk *w, const Node *at, const Node *ref, const Scope *s)
{
	Origin o;
	if (!sema_origin(k->u, k->p, s, ref, &o) || !o.input || !o.input->is_optional)
		return;
	/* an item of a loop is there whenever the loop runs, and the loop's list was checked */
	Ref r;
	if (!sema_resolve(k->u, k->p, s, ref, &r) || r.kind != REF_INPUT)
		return;
	Wanted root = { k->u, k->p, o.input, { 0 } };
	if (is_guarded(w, &root))
		return;
	Diag *g = diag_add(&k->c->diags, SD306, at->span, "`%.*s` is optional and may be missing here", STR_ARG(ref->name));
	if (o.input->decl)
		diag_label(&k->c->diags, g, o.input->decl->name_span, "declared with `?`");
	if (at->kind == N_HOLE)
		diag_help(&k->c->diags, g, "put the text that needs it under `!IF has %.*s` … `!END`, or write {{%.*s | default(\"…\")}}",
			STR_ARG(ref->name), STR_ARG(ref->name));
	else
		diag_help(&k->c->diags, g, "put it under `!IF has %.*s` … `!END`", STR_ARG(ref->name));
}

/* ---- walking ---- */

static void on_hole(Walk *w, const Node *hole, const Scope *s)
{
	Names *k = w->ctx;
	const Node *ref = node_kid(hole, N_REF);
	Ref r;
	if (ref && check_ref(k, ref, s, hole, &r) && !has_filter(hole, "default"))
		check_presence(k, w, hole, ref, s);
}

static void check_cond_ref(void *ctx, const Node *ref, const Scope *s)
{
	Ref r;
	check_ref(ctx, ref, s, NULL, &r);
}

static void on_cond(Walk *w, const Node *cond, const Scope *s)
{
	sema_walk_cond_refs(cond, s, check_cond_ref, w->ctx);
}

static void on_for(Walk *w, const Node *loop, const Scope *s)
{
	const Node *ref = node_kid(loop, N_REF);
	Ref r;
	if (ref && check_ref(w->ctx, ref, s, NULL, &r))
		check_presence(w->ctx, w, loop, ref, s);
}

static void on_include(Walk *w, const Node *include, const Node *block, const Scope *s)
{
	Names *k = w->ctx;
	for (const Node *b = include->first; b; b = b->next) {
		Ref r;
		Node ref = { .kind = N_REF, .span = b->first ? b->first->span : b->span };
		ref.name = b->first ? b->first->name : (Str){ 0 };
		if (b->kind == N_BIND && b->first && b->first->kind == N_NAME && sema_resolve(k->u, k->p, s, &ref, &r))
			count_use(k, &r);
	}
	if (block || include->flags & NF_BAD || sema_is_lost(k->u, include->name))
		return;
	Diag *g = diag_add(&k->c->diags, SD301, name_at(include), "there is no block `%.*s`", STR_ARG(include->name));
	VEC(Str) cand = { 0 };
	for (uint32_t i = 0; i < k->p->decls.n; i++)
		if (k->p->decls.v[i].node->kind == N_BLOCK)
			vec_push(&k->c->arena, &cand, k->p->decls.v[i].name);
	diag_did_you_mean(&k->c->diags, g, name_at(include), include->name, cand.v, cand.n);
}

static bool is_declared_input(const Prompt *p, Str name)
{
	const Symbol *s = map_get(&p->by_name, name);
	return s && s->kind == SYM_INPUT;
}

/* SD303: {ticket} or ${ticket} where ticket is an input. */
static void find_single_braces(Names *k, const Text *t)
{
	Str s = t->s;
	for (size_t i = str_find(s, STR("{"), 0); i < s.n; i = str_find(s, STR("{"), i + 1)) {
		size_t end = str_find(s, STR("}"), i);
		bool alone = end < s.n && (i == 0 || s.p[i - 1] != '{') && (end + 1 == s.n || s.p[end + 1] != '}');
		if (!alone || !is_declared_input(k->p, str_sub(s, i + 1, end)))
			continue;
		size_t lo = i && s.p[i - 1] == '$' ? i - 1 : i;
		Str name = str_sub(s, i + 1, end);
		Span at = text_span(t, lo, end + 1);
		Diag *g = diag_add(&k->c->diags, SD303, at, "`%.*s` is text: the value of `%.*s` would be {{%.*s}}",
			STR_ARG(str_sub(s, lo, end + 1)), STR_ARG(name), STR_ARG(name));
		diag_fix(&k->c->diags, g, FIX_UNSAFE, at, str_fmt(&k->c->arena, "{{%.*s}}", STR_ARG(name)), "make it a hole");
		diag_help(&k->c->diags, g, "if the model is to see the braces, put `raw` on the head");
	}
}

static void on_text(Walk *w, const Node *text, const Scope *s)
{
	(void)s;
	if (text->text && w->u->front == FRONT_SD && !(w->body->flags & NF_RAW))
		find_single_braces(w->ctx, text->text);
}

/* ---- heads that name things ---- */

static void report_head(Names *k, Span at, Str name, const char *what, const Str *cand, uint32_t n)
{
	if (sema_is_lost(k->u, name))
		return;
	Diag *g = diag_add(&k->c->diags, SD301, at, "there is no %s `%.*s`", what, STR_ARG(name));
	diag_did_you_mean(&k->c->diags, g, at, name, cand, n);
}

static void check_source(Names *k, const Node *n, InputType want, const char *what)
{
	const Symbol *sym = map_get(&k->p->by_name, n->name);
	Str *cand;
	if (!sym || sym->kind != SYM_INPUT) {
		uint32_t count = sema_scope_names(&k->c->arena, k->p, NULL, &cand);
		report_head(k, name_at(n), n->name, "input", cand, count);
		return;
	}
	Input *in = &k->p->input.v[sym->index];
	in->n_use++;
	if (!in->type || in->type->kind == want)
		return;
	Diag *g = diag_add(&k->c->diags, SD309, name_at(n), "`%.*s` is `%.*s`; a %s takes `%s`", STR_ARG(n->name),
		STR_ARG(in->type->spelled), node_kind_name(n->kind), what);
	if (in->decl)
		diag_label(&k->c->diags, g, in->decl->name_span, "declared here");
}

static void check_tool(Names *k, const Node *call)
{
	VEC(Str) cand = { 0 };
	for (uint32_t i = 0; i < k->p->tool.n; i++) {
		vec_push(&k->c->arena, &cand, k->p->tool.v[i].name);
		if (str_eq(k->p->tool.v[i].name, call->name))
			return;
	}
	report_head(k, name_at(call), call->name, "tool", cand.v, cand.n);
}

static void check_on(Names *k, const Constraint *con)
{
	VEC(Str) cand = { 0 };
	for (uint32_t i = 0; i < k->p->stage.n; i++)
		vec_push(&k->c->arena, &cand, k->p->stage.v[i].name);
	const Node *on = node_clause(con->decl, CL_ON);
	for (const Node *n = on ? on->first : NULL; n; n = n->next) {
		const Symbol *s = map_get(&k->p->by_name, n->name);
		if (!s || s->kind != SYM_STAGE)
			report_head(k, n->span, n->name, "stage", cand.v, cand.n);
	}
}

static void find_constraints_hole(Walk *w, const Node *hole, const Scope *s)
{
	Names *k = w->ctx;
	const Node *ref = node_kid(hole, N_REF);
	(void)s;
	if (ref && str_is(ref->name, "constraints") && !ref->aux.n)
		diag_add(&k->c->diags, SD311, hole->span, "a constraint cannot place the constraints: it is one of them");
}

static void check_heads(Names *k)
{
	for (uint32_t i = 0; i < k->p->decls.n; i++) {
		const Node *n = k->p->decls.v[i].node, *by = node_clause(n, CL_BY);
		if (n->kind == N_CONTEXT)
			check_source(k, n, INPUT_DOCS, "docs");
		else if (n->kind == N_HISTORY)
			check_source(k, n, INPUT_TURNS, "turns");
		Node ref = { .kind = N_REF };
		if (by) {
			Ref r;
			ref.name = by->name;
			ref.span = ref.name_span = name_at(by);
			check_ref(k, &ref, NULL, NULL, &r);
		}
		if (n->kind != N_EXAMPLE)
			continue;
		for (const Node *m = n->first; m; m = m->next)
			if (m->kind == N_CALL || m->kind == N_RESULT)
				check_tool(k, m);
	}
	Walk w = { .u = k->u, .p = k->p, .ctx = k, .on_hole = find_constraints_hole };
	for (uint32_t i = 0; i < k->p->constraint.n; i++) {
		check_on(k, &k->p->constraint.v[i]);
		sema_walk_decl(&w, k->p->constraint.v[i].decl, NULL);
	}
}

static void count_route_uses(Names *k)
{
	for (uint32_t i = 0; i < k->u->route.n; i++)
		for (uint32_t j = 0; j < k->u->route.v[i]->input.n; j++)
			for (uint32_t m = 0; m < k->p->input.n; m++)
				if (k->u->route.v[i]->input.v[j].decl && str_eq(k->u->route.v[i]->input.v[j].name, k->p->input.v[m].name))
					k->p->input.v[m].n_use++;
}

void pass_names(Compiler *c, Unit *u)
{
	for (uint32_t i = 0; i < u->prompt.n + (u->self != NULL); i++) {
		Names k = { c, u, i < u->prompt.n ? u->prompt.v[i] : u->self, i == u->prompt.n };
		Walk w = { .u = u, .p = k.p, .ctx = &k, .on_text = on_text, .on_hole = on_hole, .on_cond = on_cond, .on_for = on_for,
			.on_include = on_include };
		if (k.is_library) {
			sema_walk_library(&w);
			continue;
		}
		sema_walk_prompt(&w);
		check_heads(&k);
		count_route_uses(&k);
	}
}
