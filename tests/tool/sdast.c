/*
 * What the front end alone makes of a file: the tree on standard output (not with -q), each finding
 * with its help and its edits on standard error. Golden tests of the grammar and of the front ends use
 * it, so that later passes cannot disturb them. -s adds spans; --as and --vars as in seedc.
 */
#include <stdio.h>
#include <string.h>

#include "compiler/front/front.h"
#include "runtime/base/file.h"

static void put_edits(Buf *out, const Compiler *c, const Diag *g)
{
	if (g->fix_title.n)
		buf_printf(out, "  fix: %.*s\n", STR_ARG(g->fix_title));
	for (const DiagEdit *e = g->fix; e; e = e->next) {
		Position at = source_position(&c->sources, e->span.lo);
		buf_printf(out, "    %u:%u -%u ", at.line, at.col_byte, e->span.hi - e->span.lo);
		buf_json_str(out, e->text);
		buf_byte(out, '\n');
	}
}

static void put_finding(Buf *out, const Compiler *c, const Diag *g)
{
	static const char *const severity[] = { "off", "info", "warning", "error" };
	Position at = source_position(&c->sources, g->span.lo);
	buf_printf(out, "%u:%u: %s %s: %.*s\n", at.line, at.col_code_point, severity[g->severity], diag_rules[g->id].code,
		STR_ARG(g->message));
	for (const DiagLabel *l = g->label; l; l = l->next) {
		at = source_position(&c->sources, l->span.lo);
		buf_printf(out, "  %u:%u: %.*s\n", at.line, at.col_code_point, STR_ARG(l->text));
	}
	if (g->help.n)
		buf_printf(out, "  help: %.*s\n", STR_ARG(g->help));
	put_edits(out, c, g);
}

typedef struct Options {
	bool quiet;
	AstDump how;
	FrontEnd as;
	VarStyle vars;
} Options;

static int dump(const char *path, const Options *o)
{
	Compiler c;
	compiler_init(&c);
	c.vars = o->vars;
	Str bytes, why;
	if (!file_read(&c.arena, path, &bytes, &why)) {
		fprintf(stderr, "%s: %.*s\n", path, STR_ARG(why));
		compiler_free(&c);
		return 3;
	}
	Source *src = source_add(&c.sources, &c.diags, str_from(path), bytes);
	Node *file = front_parse(&c, src, o->as);
	Buf out = { 0 }, err = { 0 };
	if (!o->quiet)
		ast_dump(&out, file, o->how);
	diag_finish(&c.diags);
	for (uint32_t i = 0; i < c.diags.list.n; i++)
		put_finding(&err, &c, c.diags.list.v[i]);
	if (out.n)
		fwrite(out.p, 1, out.n, stdout);
	if (err.n)
		fwrite(err.p, 1, err.n, stderr);
	buf_free(&out);
	buf_free(&err);
	int rc = c.diags.n_error ? 1 : 0;
	compiler_free(&c);
	return rc;
}

int main(int argc, char **argv)
{
	Options o = { .how = AST_DUMP_PLAIN };
	int rc = 0;
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "-q"))
			o.quiet = true;
		else if (!strcmp(argv[i], "-s"))
			o.how = AST_DUMP_SPANS;
		else if (!strncmp(argv[i], "--as=", 5))
			o.as = front_from_name(str_from(argv[i] + 5));
		else if (!strncmp(argv[i], "--vars=", 7))
			o.vars = front_vars_from_name(str_from(argv[i] + 7));
		else {
			int one = dump(argv[i], &o);
			rc = one > rc ? one : rc;
		}
	}
	return rc;
}
