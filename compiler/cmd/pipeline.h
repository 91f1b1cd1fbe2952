/*
 * Pipeline: the way from a path to compiled bytes, in the steps that commands stop after. Every step
 * reports into the compiler's sink; nothing is printed here.
 */
#ifndef SEED_PIPELINE_H
#define SEED_PIPELINE_H

#include "compiler/source/compiler.h"

/* Reads path ("-" is standard input) into the compiler's sources. NULL: it could not be read, and
 * *why says so in the system's words. */
Source *pipeline_read(Compiler *c, const char *path, Str *why);

#endif
