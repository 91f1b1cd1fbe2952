/*
 * `seedc run`: a prompt, compiled or as it is written, answered by a model on this machine. The answer
 * alone goes to standard output, as it comes; progress and what there is to say go to standard error.
 */
#include "compiler/cmd/run_command.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compiler/cmd/plan_profile.h"
#include "compiler/emit/emit.h"
#include "compiler/lint/project.h"
#include "runtime/base/file.h"
#include "runtime/run/run_plan.h"

/* ---- the session ------------------------------------------------------------------------------ */

int run_open_session(RunCommand *k, const char *model)
{
	RunConfig config = { .model_path = model, .kv = run_kv_format(k), .isa = getenv("SEEDC_ISA"), .baked = k->bin.kv, .saved = k->loaded,
	                     .is_oracle = args_has(k->iv->args, FLAG_ORACLE) };
	const RunSession *s = &k->session;
	Str why;
	if (!run_read_threads(k, &config.n_thread))
		return EXIT_USAGE;
	if (k->p.prompt)
		config.group = run_group_of_prompt(&k->bin, k->p.prompt);
	if (!run_session_open(&k->iv->arena, &k->session, &config, &why))
		return cmd_io_error(k->iv, model, why);
	if (s->saved == KV_DAMAGED)
		return cmd_io_error(k->iv, args_value(k->iv->args, FLAG_LOAD_KV), s->why_saved);
	if (s->baked != KV_LOADED)
		buf_printf(&k->iv->err, "seedc: note: the baked cache of %s is left out: %.*s\n", k->iv->args->operand.v[0], STR_ARG(s->why_baked));
	if (s->saved != KV_LOADED)
		buf_printf(&k->iv->err, "seedc: note: the cache of %s is left out: %.*s\n", args_value(k->iv->args, FLAG_LOAD_KV), STR_ARG(s->why_saved));
	return EXIT_DONE;
}

static int map_saved(RunCommand *k)
{
	const char *path = args_value(k->iv->args, FLAG_LOAD_KV);
	Str why;
	if (!path)
		return EXIT_DONE;
	if (!file_map(&k->iv->arena, path, &k->loaded, &why))
		return cmd_io_error(k->iv, path, why);
	return k->loaded.n ? EXIT_DONE : cmd_io_error(k->iv, path, STR("not a saved KV cache: the file is empty"));
}

/* What cannot be written is said before the model is asked. */
static int check_saved(RunCommand *k)
{
	const char *path = args_value(k->iv->args, FLAG_SAVE_KV), *slash = path ? strrchr(path, '/') : NULL;
	const char *folder = slash ? str_z(&k->iv->arena, (Str){ path, (size_t)(slash - path) + 1 }) : ".";
	struct stat there;
	if (path && (!*path || (!stat(path, &there) && !S_ISREG(there.st_mode))))
		return cmd_io_error(k->iv, *path ? path : "--save-kv", STR("is not a regular file"));
	return !path || !access(folder, W_OK) ? EXIT_DONE : cmd_io_error(k->iv, path, STR("no such folder, or it cannot be written to"));
}

static int write_saved(RunCommand *k)
{
	const char *path = args_value(k->iv->args, FLAG_SAVE_KV);
	Str why;
	return !path || file_write(&k->iv->arena, path, buf_str(&k->saved), &why) ? EXIT_DONE : cmd_io_error(k->iv, path, why);
}

/* ---- a prompt --------------------------------------------------------------------------------- */

static bool is_bin(Str bytes)
{
	return bytes.n >= 8 && !memcmp(bytes.p, BIN_MAGIC, 8);
}

static int open_bin(RunCommand *k, const char *path)
{
	BinError err;
	if (bin_open(&k->bin, k->mapped.p, k->mapped.n, &err) == BIN_OK && bin_verify(&k->bin, &err) == BIN_OK)
		return EXIT_DONE;
	return cmd_io_error(k->iv, path, str_fmt(&k->iv->arena, "byte %llu: %s", (unsigned long long)err.off, err.message));
}

static int compile(RunCommand *k, const char *path)
{
	Str why;
	Source *src = pipeline_read(&k->c, path, &why);
	if (!src)
		return cmd_io_error(k->iv, path, why);
	cmd_compiler_flags(k->iv->args, &k->c);
	pass_run_init(&k->made.run, &k->c);
	pipeline_compile(&k->c, src, &k->made);
	if (cmd_report(k->iv, &k->c, RENDER_FULL) || !k->made.bytes.n)
		return EXIT_FAILED;
	k->bin = k->made.bin;
	return EXIT_DONE;
}

/* The compiled prompt: mapped where FILE is one, else made in memory. */
static int open_prompt(RunCommand *k, const char *path)
{
	Str why;
	bool is_named_bin = str_ends(str_from(path), STR(".bin"));
	if (strcmp(path, "-") && file_map(&k->iv->arena, path, &k->mapped, &why) && (is_named_bin || is_bin(k->mapped)))
		return open_bin(k, path);
	return compile(k, path);
}

static int choose_target(RunCommand *k, const char *model)
{
	const Target *named;
	TargetError err;
	targets_init(&k->targets, &k->iv->arena);
	if (k->c.root.n && !targets_add_folder(&k->targets, k->c.root, &err))
		return cmd_usage_error(k->iv, "a target file is refused: %.*s, byte %u: %.*s", STR_ARG(err.file), err.offset, STR_ARG(err.message));
	int status = cmd_find_target(k->iv, &k->targets, &named);
	return status ? status : cmd_find_chat(k->iv, &k->targets, named, model, &k->p.target);
}

