/* `seedc run --interactive`: a talk behind the first answer. */
#include "compiler/cmd/run_command.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime/run/talk.h"

static int one_turn(RunCommand *k, Str user, Talk *talk)
{
	RunSink sink = run_sink(k);
	RunStages one = { 0 };
	RunStage *turn = vec_add(&k->iv->arena, &one);
	Str why;
	uint32_t n_left = talk->n_left;
	bool ok = talk_turn(talk, &k->session, k->p.target, user, &sink.generate, turn, &why);
	run_clear_progress(k);
	if (talk->n_left > n_left)
		fprintf(stderr, "seedc: note: %u of the turns have left the talk, the lightest first: the context holds no more\n", talk->n_left);
	if (!ok) {
		buf_printf(&k->iv->err, "seedc: %.*s\n", STR_ARG(why));
		return EXIT_FAILED;
	}
	int status = run_show_answer(k, &one);
	run_stages_free(&one);
	return status;
}

int run_turns(RunCommand *k)
{
	const RunStage *last = &k->stages.v[k->stages.n - 1];
	Talk talk = { .arena = &k->iv->arena, .hold = last->hold, .decay = k->decay };
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
			status = one_turn(k, str_dup(&k->iv->arena, said), &talk);
	}
	free(line);
	return status;
}
