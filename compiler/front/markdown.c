/*
 * Markdown and plain text: a system prompt as people have it today. The whole text is one system
 * message, byte for byte; front matter (Markdown only) becomes `meta`, and what `--vars` or `vars:`
 * names become inputs of unknown trust.
 *
 * Invariant: without variables the message is the source after its front matter, less one last LF.
 */
#include "compiler/front/parts.h"
#include "compiler/text/vars.h"
#include "runtime/base/map.h"
#include "runtime/base/utf8.h"

/* One `in` a name; a name with a field somewhere is json, any other text. */
static void declare_input(Compiler *c, Node *file, Map *seen, Str root, Span at, bool has_field)
{
	Arena *a = &c->arena;
	Node *in = map_get(seen, root);
	if (in) {
		if (has_field)
			in->first->name = STR("json");
		return;
	}
	in = front_leaf(a, N_IN, root, at);
	node_add(in, front_leaf(a, N_TYPE, has_field ? STR("json") : STR("text"), at));
	Node *trust = node_new(a, N_CLAUSE, at);
	trust->op = CL_TRUST;
	trust->val = -1;
	node_add(in, trust);
	map_add(a, seen, root, in);
	node_add(file, in);
}

static Node *hole_new(Compiler *c, Node *file, Map *seen, const Source *src, VarSpan v)
{
	Arena *a = &c->arena;
	Str name = str_sub(src->text, v.name_lo, v.name_hi);
	size_t dot = str_find(name, STR("."), 0);
	Str root = utf8_normal(a, str_sub(name, 0, dot), UTF8_NFC);
	Span at = front_span(src, v.name_lo, v.name_lo + dot);
	Node *hole = node_new(a, N_HOLE, front_span(src, v.lo, v.hi));
	Node *ref = front_leaf(a, N_REF, root, at);
	if (dot < name.n) {
		ref->aux = utf8_normal(a, str_sub(name, dot + 1, name.n), UTF8_NFC);
		ref->aux_span = front_span(src, v.name_lo + dot + 1, v.name_hi);
	}
	ref->span = front_span(src, v.name_lo, v.name_hi);
	node_add(hole, ref);
	declare_input(c, file, seen, root, at, dot < name.n);
	return hole;
}

static void add_text(Compiler *c, Node *body, const Source *src, size_t lo, size_t hi)
{
	if (lo >= hi)
		return;
	Node *text = node_new(&c->arena, N_TEXT, front_span(src, lo, hi));
	text->text = front_text(&c->arena, src, lo, hi);
	node_add(body, text);
}

/* Text and holes of [lo, hi). */
static Node *body_with_holes(Compiler *c, Node *file, const Source *src, size_t lo, size_t hi,
                             VarStyle vars)
{
	Node *body = node_new(&c->arena, N_BODY, front_span(src, lo, hi));
	body->flags = NF_EXACT | NF_INLINE | (vars == VARS_NONE ? NF_RAW : 0);
	Map seen = { 0 };
	Str s = str_sub(src->text, 0, hi);
	VarSpan v;
	while (vars_next(s, lo, vars, &v)) {
		add_text(c, body, src, lo, v.lo);
		node_add(body, hole_new(c, file, &seen, src, v));
		lo = v.hi;
	}
	add_text(c, body, src, lo, hi);
	return body;
}

void markdown_parse(Compiler *c, Source *src, MatterRule matter, Node *file)
{
	VarStyle vars = VARS_NONE;
	size_t lo = matter == MATTER_READ ? matter_read(c, src, file, &vars) : 0;
	if (c->vars != VARS_NONE)
		vars = c->vars;
	size_t hi = src->text.n;
	if (hi > lo && src->text.p[hi - 1] == '\n')
		hi--;
	Node *message = node_new(&c->arena, N_MESSAGE, front_span(src, lo, hi));
	message->op = ROLE_SYSTEM;
	Node *body = body_with_holes(c, file, src, lo, hi, vars);
	node_add(message, body);
	node_add(file, message);
}
