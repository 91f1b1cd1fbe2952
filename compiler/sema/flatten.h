/*
 * Flatten: what a part says as one text, for rules about prose. Holes stand as {{name}}, so that the
 * text layer knows them; bytes that came from a source lead back to it through the runs.
 */
#ifndef SEED_SEMA_FLATTEN_H
#define SEED_SEMA_FLATTEN_H

#include "compiler/sema/walk.h"

/* All branches and one pass of each loop, in order. part or decl; the other is NULL. */
Text sema_flatten(const Unit *u, const Prompt *p, const Part *part, const Node *decl);

#endif
