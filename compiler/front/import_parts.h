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
/* Why something stays as it was written: a reason, and the word it is about. */
typedef struct SpellFault {
	const char *reason;
	Str at;
} SpellFault;

/* The fields of an object schema, as they stand under a head, or false (nothing written, and why) if
 * the language cannot spell them. */
bool import_fields(Compiler *c, const JsonNode *schema, TextBuf *out, SpellFault *why);
/* `schema NAME:` declarations of a schema and its $defs, or false as above. */
bool import_declarations(Compiler *c, Str name, const JsonNode *schema, TextBuf *out, SpellFault *why);
/* A comment line that says why. */
void import_put_fault(TextBuf *out, const SpellFault *why);

/* True if a declaration of this schema, which can be spelled, sends the same schema to the provider. */
bool body_schema_comes_back(Str provider, const JsonNode *schema, SpellFault *why);
/* True if a `schema` and a `reply` give the same field of a body again; its schema can be spelled. */
bool body_reply_comes_back(Str provider, Str field, const JsonNode *value, SpellFault *why);

/* The file's name without folders and extension, as a prompt's name. */
void import_put_prompt(const Source *src, TextBuf *out);

#endif
