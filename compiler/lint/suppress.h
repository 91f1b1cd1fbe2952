/*
 * Suppressions: comments that silence a rule, on the line above or for the whole file.
 *
 *	.sd        # seedc-ignore SD504: reason        between declarations
 *	           !# seedc-ignore SD504: reason       in a body
 *	Markdown   <!-- seedc-ignore SD504: reason -->
 *	YAML       # seedc-ignore SD504: reason
 *	all        seedc-ignore-file instead of seedc-ignore: the whole file
 *
 * Several rules stand with commas; a rule is its code or its name. Lines of suppressions stack: each
 * means the first line below that is none.
 */
#ifndef SEED_LINT_SUPPRESS_H
#define SEED_LINT_SUPPRESS_H

#include "compiler/lint/config.h"
#include "compiler/sema/sema.h"

/* Marks what is suppressed in the file asked for, and reports suppressions that do nothing (SD901, not
 * for rules that levels switches off) or name no rule (SD902). */
void lint_suppress(Compiler *c, const Unit *u, const Source *src, const LintLevels *levels);

#endif
