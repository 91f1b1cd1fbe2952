/* Plans: the formulas by their worked examples, and what a request costs by hand. */
#include <math.h>

#include "runtime/plan/plan.h"
#include "tests/unit/check.h"

static bool near(double got, double want) { return fabs(got - want) <= 1e-3 * fabs(want); }

/* 10 layers of 1 MB and 2 MFLOP, a head of 4 MB and 8 MFLOP. */
static PlanModel small(void)
{
	return (PlanModel){ .layer_bytes = 10000000, .layer_flop = 20000000, .head_bytes = 4000000, .head_flop = 8000000,
	                    .attention_flop = 1000, .n_layer = 10, .kv = { 10, 1, 64, KV_F16 } };
}

TEST(shrink_brings_residency_to_its_limit)
{
	bool fits;
	CHECK_INT(plan_shrink(1240, 380, 1620 / 0.92, 1000, &fits), 675);
	CHECK(fits);
	CHECK_INT(plan_shrink(890, 210, 1100 / 0.73, 1000, &fits), 1000);
	CHECK_INT(plan_shrink(900, 100, 1000, 1000, &fits), 16);
	CHECK(!fits);
	CHECK_INT(plan_shrink(900, 100, 1000, 7, &fits), 7);
}

TEST(balance_is_the_described_one)
{
	PlanModel m = { .layer_flop = 78500000000, .n_layer = 1, .kv = { 1, 1, 64, KV_F16 } };
	PlanProfile p;
	Str nearest;
	CHECK(plan_find_profile(STR("a100"), &p, &nearest));
	CHECK(near(plan_balance(&m, &p, 2048), 1.3697));
	CHECK(!plan_find_profile(STR("h10"), &p, &nearest));
	CHECK_STR(nearest, "h100");
}

TEST(a_request_costs_what_it_moves)
{
	Arena a = { 0 };
	PlanModel m = small();
	PlanProfile p = { .name = "test", .bytes_per_s = 1e9, .flop_per_s = 1e15 };
	PlanSegment s[] = { { 70, STAB_STATIC }, { 30, STAB_TURN } };
	PlanRequest q = { s, 2, 64, 20 };
	Plan plan;
	plan_make(&a, &m, &q, &p, (PlanFit){ 1, 1, 0 }, &plan);
	CHECK_INT(plan.n_prompt, 100);
	CHECK_INT(plan.n_static, 64);
	CHECK_INT(plan.n_block, 4);
	CHECK_INT(plan.n_chunk, 1);
	CHECK_INT(plan.chunk[0].first, 64);
	/* f16: 2 * 64 values of 2 bytes, 10 layers */
	CHECK(near(plan.first_s, (14e6 + 100 * 2560) / 1e9));
	CHECK(near(plan.token_s, (14e6 + 111 * 2560) / 1e9));
	CHECK(near(plan.kv_bytes, 4 * 32 * 2560));
	CHECK(near(plan.prefill_flop, 36 * 20e6 + 8e6 + 1000 * (36.0 * 64 + 36 * 37 / 2)));
	arena_free(&a);
}

TEST(long_prompts_go_in_chunks_and_one_token_is_always_computed)
{
	Arena a = { 0 };
	PlanModel m = small();
	PlanProfile p = { .name = "test", .bytes_per_s = 1e9, .flop_per_s = 1e9 };
	PlanSegment s = { 1300, STAB_STATIC };
	PlanRequest q = { &s, 1, 0, 1 };
	Plan plan;
	plan_make(&a, &m, &q, &p, (PlanFit){ 1, 1, 0 }, &plan);
	CHECK_INT(plan.n_chunk, 3);
	CHECK_INT(plan.chunk[2].n_tok, 276);
	/* bound by the rate: 1,300 layers' products, every pair of positions, one head */
	CHECK(near(plan.first_s, (1300 * 20e6 + 8e6 + 1000 * (1300.0 * 1301 / 2)) / 1e9));
	q.n_hit = 1300;
	plan_make(&a, &m, &q, &p, (PlanFit){ 1, 1, 0 }, &plan);
	CHECK_INT(plan.chunk[0].n_tok, 1);
	arena_free(&a);
}

TEST(splits_follow_the_l2)
{
	PlanModel m = small();
	PlanProfile p;
	Str nearest;
	plan_find_profile(STR("a100"), &p, &nearest);
	uint32_t few = plan_split_count(&m, &p, 128, 16), many = plan_split_count(&m, &p, 1 << 20, 64);
	CHECK_INT(few, 1);
	CHECK_INT(many, 64);
}

CHECK_MAIN(shrink_brings_residency_to_its_limit, balance_is_the_described_one, a_request_costs_what_it_moves,
           long_prompts_go_in_chunks_and_one_token_is_always_computed, splits_follow_the_l2)
