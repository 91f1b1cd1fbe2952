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
	bool has_reply;
	TestResult *result;
} TestCase;

/* Of the target's vocabulary. */
TokenCounter test_counter(const TestCase *t);
/* Answers one `expect`; adds a note when it does not hold or cannot be decided. */
void expect_check(TestCase *t, const Node *cond);
void test_note(TestCase *t, TestOutcome outcome, Span at, const char *fmt, ...) __attribute__((format(printf, 4, 5)));

#endif
