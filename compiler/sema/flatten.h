/*
 * Flatten: what a part says as one text, for rules about prose. Holes stand as {{name}}, so that the
 * text layer knows them; bytes that came from a source lead back to it through the runs.
 */
#ifndef SEED_SEMA_FLATTEN_H
#define SEED_SEMA_FLATTEN_H

#include "compiler/sema/walk.h"

/* A text that grows while a pass walks; zero but for the arena is a new one. */
typedef struct Flat {
	Arena *a;
	Buf text;
	VEC(TextRun) run;
} Flat;

void flat_add_text(Flat *f, const Node *text);
void flat_add_hole(Flat *f, const Node *hole);
/* The text, in the arena; ends the growing. */
Text flat_end(Flat *f);

/* All branches and one pass of each loop, in order. part or decl; the other is NULL. */
Text sema_flatten(const Unit *u, const Prompt *p, const Part *part, const Node *decl);

#endif
