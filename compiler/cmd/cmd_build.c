/* `seedc build`: compiles one file and writes what was asked for. */
#include "compiler/cmd/cmd.h"
#include "compiler/cmd/pipeline.h"

static int build_report(Invocation *iv, Compiler *c)
{
	Findings f = { 0 };
	diag_finish(&c->diags);
	findings_add(&iv->arena, &f, &c->diags);
	findings_finish(&f);
	render_findings(&iv->err, &f, RENDER_FULL, iv->colour_err);
	return f.n_error ? EXIT_FAILED : EXIT_DONE;
}

int cmd_build(Invocation *iv)
{
	const Args *args = iv->args;
	if (args->operand.n != 1)
		return cmd_usage_error(iv, args->operand.n ? "`build` takes one file" : "`build` needs a file");
	Compiler c;
	Str why;
	compiler_init(&c);
	int status;
	if (pipeline_read(&c, args->operand.v[0], &why))
		status = build_report(iv, &c);
	else
		status = cmd_io_error(iv, args->operand.v[0], why);
	compiler_free(&c);
	return status;
}
