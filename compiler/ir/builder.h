/*
 * What the files of the IR builder share; nobody else includes this.
 *
 * One idea: a builder walks declarations in the order sent and appends segments; text is gathered
 * until something that is not text comes, so that one run of text is one segment.
 */
#ifndef SEED_IR_BUILDER_H
#define SEED_IR_BUILDER_H

#include "compiler/ir/ir.h"

/* Blocks being included, innermost first. */
typedef struct BlockFrame {
	const struct BlockFrame *outer;
	const Node *block;
	uint32_t depth;
} BlockFrame;

/* Text not yet in a segment. While `whole` is set the gathered text is exactly that one, unchanged. */
typedef struct Gather {
	const Text *whole;
	VEC(char) byte;
	VEC(TextRun) run;
	Span span;
} Gather;

typedef struct Builder {
	Compiler *c;
	Arena *a;
	const Unit *u;
	const Prompt *p;
	IrPrompt *out;
	Map node_at;          /* a declaration's address as bytes -> its IrNode + 1 */
	uint32_t *stage_at;   /* place of p->stage[i] in out->stage */
	Stability stability;  /* of the part being built */
	uint32_t flags;       /* SEG_PROTECTED, for every segment of the part */
	const BlockFrame *frame;
	uint32_t n_include;
	uint32_t depth;       /* segments open */
	bool is_too_deep;     /* reported */
	Gather text;
	bool at_line_start;
	Str indent;           /* of the includes around */
	bool in_item;         /* in a constraint: further lines are indented */
	bool item_started;    /* a line of it has been written */
	bool is_test;         /* conditions may ask for tokens, messages and the reply */
} Builder;

enum { INCLUDE_DEPTH_MAX = 64, INCLUDES_MAX = 20000 };  /* as sema's walk: reported there */

/* ---- segments (ir_build.c) ---- */

IrSeg *seg_add(Builder *b, SegKind kind, const Node *decl);
/* The index of the new segment, for seg_close. */
uint32_t seg_open(Builder *b, SegKind kind, const Node *decl);
void seg_close(Builder *b, uint32_t begin);
/* The node of a declaration, made at first sight. */
uint32_t node_of(Builder *b, BinNodeKind kind, const Node *decl);
/* False when one more open segment would be too many; reported once. */
bool depth_allows(Builder *b, Span at);
/* The `when` of a head, or no operations. */
IrProgram when_of(Builder *b, const Node *decl, const Scope *scope);
void put_constraints(Builder *b, Str stage);

/* ---- bodies (ir_body.c) ---- */

/* The body of a head. A line that the body leaves open is not ended. */
void put_body(Builder *b, const Node *body, const Scope *scope);
void put_include(Builder *b, const Node *include, const Scope *scope);

/* ---- text (ir_text.c) ---- */

void text_put(Builder *b, const Text *t);
/* Text the compiler writes; counts as template text, comes from no source byte. */
void text_put_generated(Builder *b, Str s);
void text_flush(Builder *b);
/* t without its first byte. */
const Text *text_drop_first(Arena *a, const Text *t);
/* What a line begins with, before anything of it is written. */
void text_begin_line(Builder *b);

/* ---- references and conditions (ir_cond.c) ---- */

/* NULL: a literal is bound to it (*bound) or nothing is there. */
IrRef *ref_make(Builder *b, const Node *ref, const Scope *scope, const Node **bound);
IrProgram cond_make(Builder *b, const Node *cond, const Scope *scope);

typedef enum Known { KNOWN_FALSE, KNOWN_TRUE, KNOWN_NOT } Known;
/* What a condition is when compiled: only literals bound by !INCLUDE decide one. */
Known cond_fold(Builder *b, const Node *cond, const Scope *scope);
/* With canonical spacing, as it would be written. */
void cond_print(Buf *out, const Node *cond);

#endif
