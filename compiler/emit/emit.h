/*
 * Emit: from a binary prompt and what the command line says to the bytes of --emit=KIND, and what there
 * is to say about them. The one path that `build`, `show` and `test` share behind the compiler.
 */
#ifndef SEED_EMIT_H
#define SEED_EMIT_H

#include "compiler/source/source.h"
#include "runtime/wire/wire.h"

typedef enum EmitKind {
	EMIT_TEXT, EMIT_MAP, EMIT_OPENAI, EMIT_ANTHROPIC, EMIT_GEMINI, EMIT_CHAT, EMIT_CHATML, EMIT_JSON, EMIT_SCHEMA,
	EMIT_KIND_COUNT
} EmitKind;

typedef struct EmitOptions {
	EmitKind kind;
	Str prompt;         /* --prompt; empty: the first */
	Str target;         /* --target; empty: the file's */
	Str root;           /* project root, for targets/ */
	const Str *set;     /* --set, as written: NAME=VALUE, NAME=@FILE or NAME=@- */
	uint32_t n_set;
	Str user;           /* --user, as written: TEXT or @FILE */
	bool has_user;
	UnboundHow unbound;
	TokenShelf *shelf;           /* the vocabularies at hand; NULL: none */
	const Sources *sources;      /* EMIT_MAP: texts, for columns; may be NULL */
} EmitOptions;

typedef enum EmitStatus { EMIT_DONE, EMIT_FAILED, EMIT_USAGE, EMIT_IO } EmitStatus;

/* "text", "openai", …; EMIT_KIND_COUNT if it is none of them (ast, ir and bin are not made here). */
EmitKind emit_kind_find(Str name);

/* Appends to out and to report->note, whose arena holds everything. On anything but EMIT_DONE out is as
 * it was and the report holds an error: FAILED (a value, a check), USAGE (a name), IO (a file). */
EmitStatus emit_prompt(Buf *out, const Bin *bin, const EmitOptions *options, WireReport *report);

/* --set and --user of the options into values and render. Not EMIT_DONE: the report says why. */
EmitStatus emit_bind(Values *v, const BinPrompt *p, const EmitOptions *o, RenderOptions *render, WireReport *report);

/* The prompt of that name, or the first for an empty one; NULL. */
const BinPrompt *emit_find_prompt(const Bin *bin, Str name);

/* --emit=text: one message as it is and one LF; several, each behind a line `=== ROLE ===`; requests
 * of stages behind `=== STAGE name ===`. */
void emit_text(Buf *out, Arena *arena, const Rendering *r);
/* The same bytes as a table: where in the output, where in the source, the text with visible white
 * space. One row per run and line. */
void emit_map(Buf *out, Arena *arena, const Bin *bin, const Rendering *r, const Sources *sources);

#endif
