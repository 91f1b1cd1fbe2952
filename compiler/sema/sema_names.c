/*
 * Names: what a reference means where it stands. A name is looked for in the loops and bindings
 * around it, innermost first, then among the prompt's inputs and stages. Silent: passes report.
 */
#include "compiler/sema/build.h"

void build_symbol(Build *b, Prompt *p, Str name, SymbolKind kind, uint32_t index, const Node *decl)
{
	Symbol *s = arena_new(b->a, Symbol);
	*s = (Symbol){ kind, index, decl };
	const Symbol *old = map_add(b->a, &p->by_name, name, s);
	if (!old || old->decl == decl)
		return;
	build_mark_bad(decl);
	Diag *g = diag_add(b->d, SD202, decl->name_span.hi ? decl->name_span : decl->span, "`%.*s` is declared twice", STR_ARG(name));
	diag_label(b->d, g, old->decl->name_span.hi ? old->decl->name_span : old->decl->span, "first declared here");
	diag_help(b->d, g, "inputs, stages and schemas share one set of names: rename one of the two");
}

bool sema_is_target(const Node *ref)
{
	return str_is(ref->name, "target");
}

static bool has_lost(const Node *file, Str name)
{
	for (const Node *n = file->first; n; n = n->next)
		if (n->kind == N_ERROR && n->name.n && str_eq(n->name, name))
			return true;
	return false;
}

bool sema_is_lost(const Unit *u, Str name)
{
	for (uint32_t i = 0; i < u->used.n; i++)
		if (has_lost(u->used.v[i], name))
			return true;
	return has_lost(u->file, name);
}

const Schema *sema_schema(const Prompt *p, Str name)
{
	const Symbol *s = map_get(&p->by_name, name);
	return s && s->kind == SYM_SCHEMA ? &p->schema.v[s->index] : NULL;
}

static const Library *find_library(const Unit *u, const Node *n)
{
	if (!u->library.n)
		return NULL;
	const Source *s = source_of(&u->c->sources, n->span.lo);
	for (uint32_t i = 0; i < u->library.n; i++)
		if (u->library.v[i]->source == s)
			return u->library.v[i];
	return NULL;
}

const Node *sema_block(const Unit *u, const Prompt *p, const Node *include)
{
	const Library *lib = find_library(u, include);
	const Node *block = lib ? map_get(&lib->block, include->name) : NULL;
	return block ? block : map_get(&p->block_by_name, include->name);
}

const TypeField *sema_field(const Type *t, Str name)
{
	for (uint32_t i = 0; t && i < t->field.n; i++)
		if (str_eq(t->field.v[i].name, name))
			return &t->field.v[i];
	return NULL;
}

/* The type after the dotted fields; false when a field is not there. */
static bool type_through(const Type *t, Str fields, const Type **out)
{
	*out = t;
	while (fields.n) {
		size_t dot = str_find(fields, STR("."), 0);
		Str name = str_sub(fields, 0, dot);
		fields = str_sub(fields, dot + 1, fields.n);
		const TypeField *f = sema_field(*out, name);
		if (!f) {
			bool open = !*out || (*out)->is_open || (*out)->kind == INPUT_JSON || (*out)->kind == INPUT_MAP;
			*out = *out && (*out)->kind == INPUT_MAP ? (*out)->item : NULL;
			if (!open)
				return false;
			continue;
		}
		*out = f->type;
	}
	return true;
}

static const Node *find_bind(const Node *include, Str name)
{
	for (const Node *k = include->first; k; k = k->next)
		if (k->kind == N_BIND && str_eq(k->name, name))
			return k;
	return NULL;
}

static bool resolve_root(const Unit *u, const Prompt *p, const Scope *scope, Str name, int depth, Ref *out);

/* What one pass through the loop gives: an item of the list. */
static const Type *loop_item_type(const Unit *u, const Prompt *p, const Scope *s, int depth)
{
	Ref list;
	const Node *loop = s->loop, *ref = loop->kind == N_FOR ? node_kid(loop, N_REF) : NULL;
	const Type *t = NULL;
	if (loop->kind == N_CONTEXT) {
		if (resolve_root(u, p, NULL, loop->name, depth, &list))
			t = list.type;
	} else if (ref && resolve_root(u, p, s->outer, ref->name, depth, &list)) {
		if (!type_through(list.type, ref->aux, &t))
			t = NULL;
	}
	return t ? t->item : NULL;
}

