/* Pipeline: see pipeline.h. */
#include "compiler/cmd/pipeline.h"

#include "runtime/base/file.h"

#include <unistd.h>

Source *pipeline_read(Compiler *c, const char *path, Str *why)
{
	Str bytes;
	bool is_stdin = !strcmp(path, "-");
	if (!(is_stdin ? file_read_fd(&c->arena, STDIN_FILENO, &bytes, why) : file_read(&c->arena, path, &bytes, why)))
		return NULL;
	return source_add(&c->sources, &c->diags, is_stdin ? STR("<stdin>") : str_from(path), bytes);
}
