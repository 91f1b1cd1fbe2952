/*
 * `seedc diff`: both sides become compiled prompts, whatever they were given as, then the differ reads
 * them. A side that cannot be compared is exit 3, never "no change".
 */
#include <stdlib.h>
#include <unistd.h>

#include "compiler/cmd/cmd.h"
#include "compiler/cmd/pipeline.h"
#include "compiler/diff/diff.h"
#include "compiler/diff/revision.h"
#include "compiler/front/front.h"
#include "compiler/lint/project.h"
#include "runtime/base/file.h"

static const double BUDGET_DEFAULT_SHARE = 0.05;

typedef struct Side {
	Str name;           /* as shown */
	Compiler c;
	Compiled compiled;  /* of a source */
	bool is_open;
	Bin bin;            /* views compiled's bytes, or a file's in c's arena */
} Side;

typedef struct Gate {
	bool by_severity, by_budget, by_nodes;
	DiffSeverity fail_on;
	double budget, budget_nodes;
} Gate;

static bool read_revision(Arena *a, Str path, Str *bytes, Str *why)
{
	return revision_read(a, path, bytes, why);
}

static const FileReader revision_reader = { read_revision };

static void side_free(Side *s)
{
	if (!s->is_open)
		return;
	pipeline_free(&s->compiled);
	compiler_free(&s->c);
}

static int side_report(Invocation *iv, Side *s)
{
	Findings f = { 0 };
	for (uint32_t i = 0; i < s->c.diags.list.n; i++)
		if (s->c.diags.list.v[i]->severity != SEV_ERROR)
			s->c.diags.list.v[i]->suppressed = true;
	diag_finish(&s->c.diags);
	findings_add(&iv->arena, &f, &s->c.diags);
	findings_finish(&f);
	if (f.n_error) {
		render_findings(&iv->err, &f, RENDER_FULL, iv->colour_err);
		cmd_io_error(iv, str_z(&iv->arena, s->name), STR("does not compile, so nothing was compared"));
	}
	return f.n_error ? EXIT_IO : EXIT_DONE;
}

static int side_open_bin(Invocation *iv, Side *s, Str bytes)
{
	BinError err;
	/* A damaged text would read as a change, or as none. */
	if (bin_open(&s->bin, bytes.p, bytes.n, &err) == BIN_OK && bin_verify(&s->bin, &err) == BIN_OK)
		return EXIT_DONE;
	return cmd_io_error(iv, str_z(&iv->arena, s->name), str_fmt(&iv->arena, "byte %llu: %s", (unsigned long long)err.off, err.message));
}

static int side_compile(Invocation *iv, Side *s, Str bytes)
{
	Source *src = source_add(&s->c.sources, &s->c.diags, s->name, bytes);
	if (src && src->ok) {
		pass_run_init(&s->compiled.run, &s->c);
		pipeline_compile(&s->c, src, &s->compiled);
	}
	int status = side_report(iv, s);
	s->bin = s->compiled.bin;
	if (status != EXIT_DONE || s->compiled.bytes.n)
		return status;
	const char *fault = s->compiled.fault;
	return cmd_io_error(iv, str_z(&iv->arena, s->name), str_from(fault ? fault : "it could not be compiled"));
}

static bool side_read(Invocation *iv, Side *s, Str *bytes, Str *why)
{
	Arena *a = &s->c.arena;
	if (revision_is_spec(&iv->arena, s->name)) {
		s->c.reader = &revision_reader;
		return revision_from_top(a, s->name, &s->name, why) && revision_read(a, s->name, bytes, why);
	}
	if (str_is(s->name, "-")) {
		s->c.as = s->c.as == FRONT_AUTO ? FRONT_TEXT : s->c.as;
		s->name = STR("<stdin>");
		return file_read_fd(a, STDIN_FILENO, bytes, why);
	}
	s->c.root = project_find(&iv->arena, str_z(&iv->arena, s->name)).root;
	return file_read(a, str_z(a, s->name), bytes, why);
}

static bool is_bin(Str bytes)
{
	return str_starts(bytes, (Str){ BIN_MAGIC, sizeof BIN_MAGIC - 1 });
}

static int side_load(Invocation *iv, Side *s, Str name)
{
	s->name = name;
	compiler_init(&s->c);
	s->is_open = true;
	if (args_has(iv->args, FLAG_AS))
		s->c.as = front_from_name(str_from(args_value(iv->args, FLAG_AS)));
	if (args_has(iv->args, FLAG_VARS))
		s->c.vars = front_vars_from_name(str_from(args_value(iv->args, FLAG_VARS)));
	Str bytes, why;
	if (!side_read(iv, s, &bytes, &why))
		return cmd_io_error(iv, str_z(&iv->arena, name), why);
	return is_bin(bytes) ? side_open_bin(iv, s, bytes) : side_compile(iv, s, bytes);
}

/* ---- flags ------------------------------------------------------------------------------------- */

static bool read_percent(const char *text, double *share)
{
	char *end;
	double v = strtod(text, &end);
	bool percent = *end == '%';
	if (end == text || end[percent] || !(v >= 0) || v > 1e6)
		return false;
	*share = v / 100;
	return true;
}

