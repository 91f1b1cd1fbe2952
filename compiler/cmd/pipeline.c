/* Pipeline: see pipeline.h. */
#include "compiler/cmd/pipeline.h"

#include "compiler/front/front.h"
#include "compiler/lint/project.h"
#include "passes/pass_loop.h"
#include "runtime/base/file.h"

#include <unistd.h>

static const Str stdin_name = STR_INIT("<stdin>");

Source *pipeline_read(Compiler *c, const char *path, Str *why)
{
	Str bytes;
	bool is_stdin = !strcmp(path, "-");
	if (!(is_stdin ? file_read_fd(&c->arena, STDIN_FILENO, &bytes, why) : file_read(&c->arena, path, &bytes, why)))
		return NULL;
	c->root = project_find(&c->arena, path).root;
	return source_add(&c->sources, &c->diags, is_stdin ? stdin_name : str_from(path), bytes);
}

FrontEnd pipeline_front(const Compiler *c, const Source *src)
{
	if (c->as != FRONT_AUTO)
		return c->as;
	return str_eq(src->name, stdin_name) ? FRONT_TEXT : front_detect(src->name, src->text, NULL);
}

Unit *pipeline_check(Compiler *c, Source *src, FrontEnd front)
{
	Node *file = front_parse(c, src, front);
	Unit *u = sema_build(c, file, front);
#define AST_PASS(name, opt, needs, makes, breaks, what) pass_##name(c, u);
#define IR_PASS(name, opt, needs, makes, breaks, what)
#include "passes/passes.def"
#undef AST_PASS
#undef IR_PASS
	return u;
}
