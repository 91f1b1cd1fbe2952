/*
 * `seedc explain`, and the pages of docs/rules/ (hidden --docs=FOLDER, run by `make docs`): the same
 * columns of the rules' table, as text and as Markdown.
 */
#include "compiler/cmd/cmd.h"
#include "runtime/base/file.h"

#include <stdlib.h>

static const char *const fix_name[] = { "none", "safe: what is sent stays the same", "unsafe: only when asked for" };

/* Rules by code; the table is by family. */
static int rule_order(const void *p, const void *q)
{
	return strcmp(diag_rules[*(const int *)p].code, diag_rules[*(const int *)q].code);
}

static void rules_sorted(int order[DIAG_COUNT])
{
	for (int i = 0; i < DIAG_COUNT; i++)
		order[i] = i;
	qsort(order, DIAG_COUNT, sizeof *order, rule_order);
}

/* ---- text ------------------------------------------------------------------------------------- */

enum { TEXT_WIDTH = 88 };

static void explain_indented(Buf *out, const char *text)
{
	for (Str rest = str_from(text), line; str_line(&rest, &line);)
		buf_printf(out, line.n ? "    %.*s\n" : "%.*s\n", STR_ARG(line));
}

static void explain_wrapped(Buf *out, const char *text)
{
	size_t column = 0;
	for (Str rest = str_from(text); rest.n;) {
		size_t n = str_find(rest, STR(" "), 0);
		if (column && column + n > TEXT_WIDTH) {
			buf_byte(out, '\n');
			column = 0;
		}
		buf_printf(out, "%s%.*s", column ? " " : "  ", (int)n, rest.p);
		column += n + 1;
		rest = str_sub(rest, n + 1, rest.n);
	}
	buf_byte(out, '\n');
}

static void explain_part(Buf *out, Colour colour, const char *head, const char *text, void (*put)(Buf *, const char *))
{
	if (!text[0])
		return;
	buf_byte(out, '\n');
	paint_on(out, colour, PAINT_BOLD);
	buf_putz(out, head);
	paint_off(out, colour);
	buf_byte(out, '\n');
	put(out, text);
}

static void explain_rule(Buf *out, const RuleInfo *r, Colour colour)
{
	paint_on(out, colour, paint_of(r->severity));
	buf_printf(out, "%s %s", r->code, r->slug);
	paint_off(out, colour);
	buf_printf(out, " (default: %s)\n  %s\n", severity_name(r->severity), r->title);
	explain_part(out, colour, "what it finds", r->what, explain_wrapped);
	explain_part(out, colour, "why it matters", r->why, explain_wrapped);
	explain_part(out, colour, "bad", r->bad, explain_indented);
	explain_part(out, colour, "good", r->good, explain_indented);
	explain_part(out, colour, "how it is decided", r->decided, explain_wrapped);
	explain_part(out, colour, "known false positives", r->false_positives, explain_wrapped);
	explain_part(out, colour, "fix", fix_name[r->fix], explain_wrapped);
}

static void explain_list(Buf *out)
{
	int order[DIAG_COUNT];
	rules_sorted(order);
	for (int i = 0; i < DIAG_COUNT; i++) {
		const RuleInfo *r = &diag_rules[order[i]];
		buf_printf(out, "%-6s %-28s %-8s %s\n", r->code, r->slug, severity_name(r->severity), r->title);
	}
}

/* ---- Markdown --------------------------------------------------------------------------------- */

