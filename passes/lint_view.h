/*
 * What the text lints look at.
 *
 * A LintText is bytes that know their place: a whole source, or the text of one node after unescaping.
 * Character rules look at every source (comments and heads too) and then at the texts whose bytes came
 * from escapes; what both see has one span and is reported once.
 *
 * A LintBody is the body of one head put together: its texts, with holes as they are written and
 * directive lines left out. Structure rules look at bodies.
 */
#ifndef SEED_PASSES_LINT_VIEW_H
#define SEED_PASSES_LINT_VIEW_H

#include "compiler/sema/sema.h"

typedef struct LintText {
	Str s;
	const Text *text;  /* NULL: a source */
	uint32_t base;     /* of a source */
} LintText;

Span lint_span(const LintText *t, size_t lo, size_t hi);

/* Calls see() for each. */
void lint_each_text(Compiler *c, Unit *u, void (*see)(Compiler *c, const LintText *t));

/* What a body is for the model. */
typedef enum BodyUse {
	BODY_INSTRUCTION,  /* role, block, constraint, stage, system, developer, user */
	BODY_SAID,         /* an assistant's message outside examples */
	BODY_EXAMPLE,      /* few-shot */
	BODY_DATA,         /* contexts, tool results */
	BODY_TEST,         /* never sent */
} BodyUse;

typedef struct LintHole {
	size_t lo, hi;     /* in the body's text */
	const Node *node;  /* N_HOLE */
} LintHole;

typedef struct LintBody {
	Text text;
	const Node *head, *body;
	BodyUse use;
	bool is_own;       /* of the file asked for, not of one it uses */
	VEC(LintHole) hole;
} LintBody;

/* Bodies live in c->scratch until the pass frees it. */
void lint_each_body(Compiler *c, Unit *u, void (*see)(Compiler *c, Unit *u, const LintBody *b));

#endif
