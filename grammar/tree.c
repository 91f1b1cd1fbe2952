/*
 * Nodes for the grammar's actions. Nothing here decides what is right: it only puts things in place.
 */
#include "grammar/tree.h"

#include "runtime/base/num.h"

NodeList tree_none(void) { return (NodeList){ NULL, NULL }; }

NodeList tree_join(NodeList list, Node *kid)
{
	if (list.last)
		list.last->next = kid;
	else
		list.first = kid;
	list.last = kid;
	return list;
}

Node *tree_new(Lex *lx, NodeKind kind, Span at) { return node_new(&lx->c->arena, kind, at); }

Node *tree_name(Node *n, Str name, Span at)
{
	n->name = name;
	n->name_span = at;
	return n;
}

Node *tree_leaf_in(Lex *lx, NodeKind kind, Span at, Str name, Span name_at)
{
	return tree_name(tree_new(lx, kind, at), name, name_at);
}

Node *tree_leaf(Lex *lx, NodeKind kind, Str name, Span at) { return tree_leaf_in(lx, kind, at, name, at); }

Node *tree_list(Node *n, NodeList kids)
{
	if (!kids.first)
		return n;
	if (n->last)
		n->last->next = kids.first;
	else
		n->first = kids.first;
	n->last = kids.last;
	return n;
}

Node *tree_kids(Lex *lx, NodeKind kind, Span at, NodeList kids) { return tree_list(tree_new(lx, kind, at), kids); }

Node *tree_with(Node *n, Node *kid)
{
	if (kid)
		node_add(n, kid);
	return n;
}

Node *tree_aux(Node *n, Str aux, Span at)
{
	n->aux = aux;
	n->aux_span = at;
	return n;
}

Node *tree_op(Node *n, int op)
{
	n->op = op;
	return n;
}

Node *tree_val(Node *n, int64_t val)
{
	n->val = val;
	return n;
}

Node *tree_number(Node *n, Str spelled, Span at)
{
	n->num = num_to_double(spelled);
	return tree_name(n, spelled, at);
}

Node *tree_spanned(Node *n, uint32_t lo, uint32_t hi)
{
	n->span = (Span){ lo, hi };
	return n;
}

/* ---- numbers ---- */

static void bad_count(Lex *lx, Str spelled, Span at)
{
	Diag *g = diag_add(&lx->c->diags, SD029, at, "%.*s is too large here", STR_ARG(spelled));
	diag_help(&lx->c->diags, g, "the largest is 2147483647");
}

static bool read_count(Str s, int64_t *out)
{
	*out = 0;
	for (size_t i = 0; i < s.n; i++) {
		*out = *out * 10 + (s.p[i] - '0');
		if (*out > INT32_MAX)
			return false;
	}
	return true;
}

Node *tree_int(Lex *lx, Node *n, Str spelled, Span at)
{
	if (!read_count(spelled, &n->val)) {
		bad_count(lx, spelled, at);
		n->flags |= NF_BAD;
		n->val = INT32_MAX;
	}
	return tree_name(n, spelled, at);
}

Node *tree_time(Lex *lx, Node *n, Str spelled, Span at)
{
	size_t digits = 0;
	while (digits < spelled.n && spelled.p[digits] >= '0' && spelled.p[digits] <= '9')
		digits++;
	Str unit = str_sub(spelled, digits, spelled.n);
	int64_t count;
	if (!read_count(str_sub(spelled, 0, digits), &count)) {
		bad_count(lx, str_sub(spelled, 0, digits), at);
		n->flags |= NF_BAD;
	}
	double unit_s = str_is(unit, "ms") ? 0.001 : str_is(unit, "m") ? 60 : str_is(unit, "h") ? 3600 : str_is(unit, "d") ? 86400 : 1;
	n->num = (double)count * unit_s;
	return tree_name(n, spelled, at);
}

Str tree_minus(Lex *lx, Str digits) { return str_fmt(&lx->c->arena, "-%.*s", STR_ARG(digits)); }

/* ---- heads ---- */

/* A name that was written as a string: its place holds a quote. */
static void mark_quoted(Lex *lx, Node *n)
{
	Str s = source_slice(&lx->c->sources, n->name_span);
	if (s.n && s.p[0] == '"')
		n->flags |= NF_QUOTED;
}

Node *tree_prompt(Lex *lx, Span at, Str name, Span name_at, Str version, Span version_at)
{
	Node *n = tree_leaf_in(lx, N_PROMPT, at, name, name_at);
	mark_quoted(lx, n);
	return version.n ? tree_aux(n, version, version_at) : n;
}

Node *tree_head(Lex *lx, NodeKind kind, Span at, Str name, Span name_at, NodeList clauses, Node *body)
{
	return tree_with(tree_list(tree_leaf_in(lx, kind, at, name, name_at), clauses), body);
}

