/* --help, per command and for the whole program, from the tables. */
#include "compiler/cmd/cli.h"

enum { HELP_COLUMN = 26, HELP_WIDTH = 92 };

static const char exit_codes[] =
	"exit codes:\n"
	"  0  done\n"
	"  1  the input or a check failed\n"
	"  2  wrong usage or config, or not built yet\n"
	"  3  something could not be read, written or compared\n";

static void help_indented(Buf *out, const char *text)
{
	for (Str rest = str_from(text), line; str_line(&rest, &line);)
		buf_printf(out, line.n ? "  %.*s\n" : "%.*s\n", STR_ARG(line));
}

/* Words of the help, wrapped, from HELP_COLUMN on. */
static void help_wrapped(Buf *out, const char *text)
{
	size_t column = HELP_COLUMN;
	for (Str rest = str_from(text); rest.n;) {
		size_t n = str_find(rest, STR(" "), 0);
		if (column > HELP_COLUMN && column + n >= HELP_WIDTH) {
			buf_byte(out, '\n');
			buf_fill(out, ' ', HELP_COLUMN);
			column = HELP_COLUMN;
		} else if (column > HELP_COLUMN) {
			buf_byte(out, ' ');
			column++;
		}
		buf_put(out, str_sub(rest, 0, n));
		rest = str_sub(rest, n + 1, rest.n);
		column += n;
	}
	buf_byte(out, '\n');
}

static void help_flag(Buf *out, const FlagInfo *f)
{
	size_t from = out->n;
	buf_lit(out, "  ");
	if (f->short_name)
		buf_putz(out, f->short_name);
	if (f->short_name && f->long_name)
		buf_lit(out, ", ");
	if (f->long_name)
		buf_putz(out, f->long_name);
	if (f->argument && f->argument[0] == '[')
		buf_printf(out, "[=%s", f->argument + 1);
	else if (f->argument)
		buf_printf(out, "%s%s", f->long_name ? "=" : "", f->argument);
	size_t n = out->n - from;
	if (n + 2 > HELP_COLUMN) {
		buf_byte(out, '\n');
		n = 0;
	}
	buf_fill(out, ' ', HELP_COLUMN - n);
	help_wrapped(out, f->help);
}

static void help_command(Buf *out, CommandId id)
{
	const CommandInfo *c = &cli_commands[id];
	buf_printf(out, "seedc %s: %s\n\nusage: %s\n", c->name, c->what, c->usage);
	if (c->state == COMMAND_LATER)
		buf_lit(out, "\nNot built yet: it says so and exits 2.\n");
	if (c->text[0])
		buf_printf(out, "\n%s\n", c->text);
	buf_lit(out, "\nflags:\n");
	for (int i = 0; i < FLAG_COUNT_; i++)
		if (cli_flags[i].help && cli_flag_is_of((FlagId)i, id))
			help_flag(out, &cli_flags[i]);
	if (c->examples[0]) {
		buf_lit(out, "\nexamples:\n");
		help_indented(out, c->examples);
	}
	buf_printf(out, "\n%s", exit_codes);
}

static void help_commands(Buf *out, CommandState state)
{
	for (int i = 0; i < CMD_COUNT_; i++)
		if (cli_commands[i].state == state)
			buf_printf(out, "  %-10s %s\n", cli_commands[i].name, cli_commands[i].what);
}

void cli_print_usage(Buf *out)
{
	buf_lit(out, "seedc: compiler, linter and semantic differ for prompts\n\n"
	             "usage: seedc [COMMAND] [flags] FILE...\n\ncommands:\n");
	help_commands(out, COMMAND_BUILT);
	buf_lit(out, "\nnot built yet:\n ");
	size_t from = out->n;
	for (int i = 0; i < CMD_COUNT_; i++) {
		if (cli_commands[i].state != COMMAND_LATER)
			continue;
		if (out->n - from > HELP_WIDTH - 16) {
			buf_lit(out, "\n ");
			from = out->n;
		}
		buf_printf(out, " %s", cli_commands[i].name);
	}
	buf_printf(out, "\n\n`seedc COMMAND --help` has flags and examples; without a command, `build` is meant.\n\n%s",
	           exit_codes);
}

void cli_print_help(Buf *out, const Args *args)
{
	if (args->command_written)
		help_command(out, args->command);
	else
		cli_print_usage(out);
}
