/* Types and schemas as they are made, for sema alone. */
#ifndef SEED_SEMA_TYPES_H
#define SEED_SEMA_TYPES_H

#include "compiler/sema/build.h"

/* Reads N_FIELDS into an object type and spells it. */
void types_fields(Build *b, Prompt *p, Type *t, const Node *fields);
/* Names one more schema of the prompt; build_schemas fills it. */
const Schema *types_add_schema(Build *b, Prompt *p, Str name, const Node *decl);
/* The schema node of a type: $ref for a named schema, a string for plain text, image and file. */
SchemaNode *types_schema(Build *b, const Type *t);
/* False for what Type.schema leaves NULL. */
bool types_need_schema(const Type *t);
void types_add_fields(Build *b, SchemaNode *object, const Type *t);
/* Reads a JSON Schema; NULL when reported. shown: the file it stands in, or empty. */
SchemaNode *types_import(Build *b, const Node *at, Str json, Str shown);
enum { TYPES_IMPORT_DEPTH = 16 };
/* What is known of an imported schema's values, that many levels down. */
void types_of_schema(Build *b, Type *t, const SchemaNode *s, int depth);

#endif
