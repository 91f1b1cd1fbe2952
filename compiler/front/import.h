/*
 * `seedc import`: any file the front ends read, written in the language, so that compiling the result
 * gives the same text, byte for byte. Markdown, plain text, prompt.yaml, messages JSON, request bodies
 * and JSON Schema.
 *
 * It invents nothing: a Markdown prompt stays one system message and never becomes `role` or
 * `constraint`. What the language has no words for is refused with its place (SD062).
 */
#ifndef SEED_FRONT_IMPORT_H
#define SEED_FRONT_IMPORT_H

#include "compiler/front/front.h"

/* Appends the file as `.sd`; false, with errors in the sink and out as it was, if it cannot be. */
bool front_import(Compiler *c, Source *src, FrontEnd as, Buf *out);

#endif
