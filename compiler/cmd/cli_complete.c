/* Completions for bash, zsh and fish, from the tables. `make install` installs what this prints. */
#include "compiler/cmd/cli.h"
#include "compiler/source/diag.h"
#include "runtime/base/embed.h"
#include "runtime/target/target.h"

static void put_commands(Buf *out)
{
	for (int i = 0; i < CMD_COUNT_; i++)
		if (cli_commands[i].state == COMMAND_BUILT)
			buf_printf(out, " %s", cli_commands[i].name);
}

static void put_flags(Buf *out, CommandId command)
{
	for (int i = 0; i < FLAG_COUNT_; i++) {
		const FlagInfo *f = &cli_flags[i];
		if (f->help && f->long_name && cli_flag_is_of((FlagId)i, command))
			buf_printf(out, " %s%s", f->long_name, f->argument && f->argument[0] != '[' ? "=" : "");
	}
}

/* ---- what may stand for a value ------------------------------------------------------------------ */

static void put_targets(Buf *out)
{
	Arena arena = { 0 };
	TargetTable table;
	TargetError err;
	targets_init(&table, &arena);
	targets_read_all(&table, &err);
	for (uint32_t i = 0; i < table.built_in.target.n; i++) {
		const Target *t = table.built_in.target.v[i];
		buf_printf(out, " %.*s", STR_ARG(t->name));
		for (uint32_t k = 0; k < t->alias.n; k++)
			buf_printf(out, " %.*s", STR_ARG(t->alias.v[k]));
	}
	arena_free(&arena);
}

static void put_rules(Buf *out)
{
	for (int i = 0; i < DIAG_COUNT; i++)
		buf_printf(out, " %s", diag_rules[i].code);
}

static void put_modules(Buf *out)
{
	buf_lit(out, " std/");
	for (size_t i = 0; i < embed_stdlib_n; i++)
		buf_printf(out, " std/%.*s", (int)(strlen(embed_stdlib[i].name) - strlen(".sd")), embed_stdlib[i].name);
}

static bool has_values(FlagId id)
{
	return cli_flags[id].values || id == FLAG_TARGET;
}

/* "a|b" as "a b". */
static void put_values(Buf *out, FlagId id)
{
	if (id == FLAG_TARGET)
		put_targets(out);
	for (const char *v = cli_flags[id].values; v && *v; v++)
		buf_byte(out, *v == '|' ? ' ' : *v);
}

/* ---- bash ---------------------------------------------------------------------------------------- */

static void bash_values(Buf *out)
{
	buf_lit(out, "\tcase $prev in\n");
	for (int i = 0; i < FLAG_COUNT_; i++) {
		const FlagInfo *f = &cli_flags[i];
		if (!f->help || !has_values((FlagId)i) || !f->long_name)
			continue;
		buf_printf(out, "\t%s) mapfile -t COMPREPLY < <(compgen -W '", f->long_name);
		put_values(out, (FlagId)i);
		buf_lit(out, "' -- \"$cur\"); return ;;\n");
	}
	buf_lit(out, "\tesac\n");
}

static void bash_operands(Buf *out)
{
	buf_lit(out, "\tif [[ $cur != -* ]]; then\n\t\twords=\n"
	             "\t\t[[ $COMP_CWORD -eq 1 ]] && words='");
	put_commands(out);
	buf_lit(out, "'\n\t\tcase $command in\n\t\tshow) words='");
	put_modules(out);
	buf_lit(out, "' ;;\n\t\texplain) words='");
	put_rules(out);
	buf_lit(out, "' ;;\n\t\tesac\n"
	             "\t\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\"; [[ $command = explain ]] || compgen -f -- \"$cur\")\n"
	             "\t\treturn\n\tfi\n");
}

static void bash_flags(Buf *out)
{
	buf_lit(out, "\tcase $command in\n");
	for (int i = 0; i < CMD_COUNT_; i++) {
		if (cli_commands[i].state != COMMAND_BUILT || i == CMD_BUILD)
			continue;
		buf_printf(out, "\t%s) words='", cli_commands[i].name);
		put_flags(out, (CommandId)i);
		buf_lit(out, "' ;;\n");
	}
	buf_lit(out, "\t*) words='");
	put_flags(out, CMD_BUILD);
	buf_lit(out, "' ;;\n\tesac\n\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
	             "\t[[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace\n");
}

static void complete_bash(Buf *out)
{
	/* Readline cuts words at `=`: `--emit=te` arrives as three. */
	buf_lit(out, "# bash completion for seedc; made by `seedc --completions=bash`.\n"
	             "_seedc() {\n"
	             "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words command=build i\n"
	             "\tfor ((i = 1; i < COMP_CWORD; i++)); do\n\t\tcase ${COMP_WORDS[i]} in\n"
	             "\t\t=) ((i++)) ;;\n\t\t-*) ;;\n\t\t*) command=${COMP_WORDS[i]}; break ;;\n"
	             "\t\tesac\n\tdone\n"
	             "\t[[ $cur == = ]] && cur=\n"
	             "\t[[ $prev == = ]] && prev=${COMP_WORDS[COMP_CWORD-2]}\n");
	bash_values(out);
	bash_operands(out);
	bash_flags(out);
	buf_lit(out, "}\ncomplete -o filenames -F _seedc seedc seedance-cli\n");
}

/* ---- zsh ----------------------------------------------------------------------------------------- */

/* For zsh, inside '…' and […]. */
static void put_zsh_text(Buf *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '\'')
			buf_lit(out, "'\\''");
		else if (strchr("[]:", *text))
			buf_printf(out, "\\%c", *text);
		else
			buf_byte(out, *text);
	}
}

