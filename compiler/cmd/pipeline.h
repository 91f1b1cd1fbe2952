/*
 * Pipeline: the way from a path to compiled bytes, in the steps that commands stop after. Every step
 * reports into the compiler's sink; nothing is printed here.
 */
#ifndef SEED_PIPELINE_H
#define SEED_PIPELINE_H

#include "compiler/sema/sema.h"

/* Reads path ("-" is standard input) into the compiler's sources. NULL: it could not be read, and
 * *why says so in the system's words. Sets the project's root. */
Source *pipeline_read(Compiler *c, const char *path, Str *why);

/* The front end for a source: --as, else by name and text; standard input is text. */
FrontEnd pipeline_front(const Compiler *c, const Source *src);

/* The tree, the unit, and every pass on the tree. Never NULL. */
Unit *pipeline_check(Compiler *c, Source *src, FrontEnd front);

#endif
