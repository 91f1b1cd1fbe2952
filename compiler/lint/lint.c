/* The lint driver: see lint.h. */
#include "compiler/lint/lint.h"

#include "compiler/front/front.h"
#include "compiler/lint/fix.h"
#include "compiler/lint/project.h"
#include "compiler/lint/suppress.h"
#include "runtime/base/file.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

enum { FIX_ROUNDS_MAX = 20, THREADS_MAX = 64 };

/* ---- before: files and settings --------------------------------------------------------------- */

/* Our own settings are no file of another tool. */
static bool lint_wants(Str path)
{
	FrontDetect why;
	if (str_is(path, "seedc.yaml") || str_ends(path, STR("/seedc.yaml")))
		return false;
	front_detect(path, STR(""), &why);
	return why != DETECT_OTHER;
}

/* Each config file is read once, however many files it speaks for. */
static LintConfig *lint_config_for(LintRun *run, Str path)
{
	for (uint32_t i = 0; i < run->config.n; i++)
		if (str_eq(run->config_unit.v[i]->sources.file.v[0]->name, path))
			return run->config.v[i];
	Compiler *c = mem_must_alloc(sizeof *c);
	compiler_init(c);
	LintConfig *cfg = lint_config_read(c, path);
	vec_push(&run->arena, &run->config, cfg);
	vec_push(&run->arena, &run->config_unit, c);
	run->config_is_bad |= cfg->is_bad;
	if (run->fail_on == LEVEL_UNSET)
		run->fail_on = cfg->fail_on;
	return cfg;
}

static Str lint_folder(Str path)
{
	while (path.n && path.p[path.n - 1] != '/')
		path.n--;
	return path;
}

static void lint_settle(LintRun *run, WalkedFiles *all)
{
	uint32_t n = all->file.n;
	Project p = { 0 };
	run->file_config = arena_array(&run->arena, LintConfig *, n);
	run->file_root = arena_array(&run->arena, Str, n);
	run->result = arena_array(&run->arena, LintResult, n);
	for (uint32_t i = 0; i < n; i++) {
		WalkedFile *f = &all->file.v[i];
		/* Files of one folder follow each other. */
		if (!i || !str_eq(lint_folder(f->path), lint_folder(f[-1].path)))
			p = project_find(&run->arena, f->path.p);
		Str config = run->set->config ? str_from(run->set->config) : p.config;
		LintConfig *cfg = config.n ? lint_config_for(run, config) : NULL;
		if (cfg && !f->is_named && lint_config_excludes(cfg, f->real))
			continue;
		uint32_t k = run->files.file.n;
		run->file_config[k] = cfg;
		run->file_root[k] = p.root;
		vec_push(&run->arena, &run->files.file, *f);
	}
}

bool lint_prepare(LintRun *run, const LintSettings *set, const char *const *path, uint32_t n)
{
	WalkedFiles all = { 0 };
	*run = (LintRun){ .set = set, .fail_on = LEVEL_UNSET };
	walk_files(&run->arena, path, n, lint_wants, &all);
	lint_settle(run, &all);
	return !run->config_is_bad;
}

/* ---- one file --------------------------------------------------------------------------------- */

typedef struct LintFile {
	LintRun *run;
	LintWorker *worker;
	uint32_t at;
	const WalkedFile *file;
	LintLevels levels;
} LintFile;

/* The command line over the config over the rule's own; LEVEL_UNSET keeps what the rule decided. */
static void lint_levels(LintFile *f)
{
	const LintSettings *set = f->run->set;
	const LintConfig *cfg = f->run->file_config[f->at];
	if (cfg)
		lint_config_levels(cfg, f->file->real, &f->levels);
	else
		lint_levels_init(&f->levels);
	for (int id = 0; id < DIAG_COUNT; id++) {
		int8_t given = set->levels.of[id];
		if (given == SEV_OFF || (set->is_selected && given == LEVEL_UNSET))
			f->levels.of[id] = SEV_OFF;
		else if (given != LEVEL_UNSET && f->levels.of[id] == SEV_OFF)
			f->levels.of[id] = LEVEL_UNSET;
		if (lint_rule_is_fixed(id))
			f->levels.of[id] = LEVEL_UNSET;
	}
}

