/*
 * Diags: the one sink. Everything found is collected here, deduplicated, sorted (file, offset,
 * code) and rendered once at the end; the exit code comes from the sink alone.
 *
 * A rule is one row of compiler/source/rules/FAMILY.def: its code, slug, default severity, fix level,
 * title and the texts that `seedc explain` and docs/rules print.
 */
#ifndef SEED_DIAG_H
#define SEED_DIAG_H

#include "compiler/source/source.h"

typedef enum Severity { SEV_OFF, SEV_INFO, SEV_WARNING, SEV_ERROR } Severity;
typedef enum FixLevel { FIX_NONE, FIX_SAFE, FIX_UNSAFE } FixLevel;

typedef enum DiagId {
#define RULE(code, slug, severity, fix, title, what, why, bad, good, decided, false_positives) code,
#include "compiler/source/diag.def"
#undef RULE
	DIAG_COUNT
} DiagId;

typedef struct RuleInfo {
	const char *code, *slug;  /* "SD604", "untrusted-in-system" */
	Severity severity;        /* default */
	FixLevel fix;
	const char *title, *what, *why, *bad, *good, *decided, *false_positives;
} RuleInfo;

extern const RuleInfo diag_rules[DIAG_COUNT];
/* By code or slug; -1 if unknown. */
int diag_find_rule(Str code_or_slug);
/* "off", "info", "warning", "error". */
const char *severity_name(Severity s);

typedef struct DiagLabel {
	Span span;
	Str text;
	struct DiagLabel *next;
} DiagLabel;

typedef struct DiagEdit {
	Span span;  /* bytes to replace; empty to insert */
	Str text;
	struct DiagEdit *next;
} DiagEdit;

typedef struct Diag {
	DiagId id;
	Severity severity;
	Span span;
	Str message;       /* one line, says what is wrong in the user's terms */
	DiagLabel *label;  /* secondary places, in order */
	Str help;          /* what to do next; empty if none */
	Str note;
	Str fix_title;
	FixLevel fix_level;
	DiagEdit *fix;
	bool suppressed;
} Diag;

typedef struct Diags {
	Arena *arena;
	Sources *sources;
	VEC(Diag *) list;
	uint32_t n_error, n_warning, n_info;  /* as added, before suppression */
} Diags;

/* The message is formatted into the arena. The returned Diag may be given labels, help and a fix. */
Diag *diag_add(Diags *d, DiagId id, Span at, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
void diag_label(Diags *d, Diag *g, Span at, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
void diag_help(Diags *d, Diag *g, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void diag_note(Diags *d, Diag *g, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Where the case is graver or milder than its rule; keeps the counts. */
void diag_set_severity(Diags *d, Diag *g, Severity severity);
/* Adds one edit to the fix; the title is set by the first call. */
void diag_fix(Diags *d, Diag *g, FixLevel level, Span at, Str replacement, const char *title);
/* "did you mean `x`?" help and a fix on `at`, where a candidate is near; gives that candidate or NULL. */
const Str *diag_did_you_mean(Diags *d, Diag *g, Span at, Str word, const Str *cand, size_t n);

/* The file could not be read in full: what seems absent or unused may stand in what was lost. */
bool diag_reading_failed(const Diags *d);

/* Sorts by file, offset, code; drops exact duplicates (same id, span, message). */
void diag_finish(Diags *d);

#endif
