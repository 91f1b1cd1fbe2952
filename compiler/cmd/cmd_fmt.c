/*
 * `seedc fmt`: formats .sd files in place, and proves on every run that the tree, and the binary where
 * the file compiles, stay the same. A file that fails the proof is not written.
 */
#include "compiler/cmd/cmd.h"
#include "compiler/cmd/pipeline.h"
#include "compiler/emit/emit_bin.h"
#include "compiler/fmt/fmt.h"
#include "compiler/front/front.h"
#include "runtime/base/file.h"

/* ---- the proof -------------------------------------------------------------------------------- */

/* What a text compiles to: its tree, and its binary without places. */
typedef struct FmtMeaning {
	Buf tree, bytes;
	uint32_t n_error;
} FmtMeaning;

static void meaning_of(const Compiler *like, Str name, Str text, FmtMeaning *out)
{
	Compiler c;
	Compiled made = { 0 };
	compiler_init(&c);
	c.as = FRONT_SD;
	c.root = like->root;
	pass_run_init(&made.run, &c);
	Source *src = source_add(&c.sources, &c.diags, name, text);
	if (src) {
		pipeline_compile(&c, src, &made);
		ast_dump(&out->tree, made.file, AST_DUMP_PLAIN);
	}
	Bin bin;
	BinError err;
	if (made.ir && !made.fault)
		emit_bin(made.ir, BIN_DEBUG_NONE, &out->bytes, &bin, &err);
	out->n_error = c.diags.n_error;
	pipeline_free(&made);
	compiler_free(&c);
}

static bool fmt_proves(const Compiler *like, Str name, Str old_text, Str new_text)
{
	FmtMeaning a = { 0 }, b = { 0 };
	meaning_of(like, name, old_text, &a);
	meaning_of(like, name, new_text, &b);
	bool same = str_eq(buf_str(&a.tree), buf_str(&b.tree)) && str_eq(buf_str(&a.bytes), buf_str(&b.bytes)) &&
	            a.n_error == b.n_error;
	buf_free(&a.tree);
	buf_free(&a.bytes);
	buf_free(&b.tree);
	buf_free(&b.bytes);
	return same;
}

/* ---- the difference --------------------------------------------------------------------------- */

typedef struct Lines {
	Str *v;
	uint32_t n;
} Lines;

static Lines lines_of(Arena *a, Str text)
{
	VEC(Str) v = { 0 };
	for (Str line; str_line(&text, &line);)
		vec_push(a, &v, line);
	return (Lines){ v.v, v.n };
}

/* The nearest pair of equal lines from here on; both ends where there is none. */
static void lines_resync(const Lines *a, const Lines *b, uint32_t *i, uint32_t *k)
{
	enum { LOOK_AHEAD = 200 };
	for (uint32_t sum = 1; sum < LOOK_AHEAD; sum++)
		for (uint32_t x = 0; x <= sum; x++) {
			uint32_t p = *i + x, q = *k + sum - x;
			if (p < a->n && q < b->n && str_eq(a->v[p], b->v[q])) {
				*i = p;
				*k = q;
				return;
			}
		}
	*i = a->n;
	*k = b->n;
}

/* A unified diff without context. */
static void fmt_put_diff(Invocation *iv, Arena *scratch, Str name, Str old_text, Str new_text)
{
	Buf *out = &iv->out;
	Lines a = lines_of(scratch, old_text), b = lines_of(scratch, new_text);
	buf_printf(out, "--- %.*s\n+++ %.*s\n", STR_ARG(name), STR_ARG(name));
	for (uint32_t i = 0, k = 0; i < a.n || k < b.n;) {
		if (i < a.n && k < b.n && str_eq(a.v[i], b.v[k])) {
			i++, k++;
			continue;
		}
		uint32_t from = i, to = k;
		lines_resync(&a, &b, &i, &k);
		buf_printf(out, "@@ -%u,%u +%u,%u @@\n", from + (i > from), i - from, to + (k > to), k - to);
		for (; from < i; from++)
			buf_printf(out, "-%.*s\n", STR_ARG(a.v[from]));
		for (; to < k; to++)
			buf_printf(out, "+%.*s\n", STR_ARG(b.v[to]));
	}
}

/* ---- the command ------------------------------------------------------------------------------ */

static int fmt_write(Invocation *iv, Compiler *c, const char *path, const Source *src, Str text)
{
	bool is_stdin = !strcmp(path, "-"), same = str_eq(text, src->text) && !src->cr.n && !src->bom_bytes;
	if (args_has(iv->args, FLAG_FMT_DIFF) && !same)
		fmt_put_diff(iv, &c->scratch, src->name, src->text, text);
	if (args_has(iv->args, FLAG_FMT_CHECK)) {
		if (!same) {
			render_put_shown(&iv->err, src->name);
			buf_lit(&iv->err, " is not formatted\n");
		}
		return same ? EXIT_DONE : EXIT_FAILED;
	}
	if (args_has(iv->args, FLAG_FMT_DIFF))
		return EXIT_DONE;
	if (is_stdin) {
		buf_put(&iv->out, text);
		return EXIT_DONE;
	}
	Str why;
	if (!same && !file_write(&c->arena, path, text, &why))
		return cmd_io_error(iv, path, why);
	return EXIT_DONE;
}

static int fmt_one(Invocation *iv, Compiler *c, const char *path)
{
	Str why;
	Source *src = pipeline_read(c, path, &why);
	if (!src)
		return cmd_io_error(iv, path, why);
	Node *file = front_parse(c, src, FRONT_SD);
	if (cmd_report(iv, c, RENDER_FULL))
		return EXIT_FAILED;
	Str text = fmt_source(c, src, file);
	if (!fmt_proves(c, src->name, src->text, text)) {
		buf_printf(&iv->err, "seedc: %s: formatting would change what it compiles to, so it stays as it is; please report this\n",
		           path);
		return EXIT_FAILED;
	}
	return fmt_write(iv, c, path, src, text);
}

int cmd_fmt(Invocation *iv)
{
	const Args *args = iv->args;
	if (!args->operand.n)
		return cmd_usage_error(iv, "`fmt` needs a file, or - for standard input");
	int status = EXIT_DONE;
	for (uint32_t i = 0; i < args->operand.n; i++) {
		const char *path = args->operand.v[i];
		Str name = str_from(path);
		if (strcmp(path, "-") && !str_ends(name, STR(".sd")))
			return cmd_usage_error(iv, "`fmt` formats .sd files only, not %s", path);
		Compiler c;
		compiler_init(&c);
		int one = fmt_one(iv, &c, path);
		status = one > status ? one : status;
		compiler_free(&c);
	}
	return status;
}