/* A fence longer than any run of backticks inside. */
static void docs_fenced(Buf *out, const char *head, const char *text)
{
	if (!text[0])
		return;
	size_t longest = 2, run = 0;
	for (const char *c = text; *c; c++) {
		run = *c == '`' ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	buf_printf(out, "\n## %s\n\n", head);
	buf_fill(out, '`', longest + 1);
	buf_printf(out, "\n%s\n", text);
	buf_fill(out, '`', longest + 1);
	buf_byte(out, '\n');
}

static void docs_section(Buf *out, const char *head, const char *text)
{
	if (text[0])
		buf_printf(out, "\n## %s\n\n%s\n", head, text);
}

static void docs_rule(Buf *out, const RuleInfo *r)
{
	char first = r->title[0];
	buf_printf(out, "# %s %s\n\n", r->code, r->slug);
	buf_byte(out, first >= 'a' && first <= 'z' ? (char)(first - 'a' + 'A') : first);
	buf_printf(out, "%s. Default: %s. Fix: %s.\n", r->title + 1, severity_name(r->severity), fix_name[r->fix]);
	docs_section(out, "What it finds", r->what);
	docs_section(out, "Why it matters", r->why);
	docs_fenced(out, "Bad", r->bad);
	docs_fenced(out, "Good", r->good);
	docs_section(out, "How it is decided", r->decided);
	docs_section(out, "Known false positives", r->false_positives);
}

static void docs_index(Buf *out)
{
	int order[DIAG_COUNT];
	rules_sorted(order);
	buf_lit(out, "# Rules\n\nMade by `make docs` from compiler/source/rules/; `seedc explain CODE` prints the same.\n\n"
	             "| code | name | default | |\n|---|---|---|---|\n");
	for (int i = 0; i < DIAG_COUNT; i++) {
		const RuleInfo *r = &diag_rules[order[i]];
		buf_printf(out, "| [%s](%s.md) | %s | %s | %s |\n", r->code, r->code, r->slug, severity_name(r->severity), r->title);
	}
}

static int docs_write(Invocation *iv, const char *folder, const char *name, Buf *page)
{
	Str why, path = str_fmt(&iv->arena, "%s/%s", folder, name);
	bool ok = file_write(&iv->arena, path.p, buf_str(page), &why);
	page->n = 0;
	return ok ? EXIT_DONE : cmd_io_error(iv, path.p, why);
}

int cmd_write_docs(Invocation *iv, const char *folder)
{
	Buf page = { 0 };
	cli_print_man(&page);
	int status = docs_write(iv, folder, "man/seedc.1", &page);
	buf_lit(&page, ".so man1/seedc.1\n");
	if (!status)
		status = docs_write(iv, folder, "man/seedance-cli.1", &page);
	docs_index(&page);
	if (!status)
		status = docs_write(iv, folder, "rules/README.md", &page);
	for (int i = 0; i < DIAG_COUNT && !status; i++) {
		docs_rule(&page, &diag_rules[i]);
		status = docs_write(iv, folder, str_fmt(&iv->arena, "rules/%s.md", diag_rules[i].code).p, &page);
	}
	buf_free(&page);
	return status;
}

/* ---- the command ------------------------------------------------------------------------------ */

static int explain_unknown(Invocation *iv, Str word)
{
	Str cand[2 * DIAG_COUNT];
	for (int i = 0; i < DIAG_COUNT; i++) {
		cand[2 * i] = str_from(diag_rules[i].code);
		cand[2 * i + 1] = str_from(diag_rules[i].slug);
	}
	const Str *near = str_nearest(word, cand, 2 * DIAG_COUNT);
	if (near)
		return cmd_usage_error(iv, "no rule is called `%.*s`; did you mean `%.*s`?", STR_ARG(word), STR_ARG(*near));
	return cmd_usage_error(iv, "no rule is called `%.*s`; `seedc explain` lists them", STR_ARG(word));
}

int cmd_explain(Invocation *iv)
{
	const Args *args = iv->args;
	if (!args->operand.n)
		explain_list(&iv->out);
	for (uint32_t i = 0; i < args->operand.n; i++) {
		Str word = str_from(args->operand.v[i]);
		int id = diag_find_rule(word);
		if (id < 0)
			return explain_unknown(iv, word);
		if (i)
			buf_byte(&iv->out, '\n');
		explain_rule(&iv->out, &diag_rules[id], iv->colour_out);
	}
	return EXIT_DONE;
}
