/*
 * `seedc run`: a prompt, compiled or as it is written, answered by a model on this machine. The answer
 * alone goes to standard output, as it comes; progress and what there is to say go to standard error.
 */
#include "compiler/cmd/model_use.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "compiler/cmd/pipeline.h"
#include "compiler/cmd/plan_profile.h"
#include "compiler/emit/emit.h"
#include "compiler/lint/project.h"
#include "runtime/base/file.h"
#include "runtime/run/run_plan.h"
#include "runtime/run/run_print.h"
#include "runtime/run/talk.h"

#define DECAY_DEFAULT 0.618

typedef struct RunCommand {
	Invocation *iv;
	Compiler c;
	Compiled made;
	Str mapped;              /* a .bin, which is read where it lies */
	Str loaded;              /* --load-kv's file */
	Buf saved;               /* for --save-kv */
	Bin bin;
	TargetTable targets;
	RunSession session;
	RunPrompt p;
	Values values;
	GenerateRules rules;
	RunStages stages;
	double decay;            /* of turns that leave a talk; 0: none does */
	bool is_quiet;           /* --json: nothing is streamed */
	bool shows_progress;     /* standard error is a terminal */
	bool has_progress;       /* a progress line stands on it */
	bool is_last;            /* of the stages: its text is the answer */
	bool has_write_error;
} RunCommand;

/* ---- flags ------------------------------------------------------------------------------------ */

static bool number_flag(RunCommand *k, FlagId id, double lo, double hi, double *out)
{
	const char *written = args_value(k->iv->args, id);
	char *end;
	if (!written)
		return true;
	double x = strtod(written, &end);
	if (end != written && !*end && x >= lo && x <= hi) {
		*out = x;
		return true;
	}
	cmd_usage_error(k->iv, "%s takes a number of %g to %g, not `%s`", cli_flags[id].long_name, lo, hi, written);
	return false;
}

static bool read_rules(RunCommand *k)
{
	SampleRules *r = &k->rules.sample;
	double temperature = r->temperature, top_k = r->top_k, top_p = r->top_p, min_p = r->min_p;
	double penalty = r->repetition_penalty, seed = (double)r->seed, max_tok = k->rules.max_tok;
	const char *decay = args_value(k->iv->args, FLAG_DECAY);
	k->decay = args_has(k->iv->args, FLAG_DECAY) ? DECAY_DEFAULT : 0;
	if (!number_flag(k, FLAG_TEMPERATURE, 0, 100, &temperature) || !number_flag(k, FLAG_TOP_K, 0, 1e6, &top_k) ||
	    !number_flag(k, FLAG_TOP_P, 0, 1, &top_p) || !number_flag(k, FLAG_MIN_P, 0, 1, &min_p) ||
	    !number_flag(k, FLAG_PENALTY, 0.01, 100, &penalty) || !number_flag(k, FLAG_SEED, 0, 9007199254740992.0, &seed) ||
	    !number_flag(k, FLAG_MAX_TOKENS, 1, 1e7, &max_tok) ||
	    (decay && *decay && !number_flag(k, FLAG_DECAY, 0.001, 1, &k->decay)))
		return false;
	*r = (SampleRules){ (float)temperature, (uint32_t)top_k, (float)top_p, (float)min_p, (float)penalty, (uint64_t)seed };
	if (args_has(k->iv->args, FLAG_GREEDY))
		r->temperature = 0;
	k->rules.wants_confidence = k->decay > 0;
	k->rules.max_tok = (uint32_t)max_tok;
	k->rules.ignore_end = args_has(k->iv->args, FLAG_IGNORE_EOS);
	return true;
}

static int open_session(RunCommand *k, const char *model)
{
	RunConfig config = { .model_path = model, .kv = cmd_kv_format(k->iv->args), .isa = getenv("SEEDC_ISA"),
	                     .is_oracle = args_has(k->iv->args, FLAG_ORACLE) };
	double n_thread = 0;
	Str why;
	if (!number_flag(k, FLAG_THREADS, 1, 256, &n_thread))
		return EXIT_USAGE;
	config.n_thread = (uint32_t)n_thread;
	config.saved[0] = k->bin.kv;
	config.saved[1] = k->loaded;
	if (!run_session_open(&k->iv->arena, &k->session, &config, &why))
		return cmd_io_error(k->iv, model, why);
	if (k->session.stale.n)
		buf_printf(&k->iv->err, "seedc: note: a saved cache is left out: %.*s\n", STR_ARG(k->session.stale));
	return EXIT_DONE;
}

