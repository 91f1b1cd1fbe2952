/* `seedc count`: flags to columns and files, and the run's result to text and an exit code. */
#include "compiler/cmd/cmd.h"
#include "compiler/count/count.h"
#include "compiler/diff/revision.h"
#include "compiler/front/front.h"
#include "compiler/lint/project.h"
#include "runtime/base/file.h"
#include "runtime/base/map.h"
#include "runtime/token/estimate.h"
#include "runtime/token/vocab_store.h"

#include <sys/stat.h>
#include <unistd.h>

typedef struct CountCommand {
	Invocation *iv;
	CountSettings set;
	CountRun run;
	TargetTable targets;
	TokenShelf shelf;
	Buf ids;
} CountCommand;

/* ---- columns ---------------------------------------------------------------------------------- */

/* Why texts are only estimated; empty where they are not. */
static Str why_estimated(CountCommand *k, Str tokenizer, double *margin)
{
	Arena *a = &k->iv->arena;
	const ShelfTable *t = shelf_find(&k->shelf, tokenizer);
	*margin = ESTIMATE_MARGIN;
	bool is_closed = tokenizer_is_closed(tokenizer) || (t->encoder && t->vocab.header->flags & VOCAB_ESTIMATE);
	if (t->encoder && !is_closed)
		return STR("");
	if (t->encoder) {
		*margin = t->vocab.header->margin;
		return str_fmt(a, "the tokenizer %.*s is not public, counted with an older one", STR_ARG(tokenizer));
	}
	if (is_closed)
		return str_fmt(a, "the tokenizer %.*s is not public, and the margin is that of public ones", STR_ARG(tokenizer));
	if (t->why.n)
		return str_fmt(a, "the vocabulary %.*s cannot be used: %.*s", STR_ARG(tokenizer), STR_ARG(t->why));
	if (!tokenizer.n)
		return STR("the target names no tokenizer");
	return str_fmt(a, "no vocabulary %.*s is at hand: seedc vocab add %.*s FILE", STR_ARG(tokenizer), STR_ARG(tokenizer));
}

static void add_column(CountCommand *k, Str name, const Target *t, Str tokenizer)
{
	CountColumn c = { .name = name, .target = t, .tokenizer = tokenizer };
	c.why = why_estimated(k, tokenizer, &c.margin);
	vec_push(&k->iv->arena, &k->set.column, c);
}

static bool add_target(CountCommand *k, Str name)
{
	const Target *t = target_find(&k->targets, name);
	if (t) {
		add_column(k, name, t, t->tokenizer);
		return true;
	}
	Str near = target_suggest(&k->targets, name);
	cmd_usage_error(k->iv, "there is no target `%.*s`%s%.*s%s", STR_ARG(name), near.n ? "; did you mean `" : "", STR_ARG(near), near.n ? "`?" : "");
	return false;
}

static bool has_name(const Str *v, uint32_t n, Str name)
{
	for (uint32_t i = 0; i < n; i++)
		if (str_eq(v[i], name))
			return true;
	return false;
}

static void put_names(Buf *out, const char *what, const Str *v, uint32_t n)
{
	buf_putz(out, n ? what : "");
	for (uint32_t i = 0; i < n; i++)
		buf_printf(out, " %.*s%s", STR_ARG(v[i]), i + 1 < n ? "," : ".");
}

/* What a name may have meant: one near it, or one that it starts. NULL: none. */
static const Str *guess(Str name, const Str *v, uint32_t n)
{
	const Str *near = str_nearest(name, v, n);
	for (uint32_t i = 0; !near && i < n; i++)
		near = str_starts(v[i], name) ? &v[i] : NULL;
	return near;
}

/* Says the names that do stand for something: tables at hand, then what else targets ask for. */
static bool refuse_tokenizer(CountCommand *k, Str name, const TargetNames *used)
{
	Arena *a = &k->iv->arena;
	Str folder = vocab_store_folder(a);
	VocabNames hand = { 0 };
	TargetNames all = { 0 };
	Buf said = { 0 };
	if (folder.n)
		vocab_store_list(a, folder, &hand);
	for (uint32_t i = 0; i < hand.n; i++)
		vec_push(a, &all, hand.v[i]);
	for (uint32_t i = 0; i < used->n; i++)
		if (!has_name(hand.v, hand.n, used->v[i]))
			vec_push(a, &all, used->v[i]);
	const Str *near = guess(name, all.v, all.n);
	Str target = near ? *near : target_suggest(&k->targets, name);
	if (target.n)
		buf_printf(&said, "; did you mean `%.*s`?", STR_ARG(target));
	else
		buf_byte(&said, '.');
	put_names(&said, " At hand:", all.v, hand.n);
	put_names(&said, " Known to targets:", all.v + hand.n, all.n - hand.n);
	cmd_usage_error(k->iv, "no tokenizer or target is called `%.*s`%.*s To add one: seedc vocab add NAME FILE", STR_ARG(name),
	                STR_ARG(buf_str(&said)));
	buf_free(&said);
	return false;
}

