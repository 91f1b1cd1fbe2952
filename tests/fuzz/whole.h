/*
 * The whole way for one text, shared by the fuzz targets of the front ends: compiled, linted and, where
 * it compiles, sent as text. A fault (a pass or the writer broke its own rules) aborts.
 */
#ifndef SEED_TEST_WHOLE_H
#define SEED_TEST_WHOLE_H

#include <stdlib.h>

#include "compiler/cmd/pipeline.h"
#include "compiler/emit/emit.h"
#include "compiler/emit/emit_bin.h"
#include "compiler/source/render.h"

typedef struct WholeInput {
	Str name, text;
	FrontEnd as;
	VarStyle vars;
} WholeInput;

/* What a text comes to: its tree, its binary without places, each prompt's messages with nothing bound.
 * is_sent: it compiles and every prompt renders. */
typedef struct Whole {
	Buf tree, bin, text;
	uint32_t n_error;
	bool is_sent;
} Whole;

static bool whole_reads_no_disk(Arena *a, Str path, Str *bytes, Str *why)
{
	(void)a, (void)path, (void)bytes;
	*why = STR("there are no other files here");
	return false;
}
static const FileReader whole_no_disk = { whole_reads_no_disk };

static inline void whole_emit(const Bin *bin, Whole *w)
{
	w->is_sent = bin->n_prompt > 0;
	for (uint32_t i = 0; i < bin->n_prompt; i++) {
		Arena a = { 0 };
		Values values;
		Rendering r;
		values_init(&values, &a, bin);
		if (render_prompt(bin, &bin->prompt[i], &values, &(RenderOptions){ .has_user = false }, &a, &r))
			emit_text(&w->text, &a, &r);
		else
			w->is_sent = false;
		arena_free(&a);
	}
}

/* Every format reads every finding's places. */
static inline void whole_report(Compiler *c)
{
	Buf out = { 0 };
	Findings f = { 0 };
	diag_finish(&c->diags);
	findings_add(&c->arena, &f, &c->diags);
	findings_finish(&f);
	render_findings(&out, &f, RENDER_FULL, COLOUR_OFF);
	render_findings(&out, &f, RENDER_SARIF, COLOUR_OFF);
	buf_free(&out);
}

static inline void whole_of(Whole *w, WholeInput in)
{
	Compiler c;
	Compiled made = { 0 };
	compiler_init(&c);
	c.as = in.as;
	c.vars = in.vars;
	c.reader = &whole_no_disk;
	pass_run_init(&made.run, &c);
	Source *src = source_add(&c.sources, &c.diags, in.name, in.text);
	if (src->ok)
		pipeline_compile(&c, src, &made);
	if (made.fault)
		abort();
	if (made.file)
		ast_dump(&w->tree, made.file, AST_DUMP_PLAIN);
	w->n_error = c.diags.n_error;
	whole_report(&c);
	if (made.bytes.n) {
		Bin bare;
		BinError err;
		whole_emit(&made.bin, w);
		if (emit_bin(made.ir, BIN_DEBUG_NONE, &w->bin, &bare, &err) != BIN_OK)
			abort();
	}
	pipeline_free(&made);
	compiler_free(&c);
}

static inline void whole_lint(WholeInput in)
{
	Compiler c;
	compiler_init(&c);
	c.as = in.as;
	c.vars = in.vars;
	c.reader = &whole_no_disk;
	Source *src = source_add(&c.sources, &c.diags, in.name, in.text);
	if (src->ok)
		pipeline_check(&c, src, pipeline_front(&c, src));
	whole_report(&c);
	compiler_free(&c);
}

static inline void whole_free(Whole *w)
{
	buf_free(&w->tree);
	buf_free(&w->bin);
	buf_free(&w->text);
}

typedef enum ImportPromise { IMPORT_EXACT, IMPORT_OPEN } ImportPromise;

/* Compiles and lints a source and its import. EXACT is the byte promise: what one sends, the other sends too. */
static inline void whole_imports(WholeInput in, ImportPromise promise, Str imported)
{
	Whole one = { 0 }, two = { 0 };
	whole_lint(in);
	whole_of(&one, in);
	whole_of(&two, (WholeInput){ STR("f.sd"), imported, FRONT_SD, VARS_NONE });
	if (promise == IMPORT_EXACT && one.is_sent && (!two.is_sent || !str_eq(buf_str(&one.text), buf_str(&two.text))))
		abort();
	whole_free(&one);
	whole_free(&two);
}

#endif
