/*
 * Variables as people write them in a prompt: `{{x}}`, `{x}`, `${x}` and `$x`. One scanner finds the
 * next one of a style; the front ends make inputs of them, the text layer lists them.
 *
 * A name is XID, dotted names are one variable (`user.name`) in mustache only. What is not exactly a
 * name between its marks is text: JSON, LaTeX, shell, Jinja statements.
 */
#ifndef SEED_TEXT_VARS_H
#define SEED_TEXT_VARS_H

#include "compiler/source/compiler.h"

typedef struct VarSpan {
	size_t lo, hi;       /* with its marks */
	size_t name_lo, name_hi;
} VarSpan;

/* The first variable of that style at or after from; false if there is none. */
bool vars_next(Str s, size_t from, VarStyle style, VarSpan *out);
/* The style most of a text's variables are written in; VARS_NONE if it has none. Ties go to the
 * more explicit style: mustache, then dollar, then brace. */
VarStyle vars_style_of(Str s);

#endif
