/*
 * Compiler: what one invocation passes around. One Compiler per unit (one input file and what it
 * includes); many files are many Compilers, so that they can be worked on side by side.
 */
#ifndef SEED_COMPILER_H
#define SEED_COMPILER_H

#include <limits.h>

#include "compiler/source/diag.h"
#include "compiler/source/source.h"
#include "runtime/token/shelf.h"

typedef enum FrontEnd { FRONT_AUTO, FRONT_SD, FRONT_YAML, FRONT_MARKDOWN, FRONT_TEXT, FRONT_JSON } FrontEnd;
typedef enum VarStyle { VARS_NONE, VARS_MUSTACHE, VARS_BRACE, VARS_DOLLAR } VarStyle;

/* Reads the files that sources bring in, where they do not stand on the disk (a git revision). Paths are
 * "PREFIX:path" as the first source was named. False with *why when there is none. */
typedef struct FileReader {
	bool (*read)(Arena *a, Str path, Str *bytes, Str *why);
} FileReader;

/* The real path of the folder asked for last, by the path it was asked for. */
typedef struct RealFolder {
	char shown[PATH_MAX], real[PATH_MAX];  /* shown empty: none yet */
} RealFolder;

typedef struct Compiler {
	Arena arena;      /* unit lifetime: sources, AST, sema, IR, diagnostics */
	Arena scratch;    /* reset by whoever uses it */
	Sources sources;
	Diags diags;
	Str root;         /* project root (real path): includes may not leave it; empty: the file's folder */
	const FileReader *reader; /* NULL: the disk */
	struct ProjectTargets *targets; /* of the root: shared with other units of this thread, or this unit's own */
	RealFolder *folder; /* of this thread's units; NULL: each path is asked for whole */
	TokenShelf *shelf; /* vocabularies, shared with other units of this thread; NULL: own_shelf */
	TokenShelf own_shelf;
	FrontEnd as;      /* --as */
	VarStyle vars;    /* --vars, for Markdown and text */
	bool normalize;   /* --normalize: a CR inside a JSON or YAML string reads as LF */
	int opt_level;    /* 0, 1, 2 */
} Compiler;

void compiler_init(Compiler *c);
/* The vocabularies at hand; no file is opened before one is asked for. */
TokenShelf *compiler_shelf(Compiler *c);
/* For the next unit; what the last one made is gone. */
void compiler_reset(Compiler *c);
void compiler_free(Compiler *c);

#endif
