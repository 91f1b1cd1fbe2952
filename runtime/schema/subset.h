/*
 * Subset: does every value that sub accepts pass super? Decided per node: types, ranges with open and
 * closed ends, enums, patterns equal or unknown, properties and additionalProperties, unions as a
 * cover, recursion by memo. Never guesses: what it cannot decide is SUBSET_UNKNOWN with the reason.
 */
#ifndef SEED_SCHEMA_SUBSET_H
#define SEED_SCHEMA_SUBSET_H

#include "runtime/schema/schema.h"

typedef enum SubsetAnswer { SUBSET_YES, SUBSET_NO, SUBSET_UNKNOWN } SubsetAnswer;

typedef struct SubsetResult {
	SubsetAnswer answer;
	Str pointer;   /* where in the value: "/quotes[]"; of the first reason */
	Str reason;    /* empty for yes; "may be longer than 80" */
} SubsetResult;

SubsetResult schema_subset(Arena *a, const SchemaNode *sub, const SchemaNode *super);

#endif
