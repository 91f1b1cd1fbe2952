/* `seedc run --interactive`: a talk behind the first answer. */
#include "compiler/cmd/run_command.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime/run/talk.h"

/* False: the talk ends. A reply that is not of its schema is shown, and told by the status. */
static bool one_turn(RunCommand *k, Str user, Talk *talk, int *status)
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
	if (!ok)
		buf_printf(&k->iv->err, "seedc: %.*s\n", STR_ARG(why));
	int shown = ok ? run_show_answer(k, &one) : EXIT_FAILED;
	run_stages_free(&one);
	*status = shown > *status ? shown : *status;
	return ok && !k->has_write_error;
}

int run_turns(RunCommand *k, int status)
{
	const RunStage *last = &k->stages.v[k->stages.n - 1];
	Talk talk = { .arena = &k->iv->arena, .hold = last->hold, .decay = k->decay };
	char *line = NULL;
	size_t cap = 0;
	bool is_terminal = isatty(STDIN_FILENO) && isatty(STDERR_FILENO);
	for (uint32_t i = 0; i < last->n_id; i++)
		vec_push(&k->iv->arena, &talk.first, last->ids[i]);
	for (bool goes_on = true; goes_on;) {
		if (is_terminal)
			fputs("> ", stderr);
		ssize_t n = getline(&line, &cap, stdin);
		Str said = str_trim((Str){ line, n < 0 ? 0 : (size_t)n });
		goes_on = n >= 0 && (!said.n || one_turn(k, str_dup(&k->iv->arena, said), &talk, &status));
	}
	free(line);
	return status;
}
