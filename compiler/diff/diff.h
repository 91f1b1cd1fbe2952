/*
 * Diff: what a change means. Both sides are compiled prompts (`.bin` views), so a source file, a git
 * revision and an artefact take one path and whatever cannot be seen in the binary cannot matter.
 *
 * Nodes are matched by kind and name, then by content; text inside matched parts by sentences. Each
 * difference is one Change with a kind from change.def, which carries its severity.
 *
 * Invariant: diff(a, a) has no change; every Change names the node it is about.
 */
#ifndef SEED_DIFF_H
#define SEED_DIFF_H

#include "runtime/base/buf.h"
#include "runtime/base/vec.h"
#include "runtime/bin/bin.h"

typedef enum DiffSeverity { DIFF_SAFE, DIFF_RISKY, DIFF_BREAKING } DiffSeverity;

typedef enum ChangeKind {
#define CHANGE(kind, slug, severity, party, meaning) kind,
#include "compiler/diff/change.def"
#undef CHANGE
	CHANGE_KIND_COUNT
} ChangeKind;

typedef struct ChangeInfo {
	const char *slug;
	DiffSeverity severity;
	const char *party, *meaning;
} ChangeInfo;
extern const ChangeInfo change_info[CHANGE_KIND_COUNT];

typedef struct DiffPlace {
	Str file;       /* empty where the binary has no debug map */
	uint32_t line;  /* 0: unknown */
} DiffPlace;

typedef struct Change {
	ChangeKind kind;
	DiffSeverity severity;
	Str prompt;            /* name of the prompt, empty where the file has one without a name */
	Str key;               /* "constraint leak", "input ticket", "schema Verdict/severity", "system > Rules" */
	Str old_text, new_text; /* canonical; empty on the absent side */
	Str detail;            /* one line: what exactly, in the reader's terms */
	DiffPlace old_at, new_at;
	uint8_t fingerprint[16]; /* of kind, key, canonical old and new: for approvals */
} Change;

/* Weight classes of the gate (lint-and-diff.md §2): Δ = Σ w·changed / Σ w·baseline. */
typedef enum DeltaClass { DELTA_PROSE, DELTA_CONSTRAINT, DELTA_SCHEMA, DELTA_INPUT, DELTA_EXAMPLE, DELTA_META, DELTA_CLASS_COUNT } DeltaClass;

typedef struct Diff {
	Arena *arena;
	VEC(Change) change;           /* order: severity falling, then the order met */
	double changed[DELTA_CLASS_COUNT], baseline[DELTA_CLASS_COUNT]; /* words, until a vocabulary counts tokens */
	uint32_t n_node_old, n_node_new, n_node_changed;
	bool prefix_changed;          /* the static prefix differs */
	uint64_t prefix_same_words, prefix_words; /* of the old static prefix */
	Str note;                     /* what was not compared as finely as usual, empty if nothing */
} Diff;

/* Both views must outlive the Diff. */
void diff_run(Diff *d, Arena *arena, const Bin *old_bin, const Bin *new_bin);
DiffSeverity diff_highest(const Diff *d);   /* DIFF_SAFE when there is no change */
double diff_delta(const Diff *d);           /* 0..; 0 for an empty baseline without changes, else 1 */
double diff_delta_nodes(const Diff *d);
const char *diff_severity_name(DiffSeverity s);

typedef enum DiffStyle { DIFF_PLAIN, DIFF_COLOUR } DiffStyle;
typedef struct DiffNames { Str old_name, new_name; } DiffNames;
void diff_report_text(const Diff *d, DiffNames names, DiffStyle style, Buf *out);
void diff_report_json(const Diff *d, DiffNames names, Buf *out);

#endif
