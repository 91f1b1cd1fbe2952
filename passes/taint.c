/*
 * Taint (SD604, SD605, SD305): where may a stranger's text stand, and what does a value break there? What
 * a stranger can write is followed from its declaration through loops, bindings and stages to each hole;
 * json, xml and fence put a boundary around it. Inputs that nobody declared (Markdown) are of unknown
 * trust, and silent.
 *
 * note [one finding a hole]: a system message first (SD604, whose fix is the filter of the place); then JSON and
 * attributes (SD305), where no other boundary helps; then no boundary at all (SD605); then tags that the
 * value may close (SD305).
 */
#include "compiler/sema/flatten.h"
#include "passes/pass_loop.h"
#include "passes/places.h"
#include "runtime/base/utf8.h"

/* A hole of the part that is walked, with what is known while its scope lives. */
typedef struct Hole {
	const Node *node, *ref;
	const Type *type;    /* NULL: a text, or not known */
	Origin origin;
	bool is_text;        /* of a known origin, and may hold any text */
	bool is_untrusted, has_border;
} Hole;

typedef struct Taint {
	Compiler *c;
	const Unit *u;
	const Prompt *p;
	Role role;           /* of the message that is walked */
	bool in_example;
	bool has_words;      /* the part holds words of its author */
	Flat flat;
	Text text;           /* of the part */
	VEC(Hole) hole;
	VEC(Place) place;    /* beside hole */
} Taint;

static bool has_filter(const Node *hole, const char *name)
{
	for (const Node *f = hole->first; f; f = f->next)
		if (f->kind == N_FILTER && str_is(f->name, name))
			return true;
	return false;
}

static bool is_fenced(const Node *hole)
{
	return has_filter(hole, "json") || has_filter(hole, "xml") || has_filter(hole, "fence");
}

static bool is_media(const Type *t)
{
	return t && (t->kind == INPUT_IMAGE || t->kind == INPUT_FILE || (t->kind == INPUT_LIST && is_media(t->item)));
}

/* A field of a finite type inside an untrusted object holds no text. */
static Hole read_hole(Taint *k, const Node *node, const Node *ref, const Scope *s)
{
	Ref r;
	Hole h = { .node = node, .ref = ref };
	if (!ref || !sema_resolve(k->u, k->p, s, ref, &r) || !sema_origin(k->u, k->p, s, ref, &h.origin))
		return h;
	h.type = r.type;
	if (r.kind == REF_LOOP_INDEX || (r.type && !r.type->holds_text) || is_media(r.type))
		return h;
	const Input *in = h.origin.input;
	h.is_text = h.origin.stage || (in && !in->trust_unknown);
	h.is_untrusted = h.origin.stage || (in && !in->is_trusted && !in->trust_unknown);
	return h;
}

static Str ref_name(Arena *a, const Node *ref)
{
	return ref->aux.n ? str_fmt(a, "%.*s.%.*s", STR_ARG(ref->name), STR_ARG(ref->aux)) : ref->name;
}

/* ---- SD305, and the filter that fits a place --------------------------------------------------- */

static Span hole_end(const Node *hole, const Node *ref)
{
	const Node *last = ref;
	for (const Node *f = hole->first; f; f = f->next)
		last = f;
	return (Span){ last->span.hi, last->span.hi };
}

/* The quotes go with the fix: `| json` writes its own. Nothing where they do not stand right beside the hole in the source. */
static void fix_string(Taint *k, Diag *g, const Hole *h, const Place *p)
{
	Span at = h->node->span, open = text_span(&k->text, p->lo - 1, p->lo), close = text_span(&k->text, p->hi, p->hi + 1);
	Str hole = source_slice(&k->c->sources, at);
	if (!p->is_whole || open.hi != at.lo || close.lo != at.hi || !str_ends(hole, STR("}}")))
		return;
	Str inside = str_trim(str_sub(hole, 2, hole.n - 2));
	Str text = str_fmt(&k->c->arena, has_filter(h->node, "json") ? "{{%.*s}}" : "{{%.*s | json}}", STR_ARG(inside));
	diag_fix(&k->c->diags, g, FIX_UNSAFE, span_join(open, close), text, "let the filter write the quotes");
}

