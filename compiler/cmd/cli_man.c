/* The man page, from the tables; docs/man/seedc.1 is what this prints (`make docs`). */
#include "compiler/cmd/cli.h"

/* roff: a backslash and a leading dot or quote are escaped, a hyphen is a minus. */
static void man_text(Buf *out, Str s)
{
	if (s.n && (s.p[0] == '.' || s.p[0] == '\''))
		buf_lit(out, "\\&");
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '\\')
			buf_lit(out, "\\e");
		else if (s.p[i] == '-')
			buf_lit(out, "\\-");
		else
			buf_byte(out, s.p[i]);
	}
}

static void man_lines(Buf *out, const char *text)
{
	for (Str rest = str_from(text), line; str_line(&rest, &line);) {
		man_text(out, line);
		buf_byte(out, '\n');
	}
}

static void man_verbatim(Buf *out, const char *text)
{
	buf_lit(out, ".nf\n");
	man_lines(out, text);
	buf_lit(out, ".fi\n");
}

/* Paragraphs are filled; a line that starts with a blank stays as it is. */
static void man_paragraphs(Buf *out, const char *text)
{
	bool is_fixed = false;
	for (Str rest = str_from(text), line; str_line(&rest, &line);) {
		bool starts_blank = line.n && line.p[0] == ' ';
		if (line.n && starts_blank != is_fixed) {
			buf_putz(out, starts_blank ? ".nf\n" : ".fi\n");
			is_fixed = starts_blank;
		}
		man_text(out, line);
		buf_putz(out, line.n ? "\n" : ".PP\n");
	}
	if (is_fixed)
		buf_lit(out, ".fi\n");
}

static void man_flag(Buf *out, const FlagInfo *f)
{
	buf_lit(out, ".TP\n.B ");
	if (f->short_name)
		man_text(out, str_from(f->short_name));
	if (f->short_name && f->long_name)
		buf_lit(out, ", ");
	if (f->long_name)
		man_text(out, str_from(f->long_name));
	if (f->argument) {
		buf_putz(out, f->argument[0] == '[' ? "[=" : f->long_name ? "=" : "");
		man_text(out, str_from(f->argument + (f->argument[0] == '[')));
	}
	buf_byte(out, '\n');
	man_lines(out, f->help);
}

static void man_command(Buf *out, int id)
{
	const CommandInfo *c = &cli_commands[id];
	buf_printf(out, ".SS %s: %s\n", c->name, c->what);
	man_verbatim(out, c->usage);
	buf_lit(out, ".PP\n");
	man_paragraphs(out, c->text);
	for (int i = 0; i < FLAG_COUNT_; i++)
		if (cli_flags[i].help && cli_flags[i].commands != UINT32_MAX && cli_flag_is_of((FlagId)i, (CommandId)id))
			man_flag(out, &cli_flags[i]);
	buf_lit(out, ".PP\nExamples:\n.PP\n");
	man_verbatim(out, c->examples);
	if (c->fails[0]) {
		buf_lit(out, ".PP\nExit status 1:\n");
		man_lines(out, c->fails);
	}
}

void cli_print_man(Buf *out)
{
	buf_lit(out, ".\\\" Made by `make docs` from compiler/cmd/cli.def.\n"
	             ".TH SEEDC 1 \"\" \"seedc " SEED_VERSION "\" \"User Commands\"\n"
	             ".SH NAME\nseedc, seedance\\-cli \\- compiler, linter and semantic differ for prompts\n"
	             ".SH SYNOPSIS\n.B seedc\n[\\fICOMMAND\\fR] [\\fIflags\\fR] \\fIFILE\\fR...\n"
	             ".SH DESCRIPTION\nCompiles prompts to binaries and request bodies, finds mistakes in them and compares\n"
	             "their meaning. Without a command,\n.B build\nis meant.\n.SH COMMANDS\n");
	for (int i = 0; i < CMD_COUNT_; i++)
		if (cli_commands[i].state == COMMAND_BUILT)
			man_command(out, i);
	buf_lit(out, ".SH FLAGS OF EVERY COMMAND\n");
	for (int i = 0; i < FLAG_COUNT_; i++)
		if (cli_flags[i].help && cli_flags[i].commands == UINT32_MAX)
			man_flag(out, &cli_flags[i]);
	buf_lit(out, ".SH EXIT STATUS\n"
	             ".TP\n.B 0\nDone.\n.TP\n.B 1\nThe input or a check failed: errors, findings at or above\n.BR \\-\\-fail\\-on ,\n"
	             "an unformatted file, a failed test, a gate.\n"
	             ".TP\n.B 2\nWrong usage or config, or not built yet.\n"
	             ".TP\n.B 3\nSomething could not be read, written or compared.\n"
	             ".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nWhen set and not empty, no colours with\n.BR \\-\\-color=auto .\n"
	             ".SH FILES\n.TP\n.B seedc.yaml\nSettings of\n.BR \"seedc lint\" ,\nfound upward to the repository root.\n");
}
