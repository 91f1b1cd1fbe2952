/* What every command needs: errors of usage and of files, output, and the commands to come. */
#include "compiler/cmd/cmd.h"
#include "runtime/base/file.h"

int cmd_usage_error(Invocation *iv, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	Str text = str_vfmt(&iv->arena, fmt, ap);
	va_end(ap);
	buf_printf(&iv->err, "seedc: %.*s\n", STR_ARG(text));
	return EXIT_USAGE;
}

int cmd_io_error(Invocation *iv, const char *path, Str why)
{
	buf_printf(&iv->err, "seedc: %s: %.*s\n", path, STR_ARG(why));
	return EXIT_IO;
}

int cmd_write_output(Invocation *iv, Str bytes)
{
	const char *path = args_value(iv->args, FLAG_OUTPUT);
	if (!path) {
		buf_put(&iv->out, bytes);
		return EXIT_DONE;
	}
	Str why;
	if (!file_write(&iv->arena, path, bytes, &why))
		return cmd_io_error(iv, path, why);
	return EXIT_DONE;
}

int cmd_later(Invocation *iv)
{
	return cmd_usage_error(iv, "`%s` is not built yet", cli_commands[iv->args->command].name);
}
