/*
 * Commands: one file each, `int cmd_NAME(Invocation *)`, which returns the exit code of language.md
 * section 7. A command writes into out and err; main writes them out and is the only one to end the
 * process.
 */
#ifndef SEED_CMD_H
#define SEED_CMD_H

#include "compiler/cmd/cli.h"
#include "compiler/emit/bin_tokens.h"
#include "compiler/emit/emit.h"
#include "compiler/source/compiler.h"
#include "compiler/source/render.h"
#include "runtime/kv/kv_format.h"

typedef enum ExitCode {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,  /* the input or a check */
	EXIT_USAGE = 2,   /* usage, config, not built yet */
	EXIT_IO = 3,      /* could not read, write or compare */
} ExitCode;

typedef struct Invocation {
	const Args *args;
	const char *program;  /* the name it was called by */
	Arena arena;
	Buf out, err;
	Colour colour_out, colour_err;
} Invocation;

#define COMMAND(id, name, state, function, usage, what, text, examples, fails) int function(Invocation *iv);
#define FLAG(id, short_name, long_name, argument, values, commands, help)
#include "compiler/cmd/cli.def"
#undef COMMAND
#undef FLAG

/* "seedc: text" on err; returns EXIT_USAGE. */
int cmd_usage_error(Invocation *iv, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* "seedc: PATH: why" on err; returns EXIT_IO. */
int cmd_io_error(Invocation *iv, const char *path, Str why);
/* What there is to say about a request, from `least` on, on err: "warning[CODE]: message", and its help. */
void cmd_print_notes(Invocation *iv, const WireReport *report, WireSeverity least);
/* The man page and docs/rules/ into a folder that has man/ and rules/. */
int cmd_write_docs(Invocation *iv, const char *folder);
/* --format; full where it is not given. */
RenderFormat cmd_format(const Args *args);
/* Every value of a flag that may repeat, in order. */
Str *cmd_flag_values(Invocation *iv, FlagId id, uint32_t *n);
/* Standard input is read by one operand, --set, --user or --given at the most. An exit code. */
int cmd_check_stdin(Invocation *iv);
/* --kv; k8v4 where it is not given. */
KvFormat cmd_kv_format(const Args *args);
/* --jobs, by default the processors; 0: it is no number, which has been said. */
uint32_t cmd_threads(Invocation *iv);
/* --model, $SEEDC_MODEL, or the default one of the cache folder, which has to be there. 0, or an exit code
 * with the reason on err. */
int cmd_find_model(Invocation *iv, const char **path);
/* --target's; NULL where it is not given. 0, or an exit code with the reason on err. */
int cmd_find_target(Invocation *iv, TargetTable *targets, const Target **named);
/* Whose chat template a model answers by: the named target's, or with NULL that of what its file says it is. 0, or an exit
 * code with the reason on err. */
int cmd_find_chat(Invocation *iv, TargetTable *targets, const Target *named, const char *model, const Target **target);
/* The vocabularies that --tokens names, added to *out: of the shelf, or of a target. Returns an exit code. */
int cmd_find_tokens(Invocation *iv, TokenShelf *shelf, TargetTable *targets, Encoders *out);
/* Their ids of the file's texts into the file. Returns an exit code. */
int cmd_put_tokens(Invocation *iv, const Encoders *encoders, Buf *bytes, Bin *bin);
/* The cache of the prompt's beginning, for the model at that path, into the file; then ids of its texts, by the
 * model's tokenizer and these. targets: the project's. Returns an exit code. */
int cmd_bake(Invocation *iv, const char *model, TargetTable *targets, Encoders *tokens, Buf *bytes, Bin *bin);
/* --as, --vars, -O, --normalize. */
void cmd_compiler_flags(const Args *args, Compiler *c);
/* Prints what the sink holds on err; true when it reaches --fail-on (default: errors). */
bool cmd_report(Invocation *iv, Compiler *c, RenderFormat format);
/* One kind of output by the flags --target, --prompt, --set, --user, --unbound; its notes go to err.
 * Returns an exit code. */
int cmd_emit(Invocation *iv, Compiler *c, const Bin *bin, EmitKind kind, Buf *out);
/* Writes bytes to -o's file, or moves them to out where there is none. What they were made from, read,
 * is never overwritten. */
int cmd_write_output(Invocation *iv, const Sources *read, Buf *bytes);

#endif
