/*
 * The formatter: heads, entries and fields in canonical spacing; everything else byte for byte.
 *
 * What it does: one space between tokens, none inside brackets and around `.`, `..`, `:`'s left; no
 * space at a line's end; at most one blank line outside bodies, none at the file's start, one LF at
 * its end; docs of neighbouring fields in one column. What it keeps: the order of clauses, `->` or
 * `→`, every indent, comments, heads that go on over several lines, and each byte of a text body.
 * It is idempotent, and it never changes what a file compiles to: `seedc fmt` proves that on each run.
 */
#ifndef SEED_FMT_H
#define SEED_FMT_H

#include "compiler/ast/ast.h"
#include "compiler/source/compiler.h"

/* The source's text formatted, in c's arena; the text itself where the tree holds an error. */
Str fmt_source(Compiler *c, const Source *src, const Node *file);

#endif
