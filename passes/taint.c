/*
 * Taint (SD604, SD605): where may a stranger's text stand? What a stranger can write is followed from
 * its declaration through loops, bindings and stages to each hole; json, xml and fence put a boundary
 * around it. Inputs that nobody declared (Markdown) are of unknown trust, and silent.
 */
#include "compiler/sema/walk.h"
#include "passes/pass_loop.h"
#include "runtime/base/utf8.h"

typedef struct Taint {
	Compiler *c;
	const Unit *u;
	const Prompt *p;
	Role role;         /* of the message that is walked */
	bool has_words;    /* the part holds words of its author */
} Taint;

static bool is_fenced(const Node *hole)
{
	for (const Node *f = hole->first; f; f = f->next)
		if (f->kind == N_FILTER && (str_is(f->name, "json") || str_is(f->name, "xml") || str_is(f->name, "fence")))
			return true;
	return false;
}

/* Can the value be written by a stranger? A field of a finite type inside an untrusted object cannot. */
static bool is_tainted(Taint *k, const Node *ref, const Scope *s, Origin *o)
{
	Ref r;
	if (!sema_resolve(k->u, k->p, s, ref, &r) || !sema_origin(k->u, k->p, s, ref, o))
		return false;
	if (r.kind == REF_LOOP_INDEX || (r.type && !r.type->holds_text))
		return false;
	if (o->stage)
		return true;
	return o->input && !o->input->is_trusted && !o->input->trust_unknown;
}

static Str ref_name(Arena *a, const Node *ref)
{
	return ref->aux.n ? str_fmt(a, "%.*s.%.*s", STR_ARG(ref->name), STR_ARG(ref->aux)) : ref->name;
}

static void report_system(Taint *k, const Node *hole, const Node *ref, const Origin *o)
{
	Str name = ref_name(&k->c->arena, ref);
	const char *where = k->role == ROLE_DEVELOPER ? "developer" : "system";
	Diag *g = diag_add(&k->c->diags, SD604, hole->span, "`%.*s` is untrusted and stands in a %s message", STR_ARG(name), where);
	if (o->stage)
		diag_label(&k->c->diags, g, o->stage->decl->name_span, "the reply of a model");
	else if (o->input->decl)
		diag_label(&k->c->diags, g, o->input->decl->name_span, "declared here%s",
			node_clause(o->input->decl, CL_TRUST) ? " as untrusted" : "; this type is untrusted unless said");
	diag_help(&k->c->diags, g, "move it to a `user` message, mark its borders with {{%.*s | xml}}, or declare it `trusted` if you write it yourself",
		STR_ARG(name));
	const Node *last = ref;
	for (const Node *f = hole->first; f; f = f->next)
		last = f;
	diag_fix(&k->c->diags, g, FIX_UNSAFE, (Span){ last->span.hi, last->span.hi }, STR(" | xml"), "mark its borders");
}

static bool ends_with_border(Str s)
{
	static const char *const BORDER[] = { ">", "\"", "'", "`", "---", "===", "***", "“", "‘", "«", "「", "『", "《" };
	s = str_trim(s);
	Str line = s;
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] == '\n')
			line = str_sub(s, i + 1, s.n);
	if (str_starts(str_trim(line), STR("```")) || str_starts(str_trim(line), STR("~~~")))
		return true;
	for (size_t i = 0; i < sizeof BORDER / sizeof *BORDER; i++)
		if (str_ends(s, str_from(BORDER[i])))
			return true;
	return false;
}

static bool starts_with_border(Str s)
{
	static const char *const BORDER[] = { "<", "\"", "'", "`", "---", "===", "***", "~~~", "”", "’", "»", "」", "』", "》" };
	s = str_trim(s);
	for (size_t i = 0; i < sizeof BORDER / sizeof *BORDER; i++)
		if (str_starts(s, str_from(BORDER[i])))
			return true;
	return false;
}

/* note [borders]: something opens right before the hole and something closes right after it. */
static bool has_border(const Walk *w, const Node *hole)
{
	const Node *before = w->before, *after = hole->next;
	return before && before->kind == N_TEXT && before->text && ends_with_border(before->text->s) && after && after->kind == N_TEXT &&
		after->text && starts_with_border(after->text->s);
}

static void report_border(Taint *k, const Node *hole, const Node *ref)
{
	Str name = ref_name(&k->c->arena, ref);
	Diag *g = diag_add(&k->c->diags, SD605, hole->span, "nothing marks where `%.*s` starts and ends", STR_ARG(name));
	diag_help(&k->c->diags, g, "write {{%.*s | xml}} or {{%.*s | fence}}, put tags around it, or give it a message of its own", STR_ARG(name),
		STR_ARG(name));
	diag_fix(&k->c->diags, g, FIX_UNSAFE, (Span){ ref->span.hi, ref->span.hi }, STR(" | xml"), "mark its borders");
}

