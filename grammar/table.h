/*
 * The language's tables (decl.def, clause.def, directive.def) as rows to look things up in.
 */
#ifndef SEED_GRAMMAR_TABLE_H
#define SEED_GRAMMAR_TABLE_H

#include "compiler/ast/ast.h"

typedef enum DeclPlace { PLACE_TOP, PLACE_EXAMPLE, PLACE_ROUTE, PLACE_TEST } DeclPlace;
typedef enum BodyKind { BODY_NONE, BODY_TEXT, BODY_FIELDS, BODY_DECLS, BODY_TYPE } BodyKind;
typedef enum DirPlace { DIR_TOP = 1, DIR_BODY = 2, DIR_BOTH = 3 } DirPlace;

typedef struct DeclRow {
	Str word;
	int token;
	NodeKind node;
	DeclPlace place;
	int n_name;
	BodyKind body;
	uint32_t clauses;      /* bit 1 << ClauseKind */
	const char *yaml_key;  /* NULL: none */
	const char *shape, *completion, *what;
} DeclRow;

typedef struct WordRow {
	Str word;
	int token;
	const char *completion, *what;
} WordRow;

typedef struct DirectiveRow {
	Str word;
	int token;
	DirPlace place;
	const char *shape, *completion, *what;
} DirectiveRow;

extern const DeclRow decl_rows[];
extern const size_t decl_rows_n;
extern const WordRow word_rows[];
extern const size_t word_rows_n;
extern const DirectiveRow directive_rows[];
extern const size_t directive_rows_n;

/* NULL when there is none. */
const DeclRow *decl_find(Str word, DeclPlace place);
const DeclRow *decl_of_node(NodeKind node);
const WordRow *word_find(Str word);
const DirectiveRow *directive_find(Str word);
/* The place of the entries in such a declaration's body. */
DeclPlace decl_entries(const DeclRow *row);
/* The only head word of that place near to the word, or NULL. */
const DeclRow *decl_near(Str word, DeclPlace place);
const DeclRow *decl_near_with_body(Str word, DeclPlace place);

#endif
