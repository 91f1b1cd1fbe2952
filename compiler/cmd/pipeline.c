/* Pipeline: see pipeline.h. */
#include "compiler/cmd/pipeline.h"

#include "compiler/emit/emit_bin.h"
#include "compiler/front/front.h"
#include "compiler/lint/project.h"
#include "runtime/base/file.h"

#include <unistd.h>

static const Str stdin_name = STR_INIT("<stdin>");

Source *pipeline_read(Compiler *c, const char *path, Str *why)
{
	Str bytes;
	bool is_stdin = !strcmp(path, "-");
	if (!(is_stdin ? file_read_fd(&c->arena, STDIN_FILENO, &bytes, why) : file_read(&c->arena, path, &bytes, why)))
		return NULL;
	if (str_starts(bytes, (Str){ BIN_MAGIC, sizeof BIN_MAGIC - 1 })) {
		*why = STR("a compiled prompt, and its source is wanted here; `seedc dump` prints it");
		return NULL;
	}
	c->root = project_find(&c->arena, path).root;
	Source *src = source_add(&c->sources, &c->diags, is_stdin ? stdin_name : str_from(path), bytes);
	if (!src)
		*why = STR("larger than 4 GiB");
	return src;
}

FrontEnd pipeline_front(const Compiler *c, const Source *src)
{
	if (c->as != FRONT_AUTO)
		return c->as;
	return str_eq(src->name, stdin_name) ? FRONT_TEXT : front_detect(src->name, src->text, NULL);
}

Unit *pipeline_check(Compiler *c, Source *src, FrontEnd front)
{
	PassRun run;
	Node *file = front_parse(c, src, front);
	Unit *u = sema_build(c, file, front);
	pass_run_init(&run, c);
	pass_run_ast(&run, c, u);
	return u;
}

void pipeline_compile(Compiler *c, Source *src, Compiled *out)
{
	FrontEnd front = pipeline_front(c, src);
	out->file = front_parse(c, src, front);
	out->unit = sema_build(c, out->file, front);
	out->run.scope = PASS_COMPILE;
	pass_run_ast(&out->run, c, out->unit);
	if (c->diags.n_error)
		return;
	out->ir = pass_run_ir(&out->run, c, out->unit);
	out->fault = out->run.fault;
	if (!out->ir || out->fault || out->run.is_stopped)
		return;
	BinError err = { 0 };
	if (emit_bin(out->ir, BIN_DEBUG_MAP, &out->bytes, &out->bin, &err) != BIN_OK) {
		out->fault = err.message;
		buf_free(&out->bytes);
	}
}

void pipeline_free(Compiled *out)
{
	buf_free(&out->bytes);
}
