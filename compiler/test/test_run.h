/*
 * Tests of prompts: given values are bound, the prompt is rendered, and what each `expect` asks is
 * answered from the messages, the static prefix and the reply under test. A test that asks about a reply
 * and holds none has the model give one, where there is a model.
 *
 * Names in an `expect`: messages (how many), tokens, prefix (text that every request begins with),
 * system developer user assistant tool (all text of that role), reply and its fields, inputs.
 *
 * Invariant: what cannot be answered (tokens without a vocabulary, a reply without a model) is TEST_UNDECIDED,
 * never a pass.
 */
#ifndef SEED_TEST_RUN_H
#define SEED_TEST_RUN_H

#include "compiler/sema/sema.h"
#include "runtime/render/render.h"
#include "runtime/run/session.h"

typedef enum TestOutcome { TEST_PASSED, TEST_UNDECIDED, TEST_FAILED } TestOutcome;

typedef struct TestNote {
	TestOutcome outcome;
	Span at;
	Str message;  /* one line */
} TestNote;

typedef struct TestResult {
	const Prompt *prompt;
	const Node *decl;      /* N_TEST; its name is the title */
	TestOutcome outcome;   /* the worst of its notes */
	bool wants_model;      /* a reply is asked about, and nothing gives one */
	VEC(TestNote) note;    /* what failed or could not be decided */
} TestResult;

typedef struct TestOptions {
	TokenShelf *shelf;           /* the vocabularies at hand; NULL: none */
	const Target *target;        /* --target; NULL: each prompt's first */
	RunSession *model;           /* NULL: none answers */
	const Target *model_target;  /* whose chat template the model is asked by */
} TestOptions;

typedef VEC(TestResult) TestResults;

/* Runs every test of every prompt, in source order; bin is the unit's binary. */
void test_run(Arena *a, const Unit *u, const Bin *bin, const TestOptions *o, TestResults *out);

#endif
