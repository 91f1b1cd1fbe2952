/*
 * The language's parser: text in, tree out.
 *
 * Every entry always returns a node. What could not be understood is N_ERROR (its op is the NodeKind
 * that was meant, its name the name that it would have declared) and has been reported in c->diags.
 *
 * A front end that holds a piece of the language in another file's string (a YAML scalar, a JSON
 * string) passes it as a Text: the bytes, and the run table that says which source bytes they came
 * from. All spans in the tree and in diagnostics then point into that file. Bytes that the front end
 * wrote itself (a head word in front of a scalar) are in no run and take the span of their neighbour.
 * The Text must live as long as the unit.
 */
#ifndef SEED_GRAMMAR_H
#define SEED_GRAMMAR_H

#include "compiler/ast/ast.h"
#include "compiler/source/compiler.h"

/* N_FILE. An unreadable source (ok not set) gives an empty N_FILE. */
Node *grammar_parse(Compiler *c, Source *src);

/* The text as a list of declarations, as if it were a file: "in ticket: text max 9 tok". N_FILE. */
Node *grammar_parse_decls(Compiler *c, const Text *t);

/* What a body holds. flags: NF_RAW nothing live, NF_INLINE holes only and no final LF is added,
 * 0 all of it. Nothing is trimmed and no indent is removed: each line of the text is a line of the body. N_BODY. */
Node *grammar_parse_body(Compiler *c, const Text *t, unsigned flags);

/* A type ("[text] 1..3"), a condition, a value ("\"x\"", "[a, 2]"). The node itself, or N_ERROR. */
Node *grammar_parse_type(Compiler *c, const Text *t);
Node *grammar_parse_cond(Compiler *c, const Text *t);
Node *grammar_parse_value(Compiler *c, const Text *t);

/* Clauses of a head of that kind ("@static hoistable when has x"): an N_ERROR-free holder whose kids
 * are N_CLAUSE; each once and allowed there, by decl.def. The holder is an N_FILE. */
Node *grammar_parse_clauses(Compiler *c, const Text *t, NodeKind head);

/* A Text over all of a source, or over one stretch of it: one run. */
Text *grammar_text(Compiler *c, Str bytes, uint32_t src_off);

/* --dump=tokens: one token a line, its place, its name and the bytes it stands for. */
void grammar_dump_tokens(Compiler *c, const Source *src, Buf *out);

/* Is s a name (XID)? What the front ends ask before they use a key as one. */
bool grammar_is_name(Str s);

#endif
