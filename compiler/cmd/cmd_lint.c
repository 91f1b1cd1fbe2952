/* `seedc lint`: flags to settings, and the run's result to text and an exit code. */
#include "compiler/cmd/cmd.h"
#include "compiler/cmd/pipeline.h"
#include "compiler/front/front.h"
#include "compiler/lint/lint.h"

#include <stdlib.h>
#include <unistd.h>

typedef struct LintCommand {
	Invocation *iv;
	LintSettings set;
	LintRun run;
	RenderFormat format;
	Findings found;
	uint32_t n_unread, n_skipped, n_fixed, n_changed, n_looping;
} LintCommand;

RenderFormat cmd_format(const Args *args)
{
	static const struct { const char *name; RenderFormat format; } known[] = {
		{ "full", RENDER_FULL },   { "text", RENDER_FULL },   { "concise", RENDER_CONCISE }, { "json", RENDER_JSON },
		{ "jsonl", RENDER_JSONL }, { "sarif", RENDER_SARIF }, { "github", RENDER_GITHUB },
	};
	const char *name = args_value(args, FLAG_FORMAT);
	for (size_t i = 0; name && i < sizeof known / sizeof *known; i++)
		if (!strcmp(known[i].name, name))
			return known[i].format;
	return RENDER_FULL;
}

/* ---- flags ------------------------------------------------------------------------------------ */

/* A code, a name, or the beginning of a code ("SD6"). False if it is none of these. */
static bool lint_name_rules(Str word, int8_t level, LintLevels *out)
{
	bool found = false;
	for (int id = 0; id < DIAG_COUNT; id++) {
		const RuleInfo *r = &diag_rules[id];
		bool prefix = word.n >= 3 && str_starts(str_from(r->code), word);
		if (!prefix && !str_is(word, r->slug))
			continue;
		out->of[id] = level;
		found = true;
	}
	return found;
}

static bool lint_name_list(LintCommand *l, FlagId flag, int8_t level)
{
	const Args *args = l->iv->args;
	for (uint32_t i = 0; i < args->use.n; i++) {
		if (args->use.v[i].id != flag)
			continue;
		/* An empty --select would look at nothing and find nothing. */
		if (flag == FLAG_SELECT && !args->use.v[i].value[0]) {
			cmd_usage_error(l->iv, "`%s` names no rule; `seedc explain` lists them", cli_flags[flag].long_name);
			return false;
		}
		for (Str rest = str_from(args->use.v[i].value); rest.n;) {
			size_t n = str_find(rest, STR(","), 0);
			Str word = str_trim(str_sub(rest, 0, n));
			rest = str_sub(rest, n + 1, rest.n);
			if (lint_name_rules(word, level, &l->set.levels))
				continue;
			cmd_usage_error(l->iv, "`%s` names no rule: `%.*s`; `seedc explain` lists them", cli_flags[flag].long_name,
			                STR_ARG(word));
			return false;
		}
	}
	return true;
}

uint32_t cmd_threads(Invocation *iv)
{
	const char *jobs = args_value(iv->args, FLAG_JOBS);
	char *end = "";
	long n = jobs ? strtol(jobs, &end, 10) : sysconf(_SC_NPROCESSORS_ONLN);
	if (jobs && (n < 1 || *end)) {
		cmd_usage_error(iv, "`--jobs` takes a number from 1; `%s` is none", jobs);
		return 0;
	}
	return n < 1 ? 1 : n > 64 ? 64 : (uint32_t)n;
}

static bool lint_read_flags(LintCommand *l)
{
	const Args *args = l->iv->args;
	const char *as = args_value(args, FLAG_AS), *vars = args_value(args, FLAG_VARS);
	const char *fail_on = args_value(args, FLAG_FAIL_ON);
	l->set.check = pipeline_check;
	l->set.as = as ? front_from_name(str_from(as)) : FRONT_AUTO;
	l->set.vars = vars ? front_vars_from_name(str_from(vars)) : VARS_NONE;
	l->set.deny_warnings = args_has(args, FLAG_DENY);
	l->set.config = args_value(args, FLAG_CONFIG);
	l->set.is_selected = args_has(args, FLAG_SELECT);
	l->set.n_thread = cmd_threads(l->iv);
	if (!l->set.n_thread)
		return false;
	l->set.fix = args_has(args, FLAG_UNSAFE_FIXES) ? FIX_UNSAFE : args_has(args, FLAG_FIX) ? FIX_SAFE : FIX_NONE;
	l->format = cmd_format(args);
	lint_levels_init(&l->set.levels);
	if (fail_on && lint_level_from_name(str_from(fail_on)) < SEV_INFO) {
		cmd_usage_error(l->iv, "`--fail-on` of lint takes error, warning or info");
		return false;
	}
	/* SEV_INFO marks "selected": the rule keeps its own severity. */
	return lint_name_list(l, FLAG_SELECT, SEV_INFO) && lint_name_list(l, FLAG_IGNORE, SEV_OFF);
}