static bool is_media(const Type *t)
{
	return t && (t->kind == INPUT_IMAGE || t->kind == INPUT_FILE || (t->kind == INPUT_LIST && is_media(t->item)));
}

static void on_hole(Walk *w, const Node *hole, const Scope *s)
{
	Taint *k = w->ctx;
	const Node *ref = node_kid(hole, N_REF);
	Origin o;
	Ref r;
	if (!ref || is_fenced(hole) || !is_tainted(k, ref, s, &o))
		return;
	bool known = sema_resolve(k->u, k->p, s, ref, &r);
	if (known && is_media(r.type))
		return;
	if (k->role == ROLE_SYSTEM || k->role == ROLE_DEVELOPER)
		report_system(k, hole, ref, &o);
	else if (known && r.type && r.type->pattern.n)
		return; /* a code or an id borders itself */
	else if (k->role == ROLE_USER && k->has_words && o.input && !has_border(w, hole))
		report_border(k, hole, ref);
}

static void note_words(Walk *w, const Node *text, const Scope *s)
{
	Taint *k = w->ctx;
	(void)s;
	uint32_t cp, run = 0;
	for (size_t i = 0; text->text && i < text->text->s.n && !k->has_words;) {
		i += utf8_decode(text->text->s, i, &cp);
		bool letter = cp != UTF8_BAD && utf8_is_xid_start(cp);
		run = letter ? run + 1 : 0;
		k->has_words |= run > 1 || (letter && cp >= 0x2e80);
	}
}

/* Two walks: are there words of the author's, then the holes among them. */
static void check(Taint *k, Role role, const Part *part, const Node *decl)
{
	Walk words = { .u = k->u, .p = k->p, .ctx = k, .on_text = note_words };
	Walk holes = { .u = k->u, .p = k->p, .ctx = k, .on_hole = on_hole };
	k->role = role;
	k->has_words = false;
	if (part) {
		sema_walk_part(&words, part);
		sema_walk_part(&holes, part);
	} else {
		sema_walk_decl(&words, decl, NULL);
		sema_walk_decl(&holes, decl, NULL);
	}
}

/* A context without a body prints each document's text as it is. */
static void check_bare_context(Taint *k, const Node *context)
{
	const Symbol *sym = map_get(&k->p->by_name, context->name);
	const Input *in = sym && sym->kind == SYM_INPUT ? &k->p->input.v[sym->index] : NULL;
	if (node_kid(context, N_BODY) || !node_clause(context, CL_AS_SYSTEM) || !in || in->is_trusted || in->trust_unknown)
		return;
	Diag *g = diag_add(&k->c->diags, SD604, context->name_span, "`%.*s` is untrusted and stands in a system message", STR_ARG(in->name));
	if (in->decl)
		diag_label(&k->c->diags, g, in->decl->name_span, "declared here");
	diag_help(&k->c->diags, g, "give the context a body, such as {{doc.text | xml}}, or send it as a user message");
}

static void check_example(Taint *k, const Node *example)
{
	for (const Node *m = example->first; m; m = m->next)
		if (m->kind == N_MESSAGE && (m->op == ROLE_SYSTEM || m->op == ROLE_DEVELOPER))
			check(k, (Role)m->op, NULL, m);
}

static void check_prompt(Taint *k)
{
	const Prompt *p = k->p;
	for (uint32_t i = 0; i < p->message.n; i++) {
		for (uint32_t j = 0; j < p->message.v[i].part.n; j++) {
			const Part *part = &p->message.v[i].part.v[j];
			if (part->kind == PART_EXAMPLE)
				check_example(k, part->decl);
			else if (part->kind == PART_CONTEXT && !node_kid(part->decl, N_BODY))
				check_bare_context(k, part->decl);
			else
				check(k, p->message.v[i].role, part, NULL);
		}
	}
	for (uint32_t i = 0; i < p->stage.n; i++)
		check(k, ROLE_USER, NULL, p->stage.v[i].decl);
	for (uint32_t i = 0; i < p->constraint.n; i++)
		if (p->constraint.v[i].on.n || p->constraints_placed)
			check(k, p->constraint.v[i].on.n ? ROLE_USER : ROLE_SYSTEM, NULL, p->constraint.v[i].decl);
}

void pass_taint(Compiler *c, Unit *u)
{
	for (uint32_t i = 0; i < u->prompt.n; i++) {
		Taint k = { .c = c, .u = u, .p = u->prompt.v[i] };
		check_prompt(&k);
	}
}
