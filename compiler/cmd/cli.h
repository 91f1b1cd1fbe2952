/*
 * The command line: cli.def as tables, and one parser over them. Help, completions and the man page
 * are printed from the same rows.
 */
#ifndef SEED_CLI_H
#define SEED_CLI_H

#include "runtime/base/buf.h"
#include "runtime/base/vec.h"

typedef enum CommandId {
#define COMMAND(id, name, state, function, usage, what, text, examples, fails) CMD_##id,
#define FLAG(id, short_name, long_name, argument, values, commands, help)
#include "compiler/cmd/cli.def"
#undef COMMAND
#undef FLAG
	CMD_COUNT_
} CommandId;

typedef enum FlagId {
#define COMMAND(id, name, state, function, usage, what, text, examples, fails)
#define FLAG(id, short_name, long_name, argument, values, commands, help) FLAG_##id,
#include "compiler/cmd/cli.def"
#undef COMMAND
#undef FLAG
	FLAG_COUNT_
} FlagId;

typedef enum CommandState { COMMAND_BUILT, COMMAND_LATER } CommandState;

typedef struct CommandInfo {
	const char *name;
	CommandState state;
	const char *usage, *what, *text, *examples, *fails;
} CommandInfo;

typedef struct FlagInfo {
	const char *short_name, *long_name, *argument, *values;
	uint32_t commands;  /* bits by CommandId */
	const char *help;   /* NULL: not listed */
} FlagInfo;

extern const CommandInfo cli_commands[CMD_COUNT_];
extern const FlagInfo cli_flags[FLAG_COUNT_];

typedef struct FlagUse {
	FlagId id;
	const char *value;  /* NULL where the flag takes none, or it was left out */
} FlagUse;

typedef struct Args {
	CommandId command;
	bool command_written;       /* false: the default one */
	VEC(FlagUse) use;           /* in order */
	VEC(const char *) operand;
} Args;

/* False: *err is one line for the user, the exit code is 2. argv[0] is skipped. */
bool cli_parse(Arena *a, int argc, char **argv, Args *args, Str *err);
bool args_has(const Args *args, FlagId id);
/* The last value given, or NULL. */
const char *args_value(const Args *args, FlagId id);

bool cli_flag_is_of(FlagId flag, CommandId command);

void cli_print_help(Buf *out, const Args *args);
void cli_print_usage(Buf *out);
/* False: not a shell we know. */
bool cli_print_completions(Buf *out, const char *shell);
void cli_print_man(Buf *out);

#endif
