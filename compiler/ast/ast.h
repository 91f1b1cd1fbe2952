/*
 * The tree that every front end builds and every AST pass reads.
 *
 * One uniform node; what `name`, `aux` and the kids hold is the node's row in ast.def. A failed
 * production is N_ERROR, never NULL. Nodes live in the unit's arena and are never freed alone.
 */
#ifndef SEED_AST_H
#define SEED_AST_H

#include "compiler/source/source.h"
#include "runtime/base/buf.h"
#include "runtime/bin/bin.h" /* Role, Modality, Stability, CmpOp: the same numbers in the binary */

typedef enum NodeKind {
#define NODE(kind, printed, name, aux, kids) kind,
#include "compiler/ast/ast.def"
#undef NODE
	NODE_KIND_COUNT
} NodeKind;

/* N_CLAUSE's op. What it carries stands behind each. */
typedef enum ClauseKind {
	CL_STABILITY,  /* val: Stability */
	CL_TRUST,      /* val: 1 trusted, 0 untrusted, -1 unknown (variables of Markdown and text) */
	CL_KEY,
	CL_MAX,        /* val: tokens */
	CL_DEFAULT,    /* kid: value */
	CL_RAW,
	CL_EXACT,
	CL_HOISTABLE,
	CL_WHEN,       /* kid: cond */
	CL_WEIGHT,     /* name: number as spelled; num */
	CL_GUARDRAIL,
	CL_ON,         /* kids: NAME* */
	CL_AS_SYSTEM,
	CL_TOP,        /* val */
	CL_SQUASH,     /* num */
	CL_BY,         /* name */
	CL_FROM,       /* kids: NAME* */
	CL_REPLY,      /* kid: type */
	CL_SLOTS,      /* val: first; aux: last as spelled */
	CL_TTL,        /* num: seconds; name: as spelled */
	CL_EVICT,      /* name */
	CLAUSE_KIND_COUNT
} ClauseKind;

enum NodeFlag {
	NF_OPTIONAL = 1,
	NF_RAW = 2,     /* body: nothing is live */
	NF_EXACT = 4,   /* body: lines were `|` lines, nothing trimmed */
	NF_INLINE = 8,  /* body: text after the head's colon; has no final LF */
	NF_QUOTED = 16, /* a name that was written as a string */
	NF_BAD = 32,    /* reported already: later passes stay silent about it */
};

typedef struct Node Node;
struct Node {
	uint16_t kind;   /* NodeKind */
	uint16_t flags;  /* NodeFlag */
	int32_t op;
	int64_t val;
	double num;
	Span span;       /* the whole construct, without its final LF */
	Span name_span, aux_span;
	Str name, aux;   /* names in NFC */
	Text *text;      /* N_TEXT only */
	Node *first, *last, *next;
};

Node *node_new(Arena *a, NodeKind kind, Span span);
void node_add(Node *parent, Node *kid);
/* The first kid of that kind; NULL if none. */
Node *node_kid(const Node *n, NodeKind kind);
Node *node_clause(const Node *n, ClauseKind kind);
/* The body or file body of a text head; NULL if none. */
Node *node_body(const Node *n);
const char *node_kind_name(NodeKind kind);
bool node_is_type(const Node *n);
bool node_is_value(const Node *n);
bool node_is_cond(const Node *n);

/* --emit=ast: one node a line, kids indented, no offsets unless asked for by the dump's own flag. */
typedef enum AstDump { AST_DUMP_PLAIN, AST_DUMP_SPANS } AstDump;
void ast_dump(Buf *out, const Node *n, AstDump how);

#endif
