/*
 * Rules in words: what a keyword demands, in one stable English phrase, for comments in the
 * TypeScript-like text and for descriptions that carry what a target cannot enforce.
 */
#ifndef SEED_SCHEMA_DESCRIBE_H
#define SEED_SCHEMA_DESCRIBE_H

#include "runtime/schema/schema.h"

/* The phrases of those of s's keywords that are in the set, joined by ", ": "1 to 80 characters,
 * matches /^a/". Nothing when there is nothing to say. Schemas inside phrases stand as JSON. */
void schema_describe(Buf *b, const SchemaNode *s, uint64_t keywords);
/* s on one line: control characters as escapes. */
void schema_put_line(Buf *b, Str s);
/* Bits of the keywords that schema_describe has words for. */
uint64_t schema_describable(void);

#endif