static int map_saved(RunCommand *k)
{
	const char *path = args_value(k->iv->args, FLAG_LOAD_KV);
	Str why;
	return !path || file_map(&k->iv->arena, path, &k->loaded, &why) ? EXIT_DONE : cmd_io_error(k->iv, path, why);
}

static int write_saved(RunCommand *k)
{
	const char *path = args_value(k->iv->args, FLAG_SAVE_KV);
	Str why;
	return !path || file_write(&k->iv->arena, path, buf_str(&k->saved), &why) ? EXIT_DONE : cmd_io_error(k->iv, path, why);
}

/* ---- what is shown while it runs -------------------------------------------------------------- */

static void clear_progress(RunCommand *k)
{
	if (k->has_progress)
		fputs("\r\033[K", stderr);
	k->has_progress = false;
}

static void show_prefill(void *user, uint32_t n_done, uint32_t n_all)
{
	RunCommand *k = user;
	if (!k->shows_progress || n_all < 256)
		return;
	clear_progress(k);
	if (n_done < n_all) {
		fprintf(stderr, "reading the prompt: %u of %u tokens", n_done, n_all);
		k->has_progress = true;
	}
	fflush(stderr);
}

static bool show_text(void *user, Str text)
{
	RunCommand *k = user;
	clear_progress(k);
	if (k->is_quiet || !k->is_last)
		return true;
	k->has_write_error |= fwrite(text.p, 1, text.n, stdout) != text.n || fflush(stdout);
	return !k->has_write_error;
}

static void show_stage(void *user, Str name, bool is_last)
{
	RunCommand *k = user;
	k->is_last = is_last;
	if (!k->shows_progress || is_last)
		return;
	fprintf(stderr, "stage %.*s", STR_ARG(name));
	k->has_progress = true;
	fflush(stderr);
}

static void print_notes(Invocation *iv, const WireReport *report)
{
	for (uint32_t i = 0; i < report->note.n; i++) {
		const WireNote *n = &report->note.v[i];
		if (n->severity == WIRE_REMARK)
			continue;
		buf_lit(&iv->err, "seedc: ");
		render_put_shown(&iv->err, n->message);
		if (n->help.n) {
			buf_lit(&iv->err, "\n  = help: ");
			render_put_shown(&iv->err, n->help);
		}
		buf_byte(&iv->err, '\n');
	}
}

/* The answer's last line end, where the model gave none; what could not be written is an error. */
static int end_answer(RunCommand *k, Str text)
{
	if (!k->is_quiet && (!text.n || text.p[text.n - 1] != '\n'))
		k->has_write_error |= putchar('\n') == EOF || fflush(stdout);
	return k->has_write_error ? cmd_io_error(k->iv, "standard output", file_why(&k->iv->arena, errno)) : EXIT_DONE;
}

/* ---- a prompt --------------------------------------------------------------------------------- */

static bool is_bin(Str bytes)
{
	return bytes.n >= 8 && !memcmp(bytes.p, BIN_MAGIC, 8);
}

static int open_bin(RunCommand *k, const char *path)
{
	BinError err;
	if (bin_open(&k->bin, k->mapped.p, k->mapped.n, &err) == BIN_OK)
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
	if (strcmp(path, "-") && file_map(&k->iv->arena, path, &k->mapped, &why) && is_bin(k->mapped))
		return open_bin(k, path);
	return compile(k, path);
}

