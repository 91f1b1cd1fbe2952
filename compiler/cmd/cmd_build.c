/*
 * `seedc build`: compiles one file and writes what was asked for. Nothing is written when there are
 * errors; what there is to say goes to standard error, as findings in the format asked for.
 */
#include "compiler/cmd/cmd.h"
#include "compiler/cmd/pipeline.h"
#include "compiler/emit/bin_append.h"
#include "compiler/emit/emit.h"
#include "compiler/front/front.h"
#include "compiler/lint/config.h"
#include "grammar/grammar.h"

typedef struct BuildCommand {
	Invocation *iv;
	Compiler c;
	Compiled made;
	Buf out, dump;
} BuildCommand;

/* ---- flags ------------------------------------------------------------------------------------ */

Str *cmd_flag_values(Invocation *iv, FlagId id, uint32_t *n)
{
	const Args *args = iv->args;
	Str *out = arena_array(&iv->arena, Str, args->use.n);
	*n = 0;
	for (uint32_t i = 0; i < args->use.n; i++)
		if (args->use.v[i].id == id)
			out[(*n)++] = str_from(args->use.v[i].value);
	return out;
}

static bool build_pass_flag(BuildCommand *b, FlagId id, int *pass)
{
	const char *name = args_value(b->iv->args, id);
	if (!name)
		return true;
	*pass = pass_find(str_from(name));
	if (*pass >= 0)
		return true;
	Str cand[PASS_COUNT];
	for (int i = 0; i < PASS_COUNT; i++)
		cand[i] = str_from(pass_table[i].name);
	const Str *near = str_nearest(str_from(name), cand, PASS_COUNT);
	cmd_usage_error(b->iv, "no pass is called `%s`%s%.*s%s", name, near ? "; did you mean `" : "; see --list-passes",
	                near ? (int)near->n : 0, near ? near->p : "", near ? "`?" : "");
	return false;
}

void cmd_compiler_flags(const Args *args, Compiler *c)
{
	const char *as = args_value(args, FLAG_AS), *vars = args_value(args, FLAG_VARS), *opt = args_value(args, FLAG_OPT);
	c->as = as ? front_from_name(str_from(as)) : FRONT_AUTO;
	c->vars = vars ? front_vars_from_name(str_from(vars)) : VARS_NONE;
	c->normalize = args_has(args, FLAG_NORMALIZE);
	c->opt_level = opt ? opt[0] - '0' : 1;
}

static bool build_flags(BuildCommand *b)
{
	PassRun *run = &b->made.run;
	cmd_compiler_flags(b->iv->args, &b->c);
	pass_run_init(run, &b->c);
	run->dump = &b->dump;
	run->remarks.disabled = cmd_flag_values(b->iv, FLAG_DISABLE_CHANGE, &run->remarks.n_disabled);
	return build_pass_flag(b, FLAG_DUMP_AFTER, &run->dump_after) && build_pass_flag(b, FLAG_STOP_AFTER, &run->stop_after);
}

static bool build_emit_options(Invocation *iv, Compiler *c, EmitOptions *o)
{
	const Args *args = iv->args;
	const char *target = args_value(args, FLAG_TARGET), *prompt = args_value(args, FLAG_PROMPT);
	const char *user = args_value(args, FLAG_USER);
	o->target = target ? str_from(target) : STR("");
	o->prompt = prompt ? str_from(prompt) : STR("");
	o->root = c->root;
	o->set = cmd_flag_values(iv, FLAG_SET, &o->n_set);
	o->has_user = user != NULL;
	o->user = user ? str_from(user) : STR("");
	o->unbound = args_has(args, FLAG_UNBOUND) ? UNBOUND_SHOW : UNBOUND_REFUSE;
	o->sources = &c->sources;
	o->shelf = compiler_shelf(c);
	return true;
}

/* ---- what is said ----------------------------------------------------------------------------- */

