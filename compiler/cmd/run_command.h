/* `seedc run`, in parts: its state and what the parts give each other. cmd_run.c has the order of things. */
#ifndef SEED_RUN_COMMAND_H
#define SEED_RUN_COMMAND_H

#include "compiler/cmd/model_use.h"
#include "compiler/cmd/pipeline.h"
#include "runtime/run/run_prompt.h"

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

/* ---- run_flags.c ---- */

/* Usage errors: flags that exclude each other, or do nothing without another. An exit code. */
int run_check_flags(const RunCommand *k);
/* Of --kv; else of the cache that the prompt or --load-kv brings; else the default. */
KvFormat run_kv_format(const RunCommand *k);
/* --threads into *n (0: not given), the sampling flags into k->rules; false when one is none, which has been said. */
bool run_read_threads(RunCommand *k, uint32_t *n);
bool run_read_rules(RunCommand *k);

/* ---- run_show.c ---- */

RunSink run_sink(RunCommand *k);
void run_clear_progress(RunCommand *k);
/* After an answer: its last line end, --json, --stats. EXIT_FAILED where it is not of the schema it should have; what
 * could not be written is an error. */
int run_show_answer(RunCommand *k, const RunStages *stages);

/* ---- the rest ---- */

int run_open_session(RunCommand *k, const char *model);
/* run_turns.c: lines of standard input, each a turn, until it ends; status: of the first answer. */
int run_turns(RunCommand *k, int status);
/* run_raw.c: --raw. */
int run_raw(RunCommand *k, const char *path, const char *model);

#endif