static bool resolve_bind(const Unit *u, const Prompt *p, const Scope *s, const Node *bind, int depth, Ref *out)
{
	const Node *value = bind->first;
	if (value && value->kind == N_NAME && resolve_root(u, p, s->outer, value->name, depth, out))
		return true;
	*out = (Ref){ .kind = REF_INPUT, .index = BIN_NONE, .bound = value };
	return value != NULL;
}

static bool resolve_symbol(const Prompt *p, Str name, Ref *out)
{
	const Symbol *sym = map_get(&p->by_name, name);
	if (!sym || sym->kind == SYM_SCHEMA)
		return false;
	if (sym->kind == SYM_STAGE)
		*out = (Ref){ .kind = REF_STAGE, .index = sym->index, .type = p->stage.v[sym->index].reply.type };
	else
		*out = (Ref){ .kind = REF_INPUT, .index = sym->index, .type = p->input.v[sym->index].type };
	return true;
}

static bool resolve_root(const Unit *u, const Prompt *p, const Scope *scope, Str name, int depth, Ref *out)
{
	if (depth > 64)
		return false;
	for (const Scope *s = scope; s; s = s->outer) {
		if (s->loop && str_eq(s->item, name)) {
			*out = (Ref){ .kind = REF_LOOP, .loop = s->loop, .type = loop_item_type(u, p, s, depth + 1) };
			return true;
		}
		if (s->loop && s->index.n && str_eq(s->index, name)) {
			*out = (Ref){ .kind = REF_LOOP_INDEX, .loop = s->loop };
			return true;
		}
		const Node *bind = s->binds ? find_bind(s->binds, name) : NULL;
		if (bind)
			return resolve_bind(u, p, s, bind, depth + 1, out);
	}
	return resolve_symbol(p, name, out);
}

bool sema_resolve(const Unit *u, const Prompt *p, const Scope *scope, const Node *ref, Ref *out)
{
	if (!resolve_root(u, p, scope, ref->name, 0, out))
		return false;
	if (out->bound || out->kind == REF_LOOP_INDEX)
		return !ref->aux.n;
	return type_through(out->type, ref->aux, &out->type);
}

bool sema_origin(const Unit *u, const Prompt *p, const Scope *scope, const Node *ref, Origin *out)
{
	*out = (Origin){ 0 };
	Str name = ref->name;
	for (int hops = 0; hops < 64; hops++) {
		Ref r;
		const Scope *s = scope;
		if (!resolve_root(u, p, s, name, 0, &r))
			return false;
		if (r.kind == REF_STAGE) {
			out->stage = &p->stage.v[r.index];
			return true;
		}
		if (r.kind == REF_INPUT) {
			out->input = r.bound ? NULL : &p->input.v[r.index];
			return true;
		}
		out->is_counter |= r.kind == REF_LOOP_INDEX;
		const Node *list = r.loop->kind == N_FOR ? node_kid(r.loop, N_REF) : NULL;
		if (r.loop->kind != N_CONTEXT && !list)
			return false;
		while (s && s->loop != r.loop)
			s = s->outer;
		name = list ? list->name : r.loop->name;
		scope = s ? s->outer : NULL;
	}
	return false;
}

uint32_t sema_scope_names(Arena *a, const Prompt *p, const Scope *scope, Str **out)
{
	VEC(Str) name = { 0 };
	for (const Scope *s = scope; s; s = s->outer) {
		if (s->loop)
			vec_push(a, &name, s->item);
		if (s->loop && s->index.n)
			vec_push(a, &name, s->index);
		for (const Node *k = s->binds ? s->binds->first : NULL; k; k = k->next)
			if (k->kind == N_BIND)
				vec_push(a, &name, k->name);
	}
	for (uint32_t i = 0; i < p->input.n; i++)
		vec_push(a, &name, p->input.v[i].name);
	for (uint32_t i = 0; i < p->stage.n; i++)
		vec_push(a, &name, p->stage.v[i].name);
	for (uint32_t i = 0; i < p->schema.n; i++)
		vec_push(a, &name, p->schema.v[i].name);
	*out = name.v;
	return name.n;
}
