/* The parser of the command line: see cli.h. */
#include "compiler/cmd/cli.h"

#include <unistd.h>

const CommandInfo cli_commands[CMD_COUNT_] = {
#define COMMAND(id, name, state, function, usage, what, text, examples, fails) \
	[CMD_##id] = { name, COMMAND_##state, usage, what, text, examples, fails },
#define FLAG(id, short_name, long_name, argument, values, commands, help)
#include "compiler/cmd/cli.def"
#undef COMMAND
#undef FLAG
};

enum CommandBit {
#define COMMAND(id, name, state, function, usage, what, text, examples, fails) id = 1 << CMD_##id,
#define FLAG(id, short_name, long_name, argument, values, commands, help)
#include "compiler/cmd/cli.def"
#undef COMMAND
#undef FLAG
	ALL = -1
};

const FlagInfo cli_flags[FLAG_COUNT_] = {
#define COMMAND(id, name, state, function, usage, what, text, examples, fails)
#define FLAG(id, short_name, long_name, argument, values, commands, help) \
	[FLAG_##id] = { short_name, long_name, argument, values, (uint32_t)(commands), help },
#include "compiler/cmd/cli.def"
#undef COMMAND
#undef FLAG
};

bool cli_flag_is_of(FlagId flag, CommandId command)
{
	return cli_flags[flag].commands >> command & 1;
}

bool args_has(const Args *args, FlagId id)
{
	for (uint32_t i = 0; i < args->use.n; i++)
		if (args->use.v[i].id == id)
			return true;
	return false;
}

const char *args_value(const Args *args, FlagId id)
{
	for (uint32_t i = args->use.n; i-- > 0;)
		if (args->use.v[i].id == id)
			return args->use.v[i].value;
	return NULL;
}

/* ---- what was typed --------------------------------------------------------------------------- */

typedef struct Parse {
	Arena *a;
	char **argv;
	int argc, at;
	Args *args;
	Str *err;
} Parse;

static bool parse_fail(Parse *p, Str text)
{
	*p->err = text;
	return false;
}

static int command_find(const char *word)
{
	for (int i = 0; i < CMD_COUNT_; i++)
		if (!strcmp(cli_commands[i].name, word))
			return i;
	return -1;
}

/* " (did you mean `x`?)" or nothing. */
static Str suggest(Arena *a, Str word, const Str *cand, size_t n)
{
	const Str *near = str_nearest(word, cand, n);
	return near ? str_fmt(a, "; did you mean `%.*s`?", STR_ARG(*near)) : STR("");
}

/* The first word is a command, or a file for the default one: a word that is no file and looks like a
 * command is taken for a mistyped command. */
static bool parse_command(Parse *p)
{
	p->args->command = CMD_BUILD;
	if (p->at >= p->argc || p->argv[p->at][0] == '-')
		return true;
	const char *word = p->argv[p->at];
	int id = command_find(word);
	if (id >= 0) {
		p->args->command = (CommandId)id;
		p->args->command_written = true;
		p->at++;
		return true;
	}
	if (strpbrk(word, "./") || !access(word, F_OK))
		return true;
	Str cand[CMD_COUNT_];
	for (int i = 0; i < CMD_COUNT_; i++)
		cand[i] = str_from(cli_commands[i].name);
	Str hint = suggest(p->a, str_from(word), cand, CMD_COUNT_);
	if (!hint.n)
		hint = STR("; `seedc --help` lists the commands");
	return parse_fail(p, str_fmt(p->a, "`%s` is neither a command nor a file%.*s", word, STR_ARG(hint)));
}

/* A long flag ends at its '='; a short one may carry its value. -1: unknown. */
static int flag_find(const char *word, const char **attached)
{
	const char *eq = strchr(word, '=');
	size_t n = eq ? (size_t)(eq - word) : strlen(word);
	*attached = NULL;
	for (int i = 0; i < FLAG_COUNT_; i++) {
		const char *name = cli_flags[i].long_name;
		if (!name || strlen(name) != n || memcmp(name, word, n))
			continue;
		*attached = eq ? eq + 1 : NULL;
		return i;
	}
	for (int i = 0; i < FLAG_COUNT_; i++) {
		const char *name = cli_flags[i].short_name;
		if (!name || strncmp(name, word, 2))
			continue;
		if (!word[2])
			return i;
		*attached = word[2] == '=' ? word + 3 : word + 2;
		return cli_flags[i].argument ? i : -1;
	}
	return -1;
}

static bool parse_unknown_flag(Parse *p, const char *word)
{
	if (cli_commands[p->args->command].state == COMMAND_LATER)
		return parse_fail(p, str_fmt(p->a, "`%s` is not built yet", cli_commands[p->args->command].name));
	Str cand[FLAG_COUNT_];
	size_t n = 0;
	for (int i = 0; i < FLAG_COUNT_; i++)
		if (cli_flags[i].long_name && cli_flags[i].help && cli_flag_is_of((FlagId)i, p->args->command))
			cand[n++] = str_from(cli_flags[i].long_name);
	size_t len = strcspn(word, "=");
	Str hint = suggest(p->a, (Str){ word, len }, cand, n);
	const char *command = cli_commands[p->args->command].name;
	if (!hint.n)
		hint = str_fmt(p->a, "; see `seedc %s --help`", command);
	return parse_fail(p, str_fmt(p->a, "`%s` has no flag `%.*s`%.*s", command, (int)len, word, STR_ARG(hint)));
}

static bool value_is_one_of(Str value, const char *values)
{
	for (Str rest = str_from(values); rest.n;) {
		size_t n = str_find(rest, STR("|"), 0);
		if (str_eq(value, str_sub(rest, 0, n)))
			return true;
		rest = str_sub(rest, n + 1, rest.n);
	}
	return false;
}

static Str value_hint(Arena *a, Str value, const char *values)
{
	Str cand[16];
	size_t n = 0;
	for (Str rest = str_from(values); rest.n && n < 16;) {
		size_t len = str_find(rest, STR("|"), 0);
		cand[n++] = str_sub(rest, 0, len);
		rest = str_sub(rest, len + 1, rest.n);
	}
	Str hint = suggest(a, value, cand, n);
	return hint.n ? hint : str_fmt(a, "; it is one of %s", values);
}

/* An optional value stands in the next word only if it looks like one. */
static bool looks_like_percent(const char *word)
{
	return word && word[0] >= '0' && word[0] <= '9' && strchr(word, '%');
}

static bool is_flag_word(const char *word)
{
	const char *attached;
	return word[0] == '-' && word[1] == '-' && flag_find(word, &attached) >= 0;
}

static bool parse_flag_value(Parse *p, FlagId id, const char *attached, const char **value)
{
	const FlagInfo *f = &cli_flags[id];
	const char *name = f->long_name ? f->long_name : f->short_name;
	const char *next = p->at < p->argc ? p->argv[p->at] : NULL;
	*value = attached;
	if (!f->argument)
		return attached ? parse_fail(p, str_fmt(p->a, "`%s` takes no value", name)) : true;
	bool is_optional = f->argument[0] == '[';
	if (!attached && !is_optional && next && is_flag_word(next))
		return parse_fail(p, str_fmt(p->a, "`%s` needs a value: %s; `%s` is a flag (a value of that name: `%s=%s`)", name,
		                             f->argument, next, name, next));
	if (!attached && (is_optional ? looks_like_percent(next) : next != NULL)) {
		*value = next;
		p->at++;
	}
	if (!*value)
		return is_optional ? true : parse_fail(p, str_fmt(p->a, "`%s` needs a value: %s", name, f->argument));
	if (!f->values || value_is_one_of(str_from(*value), f->values))
		return true;
	Str hint = value_hint(p->a, str_from(*value), f->values);
	return parse_fail(p, str_fmt(p->a, "`%s` does not take `%s`%.*s", name, *value, STR_ARG(hint)));
}

static bool parse_flag(Parse *p)
{
	const char *attached, *value, *word = p->argv[p->at++];
	int id = flag_find(word, &attached);
	if (id < 0 || !cli_flag_is_of((FlagId)id, p->args->command))
		return parse_unknown_flag(p, word);
	if (!parse_flag_value(p, (FlagId)id, attached, &value))
		return false;
	vec_push(p->a, &p->args->use, (FlagUse){ (FlagId)id, value });
	return true;
}

/* `seedc --color=never lint x`: nobody means a file called lint that is not there. */
static bool is_late_command(const Parse *p, const char *word)
{
	return !p->args->command_written && !p->args->operand.n && command_find(word) >= 0 && access(word, F_OK);
}

bool cli_parse(Arena *a, int argc, char **argv, Args *args, Str *err)
{
	Parse p = { .a = a, .argv = argv, .argc = argc, .at = 1, .args = args, .err = err };
	*args = (Args){ 0 };
	if (!parse_command(&p))
		return false;
	bool flags_end = false;
	while (p.at < argc) {
		const char *word = argv[p.at];
		if (!flags_end && !strcmp(word, "--")) {
			flags_end = true;
			p.at++;
		} else if (!flags_end && word[0] == '-' && word[1]) {
			if (!parse_flag(&p))
				return false;
		} else {
			if (is_late_command(&p, word))
				return parse_fail(&p, str_fmt(a, "`%s` is a command, and stands before the flags: seedc %s %s", word, word, argv[1]));
			vec_push(a, &args->operand, word);
			p.at++;
		}
	}
	return true;
}
