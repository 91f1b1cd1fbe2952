/*
 * The pass loop: runs the rows of passes.def in order, first those on the tree, then those on the
 * IR, and asserts that what each needs has been made and not broken since.
 *
 * One idea: a pass is one function and one row. Nothing else decides whether it runs but its row's
 * -O level, --stop-after, and for rows named lint_… whether the run is one of `seedc lint`: what they
 * find in a text is no reason not to compile it (real prompts hold U+FFFD and look-alikes).
 */
#ifndef SEED_PASSES_PASS_LOOP_H
#define SEED_PASSES_PASS_LOOP_H

#include "compiler/ir/ir.h"
#include "passes/remark.h"

/* What may be known after a pass. Append freely. */
enum Fact {
	FACT_UNIT = 1 << 0,       /* sema_build is done */
	FACT_NAMES = 1 << 1,      /* every name that does not resolve has been reported */
	FACT_TYPES = 1 << 2,      /* types, conditions and filters have been checked */
	FACT_TAINT = 1 << 3,      /* untrusted text outside its fences has been reported */
	FACT_STABILITY = 1 << 4,  /* stability has been inferred and checked, in the order sent */
	FACT_CHAINS = 1 << 5,     /* chains are graphs without cycles, or reported */
	FACT_IR = 1 << 6,         /* ir_build is done */
	FACT_SCHEMA = 1 << 7,     /* every IrSchema and SEG_SCHEMA has its text */
	FACT_NORMAL = 1 << 8,     /* texts have been normalised as far as the level allows */
	FACT_PROTECTED = 1 << 9,  /* protected texts are as built: a pass that breaks this says so in its row */
};

typedef enum PassId {
#define AST_PASS(name, opt, needs, makes, breaks, what) PASS_##name,
#define IR_PASS(name, opt, needs, makes, breaks, what) PASS_##name,
#include "passes/passes.def"
#undef AST_PASS
#undef IR_PASS
	PASS_COUNT
} PassId;

#define AST_PASS(name, opt, needs, makes, breaks, what) void pass_##name(Compiler *c, Unit *u);
#define IR_PASS(name, opt, needs, makes, breaks, what) void pass_##name(Compiler *c, Ir *ir, Remarks *r);
#include "passes/passes.def"
#undef AST_PASS
#undef IR_PASS

typedef struct PassInfo {
	const char *name, *what;
	int opt;  /* runs at -O of this level and above */
	uint32_t needs, makes, breaks;
	void (*on_ast)(Compiler *c, Unit *u);              /* one of the two is set */
	void (*on_ir)(Compiler *c, Ir *ir, Remarks *r);
} PassInfo;

extern const PassInfo pass_table[];  /* PASS_COUNT rows */

/* -1 if there is none of that name (dashes and underscores are one). */
int pass_find(Str name);

typedef enum PassScope { PASS_LINT, PASS_COMPILE } PassScope;

typedef struct PassRun {
	PassScope scope;
	int dump_after, stop_after;  /* PassId or -1 */
	Buf *dump;                   /* gets what --dump-after asks for */
	Remarks remarks;
	uint32_t facts;
	bool is_stopped;             /* --stop-after was reached */
	const char *fault;           /* a pass broke the IR: what does not hold, in one line; else NULL */
	double time_ms[PASS_COUNT + 1];  /* the last is ir_build */
} PassRun;

/* For lint; scope, remarks.disabled and the dump may be set after it. */
void pass_run_init(PassRun *run, Compiler *c);
void pass_run_ast(PassRun *run, Compiler *c, Unit *u);
/* ir_build and the IR passes. NULL when --stop-after named a pass on the tree. */
Ir *pass_run_ir(PassRun *run, Compiler *c, const Unit *u);

/* One row a line: name, level, -O, what. */
void pass_print_list(Buf *out);
/* --dump=plan: the same rows, those only that this run takes. */
void pass_print_plan(Buf *out, const PassRun *run, const Compiler *c);
void pass_print_times(Buf *out, const PassRun *run);

#endif