/* A vocabulary at hand or one that a target names, else that of the target so called: gpt-4o is o200k_base. */
static bool add_tokenizer(CountCommand *k, Str name)
{
	const ShelfTable *table = shelf_find(&k->shelf, name);
	TargetNames used = { 0 };
	targets_tokenizers(&k->targets, &used);
	if (table->encoder || table->why.n || has_name(used.v, used.n, name)) {
		add_column(k, name, NULL, name);
		return true;
	}
	const Target *t = target_find(&k->targets, name);
	if (!t || !t->tokenizer.n)
		return refuse_tokenizer(k, name, &used);
	add_column(k, name, NULL, t->tokenizer);
	return true;
}

/* The target that a prompt of the file is for; NULL where it says none. */
static const Target *target_of_file(CountCommand *k, const char *path)
{
	Compiler c;
	Compiled made = { 0 };
	const Target *t = NULL;
	Str why;
	compiler_init(&c);
	c.as = k->set.as;
	c.vars = k->set.vars;
	pass_run_init(&made.run, &c);
	Source *src = pipeline_read(&c, path, &why);
	FrontEnd front = src ? pipeline_front(&c, src) : FRONT_TEXT;
	if (src && front != FRONT_MARKDOWN && front != FRONT_TEXT)
		pipeline_compile(&c, src, &made);
	if (made.bytes.n && made.bin.n_prompt) {
		WireReport silent = { .arena = &k->iv->arena };
		t = wire_choose_target(&k->targets, FORM_JSON, &made.bin, made.bin.prompt, STR(""), &silent);
	}
	pipeline_free(&made);
	compiler_free(&c);
	return t && str_is(t->name, "generic") ? NULL : t;
}

/* Without --target and --tokenizer: the target of the first file named that has one, else gpt-4o. */
static void add_default_column(CountCommand *k)
{
	const Target *t = NULL;
	for (uint32_t i = 0; !t && i < k->run.files.file.n; i++)
		if (k->run.files.file.v[i].is_named && !str_is(k->run.files.file.v[i].path, "-"))
			t = target_of_file(k, k->run.files.file.v[i].path.p);
	if (!t)
		t = target_find_default(&k->targets, WIRE_OPENAI);
	add_column(k, t->name, t, t->tokenizer);
}

static bool add_columns(CountCommand *k)
{
	const Args *args = k->iv->args;
	TargetError err;
	targets_init(&k->targets, &k->iv->arena);
	Str root = project_find(&k->iv->arena, args->operand.v[0]).root;
	if (root.n && !targets_add_folder(&k->targets, root, &err)) {
		cmd_usage_error(k->iv, "a target file is refused: %.*s, byte %u: %.*s", STR_ARG(err.file), err.offset, STR_ARG(err.message));
		return false;
	}
	for (uint32_t i = 0; i < args->use.n; i++) {
		Str value = str_from(args->use.v[i].value);
		if (args->use.v[i].id == FLAG_TARGET && !add_target(k, value))
			return false;
		if (args->use.v[i].id == FLAG_TOKENIZER && !add_tokenizer(k, value))
			return false;
	}
	if (!k->set.column.n)
		add_default_column(k);
	return true;
}

/* ---- files ------------------------------------------------------------------------------------ */

static bool any_name(Str path)
{
	(void)path;
	return true;
}

/* The paths below a folder that git ignores, as the walk writes them. */
static bool ignored_below(CountCommand *k, const char *folder, Map *ignored)
{
	Arena *a = &k->iv->arena;
	Str list, why;
	if (!revision_ignored(a, folder, &list, &why)) {
		cmd_io_error(k->iv, folder, why);
		return false;
	}
	Str prefix = !strcmp(folder, ".") ? STR("") : str_fmt(a, "%s%s", folder, folder[strlen(folder) - 1] == '/' ? "" : "/");
	for (size_t at = 0, end; at < list.n; at = end + 1) {
		end = str_find(list, (Str){ "", 1 }, at);
		map_set(a, ignored, str_fmt(a, "%.*s%.*s", STR_ARG(prefix), STR_ARG(str_sub(list, at, end))), ignored);
	}
	return true;
}

static bool is_folder(const char *path)
{
	struct stat st;
	return strcmp(path, "-") && !stat(path, &st) && S_ISDIR(st.st_mode);
}

static bool leave_ignored(CountCommand *k)
{
	const Args *args = k->iv->args;
	Map ignored = { 0 };
	for (uint32_t i = 0; i < args->operand.n; i++)
		if (is_folder(args->operand.v[i]) && !ignored_below(k, args->operand.v[i], &ignored))
			return false;
	uint32_t n = 0;
	for (uint32_t i = 0; i < k->run.files.file.n; i++) {
		const WalkedFile *f = &k->run.files.file.v[i];
		if (f->is_named || !map_get(&ignored, f->path))
			k->run.files.file.v[n++] = *f;
	}
	k->run.files.file.n = n;
	return true;
}

/* ---- flags and results ------------------------------------------------------------------------ */

