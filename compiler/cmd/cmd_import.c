/* `seedc import`: a prompt of any front end, or a JSON Schema, written in the language. */
#include "compiler/cmd/cmd.h"
#include "compiler/cmd/pipeline.h"
#include "compiler/front/import.h"

/* "-" is text unless --as says otherwise. */
static FrontEnd front_asked(const Args *args, const char *path)
{
	const char *as = args_value(args, FLAG_AS);
	if (as)
		return front_from_name(str_from(as));
	return strcmp(path, "-") ? FRONT_AUTO : FRONT_TEXT;
}

int cmd_import(Invocation *iv)
{
	const Args *args = iv->args;
	if (args->operand.n != 1)
		return cmd_usage_error(iv, args->operand.n ? "`import` takes one file" : "`import` needs a file");
	const char *path = args->operand.v[0], *vars = args_value(args, FLAG_VARS);
	Compiler c;
	Str why;
	compiler_init(&c);
	c.vars = vars ? front_vars_from_name(str_from(vars)) : VARS_NONE;
	c.normalize = args_has(args, FLAG_NORMALIZE);
	Source *src = pipeline_read(&c, path, &why);
	if (!src) {
		compiler_free(&c);
		return cmd_io_error(iv, path, why);
	}
	Buf out = { 0 };
	bool ok = front_import(&c, src, front_asked(args, path), &out);
	int status = cmd_report(iv, &c, RENDER_FULL) ? EXIT_FAILED : EXIT_DONE;
	if (ok && status == EXIT_DONE)
		status = cmd_write_output(iv, &c.sources, buf_str(&out));
	buf_free(&out);
	compiler_free(&c);
	return status;
}
