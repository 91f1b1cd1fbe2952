/* What `seedc run` shows: the answer on standard output, as it comes; progress on a terminal's standard error. */
#include "compiler/cmd/run_command.h"

#include <errno.h>
#include <stdio.h>

#include "runtime/base/file.h"
#include "runtime/run/run_print.h"

void run_clear_progress(RunCommand *k)
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
	run_clear_progress(k);
	if (n_done < n_all) {
		fprintf(stderr, "reading the prompt: %u of %u tokens", n_done, n_all);
		k->has_progress = true;
	}
	fflush(stderr);
}

static bool show_text(void *user, Str text)
{
	RunCommand *k = user;
	run_clear_progress(k);
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

RunSink run_sink(RunCommand *k)
{
	return (RunSink){ { k, show_text, show_prefill }, show_stage };
}

static void put_answer(RunCommand *k, const RunStage *last)
{
	Str text = buf_str(&last->reply.text);
	if (last->is_given && text.n)
		show_text(k, text);
	if (!k->is_quiet && (!text.n || text.p[text.n - 1] != '\n'))
		k->has_write_error |= putchar('\n') == EOF || fflush(stdout);
}

/* A line of JSON is there when its answer is. */
static void put_json(RunCommand *k, const RunStages *stages)
{
	Buf line = { 0 };
	run_print_json(&line, &k->session, stages);
	k->has_write_error |= fwrite(line.p, 1, line.n, stdout) != line.n || fflush(stdout);
	buf_free(&line);
}

/* At once: a talk goes on behind it. */
static void put_remarks(RunCommand *k, const RunStages *stages, bool is_as_declared)
{
	Buf err = { 0 };
	if (args_has(k->iv->args, FLAG_STATS))
		run_print_stats(&err, &k->session, stages);
	if (!is_as_declared)
		buf_lit(&err, "seedc: the reply is not of the schema that the prompt declares\n");
	if (err.n)
		fwrite(err.p, 1, err.n, stderr);
	buf_free(&err);
}

int run_show_answer(RunCommand *k, const RunStages *stages)
{
	const RunStage *last = &stages->v[stages->n - 1];
	k->is_last = true;
	put_answer(k, last);
	if (k->is_quiet)
		put_json(k, stages);
	if (k->has_write_error)
		return cmd_io_error(k->iv, "standard output", file_why(&k->iv->arena, errno));
	bool is_as_declared = !last->has_schema || last->is_valid;
	put_remarks(k, stages, is_as_declared);
	return is_as_declared ? EXIT_DONE : EXIT_FAILED;
}
