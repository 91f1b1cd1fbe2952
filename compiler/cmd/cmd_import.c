/* `seedc import`: a prompt of any front end, or a JSON Schema, written in the language. */
#include "compiler/cmd/cmd.h"
#include "compiler/cmd/pipeline.h"
#include "compiler/front/import.h"
#include "compiler/text/vars.h"

/* "-" is text unless --as says otherwise. */
static FrontEnd front_asked(const Args *args, const char *path)
{
	const char *as = args_value(args, FLAG_AS);
	if (as)
		return front_from_name(str_from(as));
	return strcmp(path, "-") ? FRONT_AUTO : FRONT_TEXT;
}

static bool is_text_front(const Args *args, const char *path, const Source *src)
{
	FrontEnd front = front_asked(args, path);
	if (front == FRONT_AUTO)
		front = front_detect(src->name, src->text, NULL);
	return front == FRONT_MARKDOWN || front == FRONT_TEXT;
}

/* What looks like a variable and was kept as text. An input, by `vars:` in front matter, is a line `in NAME: …`;
 * the `$ref` of a JSON Schema is none. */
static void note_variables(Invocation *iv, const Source *src, Str out)
{
	VarSpan v;
	VarStyle style = vars_style_of(src->text);
	if (style == VARS_NONE || str_ends(src->name, STR(".json")) || !vars_next(src->text, 0, style, &v) || str_find(out, STR("\nin "), 0) < out.n)
		return;
	static const char *const name[] = { [VARS_MUSTACHE] = "mustache", [VARS_BRACE] = "brace", [VARS_DOLLAR] = "dollar" };
	buf_printf(&iv->err, "note: `%.*s` stays text; if it is a variable, --vars=%s makes an input of it\n",
	           STR_ARG(str_sub(src->text, v.lo, v.hi)), name[style]);
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
	bool is_text = is_text_front(args, path, src);
	if (vars && !is_text) {
		compiler_free(&c);
		return cmd_usage_error(iv, "`--vars` is for Markdown and text, and %s is neither", path);
	}
	Buf out = { 0 };
	bool ok = front_import(&c, src, front_asked(args, path), &out);
	int status = cmd_report(iv, &c, RENDER_FULL) ? EXIT_FAILED : EXIT_DONE;
	if (ok && status == EXIT_DONE && !vars && is_text)
		note_variables(iv, src, buf_str(&out));
	if (ok && status == EXIT_DONE)
		status = cmd_write_output(iv, &c.sources, &out);
	buf_free(&out);
	compiler_free(&c);
	return status;
}
