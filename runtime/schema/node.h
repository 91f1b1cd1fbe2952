/*
 * What the files of this folder share about SchemaNode: the keyword table as data, walks over children,
 * type sets. Outside the folder use schema.h.
 *
 * A type set counts a number once: SCHEMA_INTEGER stands for whole numbers, SCHEMA_NUMBER for the
 * others, so sets meet and join by bits. (In SchemaNode.types SCHEMA_NUMBER means both.)
 */
#ifndef SEED_SCHEMA_NODE_H
#define SEED_SCHEMA_NODE_H

#include "runtime/schema/pair_map.h"
#include "runtime/schema/schema.h"

#define SCHEMA_DEPTH_MAX 512  /* schemas within schemas */
#define SCHEMA_ANY_TYPE 127u

typedef enum KeywordShape {
	SHAPE_TEXT, SHAPE_REF, SHAPE_TYPE, SHAPE_ENUM, SHAPE_VALUE, SHAPE_PATTERN, SHAPE_COUNT, SHAPE_NUMBER, SHAPE_SUB,
	SHAPE_LIST, SHAPE_MAP, SHAPE_UNIQUE, SHAPE_REQUIRED, SHAPE_DEPENDENT, SHAPE_NOTE,
} KeywordShape;

typedef struct KeywordRow {
	Str spelling;
	KeywordShape shape;
	int slot;
} KeywordRow;

extern const KeywordRow keyword_row[KW_COUNT];

#define KW_BIT(id) ((uint64_t)1 << KW_##id)
/* Keywords that never reject a value. */
#define KW_ANNOTATIONS (KW_BIT(ID) | KW_BIT(ANCHOR) | KW_BIT(TITLE) | KW_BIT(DESCRIPTION) | KW_BIT(DEFAULT) \
	| KW_BIT(EXAMPLES) | KW_BIT(FORMAT) | KW_BIT(NOTE) | KW_BIT(DEFS))

static inline void schema_mark(SchemaNode *s, Keyword k) { s->present |= (uint64_t)1 << k; }
static inline void schema_unmark(SchemaNode *s, Keyword k) { s->present &= ~((uint64_t)1 << k); }

/* Takes the keyword out of s, value and all. */
void schema_drop(SchemaNode *s, Keyword k);

/* KW_COUNT when the table has no such spelling. */
Keyword schema_find_keyword(Str spelling);

typedef VEC(const SchemaNode *) SchemaNodes;
/* The schemas that s applies to the same value: $ref, anyOf, oneOf, allOf, not, if, then, else,
 * dependentSchemas. Appended to out. */
void schema_same_value_kids(Arena *a, const SchemaNode *s, SchemaNodes *out);

/* Every schema that s leads to: its parts, and its $ref's target. Appended to out. */
void schema_all_kids(Arena *a, const SchemaNode *s, SchemaNodes *out);

/* a and b share no value, as far as types and a required field with different constants tell. */
bool schema_are_disjoint(const SchemaNode *a, const SchemaNode *b);

unsigned schema_type_set(const SchemaNode *s);        /* of `type` alone; SCHEMA_ANY_TYPE without it */
unsigned schema_type_set_of(const JsonNode *value);   /* one bit */

#endif