static void lint_apply_levels(Compiler *c, const LintFile *f)
{
	for (uint32_t i = 0; i < c->diags.list.n; i++) {
		Diag *g = c->diags.list.v[i];
		int level = f->levels.of[g->id];
		if (level != LEVEL_UNSET)
			diag_set_severity(&c->diags, g, (Severity)level);
		if (f->run->set->deny_warnings && g->severity == SEV_WARNING)
			diag_set_severity(&c->diags, g, SEV_ERROR);
	}
}

/* Target data of the file's root: what the thread's last file used, where the root is the same. */
static ProjectTargets *lint_targets(const LintFile *f)
{
	LintWorker *w = f->worker;
	Str root = f->run->file_root[f->at];
	if (!root.n)
		return NULL;
	if (!str_eq(root, w->root))
		w->targets = (ProjectTargets){ .arena = &w->arena };
	w->root = root;
	return &w->targets;
}

/* One look at bytes. False: a file of another tool. */
static bool lint_look(Compiler *c, const LintFile *f, Str raw)
{
	const LintSettings *set = f->run->set;
	bool is_stdin = str_is(f->file->path, "-");
	FrontDetect why = DETECT_EXTENSION;
	FrontEnd front = set->as;
	if (front == FRONT_AUTO)
		front = is_stdin ? FRONT_TEXT : front_detect(f->file->path, raw, &why);
	if (why == DETECT_NOT_OURS && !f->file->is_named)
		return false;
	c->root = f->run->file_root[f->at];
	c->targets = lint_targets(f);
	c->shelf = &f->worker->shelf;
	c->folder = &f->worker->folder;
	c->as = front;
	c->vars = set->vars;
	Source *src = source_add(&c->sources, &c->diags, is_stdin ? STR("<stdin>") : f->file->path, raw);
	if (!src)
		return true;
	const Unit *u = set->check(c, src, front);
	if (u)
		lint_suppress(c, u, src, &f->levels);
	lint_apply_levels(c, f);
	diag_finish(&c->diags);
	return true;
}

static Compiler *lint_new_unit(void)
{
	Compiler *c = mem_must_alloc(sizeof *c);
	compiler_init(c);
	return c;
}

static void lint_drop_unit(Compiler *c)
{
	if (c)
		compiler_free(c);
	free(c);
}

/* note [fix rounds]: fix, read again, check again, until nothing is left to fix. Bytes that were seen
 * before mean that two fixes undo each other; more errors than before mean that a fix broke the file:
 * both leave the file as it was. Returns the unit of the bytes that stay. */
static Compiler *lint_fix_rounds(const LintFile *f, Compiler *c, Str raw, Arena *a, Str *fixed, LintResult *res)
{
	VEC(Str) seen = { 0 };
	Compiler *first = c;
	Str at = raw;
	uint32_t errors = c->diags.n_error;
	for (int round = 0;; round++) {
		uint32_t n;
		vec_push(a, &seen, at);
		Str next = lint_fix_apply(a, c, c->sources.file.v[0], at, f->run->set->fix, &n);
		if (!n)
			break;
		bool loops = round == FIX_ROUNDS_MAX;
		for (uint32_t i = 0; i < seen.n; i++)
			loops |= str_eq(seen.v[i], next);
		Compiler *again = lint_new_unit();
		lint_look(again, f, next);
		if (c != first)
			lint_drop_unit(c);
		c = again;
		at = next;
		res->n_fixed += n;
		if (!loops && c->diags.n_error <= errors)
			continue;
		lint_drop_unit(c);
		res->n_fixed = 0;
		res->is_looping = true;
		return first;
	}
	if (c != first)
		lint_drop_unit(first);
	res->is_changed = !str_eq(at, raw);
	*fixed = at;
	return c;
}

