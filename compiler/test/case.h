/* One test while it runs; shared by the files of this folder only. */
#ifndef SEED_TEST_CASE_H
#define SEED_TEST_CASE_H

#include "compiler/test/test_run.h"

typedef struct TestCase {
	Arena *a;
	const Unit *u;
	const Prompt *p;
	const TestOptions *o;
	const Target *target;   /* NULL: generic */
	Values values;
	Rendering shown;
	const JsonNode *reply;  /* NULL: no reply, or plain text */
	Str reply_text;
	bool has_reply, is_reply_owed;  /* owed: asked about, and nobody gave one */
	TestResult *result;
} TestCase;

/* Has the model give the reply of a test that asks about one and holds none; notes why where it does not come. */
void test_ask_model(TestCase *t, const Bin *bin, const BinPrompt *bp);
void test_take_reply(TestCase *t, Str text);
/* Of the target's vocabulary. */
TokenCounter test_counter(const TestCase *t);
/* Answers one `expect`; adds a note when it does not hold or cannot be decided. */
void expect_check(TestCase *t, const Node *cond);
void test_note(TestCase *t, TestOutcome outcome, Span at, const char *fmt, ...) __attribute__((format(printf, 4, 5)));

#endif
