/*
 * Pipeline: the way from a path to compiled bytes, in the steps that commands stop after. Every step
 * reports into the compiler's sink; nothing is printed here.
 */
#ifndef SEED_PIPELINE_H
#define SEED_PIPELINE_H

#include "passes/pass_loop.h"

/* Reads path ("-" is standard input) into the compiler's sources. NULL: it could not be read, and
 * *why says so in the system's words. Sets the project's root. */
Source *pipeline_read(Compiler *c, const char *path, Str *why);

/* The front end for a source: --as, else by name and text; standard input is text. */
FrontEnd pipeline_front(const Compiler *c, const Source *src);

/* The tree, the unit, and every pass on the tree. Never NULL. */
Unit *pipeline_check(Compiler *c, Source *src, FrontEnd front);

typedef struct Compiled {
	PassRun run;
	Node *file;
	Unit *unit;
	Ir *ir;     /* NULL after errors, or when --stop-after named a pass on the tree */
	Buf bytes;  /* the binary; empty without an IR */
	Bin bin;    /* views bytes */
	const char *fault;  /* a bug in a pass or the writer, in one line; else NULL */
} Compiled;

/* run is initialised by the caller (pass_run_init), so that dumps and stops can be set. */
void pipeline_compile(Compiler *c, Source *src, Compiled *out);
void pipeline_free(Compiled *out);

#endif
