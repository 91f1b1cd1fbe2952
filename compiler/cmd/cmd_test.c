/* `seedc test`: runs the tests that stand in prompts, one line each, and counts them. */
#include "compiler/cmd/cmd.h"
#include "compiler/cmd/pipeline.h"
#include "compiler/test/test_run.h"

#include <stdlib.h>

typedef struct TestCommand {
	Invocation *iv;
	uint32_t n_outcome[3];
	uint32_t n_for_model;  /* of those not decided: a model would decide them */
	uint32_t n_not_run;    /* files that could not be read or compiled */
	RunSession session;    /* of --model; closed where there is none */
} TestCommand;

static void print_result(TestCommand *k, Compiler *c, const TestResult *r)
{
	static const char *const mark[] = { "ok", "?", "FAIL" };
	Buf *out = &k->iv->out;
	Position at = source_position(&c->sources, r->decl->span.lo);
	k->n_outcome[r->outcome]++;
	k->n_for_model += r->wants_model && r->outcome == TEST_UNDECIDED;
	buf_printf(out, "%-4s  ", mark[r->outcome]);
	render_put_shown(out, str_fmt(&c->scratch, "%.*s: %.*s: %.*s", STR_ARG(at.source->name), STR_ARG(r->prompt->name), STR_ARG(r->decl->name)));
	buf_byte(out, '\n');
	for (uint32_t i = 0; i < r->note.n; i++) {
		at = source_position(&c->sources, r->note.v[i].at.lo);
		buf_lit(out, "      ");
		render_put_shown(out, str_fmt(&c->scratch, "%.*s:%u:%u: %.*s", STR_ARG(at.source->name), at.line, at.col_display, STR_ARG(r->note.v[i].message)));
		buf_byte(out, '\n');
	}
}

/* Whose chat template --model is asked by: --target's where it has one, else what the file says. */
static int find_targets(TestCommand *k, Unit *u, TestOptions *o)
{
	const char *model = args_value(k->iv->args, FLAG_MODEL);
	TargetTable *table = model || args_has(k->iv->args, FLAG_TARGET) ? sema_targets(u) : NULL;
	int status = table ? cmd_find_target(k->iv, table, &o->target) : EXIT_DONE;
	if (status || !k->session.engine)
		return status;
	o->model = &k->session;
	return cmd_find_chat(k->iv, table, o->target && o->target->chat ? o->target : NULL, model, &o->model_target);
}

static int run_compiled(TestCommand *k, Compiler *c, Compiled *made)
{
	TestOptions o = { .shelf = compiler_shelf(c) };
	TestResults results = { 0 };
	if (cmd_report(k->iv, c, RENDER_FULL) || !made->bytes.n)
		return EXIT_FAILED;
	int status = find_targets(k, made->unit, &o);
	if (status)
		return status;
	test_run(&c->arena, made->unit, &made->bin, &o, &results);
	for (uint32_t i = 0; i < results.n; i++)
		print_result(k, c, &results.v[i]);
	return EXIT_DONE;
}

static int run_file(TestCommand *k, const char *path)
{
	Compiler c;
	Compiled made = { 0 };
	Str why;
	compiler_init(&c);
	cmd_compiler_flags(k->iv->args, &c);
	pass_run_init(&made.run, &c);
	Source *src = pipeline_read(&c, path, &why);
	int status = src ? EXIT_DONE : cmd_io_error(k->iv, path, why);
	if (src) {
		pipeline_compile(&c, src, &made);
		status = run_compiled(k, &c, &made);
	}
	pipeline_free(&made);
	compiler_free(&c);
	return status;
}

static int open_model(TestCommand *k)
{
	const char *model = args_value(k->iv->args, FLAG_MODEL);
	RunConfig config = { .model_path = model, .kv = KV_K8V4, .isa = getenv("SEEDC_ISA") };
	Str why;
	return !model || run_session_open(&k->iv->arena, &k->session, &config, &why) ? EXIT_DONE : cmd_io_error(k->iv, model, why);
}

static int run_files(TestCommand *k)
{
	const Args *args = k->iv->args;
	int status = EXIT_DONE;
	for (uint32_t i = 0; i < args->operand.n && status != EXIT_USAGE; i++) {
		int one = run_file(k, args->operand.v[i]);
		status = one > status ? one : status;
		k->n_not_run += one != EXIT_DONE;
	}
	return status;
}

int cmd_test(Invocation *iv)
{
	TestCommand k = { .iv = iv };
	if (!iv->args->operand.n)
		return cmd_usage_error(iv, "`test` needs a file with tests");
	int status = open_model(&k);
	if (status)
		return status;
	status = run_files(&k);
	run_session_close(&k.session);
	if (status == EXIT_USAGE)
		return status;
	buf_printf(&iv->out, "%u passed, %u failed", k.n_outcome[TEST_PASSED], k.n_outcome[TEST_FAILED]);
	if (k.n_outcome[TEST_UNDECIDED])
		buf_printf(&iv->out, ", %u not decided", k.n_outcome[TEST_UNDECIDED]);
	if (k.n_for_model)
		buf_printf(&iv->out, " (--model FILE decides %u)", k.n_for_model);
	if (k.n_not_run)
		buf_printf(&iv->out, ", %u %s not run", k.n_not_run, k.n_not_run == 1 ? "file" : "files");
	buf_lit(&iv->out, "\n");
	return status == EXIT_DONE && k.n_outcome[TEST_FAILED] ? EXIT_FAILED : status;
}
