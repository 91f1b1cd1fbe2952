/*
 * One segment as one line of text: what `seedc dump` prints of a binary and --emit=ir of the IR, so
 * that the two read the same. Ends are not printed; indentation shows them.
 */
#ifndef SEED_BIN_SEG_PRINT_H
#define SEED_BIN_SEG_PRINT_H

#include "runtime/base/buf.h"
#include "runtime/bin/bin.h"

typedef struct SegView {
	SegKind kind;
	Role role;
	Stability stability;
	Modality modality;
	uint32_t flags, aux;
	Str text, name;
	Str ref, cond, filter;  /* as printed by the functions below; empty if none */
	double weight, squash;
} SegView;

/* `message system @static`, indented by depth. Prints nothing for an end. */
void seg_print(Buf *out, uint32_t depth, const SegView *v);
/* The depth after this segment, given the depth before it; *at is where to print it. */
uint32_t seg_depth(SegKind kind, uint32_t depth, uint32_t *at);

void seg_print_ref(Buf *out, RefKind kind, Str name, Str field);
/* One operation of a postfix program, with a blank before it unless it is the first. */
void seg_print_cond(Buf *out, bool is_first, CondOp op, CmpOp cmp, uint32_t n_arg, Str ref, Str s);
void seg_print_filter(Buf *out, FilterKind kind, Str arg);
/* Bare where it is a word, else as a JSON string. */
void seg_print_name(Buf *out, Str name);
void seg_print_flags(Buf *out, uint32_t flags);

extern const char *const role_names[ROLE_COUNT];
extern const char *const modality_names[MOD_COUNT];
extern const char *const stability_names[STAB_COUNT];

#endif