static int read_budget(Invocation *iv, FlagId flag, const char *name, bool *on, double *share)
{
	if (!args_has(iv->args, flag))
		return EXIT_DONE;
	const char *text = args_value(iv->args, flag);
	*on = true;
	*share = BUDGET_DEFAULT_SHARE;
	if (text && !read_percent(text, share))
		return cmd_usage_error(iv, "%s takes a percentage such as 5%%; `%s` is none", name, text);
	return EXIT_DONE;
}

static int read_gate(Invocation *iv, Gate *g)
{
	*g = (Gate){ 0 };
	const char *level = args_value(iv->args, FLAG_FAIL_ON);
	if (level) {
		g->by_severity = true;
		g->fail_on = !strcmp(level, "risky") ? DIFF_RISKY : DIFF_BREAKING;
		if (strcmp(level, "risky") && strcmp(level, "breaking"))
			return cmd_usage_error(iv, "`diff --fail-on` takes breaking or risky; `%s` is for lint", level);
	}
	int bad = read_budget(iv, FLAG_BUDGET, "--budget", &g->by_budget, &g->budget);
	return bad ? bad : read_budget(iv, FLAG_BUDGET_NODES, "--budget-nodes", &g->by_nodes, &g->budget_nodes);
}

/* ---- verdict ----------------------------------------------------------------------------------- */

static int judge(Invocation *iv, const Diff *d, const Gate *g)
{
	int status = EXIT_DONE;
	if (g->by_severity && d->change.n && diff_highest(d) >= g->fail_on) {
		buf_printf(&iv->err, "seedc: gate: a %s change (--fail-on=%s)\n", diff_severity_name(diff_highest(d)), diff_severity_name(g->fail_on));
		status = EXIT_FAILED;
	}
	if (g->by_budget && diff_delta(d) > g->budget) {
		buf_printf(&iv->err, "seedc: gate: \xce\x94 %.1f %% is over the budget of %.1f %%\n", 100 * diff_delta(d), 100 * g->budget);
		status = EXIT_FAILED;
	}
	if (g->by_nodes && diff_delta_nodes(d) > g->budget_nodes) {
		buf_printf(&iv->err, "seedc: gate: %.1f %% of the nodes changed, over the budget of %.1f %%\n",
			100 * diff_delta_nodes(d), 100 * g->budget_nodes);
		status = EXIT_FAILED;
	}
	return status;
}

static int compare(Invocation *iv, Side *o, Side *n, const Gate *g)
{
	Diff d;
	diff_run(&d, &iv->arena, &o->bin, &n->bin);
	DiffNames names = { o->name, n->name };
	const char *format = args_value(iv->args, FLAG_FORMAT);
	if (format && !strcmp(format, "json"))
		diff_report_json(&d, names, &iv->out);
	else
		diff_report_text(&d, names, iv->colour_out ? DIFF_COLOUR : DIFF_PLAIN, &iv->out);
	return judge(iv, &d, g);
}

static int old_name(Invocation *iv, Str *name)
{
	const char *rev = args_value(iv->args, FLAG_MERGE_BASE);
	if (!rev) {
		*name = str_from(iv->args->operand.v[0]);
		return EXIT_DONE;
	}
	Str commit, path, why;
	if (!revision_merge_base(&iv->arena, str_from(rev), &commit, &why) ||
		!revision_path(&iv->arena, str_from(iv->args->operand.v[0]), &path, &why))
		return cmd_io_error(iv, rev, why);
	*name = str_fmt(&iv->arena, "%.*s:%.*s", STR_ARG(str_sub(commit, 0, 12)), STR_ARG(path));
	return EXIT_DONE;
}

int cmd_diff(Invocation *iv)
{
	const char *format = args_value(iv->args, FLAG_FORMAT);
	if (format && strcmp(format, "json") && strcmp(format, "text") && strcmp(format, "full"))
		return cmd_usage_error(iv, "`diff --format` takes text or json, not %s", format);
	uint32_t want = args_has(iv->args, FLAG_MERGE_BASE) ? 1 : 2;
	if (iv->args->operand.n != want)
		return cmd_usage_error(iv, want == 2 ? "`diff` takes OLD and NEW" : "`diff --merge-base REV` takes one file");
	if (want == 2 && !strcmp(iv->args->operand.v[0], "-") && !strcmp(iv->args->operand.v[1], "-"))
		return cmd_usage_error(iv, "standard input can be OLD or NEW, not both");
	Gate g;
	Str before;
	int status = read_gate(iv, &g);
	if (!status)
		status = old_name(iv, &before);
	if (status)
		return status;
	Side o = { 0 }, n = { 0 };
	status = side_load(iv, &o, before);
	int other = side_load(iv, &n, str_from(iv->args->operand.v[want - 1]));
	if (!status)
		status = other;
	if (!status)
		status = compare(iv, &o, &n, &g);
	side_free(&o);
	side_free(&n);
	return status;
}
