/* What every command needs: errors of usage and of files, output, and the commands to come. */
#include "compiler/cmd/cmd.h"
#include "runtime/base/file.h"

int cmd_usage_error(Invocation *iv, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	Str text = str_vfmt(&iv->arena, fmt, ap);
	va_end(ap);
	buf_lit(&iv->err, "seedc: ");
	render_put_shown(&iv->err, text);
	buf_byte(&iv->err, '\n');
	return EXIT_USAGE;
}

int cmd_io_error(Invocation *iv, const char *path, Str why)
{
	buf_lit(&iv->err, "seedc: ");
	render_put_shown(&iv->err, str_from(path));
	buf_printf(&iv->err, ": %.*s\n", STR_ARG(why));
	return EXIT_IO;
}

static bool is_stdin(const FlagUse *use)
{
	const char *value = use->value ? use->value : "", *eq = strchr(value, '=');
	switch (use->id) {
	case FLAG_SET: return eq && !strcmp(eq, "=@-");
	case FLAG_USER: case FLAG_GIVEN: return !strcmp(value, "@-");
	case FLAG_INTERACTIVE: return true;
	default: return use->id == FLAG_RAW && !strcmp(value, "-");
	}
}

int cmd_check_stdin(Invocation *iv)
{
	const Args *args = iv->args;
	Str first = { 0 };
	for (uint32_t i = 0; i < args->operand.n; i++)
		if (!strcmp(args->operand.v[i], "-"))
			first = STR("-");
	for (uint32_t i = 0; i < args->use.n; i++) {
		const FlagUse *use = &args->use.v[i];
		if (!is_stdin(use))
			continue;
		Str now = str_fmt(&iv->arena, "%s%s%s", cli_flags[use->id].long_name, use->value ? " " : "", use->value ? use->value : "");
		if (first.n)
			return cmd_usage_error(iv, "`%.*s` and `%.*s` both want standard input, which can be read once", STR_ARG(first), STR_ARG(now));
		first = now;
	}
	return EXIT_DONE;
}

int cmd_write_output(Invocation *iv, const Sources *read, Buf *bytes)
{
	const char *path = args_value(iv->args, FLAG_OUTPUT);
	if (!path) {
		buf_move(&iv->out, bytes);
		return EXIT_DONE;
	}
	for (uint32_t i = 0; i < read->file.n; i++)
		if (file_is_same(path, str_z(&iv->arena, read->file.v[i]->name)))
			return cmd_usage_error(iv, "`-o %s` would overwrite what was compiled; give the output another name", path);
	Str why;
	if (!file_write(&iv->arena, path, buf_str(bytes), &why))
		return cmd_io_error(iv, path, why);
	return EXIT_DONE;
}

void cmd_print_notes(Invocation *iv, const WireReport *report, WireSeverity least)
{
	static const char *const name[] = { "note", "warning", "error" };
	static const Paint paint[] = { PAINT_CYAN, PAINT_YELLOW, PAINT_RED };
	for (uint32_t i = 0; i < report->note.n; i++) {
		const WireNote *n = &report->note.v[i];
		if (n->severity < least)
			continue;
		paint_on(&iv->err, iv->colour_err, paint[n->severity]);
		buf_printf(&iv->err, "%s", name[n->severity]);
		if (n->code)
			buf_printf(&iv->err, "[%s]", n->code);
		paint_off(&iv->err, iv->colour_err);
		buf_lit(&iv->err, ": ");
		render_put_shown(&iv->err, n->message);
		if (n->help.n) {
			buf_lit(&iv->err, "\n  = help: ");
			render_put_shown(&iv->err, n->help);
		}
		buf_byte(&iv->err, '\n');
	}
}

int cmd_later(Invocation *iv)
{
	return cmd_usage_error(iv, "`%s` is not built yet", cli_commands[iv->args->command].name);
}