static Compiler *lint_fix_file(const LintFile *f, Compiler *c, Str raw, LintResult *res)
{
	Arena a = { 0 };
	Str fixed = raw;
	/* The rounds outlive the unit that read the bytes. */
	raw = str_dup(&a, raw);
	c = lint_fix_rounds(f, c, raw, &a, &fixed, res);
	/* Its sources borrow from bytes that go now. */
	Compiler *fresh = c;
	if (res->is_changed) {
		fresh = lint_new_unit();
		res->fixed = str_dup(&fresh->arena, fixed);
		lint_look(fresh, f, res->fixed);
		lint_drop_unit(c);
	}
	arena_free(&a);
	return fresh;
}

static void lint_file(LintRun *run, LintWorker *worker, uint32_t at)
{
	LintFile f = { .run = run, .worker = worker, .at = at, .file = &run->files.file.v[at] };
	LintResult *res = &run->result[at];
	Compiler *c = worker->spare ? worker->spare : lint_new_unit();
	worker->spare = NULL;
	bool is_stdin = str_is(f.file->path, "-");
	Str raw, why;
	lint_levels(&f);
	why = f.file->why;
	res->is_read = !why.n && (is_stdin ? file_read_fd(&c->arena, STDIN_FILENO, &raw, &why) :
	                                     file_read(&c->arena, f.file->path.p, &raw, &why));
	if (!res->is_read) {
		Source *src = source_add(&c->sources, &c->diags, f.file->path, STR(""));
		diag_add(&c->diags, SD001, (Span){ src->base, src->base }, "cannot be read: %.*s", STR_ARG(why));
	} else {
		res->is_skipped = !lint_look(c, &f, raw);
	}
	if (res->is_read && !res->is_skipped && run->set->fix != FIX_NONE && !is_stdin)
		c = lint_fix_file(&f, c, raw, res);
	if (!c->diags.list.n && !res->is_changed) {
		compiler_reset(c);
		worker->spare = c;
		c = NULL;
	}
	res->unit = c;
}

/* ---- all files -------------------------------------------------------------------------------- */

typedef struct LintWork {
	LintRun *run;
	atomic_uint next;
} LintWork;

static void *lint_work(void *p)
{
	LintWorker *worker = p;
	LintWork *w = worker->work;
	for (;;) {
		uint32_t at = atomic_fetch_add(&w->next, 1);
		if (at >= w->run->files.file.n)
			return NULL;
		lint_file(w->run, worker, at);
	}
}

/* By the one thread that is left: an interrupt can then be held back while a file is replaced. */
static void lint_write_fixed(LintRun *run)
{
	for (uint32_t i = 0; i < run->files.file.n; i++) {
		LintResult *res = &run->result[i];
		Str why;
		if (res->is_changed && !file_write(&run->arena, run->files.file.v[i].path.p, res->fixed, &why))
			res->write_error = why;
	}
}

void lint_run(LintRun *run)
{
	LintWork w = { .run = run };
	uint32_t n = run->files.file.n < run->set->n_thread ? run->files.file.n : run->set->n_thread, n_started = 1;
	pthread_t thread[THREADS_MAX];
	run->n_worker = n > THREADS_MAX ? THREADS_MAX : n > 1 ? n : 1;
	run->worker = arena_array(&run->arena, LintWorker, run->n_worker);
	for (uint32_t i = 0; i < run->n_worker; i++)
		run->worker[i].work = &w;
	/* This thread works too; one that cannot be started only makes it slower. */
	while (n_started < run->n_worker && !pthread_create(&thread[n_started], NULL, lint_work, &run->worker[n_started]))
		n_started++;
	lint_work(&run->worker[0]);
	for (uint32_t i = 1; i < n_started; i++)
		pthread_join(thread[i], NULL);
	lint_write_fixed(run);
}

void lint_free(LintRun *run)
{
	for (uint32_t i = 0; i < run->files.file.n; i++)
		lint_drop_unit(run->result[i].unit);
	for (uint32_t i = 0; i < run->config_unit.n; i++)
		lint_drop_unit(run->config_unit.v[i]);
	for (uint32_t i = 0; i < run->n_worker; i++) {
		lint_drop_unit(run->worker[i].spare);
		shelf_free(&run->worker[i].shelf);
		arena_free(&run->worker[i].arena);
	}
	arena_free(&run->arena);
}
