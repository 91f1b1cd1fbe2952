/*
 * Shared by the writers of `seedc import`.
 */
#ifndef SEED_FRONT_IMPORT_PARTS_H
#define SEED_FRONT_IMPORT_PARTS_H

#include "compiler/front/parts.h"
#include "compiler/front/sdtext.h"
#include "runtime/base/json.h"

/* True if JSON bytes are a schema and no prompt. */
bool import_is_schema(Str bytes);
/* `schema NAME:` declarations, or `schema NAME from "file"` where the language cannot spell it. */
bool import_schema(Compiler *c, Source *src, TextBuf *out);
/* The fields of an object schema, as they stand under a head, or false (nothing written) if the
 * language cannot spell them. */
bool import_fields(Compiler *c, Str schema_json, TextBuf *out);

/* The file's name without folders and extension, as a prompt's name. */
void import_put_prompt(const Source *src, TextBuf *out);

#endif
