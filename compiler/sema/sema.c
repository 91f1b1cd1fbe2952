/*
 * Sema's driver: which declarations make which prompt. Those before the first `prompt` are shared by
 * all prompts of the file; a prompt owns what follows it up to the next `prompt` or `route`.
 *
 * Front ends without a prompt declaration (Markdown, messages JSON) make one prompt of the whole file;
 * in the language a file without one is a library.
 */
#include "compiler/sema/build.h"
#include "compiler/sema/use.h"

static Str decl_name(const Node *n)
{
	switch (n->kind) {
	case N_IN:
	case N_ROLE:
	case N_BLOCK:
	case N_CONSTRAINT:
	case N_EXAMPLE:
	case N_STAGE:
	case N_SCHEMA:
	case N_TOOL:
	case N_CONTEXT:
	case N_HISTORY:
		return n->name;
	default:
		return (Str){ 0 };
	}
}

static void push_decls(Build *b, Node *first, const Node *end, Library *self, DeclList *out)
{
	for (Node *n = first; n && n != end; n = n->next) {
		if (n->kind == N_USE)
			use_push(b, n, self, out);
		else if (n->kind != N_ERROR)
			vec_push(b->a, out, (Decl){ n, decl_name(n), self, NULL });
	}
}

static const Node *find_head(const Node *n)
{
	while (n && n->kind != N_PROMPT && n->kind != N_ROUTE)
		n = n->next;
	return n;
}

void build_shared(Build *b, Node *file, Library *self, DeclList *out)
{
	push_decls(b, file->first, find_head(file->first), self, out);
}

static void add_names(Build *b, Prompt *p)
{
	Map seen[NODE_KIND_COUNT];
	memset(seen, 0, sizeof seen);
	for (uint32_t i = 0; i < p->decls.n; i++) {
		const Decl *d = &p->decls.v[i];
		NodeKind k = d->node->kind;
		if (!d->name.n || k == N_IN || k == N_SCHEMA || k == N_STAGE || k == N_CONTEXT || k == N_HISTORY)
			continue;  /* the first three share a set of names: build_symbol; the others have the input's */
		Node *old = map_add(b->a, &seen[k], d->name, d->node);
		if (!old)
			continue;
		Span at = d->use ? d->use->span : d->node->name_span;
		if (old == d->node)
			continue;
		build_mark_bad(d->node);
		Diag *g = diag_add(b->d, SD202, at, "%s `%.*s` is declared twice", node_kind_name(k), STR_ARG(d->name));
		diag_label(b->d, g, old->name_span, "first declared here");
	}
	for (uint32_t i = 0; i < p->decls.n; i++)
		if (p->decls.v[i].node->kind == N_BLOCK)
			map_add(b->a, &p->block_by_name, p->decls.v[i].name, p->decls.v[i].node);
}

/* A declaration that came twice (shared and used again) counts once. */
static void push_once(Build *b, Prompt *p, Decl d)
{
	for (uint32_t i = 0; d.use && i < p->decls.n; i++)
		if (p->decls.v[i].node == d.node && str_eq(p->decls.v[i].name, d.name))
			return;
	vec_push(b->a, &p->decls, d);
}

Prompt *build_prompt(Build *b, const Node *head, const DeclList *shared, Node *first, const Node *end)
{
	Prompt *p = arena_new(b->a, Prompt);
	p->lang = STR("en");
	if (head) {
		const Node *doc = node_kid(head, N_DOC);
		p->decl = head;
		p->name = head->name;
		p->version = head->aux;
		p->doc = doc ? doc->name : (Str){ 0 };
	}
	DeclList own = { 0 };
	push_decls(b, first, end, NULL, &own);
	for (uint32_t i = 0; i < shared->n; i++)
		push_once(b, p, shared->v[i]);
	for (uint32_t i = 0; i < own.n; i++)
		push_once(b, p, own.v[i]);
	add_names(b, p);
	build_schemas(b, p);
	build_heads(b, p);
	build_inputs(b, p);
	build_tools(b, p);
	build_stages(b, p);
	build_files(b, p);
	build_cache(b, p);
	build_messages(b, p);
	build_stability(b, p);
	return p;
}

static void check_prompt_names(Build *b)
{
	Map seen = { 0 };
	for (uint32_t i = 0; i < b->u->prompt.n; i++) {
		const Prompt *p = b->u->prompt.v[i];
		Prompt *old = p->decl ? map_add(b->a, &seen, p->name, b->u->prompt.v[i]) : NULL;
		if (!old)
			continue;
		Diag *g = diag_add(b->d, SD202, p->decl->name_span, "prompt `%.*s` is declared twice", STR_ARG(p->name));
		diag_label(b->d, g, old->decl->name_span, "first declared here");
	}
}

/* What follows a route belongs to no prompt. */
static Node *skip_after_route(Build *b, Node *n)
{
	for (; n && n->kind != N_PROMPT && n->kind != N_ROUTE; n = n->next) {
		if (n->kind == N_ERROR || n->flags & NF_BAD)
			continue;
		Diag *g = diag_add(b->d, SD311, n->span, "this %s belongs to no prompt: a route ended the one above",
			node_kind_name(n->kind));
		diag_help(b->d, g, "move it above the route, or start another prompt");
	}
	return n;
}

static void build_all(Build *b, Node *file)
{
	DeclList shared = { 0 };
	build_shared(b, file, NULL, &shared);
	for (uint32_t i = 0; i < shared.n; i++)
		vec_push(b->a, &b->u->shared, shared.v[i]);
	Node *n = (Node *)find_head(file->first);
	if (!n && b->u->front == FRONT_SD)
		b->u->self = build_prompt(b, NULL, &shared, NULL, NULL);
	else if (!n)
		vec_push(b->a, &b->u->prompt, build_prompt(b, NULL, &shared, NULL, NULL));
	while (n) {
		if (n->kind == N_ROUTE) {
			n = skip_after_route(b, n->next);
			continue;
		}
		const Node *end = find_head(n->next);
		Prompt *p = build_prompt(b, n, &shared, n->next, end);
		vec_push(b->a, &b->u->prompt, p);
		n = (Node *)end;
	}
	check_prompt_names(b);
	for (n = file->first; n; n = n->next)
		if (n->kind == N_ROUTE)
			build_route(b, n);
}

Unit *sema_build(Compiler *c, Node *file, FrontEnd front)
{
	Unit *u = arena_new(&c->arena, Unit);
	u->c = c;
	u->file = file;
	u->front = front;
	Build b = { c, &c->arena, &c->diags, u };
	build_all(&b, file);
	return u;
}
