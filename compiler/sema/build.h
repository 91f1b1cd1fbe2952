/*
 * What the files of sema share while a Unit is made; nobody else includes this.
 *
 * The order is the point: collect declarations (sema.c, sema_use.c), name schemas (sema_types.c),
 * then inputs, tools, stages, constraints, cuts (sema_heads.c, sema_chain.c), then the messages
 * (sema_assemble.c) and how long each part stays the same (sema_stability.c).
 */
#ifndef SEED_SEMA_BUILD_H
#define SEED_SEMA_BUILD_H

#include "compiler/sema/sema.h"

typedef struct Build {
	Compiler *c;
	Arena *a;
	Diags *d;
	Unit *u;
} Build;

/* A file's shared declarations, `use` included, appended to out. */
typedef VEC(Decl) DeclList;
void build_shared(Build *b, Node *file, Library *self, DeclList *out);

Prompt *build_prompt(Build *b, const Node *head, const DeclList *shared, Node *first, const Node *end);
void build_route(Build *b, const Node *route);

/* Adds to the prompt's names; reports SD202 when the name is taken. */
void build_symbol(Build *b, Prompt *p, Str name, SymbolKind kind, uint32_t index, const Node *decl);

/* Reported: later passes stay silent about it. Only the flag of the tree ever changes. */
static inline void build_mark_bad(const Node *n) { ((Node *)n)->flags |= NF_BAD; }

void build_schemas(Build *b, Prompt *p);
void build_tools(Build *b, Prompt *p);
/* NULL when reported. */
const Type *build_type(Build *b, Prompt *p, const Node *type);
/* The same with its schema node: for inputs and replies. */
const Type *build_value_type(Build *b, Prompt *p, const Node *type);
void build_inputs(Build *b, Prompt *p);
void build_heads(Build *b, Prompt *p);
void build_cache(Build *b, Prompt *p);
Reply build_reply(Build *b, Prompt *p, const Node *type, const Node *max, const Node *decl);
void build_stages(Build *b, Prompt *p);
void build_files(Build *b, Prompt *p);
void build_messages(Build *b, Prompt *p);
void build_stability(Build *b, Prompt *p);

/* The body of a head that holds `file "path"` or `from "path"`: read once, under the root; false when reported. */
bool build_read(Build *b, Span at, Str path, Str *bytes, Str *shown);

#endif