/* Hints are for `lint`: here they would stand between people and their output. */
static void hide_hints(Compiler *c)
{
	for (uint32_t i = 0; i < c->diags.list.n; i++)
		if (c->diags.list.v[i]->severity == SEV_INFO)
			diag_set_severity(&c->diags, c->diags.list.v[i], SEV_OFF);
}

bool cmd_report(Invocation *iv, Compiler *c, RenderFormat format)
{
	Findings f = { 0 };
	const char *fail_on = args_value(iv->args, FLAG_FAIL_ON);
	int at = fail_on ? lint_level_from_name(str_from(fail_on)) : args_has(iv->args, FLAG_DENY) ? SEV_WARNING : SEV_ERROR;
	diag_finish(&c->diags);
	if (at > SEV_INFO)
		hide_hints(c);
	findings_add(&iv->arena, &f, &c->diags);
	findings_finish(&f);
	if (f.n_shown || format == RENDER_JSON || format == RENDER_SARIF)
		render_findings(&iv->err, &f, format, iv->colour_err);
	return f.n_error || (at <= SEV_WARNING && f.n_warning) || (at <= SEV_INFO && f.n_info);
}

int cmd_emit(Invocation *iv, Compiler *c, const Bin *bin, EmitKind kind, Buf *out)
{
	static const ExitCode code[] = {
		[EMIT_DONE] = EXIT_DONE, [EMIT_FAILED] = EXIT_FAILED, [EMIT_USAGE] = EXIT_USAGE, [EMIT_IO] = EXIT_IO,
	};
	EmitOptions o = { .kind = kind };
	WireReport report = { .arena = &iv->arena };
	build_emit_options(iv, c, &o);
	EmitStatus status = emit_prompt(out, bin, &o, &report);
	cmd_print_notes(iv, &report, WIRE_REMARK);
	return code[status];
}

/* ---- what is written -------------------------------------------------------------------------- */

/* What --bake and --tokens add to the binary. */
static int build_derived(BuildCommand *b)
{
	Encoders tokens = { 0 };
	const char *model = args_value(b->iv->args, FLAG_BAKE);
	int status = cmd_find_tokens(b->iv, compiler_shelf(&b->c), sema_targets(b->made.unit), &tokens);
	if (status)
		return status;
	return model ? cmd_bake(b->iv, model, sema_targets(b->made.unit), &tokens, &b->made.bytes, &b->made.bin)
	             : cmd_put_tokens(b->iv, &tokens, &b->made.bytes, &b->made.bin);
}

static int build_emit(BuildCommand *b, const char *what)
{
	const Args *args = b->iv->args;
	if (!strcmp(what, "ast")) {
		ast_dump(&b->out, b->made.file, AST_DUMP_PLAIN);
	} else if (!strcmp(what, "ir")) {
		ir_dump(&b->out, b->made.ir);
	} else if (!strcmp(what, "bin")) {
		BinError err;
		if (bin_append_automata(&b->c.arena, &b->made.bytes, &b->made.bin, &err) != BIN_OK) {
			buf_printf(&b->iv->err, "seedc: a fault in the compiler: %s\n", err.message);
			return EXIT_FAILED;
		}
		int status = build_derived(b);
		if (status)
			return status;
		buf_move(&b->out, &b->made.bytes);
	} else {
		EmitKind kind = emit_kind_find(str_from(what));
		if (kind == EMIT_TEXT && args_has(args, FLAG_MAP))
			kind = EMIT_MAP;
		int status = cmd_emit(b->iv, &b->c, &b->made.bin, kind, &b->out);
		if (status)
			return status;
	}
	return cmd_write_output(b->iv, &b->c.sources, &b->out);
}

static void build_print_remarks(BuildCommand *b)
{
	const Args *args = b->iv->args;
	if (args_has(args, FLAG_REMARKS))
		remark_print_json(&b->iv->err, &b->made.run.remarks, &b->c.sources);
	else if (args_has(args, FLAG_RPASS))
		remark_print(&b->iv->err, &b->made.run.remarks, &b->c.sources);
	if (args_has(args, FLAG_TIME_PASSES))
		pass_print_times(&b->iv->err, &b->made.run);
}