static int choose_target(RunCommand *k, const char *model, WireReport *report)
{
	const char *name = args_value(k->iv->args, FLAG_TARGET);
	TargetError err;
	targets_init(&k->targets, &k->iv->arena);
	if (k->c.root.n && !targets_add_folder(&k->targets, k->c.root, &err))
		return cmd_usage_error(k->iv, "a target file is refused: %.*s, byte %u: %.*s", STR_ARG(err.file), err.offset, STR_ARG(err.message));
	k->p.target = name ? wire_find_target(&k->targets, str_from(name), report) : run_target_of_file(&k->iv->arena, &k->targets, model);
	if (name && !k->p.target)
		return EXIT_USAGE;
	if (!k->p.target)
		return cmd_usage_error(k->iv, "which chat template `%s` was made for is not known: say --target=NAME, or --raw for plain text", model);
	if (!k->p.target->chat)
		return cmd_usage_error(k->iv, "the chat template of %.*s is not known", STR_ARG(k->p.target->name));
	return EXIT_DONE;
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

/* ---- turns ------------------------------------------------------------------------------------ */

static int run_turn(RunCommand *k, Str user, Talk *talk)
{
	GenerateSink sink = { k, show_text, show_prefill };
	Generated reply;
	Str why;
	uint32_t n_left = talk->n_left;
	bool ok = talk_turn(talk, &k->session, &k->p, user, &sink, &reply, &why);
	clear_progress(k);
	if (talk->n_left > n_left)
		fprintf(stderr, "seedc: note: %u of the turns have left the talk, the lightest first: the context holds no more\n", talk->n_left);
	if (!ok) {
		buf_printf(&k->iv->err, "seedc: %.*s\n", STR_ARG(why));
		return EXIT_FAILED;
	}
	int status = end_answer(k, buf_str(&reply.text));
	generated_free(&reply);
	return status;
}

/* Lines of standard input, each a turn, until it ends. */
static int run_turns(RunCommand *k)
{
	const RunStage *last = &k->stages.v[k->stages.n - 1];
	Talk talk = { .arena = &k->iv->arena, .decay = k->decay };
	char *line = NULL;
	size_t cap = 0;
	int status = EXIT_DONE;
	bool is_terminal = isatty(STDIN_FILENO) && isatty(STDERR_FILENO);
	for (uint32_t i = 0; i < last->n_id; i++)
		vec_push(&k->iv->arena, &talk.first, last->ids[i]);
	for (ssize_t n; !status;) {
		if (is_terminal)
			fputs("> ", stderr);
		if ((n = getline(&line, &cap, stdin)) < 0)
			break;
		Str said = str_trim((Str){ line, (size_t)n });
		if (said.n)
			status = run_turn(k, str_dup(&k->iv->arena, said), &talk);
	}
	free(line);
	return status;
}

static int run_once(RunCommand *k, WireReport *report)
{
	RunSink sink = { { k, show_text, show_prefill }, show_stage };
	k->p.rules = k->rules;
	k->p.save = args_has(k->iv->args, FLAG_SAVE_KV) ? &k->saved : NULL;
	k->p.schema = args_has(k->iv->args, FLAG_NO_SCHEMA) ? RUN_SCHEMA_LOOSE : RUN_SCHEMA_HELD;
	if (!run_prompt(&k->session, &k->p, &sink, &k->stages, report)) {
		clear_progress(k);
		return EXIT_FAILED;
	}
	const RunStage *last = &k->stages.v[k->stages.n - 1];
	int status = end_answer(k, buf_str(&last->reply.text));
	if (!status)
		status = write_saved(k);
	if (k->is_quiet)
		run_print_json(&k->iv->out, &k->session, &k->stages);
	if (args_has(k->iv->args, FLAG_STATS))
		run_print_stats(&k->iv->err, &k->session, &k->stages);
	if (!status && last->has_schema && !last->is_valid) {
		buf_lit(&k->iv->err, "seedc: the reply is not of the schema that the prompt declares\n");
		status = EXIT_FAILED;
	}
	return !status && args_has(k->iv->args, FLAG_INTERACTIVE) ? run_turns(k) : status;
}

/* ---- plans ------------------------------------------------------------------------------------ */

static int plan_with(RunCommand *k, const ModelUse *use, WireReport *report)
{
	PlanProfile profile;
	Plan plan;
	KvFormat kv = cmd_kv_format(k->iv->args);
	double n_thread = 0;
	if (!number_flag(k, FLAG_THREADS, 1, 256, &n_thread))
		return EXIT_USAGE;
	int status = plan_profile_open(k->iv, use, kv, (uint32_t)n_thread, &profile);
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
		status = choose_target(k, model, &report);
	if (!status)
		status = bind(k, &report);
	if (!status && !read_rules(k))
		status = EXIT_USAGE;
	if (!status && args_has(k->iv->args, FLAG_PLAN_ONLY))
		status = plan_only(k, &report);
	else if (!status && !(status = map_saved(k)) && !(status = open_session(k, model)))
		status = run_once(k, &report);
	print_notes(k->iv, &report);
	return status;
}

/* ---- plain text ------------------------------------------------------------------------------- */

static int continue_text(RunCommand *k, Str text)
{
	Arena *a = &k->iv->arena;
	RunSink sink = { { k, show_text, show_prefill }, show_stage };
	uint32_t *ids = arena_array(a, uint32_t, token_bound(&k->session.vocab, text.n) + 1), n = 0;
	const VocabHeader *h = k->session.vocab.header;
	Str why;
	RunStage *stage = vec_add(a, &k->stages);
	if (h->flags & VOCAB_ADD_BOS && h->bos != TOKEN_NONE)
		ids[n++] = h->bos;
	stage->counts.n_made = (uint32_t)token_encode(k->session.encoder, text, ids + n);
	n += stage->counts.n_made;
	KvSequence *seq = kv_sequence_new(k->session.pool, 0);
	k->is_last = true;
	bool ok = generate(k->session.generator, seq, ids, n, &k->rules, &sink.generate, &stage->reply, &why);
	clear_progress(k);
	kv_sequence_free(seq);
	if (!ok) {
		buf_printf(&k->iv->err, "seedc: %.*s\n", STR_ARG(why));
		return EXIT_FAILED;
	}
	int status = end_answer(k, buf_str(&stage->reply.text));
	if (k->is_quiet)
		run_print_json(&k->iv->out, &k->session, &k->stages);
	if (args_has(k->iv->args, FLAG_STATS))
		run_print_stats(&k->iv->err, &k->session, &k->stages);
	return status;
}

static int run_raw(RunCommand *k, const char *path, const char *model)
{
	Str text, why;
	bool ok = strcmp(path, "-") ? file_read(&k->iv->arena, path, &text, &why) : file_read_fd(&k->iv->arena, STDIN_FILENO, &text, &why);
	if (!ok)
		return cmd_io_error(k->iv, path, why);
	k->rules = (GenerateRules){ .sample = SAMPLE_GREEDY };
	if (!read_rules(k))
		return EXIT_USAGE;
	int status = open_session(k, model);
	return status ? status : continue_text(k, text);
}

int cmd_run(Invocation *iv)
{
	const Args *args = iv->args;
	const char *raw = args_value(args, FLAG_RAW), *model, *kv = args_value(args, FLAG_KV);
	RunCommand k = { .iv = iv, .is_quiet = args_has(args, FLAG_JSON), .shows_progress = isatty(STDERR_FILENO) };
	if (args->operand.n != (raw ? 0 : 1))
		return cmd_usage_error(iv, raw ? "`run --raw FILE` takes no other file" : args->operand.n ? "`run` takes one file" : "`run` needs a file");
	if (kv && !strcmp(kv, "seed4"))
		return cmd_usage_error(iv, "--kv=seed4 is for `score` and `bench`: what it stores depends on when a prompt ends");
	if (kv && args_has(args, FLAG_ORACLE))
		return cmd_usage_error(iv, "`--oracle` keeps keys and values in f32: leave --kv out");
	int status = cmd_find_model(iv, &model);
	if (status)
		return status;
	compiler_init(&k.c);
	status = raw ? run_raw(&k, raw, model) : run_file(&k, args->operand.v[0], model);
	run_stages_free(&k.stages);
	run_session_close(&k.session);
	pipeline_free(&k.made);
	file_unmap(k.mapped);
	file_unmap(k.loaded);
	buf_free(&k.saved);
	compiler_free(&k.c);
	return status;
}
