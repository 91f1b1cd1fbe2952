/* The half of tests that needs a model: the reply that a test asks about and does not hold. */
#include "compiler/test/case.h"
#include "runtime/run/run_prompt.h"

static bool cond_asks(const Node *n)
{
	if (n->kind == N_REF && str_is(n->name, "reply"))
		return true;
	for (const Node *kid = n->kind == N_REF ? NULL : n->first; kid; kid = kid->next)
		if (cond_asks(kid))
			return true;
	return false;
}

/* The first `expect` about the reply; NULL: none. */
static const Node *asking(const Node *test)
{
	for (const Node *n = test->first; n; n = n->next)
		if (n->kind == N_EXPECT_VALID || (n->kind == N_EXPECT && n->first && cond_asks(n->first)))
			return n;
	return NULL;
}

static void note_report(TestCase *t, Span at, const WireReport *report)
{
	for (uint32_t i = 0; i < report->note.n; i++)
		if (report->note.v[i].severity == WIRE_ERROR)
			test_note(t, TEST_FAILED, at, "the model was not asked: %.*s", STR_ARG(report->note.v[i].message));
}

static void run_model(TestCase *t, const Bin *bin, const BinPrompt *bp, Span at)
{
	WireReport report = { .arena = t->a };
	RunStages stages = { 0 };
	RunPrompt p = { .bin = bin, .prompt = bp, .values = &t->values, .target = t->o->model_target };
	p.render.family = t->o->model_target->family;
	run_rules_of_prompt(t->a, bin, bp, &p.rules);
	if (run_prompt(t->o->model, &p, NULL, &stages, &report))
		test_take_reply(t, str_dup(t->a, buf_str(&stages.v[stages.n - 1].reply.text)));
	else
		note_report(t, at, &report);
	run_stages_free(&stages);
}

void test_ask_model(TestCase *t, const Bin *bin, const BinPrompt *bp)
{
	const Node *at = asking(t->result->decl);
	if (!at)
		return;
	if (t->o->model) {
		run_model(t, bin, bp, at->span);
	} else {
		t->result->wants_model = true;
		test_note(t, TEST_UNDECIDED, at->span, "this test holds no `reply:`; --model FILE has a model give one");
	}
	t->is_reply_owed = !t->has_reply;
}