static void fix_place(Taint *k, Diag *g, const Hole *h, const Place *p)
{
	if (p->kind == PLACE_JSON_STRING)
		fix_string(k, g, h, p);
	else if (p->kind == PLACE_JSON_VALUE)
		diag_fix(&k->c->diags, g, FIX_UNSAFE, hole_end(h->node, h->ref), STR(" | json"), "write it as a JSON value");
	else
		diag_fix(&k->c->diags, g, FIX_UNSAFE, hole_end(h->node, h->ref), STR(" | xml"), "mark its borders");
}

static void report_string(Taint *k, const Hole *h, const Place *p, Str name)
{
	bool doubled = has_filter(h->node, "json"), other = !doubled && is_fenced(h->node);
	Diag *g = diag_add(&k->c->diags, SD305, h->node->span, doubled ? "`%.*s | json` writes quotes of its own, inside a JSON string" :
		"`%.*s` stands unescaped in a JSON string: a quote or a line end in it breaks the JSON", STR_ARG(name));
	if (!p->is_whole)
		diag_help(&k->c->diags, g, "no filter writes a part of a string: let {{%.*s | json}} be a whole value, without quotes around it", STR_ARG(name));
	else
		diag_help(&k->c->diags, g, "write {{%.*s | json}} without quotes around it", STR_ARG(name));
	if (!other)
		fix_string(k, g, h, p);
}

static void report_unescaped(Taint *k, const Hole *h, const Place *p, Str name)
{
	Diag *g = NULL;
	if (p->kind == PLACE_JSON_STRING) {
		report_string(k, h, p, name);
		return;
	} else if (p->kind == PLACE_JSON_VALUE) {
		g = diag_add(&k->c->diags, SD305, h->node->span, "`%.*s` stands where a JSON value belongs, without quotes or escapes", STR_ARG(name));
		diag_help(&k->c->diags, g, "write {{%.*s | json}}; what is JSON already has the type `json`", STR_ARG(name));
	} else if (p->kind == PLACE_ATTRIBUTE) {
		g = diag_add(&k->c->diags, SD305, h->node->span, "a quote in `%.*s` ends this attribute of <%.*s>", STR_ARG(name), STR_ARG(p->tag));
		diag_help(&k->c->diags, g, "write {{%.*s | xml}}", STR_ARG(name));
	} else {
		g = diag_add(&k->c->diags, SD305, h->node->span, "`%.*s` may hold </%.*s> and go on outside of its tags", STR_ARG(name), STR_ARG(p->tag));
		diag_help(&k->c->diags, g, "write {{%.*s | xml}} or {{%.*s | fence}}", STR_ARG(name), STR_ARG(name));
	}
	if (!is_fenced(h->node))
		fix_place(k, g, h, p);
}

/* Not a list or object without a filter, which is SD309, nor a text with a pattern, which is a code or an id. */
static bool is_free_text(const Hole *h)
{
	bool has_form = !h->type || h->type->kind == INPUT_TEXT || h->type->kind == INPUT_UNION || node_kid(h->node, N_FILTER);
	return h->is_text && has_form && !(h->type && h->type->pattern.n);
}

static bool breaks_form(const Hole *h, const Place *p)
{
	if (!is_free_text(h))
		return false;
	if (p->kind == PLACE_JSON_VALUE)
		return !has_filter(h->node, "json");
	return p->kind == PLACE_JSON_STRING || (p->kind == PLACE_ATTRIBUTE && !is_fenced(h->node));
}

/* Between tags only what a stranger writes: its author knows what else stands there. */
static bool may_close_tags(const Hole *h, const Place *p)
{
	return p->kind == PLACE_TAGS && is_free_text(h) && h->is_untrusted && h->origin.input && !is_fenced(h->node);
}

/* ---- SD604 ------------------------------------------------------------------------------------ */