/* ---- results ---------------------------------------------------------------------------------- */

static void lint_collect(LintCommand *l)
{
	for (uint32_t i = 0; i < l->run.files.file.n; i++) {
		const LintResult *r = &l->run.result[i];
		if (r->unit)
			findings_add(&l->iv->arena, &l->found, &r->unit->diags);
		l->n_unread += !r->is_read;
		l->n_skipped += r->is_skipped;
		l->n_fixed += r->n_fixed;
		l->n_changed += r->is_changed;
		if (r->is_looping) {
			l->n_looping++;
			buf_printf(&l->iv->err, "seedc: %.*s: its fixes undo each other or break it; it stays as it was\n",
			           STR_ARG(l->run.files.file.v[i].path));
		}
		if (r->write_error.n) {
			l->n_unread++;
			cmd_io_error(l->iv, l->run.files.file.v[i].path.p, r->write_error);
		}
	}
	findings_finish(&l->found);
}

static void summary_count(Buf *out, const char **sep, uint32_t n, const char *one, const char *many)
{
	if (!n)
		return;
	buf_printf(out, "%s%u %s", *sep, n, n == 1 ? one : many);
	*sep = ", ";
}

static void lint_summary(LintCommand *l)
{
	Buf *out = &l->iv->out;
	uint32_t n = l->run.files.file.n - l->n_skipped - l->n_unread;
	const char *sep = ": ";
	buf_printf(out, "%u file%s checked", n, n == 1 ? "" : "s");
	summary_count(out, &sep, l->found.n_error, "error", "errors");
	summary_count(out, &sep, l->found.n_warning, "warning", "warnings");
	summary_count(out, &sep, l->found.n_info, "info", "infos");
	if (!l->found.n_shown)
		buf_lit(out, ", no findings");
	sep = "; ";
	summary_count(out, &sep, l->n_fixed, "finding fixed", "findings fixed");
	summary_count(out, &sep, l->found.n_suppressed, "finding suppressed", "findings suppressed");
	summary_count(out, &sep, l->n_skipped, "file of another tool left out", "files of other tools left out");
	buf_byte(out, '\n');
}

static bool lint_fails(const LintCommand *l)
{
	const char *given = args_value(l->iv->args, FLAG_FAIL_ON);
	int at = given ? lint_level_from_name(str_from(given)) : l->run.fail_on != LEVEL_UNSET ? l->run.fail_on : SEV_WARNING;
	const Findings *f = &l->found;
	return f->n_error || (at <= SEV_WARNING && f->n_warning) || (at <= SEV_INFO && f->n_info);
}

static int lint_report(LintCommand *l)
{
	lint_collect(l);
	render_findings(&l->iv->out, &l->found, l->format, l->iv->colour_out);
	if (l->format == RENDER_FULL || l->format == RENDER_CONCISE)
		lint_summary(l);
	return l->n_unread ? EXIT_IO : lint_fails(l) ? EXIT_FAILED : EXIT_DONE;
}

static int lint_report_config(LintCommand *l)
{
	for (uint32_t i = 0; i < l->run.config_unit.n; i++)
		findings_add(&l->iv->arena, &l->found, &l->run.config_unit.v[i]->diags);
	findings_finish(&l->found);
	render_findings(&l->iv->err, &l->found, RENDER_FULL, l->iv->colour_err);
	return EXIT_USAGE;
}

int cmd_lint(Invocation *iv)
{
	LintCommand l = { .iv = iv };
	const Args *args = iv->args;
	if (!args->operand.n)
		return cmd_usage_error(iv, "`lint` needs a file or a folder; `seedc lint .` checks all");
	if (!lint_read_flags(&l))
		return EXIT_USAGE;
	int status;
	if (lint_prepare(&l.run, &l.set, args->operand.v, args->operand.n)) {
		lint_run(&l.run);
		status = lint_report(&l);
	} else {
		status = lint_report_config(&l);
	}
	lint_free(&l.run);
	return status;
}