static int bind(RunCommand *k, WireReport *report)
{
	static const ExitCode code[] = {
		[EMIT_DONE] = EXIT_DONE, [EMIT_FAILED] = EXIT_FAILED, [EMIT_USAGE] = EXIT_USAGE, [EMIT_IO] = EXIT_IO,
	};
	const char *prompt = args_value(k->iv->args, FLAG_PROMPT), *user = args_value(k->iv->args, FLAG_USER);
	EmitOptions o = { .has_user = user != NULL, .user = user ? str_from(user) : STR("") };
	o.set = cmd_flag_values(k->iv, FLAG_SET, &o.n_set);
	k->p.bin = &k->bin;
	k->p.prompt = emit_find_prompt(&k->bin, prompt ? str_from(prompt) : STR(""));
	if (!k->p.prompt)
		return cmd_usage_error(k->iv, prompt ? "the file has no prompt `%s`" : "the file has no prompt: it is a library%s", prompt ? prompt : "");
	values_init(&k->values, &k->iv->arena, &k->bin);
	k->p.values = &k->values;
	EmitStatus status = emit_bind(&k->values, k->p.prompt, &o, &k->p.render, report);
	k->p.render.family = k->p.target->family;
	run_rules_of_prompt(&k->iv->arena, &k->bin, k->p.prompt, &k->rules);
	return code[status];
}

/* ---- running ---------------------------------------------------------------------------------- */

static int run_once(RunCommand *k, WireReport *report)
{
	RunSink sink = run_sink(k);
	k->p.rules = k->rules;
	k->p.save = args_has(k->iv->args, FLAG_SAVE_KV) ? &k->saved : NULL;
	k->p.schema = args_has(k->iv->args, FLAG_NO_SCHEMA) ? RUN_SCHEMA_LOOSE : RUN_SCHEMA_HELD;
	bool ok = run_prompt(&k->session, &k->p, &sink, &k->stages, report);
	run_clear_progress(k);
	if (!ok)
		return EXIT_FAILED;
	int status = run_show_answer(k, &k->stages), saved = k->saved.n ? write_saved(k) : EXIT_DONE;
	status = saved > status ? saved : status;
	if (k->stages.v[k->stages.n - 1].is_given && (args_has(k->iv->args, FLAG_INTERACTIVE) || args_has(k->iv->args, FLAG_SAVE_KV)))
		return cmd_usage_error(k->iv, "--interactive and --save-kv want an answer of the model: the last stage is given");
	return !args_has(k->iv->args, FLAG_INTERACTIVE) || k->has_write_error ? status : run_turns(k, status);
}

/* ---- plans ------------------------------------------------------------------------------------ */

static int plan_with(RunCommand *k, const ModelUse *use, WireReport *report)
{
	PlanProfile profile;
	Plan plan;
	KvFormat kv = run_kv_format(k);
	uint32_t n_thread;
	if (!run_read_threads(k, &n_thread))
		return EXIT_USAGE;
	int status = plan_profile_open(k->iv, use, kv, n_thread, &profile);
	if (status)
		return status;
	k->p.rules = k->rules;
	if (!run_plan(&use->model, use->encoder, &k->p, kv, &profile, &plan, report))
		return EXIT_FAILED;
	PlanModel m = plan_model(&use->model, kv);
	if (k->is_quiet)
		plan_print_json(&k->iv->out, &plan, &profile);
	else
		plan_print(&k->iv->out, &plan, &m, &profile);
	return EXIT_DONE;
}

static int plan_only(RunCommand *k, WireReport *report)
{
	ModelUse use;
	int status = model_use_open(k->iv, &use);
	if (status)
		return status;
	status = plan_with(k, &use, report);
	model_use_close(&use);
	return status;
}

static int run_file(RunCommand *k, const char *path, const char *model)
{
	WireReport report = { .arena = &k->iv->arena };
	int status = open_prompt(k, path);
	if (!status)
		status = choose_target(k, model);
	if (!status)
		status = bind(k, &report);
	if (!status && !run_read_rules(k))
		status = EXIT_USAGE;
	if (!status && args_has(k->iv->args, FLAG_PLAN_ONLY))
		status = plan_only(k, &report);
	else if (!status && !(status = map_saved(k)) && !(status = check_saved(k)) && !(status = run_open_session(k, model)))
		status = run_once(k, &report);
	cmd_print_notes(k->iv, &report, WIRE_WARNING);
	return status;
}

int cmd_run(Invocation *iv)
{
	const char *raw = args_value(iv->args, FLAG_RAW), *model;
	RunCommand k = { .iv = iv, .is_quiet = args_has(iv->args, FLAG_JSON), .shows_progress = isatty(STDERR_FILENO) };
	int status = run_check_flags(&k);
	if (!status)
		status = cmd_find_model(iv, &model);
	if (status)
		return status;
	compiler_init(&k.c);
	status = raw ? run_raw(&k, raw, model) : run_file(&k, iv->args->operand.v[0], model);
	run_stages_free(&k.stages);
	run_session_close(&k.session);
	pipeline_free(&k.made);
	file_unmap(k.mapped);
	file_unmap(k.loaded);
	buf_free(&k.saved);
	compiler_free(&k.c);
	return status;
}
