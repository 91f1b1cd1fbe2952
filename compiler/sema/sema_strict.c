/*
 * Strict mode: is each reply's schema one that a target enforces as it is? Lowering decides; what it
 * refuses is SD405 with the path. Kept from the passes, whose remarks are of another kind.
 */
#include "compiler/sema/sema.h"
#include "runtime/schema/lower.h"

static void report(Compiler *c, const SchemaRemark *m, const Reply *r, Str name, Span at)
{
	Diag *g = diag_add(&c->diags, SD405, r->decl->span, "`%.*s` cannot enforce this schema at %.*s: %.*s", STR_ARG(name),
		STR_ARG(m->pointer.n ? m->pointer : STR("its root")), STR_ARG(m->what));
	if (m->hi)
		diag_label(&c->diags, g, (Span){ m->lo, m->hi }, "here");
	diag_label(&c->diags, g, at, "the target");
}

static void check(Compiler *c, const Reply *r, const SchemaCaps *caps, Str name, Span at)
{
	SchemaRemarks remarks = { 0 };
	if (r->kind != REPLY_SCHEMA || !r->type || !r->type->schema || !r->decl)
		return;
	if (schema_lower(&c->arena, r->type->schema, caps, &remarks))
		return;
	for (uint32_t i = 0; i < remarks.n; i++)
		if (remarks.v[i].kind == REMARK_REFUSED)
			report(c, &remarks.v[i], r, name, at);
}

void sema_check_strict(Compiler *c, const Prompt *p, const Target *t, Str name, Span at)
{
	SchemaCaps caps;
	SchemaError err;
	if (!t->schema || !schema_caps_read(&c->arena, t->schema, &caps, &err))
		return;
	check(c, &p->reply, &caps, name, at);
	for (uint32_t i = 0; i < p->stage.n; i++)
		if (p->stage.v[i].reply.decl != p->reply.decl)
			check(c, &p->stage.v[i].reply, &caps, name, at);
}