static void zsh_flag(Buf *out, FlagId id)
{
	const FlagInfo *f = &cli_flags[id];
	buf_printf(out, " \\\n\t\t\t'%s%s[", f->long_name, f->argument && f->argument[0] != '[' ? "=" : "");
	put_zsh_text(out, f->help);
	buf_byte(out, ']');
	if (f->argument && f->argument[0] != '[') {
		buf_printf(out, ":%s:", f->argument);
		if (has_values(id)) {
			buf_byte(out, '(');
			put_values(out, id);
			buf_byte(out, ')');
		} else {
			buf_putz(out, !strcmp(f->argument, "FILE") ? "_files" : " ");
		}
	}
	buf_byte(out, '\'');
}

static void zsh_operand(Buf *out, CommandId command)
{
	buf_lit(out, " \\\n\t\t\t'*:");
	switch (command) {
	case CMD_EXPLAIN:
		buf_lit(out, "rule:(");
		put_rules(out);
		buf_lit(out, ")");
		break;
	case CMD_SHOW:
		buf_lit(out, "prompt:{ _files; compadd --");
		put_modules(out);
		buf_lit(out, " }");
		break;
	default:
		buf_lit(out, "file:_files");
	}
	buf_lit(out, "' ;;\n");
}

static void complete_zsh(Buf *out)
{
	buf_lit(out, "#compdef seedc seedance-cli\n# made by `seedc --completions=zsh`\n_seedc() {\n\tlocal -a commands\n\tcommands=(\n");
	for (int i = 0; i < CMD_COUNT_; i++)
		if (cli_commands[i].state == COMMAND_BUILT) {
			buf_printf(out, "\t\t'%s:", cli_commands[i].name);
			put_zsh_text(out, cli_commands[i].what);
			buf_lit(out, "'\n");
		}
	buf_lit(out, "\t)\n\tif (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then\n"
	             "\t\t_describe command commands\n\t\t_files\n\t\treturn\n\tfi\n\tcase $words[2] in\n");
	for (int i = CMD_COUNT_; i-- > 0;) {
		if (cli_commands[i].state != COMMAND_BUILT)
			continue;
		buf_printf(out, "\t%s)\n\t\t_arguments", i == CMD_BUILD ? "*" : cli_commands[i].name);
		for (int j = 0; j < FLAG_COUNT_; j++)
			if (cli_flags[j].help && cli_flags[j].long_name && cli_flag_is_of((FlagId)j, (CommandId)i))
				zsh_flag(out, (FlagId)j);
		zsh_operand(out, (CommandId)i);
	}
	buf_lit(out, "\tesac\n}\n_seedc \"$@\"\n");
}

/* ---- fish ---------------------------------------------------------------------------------------- */

/* For fish, inside '…'. */
static void put_fish_text(Buf *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '\'' || *text == '\\')
			buf_byte(out, '\\');
		buf_byte(out, *text);
	}
}

static void fish_flag(Buf *out, FlagId id)
{
	const FlagInfo *f = &cli_flags[id];
	buf_lit(out, "complete -c seedc -n '__seedc_is");
	for (int i = 0; i < CMD_COUNT_; i++)
		if (cli_commands[i].state == COMMAND_BUILT && cli_flag_is_of(id, (CommandId)i))
			buf_printf(out, " %s", cli_commands[i].name);
	/* -Rpass is fish's old style of long flag. */
	bool is_old = f->long_name && f->long_name[1] != '-';
	buf_lit(out, "'");
	if (f->short_name)
		buf_printf(out, " -s %s", f->short_name + 1);
	if (f->long_name)
		buf_printf(out, " -%c %s", is_old ? 'o' : 'l', f->long_name + (is_old ? 1 : 2));
	if (f->argument && f->argument[0] != '[')
		buf_lit(out, " -r");
	if (has_values(id)) {
		buf_lit(out, " -f -a '");
		put_values(out, id);
		buf_byte(out, '\'');
	}
	buf_lit(out, " -d '");
	put_fish_text(out, f->help);
	buf_lit(out, "'\n");
}

static void complete_fish(Buf *out)
{
	buf_lit(out, "# fish completion for seedc; made by `seedc --completions=fish`.\n"
	             "function __seedc_is\n\tset -l words (commandline -opc)\n\tset -l command build\n"
	             "\tfor w in $words[2..-1]\n\t\tstring match -q -- '-*' $w; and continue\n"
	             "\t\tset command $w\n\t\tbreak\n\tend\n\tcontains $command");
	put_commands(out);
	buf_lit(out, "; or set command build\n\tcontains $command $argv\nend\n"
	             "complete -c seedance-cli -w seedc\n");
	for (int i = 0; i < CMD_COUNT_; i++)
		if (cli_commands[i].state == COMMAND_BUILT) {
			buf_printf(out, "complete -c seedc -n __fish_is_first_arg -a %s -d '", cli_commands[i].name);
			put_fish_text(out, cli_commands[i].what);
			buf_lit(out, "'\n");
		}
	for (int i = 0; i < FLAG_COUNT_; i++)
		if (cli_flags[i].help)
			fish_flag(out, (FlagId)i);
	buf_lit(out, "complete -c seedc -n '__seedc_is explain' -f -a '");
	put_rules(out);
	buf_lit(out, "'\ncomplete -c seedc -n '__seedc_is show' -a '");
	put_modules(out);
	buf_lit(out, "'\n");
}

bool cli_print_completions(Buf *out, const char *shell)
{
	if (!strcmp(shell, "bash"))
		complete_bash(out);
	else if (!strcmp(shell, "zsh"))
		complete_zsh(out);
	else if (!strcmp(shell, "fish"))
		complete_fish(out);
	else
		return false;
	return true;
}
