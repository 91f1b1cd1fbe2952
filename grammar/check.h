/* Context rules that the grammar leaves open: which clauses a head may have, each once. */
#ifndef SEED_GRAMMAR_CHECK_H
#define SEED_GRAMMAR_CHECK_H

#include "compiler/source/compiler.h"
#include "grammar/table.h"

void gram_check_file(Compiler *c, const Node *file);
/* The clauses among n's kids, against the row. */
void gram_check_clauses(Compiler *c, const Node *n, const DeclRow *row);

#endif
