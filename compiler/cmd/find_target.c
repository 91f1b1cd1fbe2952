/* Targets that commands are told of: --target, and what a model's file says it is (cmd.h). */
#include "compiler/cmd/cmd.h"
#include "runtime/run/session.h"

int cmd_find_target(Invocation *iv, TargetTable *targets, const Target **named)
{
	const char *name = args_value(iv->args, FLAG_TARGET);
	WireReport report = { .arena = &iv->arena };
	*named = name ? wire_find_target(targets, str_from(name), &report) : NULL;
	cmd_print_notes(iv, &report, WIRE_REMARK);
	return name && !*named ? EXIT_USAGE : EXIT_DONE;
}

int cmd_find_chat(Invocation *iv, TargetTable *targets, const Target *named, const char *model, const Target **target)
{
	Str why = STR("");
	*target = named ? named : run_target_of_file(&iv->arena, targets, model, &why);
	if (why.n)
		return cmd_io_error(iv, model, why);
	if (!*target)
		return cmd_usage_error(iv, "which chat template `%s` was made for is not known: say --target=NAME%s", model,
		                       iv->args->command == CMD_RUN ? ", or --raw for plain text" : "");
	if (!(*target)->chat)
		return cmd_usage_error(iv, "the chat template of %.*s is not known", STR_ARG((*target)->name));
	return EXIT_DONE;
}