static void report_system(Taint *k, const Hole *h, const Place *p, Str name)
{
	const char *where = k->role == ROLE_DEVELOPER ? "developer" : "system";
	const Origin *o = &h->origin;
	Diag *g = diag_add(&k->c->diags, SD604, h->node->span, "`%.*s` is untrusted and stands in a %s message", STR_ARG(name), where);
	if (o->stage)
		diag_label(&k->c->diags, g, o->stage->decl->name_span, "the reply of a model");
	else if (o->input->decl)
		diag_label(&k->c->diags, g, o->input->decl->name_span, "declared here%s",
			node_clause(o->input->decl, CL_TRUST) ? " as untrusted" : "; this type is untrusted unless said");
	diag_help(&k->c->diags, g, "move it to a `user` message, mark its borders with {{%.*s | %s}}, or declare it `trusted` if you write it yourself",
		STR_ARG(name), p->kind == PLACE_JSON_VALUE || p->kind == PLACE_JSON_STRING ? "json" : "xml");
	fix_place(k, g, h, p);
}

/* ---- SD605 ------------------------------------------------------------------------------------ */

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

static void report_border(Taint *k, const Hole *h, Str name)
{
	Diag *g = diag_add(&k->c->diags, SD605, h->node->span, "nothing marks where `%.*s` starts and ends", STR_ARG(name));
	diag_help(&k->c->diags, g, "write {{%.*s | xml}} or {{%.*s | fence}}, or give it a message of its own", STR_ARG(name), STR_ARG(name));
	diag_fix(&k->c->diags, g, FIX_UNSAFE, hole_end(h->node, h->ref), STR(" | xml"), "mark its borders");
}

/* A text with a pattern borders itself: a code, an id. */
static bool lacks_border(const Taint *k, const Hole *h)
{
	return k->role == ROLE_USER && k->has_words && !k->in_example && h->is_untrusted && h->origin.input && !h->has_border &&
		!is_fenced(h->node) && !(h->type && h->type->pattern.n);
}

/* ---- walking ---------------------------------------------------------------------------------- */

static void judge(Taint *k, const Hole *h, const Place *p)
{
	bool is_system = k->role == ROLE_SYSTEM || k->role == ROLE_DEVELOPER;
	Str name = ref_name(&k->c->arena, h->ref);
	if (is_system && h->is_untrusted && !is_fenced(h->node))
		report_system(k, h, p, name);
	else if (breaks_form(h, p))
		report_unescaped(k, h, p, name);
	else if (lacks_border(k, h))
		report_border(k, h, name);
	else if (may_close_tags(h, p))
		report_unescaped(k, h, p, name);
}

static void on_hole(Walk *w, const Node *node, const Scope *s)
{
	Taint *k = w->ctx;
	Hole h = read_hole(k, node, node_kid(node, N_REF), s);
	Place p = { .lo = (uint32_t)k->flat.text.n };
	h.has_border = has_border(w, node);
	flat_add_hole(&k->flat, node);
	p.hi = (uint32_t)k->flat.text.n;
	vec_push(&k->c->scratch, &k->hole, h);
	vec_push(&k->c->scratch, &k->place, p);
}

static void on_text(Walk *w, const Node *text, const Scope *s)
{
	Taint *k = w->ctx;
	(void)s;
	flat_add_text(&k->flat, text);
	uint32_t cp, run = 0;
	for (size_t i = 0; text->text && i < text->text->s.n && !k->has_words;) {
		i += utf8_decode(text->text->s, i, &cp);
		bool letter = cp != UTF8_BAD && utf8_is_xid_start(cp);
		run = letter ? run + 1 : 0;
		k->has_words |= run > 1 || (letter && cp >= 0x2e80);
	}
}

static void check(Taint *k, Role role, const Part *part, const Node *decl)
{
	Walk w = { .u = k->u, .p = k->p, .ctx = k, .on_text = on_text, .on_hole = on_hole };
	k->role = role;
	k->has_words = false;
	k->hole.n = k->place.n = 0;
	k->flat = (Flat){ .a = &k->c->scratch };
	if (part)
		sema_walk_part(&w, part);
	else
		sema_walk_decl(&w, decl, NULL);
	k->text = flat_end(&k->flat);
	places_find(&k->c->scratch, k->text.s, k->place.v, k->place.n);
	for (uint32_t i = 0; i < k->hole.n; i++)
		if (k->hole.v[i].is_text)
			judge(k, &k->hole.v[i], &k->place.v[i]);
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
	k->in_example = true;
	for (const Node *m = example->first; m; m = m->next)
		if (m->kind == N_MESSAGE)
			check(k, (Role)m->op, NULL, m);
	k->in_example = false;
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
