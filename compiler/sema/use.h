/* Files from the project and the standard library, for sema alone. */
#ifndef SEED_SEMA_USE_H
#define SEED_SEMA_USE_H

#include "compiler/sema/build.h"

/* Pushes what the `use` makes visible. self: the library it stands in, NULL for the file asked for. */
void use_push(Build *b, Node *use, Library *self, DeclList *out);
/* False when reported: not there, or outside the root. */
bool use_resolve(Build *b, Span at, Str path, Str *real, Str *shown);
/* The real path of the project root: where none was given, the folder of the file asked for. */
Str use_root(const Unit *u);

#endif
