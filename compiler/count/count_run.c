/* Count: see count.h. Files to results, many at the same time. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "compiler/count/worker.h"
#include "compiler/front/front.h"
#include "compiler/lint/project.h"
#include "runtime/base/clock.h"
#include "runtime/base/file.h"

enum { THREADS_MAX = 64, PROGRESS_STEP_MS = 200 };

typedef struct CountWork {
	CountRun *run;
	atomic_uint next, n_done;
} CountWork;

/* ---- one file --------------------------------------------------------------------------------- */

static void put_findings(CountWorker *w, CountedFile *f, Compiler *c)
{
	Findings found = { 0 };
	diag_finish(&c->diags);
	findings_add(&w->scratch, &found, &c->diags);
	findings_finish(&found);
	render_findings(&f->said, &found, RENDER_FULL, w->run->set->colour);
}

static void count_compiled(CountWorker *w, CountedFile *f, Compiler *c, Source *src, Str path)
{
	Compiled made = { 0 };
	pass_run_init(&made.run, c);
	pipeline_compile(c, src, &made);
	if (c->diags.n_error || !made.bytes.n) {
		f->kind = COUNT_FAILED;
		put_findings(w, f, c);
		if (made.fault)
			buf_printf(&f->said, "seedc: %.*s: a fault in the compiler: %s\n", STR_ARG(path), made.fault);
	} else if (!made.bin.n_prompt) {
		count_text_file(w, f, path, src->text);
	} else {
		f->kind = COUNT_REQUEST;
		count_prompts(w, f, path, &made.bin, src->text);
	}
	pipeline_free(&made);
}

static bool has_target(const CountSettings *set)
{
	for (uint32_t i = 0; i < set->column.n; i++)
		if (set->column.v[i].target)
			return true;
	return false;
}

static void count_bytes(CountWorker *w, CountedFile *f, const WalkedFile *file, Str raw)
{
	const CountSettings *set = w->run->set;
	bool is_stdin = str_is(file->path, "-");
	FrontEnd front = set->as;
	if (front == FRONT_AUTO)
		front = is_stdin ? FRONT_TEXT : front_detect(file->path, raw, NULL);
	if (front == FRONT_MARKDOWN || front == FRONT_TEXT || !has_target(set)) {
		count_text_file(w, f, file->path, raw);
		return;
	}
	Compiler c;
	compiler_init(&c);
	c.as = front;
	c.vars = set->vars;
	c.shelf = &w->shelf;
	c.root = project_find(&c.arena, file->path.p).root;
	Source *src = source_add(&c.sources, &c.diags, is_stdin ? STR("<stdin>") : file->path, raw);
	if (src)
		count_compiled(w, f, &c, src, file->path);
	compiler_free(&c);
}

static void count_file(CountWorker *w, uint32_t at)
{
	const WalkedFile *file = &w->run->files.file.v[at];
	CountedFile *f = &w->run->result[at];
	Str raw = { 0 }, why = file->why;
	f->total = arena_array(&w->keep, Tally, w->run->set->column.n);
	bool is_read = !why.n && (str_is(file->path, "-") ? file_read_fd(&w->scratch, STDIN_FILENO, &raw, &why) :
	                                                    file_read(&w->scratch, file->path.p, &raw, &why));
	f->n_bytes = raw.n;
	f->why = str_dup(&w->keep, why);
	if (!is_read)
		f->kind = COUNT_UNREAD;
	else if (raw.n && memchr(raw.p, 0, raw.n))
		f->kind = COUNT_BINARY;
	else
		count_bytes(w, f, file, raw);
	arena_reset(&w->scratch);
}

/* ---- all files -------------------------------------------------------------------------------- */

static int64_t now_ms(void)
{
	return (int64_t)(clock_now_ns() / 1000000);
}

static void show_progress(const CountWork *w, int64_t *next_ms)
{
	if (now_ms() < *next_ms)
		return;
	*next_ms = now_ms() + PROGRESS_STEP_MS;
	fprintf(stderr, "\r%u of %u files", atomic_load(&w->n_done), w->run->files.file.n);
	fflush(stderr);
}

/* The first worker is the thread that was called: it alone shows how far all are. */
static void *count_work(void *p)
{
	CountWorker *worker = p;
	CountWork *w = worker->work;
	bool shows = w->run->set->shows_progress && worker == &w->run->worker[0];
	int64_t first_ms = shows ? now_ms() + 2 * PROGRESS_STEP_MS : 0, next_ms = first_ms;
	for (;;) {
		uint32_t at = atomic_fetch_add(&w->next, 1);
		if (at >= w->run->files.file.n)
			break;
		count_file(worker, at);
		atomic_fetch_add(&w->n_done, 1);
		if (shows)
			show_progress(w, &next_ms);
	}
	if (next_ms != first_ms)
		fputs("\r\033[K", stderr);
	return NULL;
}

void count_run(CountRun *run)
{
	CountWork w = { .run = run };
	uint32_t n_file = run->files.file.n, n = run->set->n_thread < n_file ? run->set->n_thread : n_file, n_started = 1;
	pthread_t thread[THREADS_MAX];
	run->result = arena_array(&run->arena, CountedFile, n_file);
	run->n_worker = n > THREADS_MAX ? THREADS_MAX : n > 1 ? n : 1;
	run->worker = arena_array(&run->arena, CountWorker, run->n_worker);
	for (uint32_t i = 0; i < run->n_worker; i++)
		run->worker[i] = (CountWorker){ .run = run, .work = &w };
	while (n_started < run->n_worker && !pthread_create(&thread[n_started], NULL, count_work, &run->worker[n_started]))
		n_started++;
	count_work(&run->worker[0]);
	for (uint32_t i = 1; i < n_started; i++)
		pthread_join(thread[i], NULL);
}

void count_free(CountRun *run)
{
	for (uint32_t i = 0; i < run->n_worker; i++) {
		CountWorker *w = &run->worker[i];
		shelf_free(&w->shelf);
		arena_free(&w->keep);
		arena_free(&w->scratch);
		free(w->ids);
	}
	for (uint32_t i = 0; run->result && i < run->files.file.n; i++)
		buf_free(&run->result[i].said);
	arena_free(&run->arena);
}
