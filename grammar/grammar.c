/*
 * The entries of the grammar: a Text and what to read it as.
 */
#include "grammar/grammar.h"

#include "grammar/check.h"
#include "grammar/lex.h"
#include "grammar/parse.h"

Text *grammar_text(Compiler *c, Str bytes, uint32_t src_off)
{
	Text *t = arena_new(&c->arena, Text);
	t->s = bytes;
	t->run = arena_new(&c->arena, TextRun);
	t->run[0] = (TextRun){ 0, src_off, (uint32_t)bytes.n };
	t->n_run = 1;
	return t;
}

bool grammar_is_name(Str s) { return s.n && lex_name_len(s) == s.n; }

static void read_as_fragment(Lex *lx)
{
	LexLine ln = lex_line_filled(lx, 0);
	lex_head_begin(lx, LEX_FRAGMENT, NULL, ln, ln.ws);
}

static Node *parse(Compiler *c, const Text *t, int start, unsigned flags)
{
	Lex lx;
	lex_init(&lx, c, *t);
	lex_push(&lx, start, 0, 0);
	if (start == T_START_BODY)
		lex_body_fragment(&lx, flags);
	else if (start != T_START_FILE)
		read_as_fragment(&lx);
	gramparse(&lx);
	Node *root = lx.root;
	lex_free(&lx);
	if (!root) {
		NodeKind kind = start == T_START_FILE || start == T_START_CLAUSES ? N_FILE : start == T_START_BODY ? N_BODY : N_ERROR;
		root = node_new(&c->arena, kind, (Span){ 0, 0 });
	}
	return root;
}

Node *grammar_parse_decls(Compiler *c, const Text *t)
{
	Node *file = parse(c, t, T_START_FILE, 0);
	gram_check_file(c, file);
	return file;
}

Node *grammar_parse(Compiler *c, Source *src)
{
	Node *file;
	if (!src->ok) {
		file = node_new(&c->arena, N_FILE, (Span){ src->base, src->base });
		return file;
	}
	file = grammar_parse_decls(c, grammar_text(c, src->text, src->base));
	file->span = (Span){ src->base, src->base + (uint32_t)src->text.n };
	return file;
}

Node *grammar_parse_body(Compiler *c, const Text *t, unsigned flags)
{
	Node *body = parse(c, t, T_START_BODY, flags);
	body->flags = (uint16_t)flags;
	return body;
}

Node *grammar_parse_type(Compiler *c, const Text *t) { return parse(c, t, T_START_TYPE, 0); }

Node *grammar_parse_cond(Compiler *c, const Text *t) { return parse(c, t, T_START_COND, 0); }

Node *grammar_parse_value(Compiler *c, const Text *t) { return parse(c, t, T_START_VALUE, 0); }

Node *grammar_parse_clauses(Compiler *c, const Text *t, NodeKind head)
{
	Node *holder = parse(c, t, T_START_CLAUSES, 0);
	const DeclRow *row = decl_of_node(head);
	if (row)
		gram_check_clauses(c, holder, row);
	return holder;
}