/* The doc, wherever it stood among the clauses, is the last kid. */
Node *tree_in(Lex *lx, Span at, Str name, Span name_at, int flags, Node *type, NodeList parts)
{
	Node *n = tree_with(tree_leaf_in(lx, N_IN, at, name, name_at), type);
	Node *doc = NULL;
	n->flags |= (uint16_t)flags;
	for (Node *k = parts.first, *next; k; k = next) {
		next = k->next;
		k->next = NULL;
		if (k->kind != N_DOC) {
			node_add(n, k);
		} else if (!doc) {
			doc = k;
		} else {
			Diag *g = diag_add(&lx->c->diags, SD024, k->span, "this input has a doc string already");
			diag_label(&lx->c->diags, g, doc->span, "the first one");
		}
	}
	return tree_with(n, doc);
}

Node *tree_reply(Lex *lx, Span at, Node *type, NodeList clauses)
{
	return tree_list(tree_with(tree_new(lx, N_REPLY, at), type), clauses);
}

Node *tree_clause(Lex *lx, ClauseKind kind, Span at) { return tree_op(tree_new(lx, N_CLAUSE, at), (int)kind); }

int tree_role(const DeclRow *row)
{
	static const char *const word[] = { "system", "developer", "user", "assistant" };
	for (int i = 0; i < 4; i++)
		if (str_is(row->word, word[i]))
			return i;
	return ROLE_SYSTEM;
}

/* ---- fields ---- */

Node *tree_fields(Lex *lx, Span open, Span close, NodeList fields)
{
	uint32_t lo = fields.first ? fields.first->span.lo : open.lo;
	return tree_kids(lx, N_FIELDS, (Span){ lo, close.hi }, fields);
}

/* Doc lines that open a block of fields go on from the doc of the line above it. */
static Node *take_docs(Lex *lx, Node *doc, Node *fields)
{
	while (fields && fields->first && fields->first->kind == N_DOC) {
		Node *more = fields->first;
		fields->first = more->next;
		if (!fields->first)
			fields->last = NULL;
		more->next = NULL;
		if (!doc) {
			doc = more;
			continue;
		}
		doc->name = str_fmt(&lx->c->arena, "%.*s %.*s", STR_ARG(doc->name), STR_ARG(more->name));
		doc->span = doc->name_span = span_join(doc->span, more->span);
	}
	return doc;
}

Node *tree_schema(Lex *lx, NodeKind kind, Span at, Str name, Span name_at, Node *doc, Node *fields)
{
	doc = take_docs(lx, doc, fields);
	return tree_with(tree_with(tree_leaf_in(lx, kind, at, name, name_at), doc), fields);
}

Node *tree_field(Lex *lx, Span at, Str name, Span name_at, int flags, Node *type, Node *doc, Node *fields)
{
	Node *n = tree_leaf_in(lx, N_FIELD, at, name, name_at);
	mark_quoted(lx, n);
	n->flags |= (uint16_t)flags;
	doc = take_docs(lx, doc, fields);
	tree_with(tree_with(n, type), doc);
	return fields && fields->first ? tree_with(n, fields) : n;
}

/* ---- text ---- */

Node *tree_body(Lex *lx, Span at, int flags, NodeList items)
{
	Node *n = tree_kids(lx, N_BODY, at, items);
	n->flags = (uint16_t)flags;
	if (items.first)
		n->span.lo = items.first->span.lo;
	return n;
}

Node *tree_text(Lex *lx, Span at, Text *text)
{
	Node *n = tree_new(lx, N_TEXT, at);
	n->text = text;
	return n;
}

Node *tree_branch_body(Lex *lx, Span at, NodeList items) { return tree_kids(lx, N_BODY, at, items); }

Node *tree_branch(Lex *lx, Span at, Node *cond, Span body_at, NodeList items)
{
	return tree_with(tree_with(tree_new(lx, N_BRANCH, at), cond), tree_branch_body(lx, body_at, items));
}

Node *tree_indent(Node *include, Str indent)
{
	include->aux = indent;
	return include;
}

/* `a.b.c` is root a, field "b.c". */
Node *tree_dotted(Lex *lx, Node *ref, Str field, Span field_at)
{
	ref->aux = ref->aux.n ? str_fmt(&lx->c->arena, "%.*s.%.*s", STR_ARG(ref->aux), STR_ARG(field)) : field;
	ref->aux_span = ref->aux_span.hi ? span_join(ref->aux_span, field_at) : field_at;
	ref->span.hi = field_at.hi;
	return ref;
}

/* `mark "…"` is the cut's own; the others are its rules. */
Node *tree_cut(Lex *lx, Span at, Str name, Span name_at, NodeList rules)
{
	Node *n = tree_leaf_in(lx, N_CUT, at, name, name_at);
	for (Node *k = rules.first, *next; k; k = next) {
		next = k->next;
		k->next = NULL;
		if (!str_is(k->name, "mark"))
			node_add(n, k);
		else
			tree_aux(n, k->aux, k->aux_span);
	}
	return n;
}

/* ---- failures ---- */

Node *tree_lost(Lex *lx, NodeKind kind, Span at, Str name, Span name_at, Node *part)
{
	Node *n = tree_leaf_in(lx, N_ERROR, at, name, name_at);
	n->op = (int32_t)kind;
	n->flags |= NF_BAD;
	return tree_with(n, part);
}

Node *tree_error(Lex *lx, Span at, Node *part, Span lo, Span hi)
{
	(void)at;
	Node *n = tree_lost(lx, N_ERROR, span_join(lo, hi), (Str){ NULL, 0 }, lo, part);
	return n;
}