/* --dump: the tokens of a .sd file, or the passes of this run. */
static int build_dump(BuildCommand *b, const char *what, Source *src)
{
	if (!strcmp(what, "tokens")) {
		grammar_dump_tokens(&b->c, src, &b->iv->out);
		return cmd_report(b->iv, &b->c, cmd_format(b->iv->args)) ? EXIT_FAILED : EXIT_DONE;
	}
	b->made.run.scope = PASS_COMPILE;
	pass_print_plan(&b->iv->out, &b->made.run, &b->c);
	return EXIT_DONE;
}

/* Asked of every run: what writes no body would never look the name up. */
static bool build_knows_target(BuildCommand *b)
{
	TargetTable *table = args_has(b->iv->args, FLAG_TARGET) ? sema_targets(b->made.unit) : NULL;
	const Target *named;
	return !table || !cmd_find_target(b->iv, table, &named);
}

static int build_file(BuildCommand *b, const char *path)
{
	const Args *args = b->iv->args;
	Str why;
	Source *src = pipeline_read(&b->c, path, &why);
	if (!src)
		return cmd_io_error(b->iv, path, why);
	const char *dump = args_value(args, FLAG_DUMP_WHAT);
	if (dump)
		return build_dump(b, dump, src);
	pipeline_compile(&b->c, src, &b->made);
	bool fails = cmd_report(b->iv, &b->c, cmd_format(args));
	build_print_remarks(b);
	buf_put(&b->iv->out, buf_str(&b->dump));
	const char *what = args_value(args, FLAG_EMIT);
	if (fails) {
		/* The tree can be looked at however broken it is. */
		if (what && !strcmp(what, "ast"))
			ast_dump(&b->iv->out, b->made.file, AST_DUMP_PLAIN);
		return EXIT_FAILED;
	}
	if (b->made.fault) {
		buf_printf(&b->iv->err, "seedc: %s: a fault in the compiler: %s\n", path, b->made.fault);
		return EXIT_FAILED;
	}
	if (!build_knows_target(b))
		return EXIT_USAGE;
	if (b->made.run.is_stopped || args_has(args, FLAG_DUMP_AFTER))
		return EXIT_DONE;
	if (!what && !args_has(args, FLAG_OUTPUT))
		return EXIT_DONE;
	return build_emit(b, what ? what : "bin");
}

int cmd_build(Invocation *iv)
{
	const Args *args = iv->args;
	if (args_has(args, FLAG_LIST_PASSES)) {
		pass_print_list(&iv->out);
		return EXIT_DONE;
	}
	if (args->operand.n != 1)
		return cmd_usage_error(iv, args->operand.n ? "`build` takes one file" : "`build` needs a file");
	const char *what = args_value(args, FLAG_EMIT);
	if (args_has(args, FLAG_MAP) && !what)
		return cmd_usage_error(iv, "`--map` goes with --emit=text");
	if (what ? strcmp(what, "bin") : !args_has(args, FLAG_OUTPUT)) {
		static const FlagId binary[] = { FLAG_TOKENS, FLAG_BAKE };
		for (size_t i = 0; i < sizeof binary / sizeof *binary; i++)
			if (args_has(args, binary[i]))
				return cmd_usage_error(iv, "`%s` goes with -o FILE.bin", cli_flags[binary[i]].long_name);
	}
	BuildCommand b = { .iv = iv };
	compiler_init(&b.c);
	int status = build_flags(&b) ? build_file(&b, args->operand.v[0]) : EXIT_USAGE;
	pipeline_free(&b.made);
	buf_free(&b.out);
	buf_free(&b.dump);
	compiler_free(&b.c);
	return status;
}
