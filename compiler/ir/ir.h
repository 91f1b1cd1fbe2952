/*
 * IR: what each prompt of a unit sends, as a flat list of segments. Kinds and enums are those of the
 * binary (runtime/bin/bin.h); strings and source spans stand in place of pool offsets.
 *
 * Names of things that segments only point to (inputs, tools, settings, cuts) stay in sema's Prompt.
 * References to a loop name the loop's node; ir_link turns them, partners and node ranges into
 * indices, so a pass may insert and delete segments freely and calls ir_link when done.
 *
 * Invariant (ir_verify): begin/end nest, partners and loops are linked, texts are UTF-8 without NUL,
 * runs cover only bytes of their text, and (ir_protected_hash) no pass changed a protected text.
 */
#ifndef SEED_IR_H
#define SEED_IR_H

#include "compiler/sema/sema.h"

typedef struct IrRef {
	RefKind kind;
	uint32_t index;    /* input or stage of the prompt (stage: chain order); loop: the segment, by ir_link */
	Str name, field;
	const Node *loop;  /* REF_LOOP, REF_LOOP_INDEX: the innermost open segment with that decl */
	const Type *type;  /* NULL if unknown */
} IrRef;

typedef struct IrFilter {
	FilterKind kind;
	Str arg;
} IrFilter;

typedef struct IrCond {
	CondOp op;
	CmpOp cmp;
	uint16_t n_arg;
	IrRef *ref;        /* NULL where the op has none */
	Str s;
} IrCond;

typedef struct IrProgram {
	IrCond *op;
	uint32_t n;        /* 0: always */
} IrProgram;

typedef struct IrSeg {
	SegKind kind;
	Role role;
	Stability stability;
	Modality modality;
	uint32_t flags;    /* SegFlag */
	uint32_t partner;  /* by ir_link; BIN_NONE where the kind has none */
	uint32_t node;     /* IrNode it came from, or BIN_NONE */
	uint32_t aux;      /* by kind, or BIN_NONE */
	Text text;
	Str name;
	IrRef *ref;        /* NULL: none */
	IrProgram cond;
	IrFilter *filter;
	uint32_t n_filter;
	double weight, squash;  /* -1: none */
	const Node *decl;  /* what it was made from; NULL for generated ones */
	Span span;         /* of decl, or of the text */
} IrSeg;

typedef struct IrNode {
	BinNodeKind kind;
	Role role;
	Modality modality;
	Stability stability;
	uint32_t flags;
	Str name;
	uint32_t seg, n_seg;    /* by ir_link: begin to end of the place where it stands first */
	const Str *on;
	uint32_t n_on;
	double weight;
	const Node *decl;
} IrNode;

/* A schema's renderings, made by pass schema; one per Prompt.schema, then those of inputs and replies. */
typedef struct IrSchema {
	Str name, doc;
	const SchemaNode *node;
	Str json, ts;
} IrSchema;

typedef struct IrPrompt {
	const Prompt *p;
	VEC(IrSeg) seg;
	VEC(IrNode) node;
	VEC(IrSchema) schema;
	VEC(uint32_t) stage;         /* indices into p->stage, in chain order, then those outside it */
	VEC(uint32_t) stage_schema;  /* of each stage's reply, by position in `stage`; BIN_NONE if none */
	VEC(uint32_t) input_schema;  /* of each input; BIN_NONE if none */
	uint32_t reply_schema;
} IrPrompt;

typedef struct IrRoute {
	const Route *r;
	VEC(IrProgram) rule;  /* by r->rule */
	VEC(Str) text;        /* the condition, canonical spacing; empty for else */
	VEC(uint32_t) target; /* index of the prompt; BIN_NONE if it is not there */
} IrRoute;

typedef struct Ir {
	Compiler *c;
	const Unit *u;
	VEC(IrPrompt *) prompt;
	VEC(IrRoute *) route;
} Ir;

/* Never NULL. A unit with errors gives what could be built. */
Ir *ir_build(Compiler *c, const Unit *u);
/* Partners, loop indices, node ranges. False if begin and end do not nest (a bug in a pass). */
bool ir_link(IrPrompt *p, Arena *scratch);
/* NULL when everything holds, else what does not, in one line. */
const char *ir_verify(const Ir *ir, Arena *scratch);
/* Over every protected text: a pass must leave it as it was. */
uint64_t ir_protected_hash(const Ir *ir);
/* The stable text form of --emit=ir: one segment a line, indented by nesting. */
void ir_dump(Buf *out, const Ir *ir);

#endif
