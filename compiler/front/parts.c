/* Tree shapes that more than one front end makes. */
#include "compiler/front/parts.h"

Node *front_body(Arena *a, Text *t, Span span)
{
	Node *body = node_new(a, N_BODY, span);
	body->flags = NF_RAW | NF_EXACT | NF_INLINE;
	if (t->s.n) {
		Node *text = node_new(a, N_TEXT, span);
		text->text = t;
		node_add(body, text);
	}
	return body;
}

Node *front_leaf(Arena *a, NodeKind kind, Str name, Span span)
{
	Node *n = node_new(a, kind, span);
	n->name = name;
	n->name_span = span;
	return n;
}
