/*
 * The settings of `seedc lint`: what seedc.yaml says, under what the command line says.
 *
 *	extends: ../base.yaml       # or a list; read first, then overridden
 *	fail-on: warning            # error, warning, info
 *	exclude: ["fixtures/"]    # not looked at in folders
 *	rules:
 *	  SD504: off                # off, info, warning, error; by code or name
 *	paths:                      # by path, relative to this file; later ones win
 *	  "legacy/": {SD205: off}
 *	ignore:                     # for files that can hold no comment
 *	  - {path: "a.json", rules: [SD603], reason: "revoked in May"}
 *
 * Unknown keys, rules and values are errors (SD903).
 */
#ifndef SEED_LINT_CONFIG_H
#define SEED_LINT_CONFIG_H

#include "compiler/source/compiler.h"

/* A Severity per rule, or LEVEL_UNSET. */
typedef struct LintLevels {
	int8_t of[DIAG_COUNT];
} LintLevels;

enum { LEVEL_UNSET = -1 };

typedef struct LintPathRule {
	Str folder;  /* of the file that says so: its patterns are relative to it */
	Str glob;
	LintLevels levels;
	bool is_excluded;
} LintPathRule;

typedef struct LintConfig {
	LintLevels levels;
	VEC(LintPathRule) path;
	int fail_on;  /* a Severity, or LEVEL_UNSET */
	bool is_bad;  /* reported */
} LintConfig;

void lint_levels_init(LintLevels *l);
/* Reads the file and what it extends. Errors go into c's sink and set is_bad. */
LintConfig *lint_config_read(Compiler *c, Str path);
/* "error", "warning", "info", "off"; LEVEL_UNSET if it is none. */
int lint_level_from_name(Str name);
/* The levels for one file: rules, then every path entry that matches. real: its real path. */
void lint_config_levels(const LintConfig *cfg, Str real, LintLevels *out);
bool lint_config_excludes(const LintConfig *cfg, Str real);
/* Rules of the language itself (SD001..SD099) cannot be switched off: their findings are errors of the
 * file, not opinions about it. */
bool lint_rule_is_fixed(int id);

#endif
