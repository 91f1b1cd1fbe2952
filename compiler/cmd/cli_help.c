/* --help, per command and for the whole program, from the tables. */
#include "compiler/cmd/cli.h"

enum { HELP_COLUMN = 26, HELP_WIDTH = 80 };

/* Exit codes; 1 means something else for each command, and nothing for some. */
static void help_exits(Buf *out, const char *fails)
{
	buf_lit(out, "exit codes:\n  0  done\n");
	if (fails[0])
		buf_printf(out, "  1  %s\n", fails);
	buf_lit(out, "  2  wrong usage or config, or not built yet\n"
	             "  3  something could not be read, written or compared\n");
}

static void help_indented(Buf *out, const char *text)
{
	for (Str rest = str_from(text), line; str_line(&rest, &line);)
		buf_printf(out, line.n ? "  %.*s\n" : "%.*s\n", STR_ARG(line));
}

/* The words of a text, from *column on, wrapped to lines that start at `from`. */
static void help_words(Buf *out, Str text, size_t from, size_t *column)
{
	while (text.n) {
		size_t n = str_find(text, STR(" "), 0);
		if (*column > from && *column + 1 + n > HELP_WIDTH) {
			buf_byte(out, '\n');
			buf_fill(out, ' ', from);
			*column = from;
		} else if (*column > from) {
			buf_byte(out, ' ');
			*column += 1;
		}
		buf_put(out, str_sub(text, 0, n));
		text = str_sub(text, n + 1, text.n);
		*column += n;
	}
}

/* Paragraphs are wrapped; an empty line and a line that starts with a blank stay as they are. */
static void help_text(Buf *out, const char *text)
{
	size_t column = 0;
	for (Str rest = str_from(text), line; str_line(&rest, &line);) {
		bool is_fixed = !line.n || line.p[0] == ' ';
		if (is_fixed && column)
			buf_byte(out, '\n');
		if (is_fixed) {
			buf_printf(out, "%.*s\n", STR_ARG(line));
			column = 0;
		} else {
			help_words(out, line, 0, &column);
		}
	}
	if (column)
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
	n = HELP_COLUMN;
	help_words(out, str_from(f->help), HELP_COLUMN, &n);
	buf_byte(out, '\n');
}

static void help_command(Buf *out, CommandId id)
{
	const CommandInfo *c = &cli_commands[id];
	buf_printf(out, "seedc %s: %s\n\nusage: %s\n", c->name, c->what, c->usage);
	if (c->state == COMMAND_LATER)
		buf_lit(out, "\nNot built yet: it says so and exits 2.\n");
	if (c->text[0]) {
		buf_byte(out, '\n');
		help_text(out, c->text);
	}
	buf_lit(out, "\nflags:\n");
	for (int i = 0; i < FLAG_COUNT_; i++)
		if (cli_flags[i].help && cli_flag_is_of((FlagId)i, id))
			help_flag(out, &cli_flags[i]);
	if (c->examples[0]) {
		buf_lit(out, "\nexamples:\n");
		help_indented(out, c->examples);
	}
	buf_byte(out, '\n');
	help_exits(out, c->fails);
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
		if (out->n - from > HELP_WIDTH - 12) {
			buf_lit(out, "\n ");
			from = out->n;
		}
		buf_printf(out, " %s", cli_commands[i].name);
	}
	buf_lit(out, "\n\n`seedc COMMAND --help` has flags and examples. Without a command, `build` is\n"
	             "meant. A first step: `seedc lint` on the prompts that you have.\n\n");
	help_exits(out, "the input or a check failed");
}

void cli_print_help(Buf *out, const Args *args)
{
	if (args->command_written)
		help_command(out, args->command);
	else
		cli_print_usage(out);
}