static CountBy count_by(const char *by)
{
	return !by || !strcmp(by, "file") ? COUNT_BY_FILE : !strcmp(by, "section") ? COUNT_BY_SECTION : COUNT_BY_SEGMENT;
}

/* Values are bound anew for every file and column: standard input is read once, and stands for itself. */
static int read_stdin_value(CountCommand *k, Str *set)
{
	Arena *a = &k->iv->arena;
	Str text, why;
	for (uint32_t i = 0; i < k->set.n_set; i++) {
		Str name = str_sub(set[i], 0, str_find(set[i], STR("="), 0));
		if (!str_is(str_sub(set[i], name.n, set[i].n), "=@-"))
			continue;
		if (!file_read_fd(a, STDIN_FILENO, &text, &why))
			return cmd_io_error(k->iv, "standard input", why);
		set[i] = str_fmt(a, "%.*s=%s%.*s", STR_ARG(name), text.n && text.p[0] == '@' ? "@" : "", STR_ARG(text));
	}
	return EXIT_DONE;
}

static int read_flags(CountCommand *k)
{
	const Args *args = k->iv->args;
	const char *as = args_value(args, FLAG_AS), *vars = args_value(args, FLAG_VARS);
	k->set.by = count_by(args_value(args, FLAG_BY));
	k->set.as = as ? front_from_name(str_from(as)) : FRONT_AUTO;
	k->set.vars = vars ? front_vars_from_name(str_from(vars)) : VARS_NONE;
	Str *set = cmd_flag_values(k->iv, FLAG_SET, &k->set.n_set);
	k->set.set = set;
	k->set.n_thread = cmd_threads(k->iv);
	k->set.colour = k->iv->colour_err;
	k->set.shows_progress = isatty(STDERR_FILENO);
	k->set.ids = args_has(args, FLAG_IDS) ? &k->ids : NULL;
	return k->set.n_thread ? read_stdin_value(k, set) : EXIT_USAGE;
}

/* --ids is for one file and one tokenizer that is at hand. 0: they are. */
static int refuse_ids(CountCommand *k)
{
	if (k->run.files.file.n != 1 || k->set.column.n != 1)
		return cmd_usage_error(k->iv, "`--ids` takes one file and one target or tokenizer");
	if (args_has(k->iv->args, FLAG_JSON) || k->set.by != COUNT_BY_FILE)
		return cmd_usage_error(k->iv, "`--ids` prints ids only: leave --json and --by out");
	Str why = k->set.column.v[0].why;
	return why.n ? cmd_io_error(k->iv, str_z(&k->iv->arena, k->set.column.v[0].name), str_fmt(&k->iv->arena, "has no ids: %.*s", STR_ARG(why))) : 0;
}

static int print_ids(CountCommand *k)
{
	const CountedFile *f = &k->run.result[0];
	const char *path = k->run.files.file.v[0].path.p;
	if (f->kind == COUNT_BINARY)
		return cmd_io_error(k->iv, path, STR("is binary, and not counted"));
	if (k->run.has_ids_fault || f->total[0].is_frame_guessed)
		return cmd_io_error(k->iv, path, STR("has no ids for this target: its framing or its special tokens are not known; "
			"--tokenizer gives those of the bare text"));
	buf_put(&k->iv->out, buf_str(&k->ids));
	return EXIT_DONE;
}

/* What files have to say, in their order; the worst decides. */
static int say_all(CountCommand *k)
{
	int status = EXIT_DONE;
	for (uint32_t i = 0; i < k->run.files.file.n; i++) {
		const CountedFile *f = &k->run.result[i];
		buf_put(&k->iv->err, buf_str(&f->said));
		if (f->kind == COUNT_UNREAD)
			status = cmd_io_error(k->iv, k->run.files.file.v[i].path.p, f->why);
		else if (f->kind == COUNT_FAILED && !status)
			status = EXIT_FAILED;
	}
	return status;
}

static int count_all(CountCommand *k)
{
	const Args *args = k->iv->args;
	Arena *a = &k->iv->arena;
	int status = EXIT_DONE;
	walk_files(a, args->operand.v, args->operand.n, any_name, &k->run.files);
	if (args_has(args, FLAG_GITIGNORE) && !leave_ignored(k))
		return EXIT_IO;
	if (!add_columns(k))
		return EXIT_USAGE;
	if (k->set.ids && (status = refuse_ids(k)))
		return status;
	k->run.set = &k->set;
	count_run(&k->run);
	status = say_all(k);
	if (k->set.ids)
		return status ? status : print_ids(k);
	if (args_has(args, FLAG_JSON))
		count_print_json(&k->iv->out, &k->run);
	else
		count_print_table(&k->iv->out, &k->run);
	return status;
}

int cmd_count(Invocation *iv)
{
	CountCommand k = { .iv = iv };
	if (!iv->args->operand.n)
		return cmd_usage_error(iv, "`count` needs a file or a folder; `seedc count .` counts all");
	int status = read_flags(&k);
	if (!status)
		status = count_all(&k);
	count_free(&k.run);
	shelf_free(&k.shelf);
	buf_free(&k.ids);
	return status;
}
