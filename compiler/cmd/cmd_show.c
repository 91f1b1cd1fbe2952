/* `seedc show`: a prompt's text with its map, or the standard library. */
#include "compiler/cmd/cmd.h"
#include "compiler/cmd/pipeline.h"
#include "runtime/base/embed.h"

static Str module_name(const EmbedFile *f)
{
	Str name = str_from(f->name);
	return str_ends(name, STR(".sd")) ? str_sub(name, 0, name.n - 3) : name;
}

/* A module's first comment says what it is. */
static Str module_title(const EmbedFile *f)
{
	Str rest = { f->bytes, f->len }, line;
	if (!str_line(&rest, &line) || !str_starts(line, STR("#")))
		return STR("");
	return str_trim(str_sub(line, 1, line.n));
}

static int show_library(Invocation *iv)
{
	for (size_t i = 0; i < embed_stdlib_n; i++) {
		Str name = module_name(&embed_stdlib[i]), title = module_title(&embed_stdlib[i]);
		buf_printf(&iv->out, "std/%-24.*s%s%.*s\n", STR_ARG(name), title.n ? " " : "", STR_ARG(title));
	}
	return EXIT_DONE;
}

static int show_module(Invocation *iv, Str name)
{
	Str *cand = arena_array(&iv->arena, Str, embed_stdlib_n);
	if (str_ends(name, STR(".sd")))
		name = str_sub(name, 0, name.n - 3);
	for (size_t i = 0; i < embed_stdlib_n; i++) {
		const EmbedFile *f = &embed_stdlib[i];
		cand[i] = module_name(f);
		if (!str_eq(cand[i], name))
			continue;
		buf_put(&iv->out, (Str){ f->bytes, f->len });
		return EXIT_DONE;
	}
	const Str *near = str_nearest(name, cand, embed_stdlib_n);
	Str hint = near ? str_fmt(&iv->arena, "; did you mean `std/%.*s`?", STR_ARG(*near)) : STR("; `seedc show std/` lists them");
	buf_printf(&iv->err, "seedc: the standard library has no `%.*s`%.*s\n", STR_ARG(name), STR_ARG(hint));
	return EXIT_IO;
}

static int show_file(Invocation *iv, const char *path)
{
	Compiler c;
	Compiled made = { 0 };
	Str why;
	compiler_init(&c);
	cmd_compiler_flags(iv->args, &c);
	pass_run_init(&made.run, &c);
	Source *src = pipeline_read(&c, path, &why);
	int status = src ? EXIT_DONE : cmd_io_error(iv, path, why);
	if (src) {
		pipeline_compile(&c, src, &made);
		status = cmd_report(iv, &c, RENDER_FULL) || !made.bytes.n ? EXIT_FAILED :
		         cmd_emit(iv, &c, &made.bin, EMIT_MAP, &iv->out);
	}
	pipeline_free(&made);
	compiler_free(&c);
	return status;
}

int cmd_show(Invocation *iv)
{
	const Args *args = iv->args;
	if (args->operand.n != 1)
		return cmd_usage_error(iv, "`show` takes one file, or std/ for the standard library");
	Str what = str_from(args->operand.v[0]);
	if (str_is(what, "std") || str_is(what, "std/"))
		return show_library(iv);
	if (str_starts(what, STR("std/")))
		return show_module(iv, str_sub(what, 4, what.n));
	return show_file(iv, args->operand.v[0]);
}
