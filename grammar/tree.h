/*
 * What grammar actions call: one node each, kids and fields as compiler/ast/ast.def says.
 * Each returns the node that it was given or made, so that calls nest.
 */
#ifndef SEED_GRAMMAR_TREE_H
#define SEED_GRAMMAR_TREE_H

#include "grammar/lex.h"

NodeList tree_none(void);
NodeList tree_join(NodeList list, Node *kid);

Node *tree_new(Lex *lx, NodeKind kind, Span at);
/* A node that is its name, and one whose name is part of it. */
Node *tree_leaf(Lex *lx, NodeKind kind, Str name, Span at);
Node *tree_leaf_in(Lex *lx, NodeKind kind, Span at, Str name, Span name_at);
Node *tree_kids(Lex *lx, NodeKind kind, Span at, NodeList kids);

Node *tree_with(Node *n, Node *kid);
Node *tree_list(Node *n, NodeList kids);
Node *tree_name(Node *n, Str name, Span at);
Node *tree_aux(Node *n, Str aux, Span at);
Node *tree_op(Node *n, int op);
Node *tree_val(Node *n, int64_t val);
Node *tree_number(Node *n, Str spelled, Span at);
/* Reports SD029 where the number is past what a count may be. */
Node *tree_int(Lex *lx, Node *n, Str spelled, Span at);
Node *tree_time(Lex *lx, Node *n, Str spelled, Span at);
Node *tree_spanned(Node *n, uint32_t lo, uint32_t hi);

Node *tree_prompt(Lex *lx, Span at, Str name, Span name_at, Str version, Span version_at);
Node *tree_in(Lex *lx, Span at, Str name, Span name_at, int flags, Node *type, NodeList parts);
Node *tree_head(Lex *lx, NodeKind kind, Span at, Str name, Span name_at, NodeList clauses, Node *body);
Node *tree_reply(Lex *lx, Span at, Node *type, NodeList clauses);
Node *tree_schema(Lex *lx, NodeKind kind, Span at, Str name, Span name_at, Node *doc, Node *fields);
Node *tree_fields(Lex *lx, Span open, Span close, NodeList fields);
Node *tree_field(Lex *lx, Span at, Str name, Span name_at, int flags, Node *type, Node *doc, Node *fields);
Node *tree_clause(Lex *lx, ClauseKind kind, Span at);
int tree_role(const DeclRow *row);

Node *tree_body(Lex *lx, Span at, int flags, NodeList items);
Node *tree_text(Lex *lx, Span at, Text *text);
Node *tree_branch(Lex *lx, Span at, Node *cond, Span body_at, NodeList items);
Node *tree_branch_body(Lex *lx, Span at, NodeList items);
Node *tree_indent(Node *include, Str indent);
Node *tree_dotted(Lex *lx, Node *ref, Str field, Span field_at);
Node *tree_cut(Lex *lx, Span at, Str name, Span name_at, NodeList rules);
Str tree_minus(Lex *lx, Str digits);

/* A statement that failed: what it was meant to be (kind), the name it would have declared, and what
 * of it was understood. */
Node *tree_lost(Lex *lx, NodeKind kind, Span at, Str name, Span name_at, Node *part);
Node *tree_error(Lex *lx, Span at, Node *part, Span lo, Span hi);

#endif
