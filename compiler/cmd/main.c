/* The command line's entry: finds the command, writes what it said, and alone ends the process. */
#include "compiler/cmd/cmd.h"
#include "runtime/base/file.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static int (*const command_run[CMD_COUNT_])(Invocation *) = {
#define COMMAND(id, name, state, function, usage, what, text, examples, fails) [CMD_##id] = function,
#define FLAG(id, short_name, long_name, argument, values, commands, help)
#include "compiler/cmd/cli.def"
#undef COMMAND
#undef FLAG
};

static Colour main_colour(const char *when, int fd)
{
	if (when && !strcmp(when, "always"))
		return COLOUR_ON;
	if (when && !strcmp(when, "never"))
		return COLOUR_OFF;
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
	if ((no_color && no_color[0]) || (term && !strcmp(term, "dumb")))
		return COLOUR_OFF;
	return isatty(fd) ? COLOUR_ON : COLOUR_OFF;
}

static int main_dispatch(Invocation *iv)
{
	const Args *args = iv->args;
	if (args_has(args, FLAG_HELP)) {
		cli_print_help(&iv->out, args);
		return EXIT_DONE;
	}
	if (args_has(args, FLAG_SHOW_VERSION)) {
		buf_lit(&iv->out, "seedc " SEED_VERSION "\n");
		return EXIT_DONE;
	}
	const char *shell = args_value(args, FLAG_COMPLETIONS);
	if (shell) {
		cli_print_completions(&iv->out, shell);
		return EXIT_DONE;
	}
	const char *folder = args_value(args, FLAG_DOCS);
	if (folder)
		return cmd_write_docs(iv, folder);
	if (!args->command_written && !args->operand.n && !args->use.n) {
		cli_print_usage(&iv->err);
		return EXIT_USAGE;
	}
	int status = cmd_check_stdin(iv);
	return status ? status : command_run[args->command](iv);
}

/* A reader that went away (head) is no error of ours. */
static int main_flush(Invocation *iv, int status)
{
	Str why;
	if (!file_write_fd(&iv->arena, STDOUT_FILENO, buf_str(&iv->out), &why) && errno != EPIPE)
		status = cmd_io_error(iv, "standard output", why);
	file_write_fd(&iv->arena, STDERR_FILENO, buf_str(&iv->err), &why);
	return status;
}

int main(int argc, char **argv)
{
	/* A file limit must be an error of write(), so that the temporary file is removed; so must a reader
	 * that went away, so that the exit code stays the verdict. */
	signal(SIGXFSZ, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	Args args;
	Invocation iv = { .args = &args, .program = argc ? argv[0] : "seedc" };
	Str err;
	int status;
	if (cli_parse(&iv.arena, argc, argv, &args, &err)) {
		const char *when = args_value(&args, FLAG_COLOR);
		iv.colour_out = main_colour(when, STDOUT_FILENO);
		iv.colour_err = main_colour(when, STDERR_FILENO);
		status = main_dispatch(&iv);
	} else {
		status = cmd_usage_error(&iv, "%.*s", STR_ARG(err));
	}
	status = main_flush(&iv, status);
	buf_free(&iv.out);
	buf_free(&iv.err);
	arena_free(&iv.arena);
	return status;
}
