/*
 * Applying fixes to one file. Edits that overlap or touch are not applied in one round: the second
 * waits for the file to be read and checked again.
 */
#ifndef SEED_LINT_FIX_H
#define SEED_LINT_FIX_H

#include "compiler/source/compiler.h"

/* The bytes of the file on disk (raw) with every applicable fix of at most that level applied; *n is
 * how many findings were fixed. Bytes stay as they are (*n == 0) when there is nothing to do. */
Str lint_fix_apply(Arena *a, const Compiler *c, const Source *src, Str raw, FixLevel level, uint32_t *n);

#endif
