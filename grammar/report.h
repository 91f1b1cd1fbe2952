/* Syntax errors in words. */
#ifndef SEED_GRAMMAR_REPORT_H
#define SEED_GRAMMAR_REPORT_H

#include "grammar/lex.h"

/* found and want are the grammar's names of tokens. */
void gram_report_syntax(Lex *lx, Span at, const char *found, const char *const *want, size_t n_want);
void gram_report_exhausted(Lex *lx, Span at, const char *msg);

/* As messages name it. */
const char *gram_token_name(int token);

#endif
