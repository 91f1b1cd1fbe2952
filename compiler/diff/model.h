/*
 * The differ's view of one prompt: its parts (role, messages, constraints, contexts, examples, stages)
 * with their template text flattened, holes and directive lines written as in the language, and a map
 * from each byte of that text to the segment it came from.
 *
 * Invariant: a part's key is unique among the parts of its prompt ("user", "user#2", "constraint leak").
 */
#ifndef SEED_DIFF_MODEL_H
#define SEED_DIFF_MODEL_H

#include "compiler/diff/diff.h"

typedef struct PartRun { uint32_t text_off, seg, seg_off; } PartRun;

typedef struct PartHole {
	Str name;              /* as referred to: ticket, doc.title */
	Str filters;           /* "xml", "fence(diff)|default" */
	bool is_fenced;        /* by json, xml or fence */
} PartHole;

typedef struct DiffPart {
	BinNodeKind kind;
	Str name, key;
	uint32_t number;       /* the n of a key "user#n", 1 without one */
	Role role;
	Modality modality;
	Stability stability;
	uint32_t flags;        /* SegFlag */
	double weight;
	Str text;              /* without what the compiler wrote (labels) */
	VEC(PartRun) run;
	VEC(PartHole) hole;
	Str condition;         /* `when` as program text, empty if none */
	Str facts;             /* context: top, squash, ref; canonical */
	Str on;                /* stages of a constraint, joined by ", " */
	uint64_t hash;         /* of kind-independent content: text and condition */
	uint32_t mate;         /* index in the other side's list, UINT32_MAX if none */
	bool was_renamed;
} DiffPart;

typedef struct Renaming { Str was, is; } Renaming;

typedef struct DiffModel {
	const Bin *bin;
	const BinPrompt *prompt;
	VEC(Renaming) renamed;  /* inputs of the old side: its texts speak of them by their new names, so that
	                           a renaming is one change */
	VEC(DiffPart) part;
} DiffModel;

#define PART_NONE UINT32_MAX

/* Fills m->part; bin, prompt and renamed are set. */
void model_build(Arena *a, DiffModel *m);
/* What the other side calls it. */
Str model_name_now(const DiffModel *m, Str name);
DiffPlace model_place(const DiffModel *m, const DiffPart *part, uint32_t text_off);
DeltaClass model_class(const DiffPart *part);
/* Words: runs of letters and digits, each CJK character, each other mark. */
uint64_t model_count_words(Str s);
/* "a, b, c" */
Str model_names(Arena *a, const Bin *b, BinRange r);
/* Canonical text of a condition program, in postfix with names: equal programs, equal text. */
Str model_condition(Arena *a, const DiffModel *m, BinRange cond);

#endif
