/*
 * The lint driver: many files, each its own Compiler, worked on side by side; what comes out depends on
 * the files and the settings only, never on the number of threads.
 *
 * A file that cannot be read is a finding (SD001) and makes the run fail, whatever else was found.
 */
#ifndef SEED_LINT_H
#define SEED_LINT_H

#include "compiler/lint/config.h"
#include "compiler/lint/walk_files.h"
#include "compiler/sema/sema.h"
#include "compiler/source/render.h"

/* Reads the tree of one source and runs every pass on it; the command line's pipeline. */
typedef Unit *LintCheck(Compiler *c, Source *src, FrontEnd front);

typedef struct LintSettings {
	LintCheck *check;
	FrontEnd as;
	VarStyle vars;
	LintLevels levels;        /* of the command line: over every config */
	bool is_selected;         /* --select: what levels does not set is off */
	bool deny_warnings;
	FixLevel fix;             /* FIX_NONE: only look */
	uint32_t n_thread;
	const char *config;       /* --config, or NULL to look for one */
} LintSettings;

typedef struct LintResult {
	Compiler *unit;           /* NULL: nothing was found, or it was skipped */
	bool is_read, is_skipped; /* skipped: a YAML or JSON file of another tool, found in a folder */
	bool is_changed, is_looping;
	uint32_t n_fixed;
	Str fixed;                /* of a changed file: its new bytes, in unit's arena */
	Str write_error;          /* empty, or why the fixed file could not be written */
} LintResult;

/* A thread's own, and what its files share in turn. */
typedef struct LintWorker {
	struct LintWork *work;
	Arena arena;
	TokenShelf shelf;
	RealFolder folder;
	ProjectTargets targets;
	Str root;                 /* whose targets they are */
	Compiler *spare;          /* of a file without findings; or NULL */
} LintWorker;

typedef struct LintRun {
	Arena arena;
	const LintSettings *set;
	WalkedFiles files;
	VEC(LintConfig *) config; /* all that were read, in order of first use */
	VEC(Compiler *) config_unit;
	LintConfig **file_config; /* by file; NULL: none */
	Str *file_root;           /* by file */
	LintResult *result;       /* by file */
	LintWorker *worker;
	uint32_t n_worker;
	int fail_on;              /* a config's wish, or LEVEL_UNSET */
	bool config_is_bad;
} LintRun;

/* Files and their settings. False when a config is wrong: its findings are in config_unit. */
bool lint_prepare(LintRun *run, const LintSettings *set, const char *const *path, uint32_t n);
void lint_run(LintRun *run);
void lint_free(LintRun *run);

#endif
