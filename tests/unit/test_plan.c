/* Plans: the formulas by their worked examples, what a request costs by hand, constants out of times. */
#include <math.h>

#include "runtime/plan/fit.h"
#include "runtime/plan/plan.h"
#include "tests/unit/check.h"

static bool near(double got, double want) { return fabs(got - want) <= 1e-3 * fabs(want); }

/* 10 layers of 1 MB and 2 MFLOP, a head of 4 MB and 8 MFLOP. */
static PlanModel small(void)
{
	return (PlanModel){ .layer_bytes = 10000000, .layer_flop = 20000000, .head_bytes = 4000000, .head_flop = 8000000,
	                    .attention_flop = 1000, .n_layer = 10, .kv = { 10, 1, 64, KV_F16, 0, 0 } };
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
	PlanModel m = { .layer_flop = 78500000000, .n_layer = 1, .kv = { 1, 1, 64, KV_F16, 0, 0 } };
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
	PlanProfile p = { .name = "test", .bytes_per_s = 1e9, .flop_per_s = 1e15, .fit = { 1, 1, 1, 0, 0 } };
	PlanSegment s[] = { { 70, STAB_STATIC }, { 30, STAB_TURN } };
	PlanRequest q = { s, 2, 64, 20 };
	Plan plan;
	plan_make(&a, &m, &q, &p, &plan);
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
	PlanProfile p = { .name = "test", .bytes_per_s = 1e9, .flop_per_s = 1e9, .fit = { 1, 1, 1, 0, 0 } };
	PlanSegment s = { 1300, STAB_STATIC };
	PlanRequest q = { &s, 1, 0, 1 };
	Plan plan;
	plan_make(&a, &m, &q, &p, &plan);
	CHECK_INT(plan.chunk_tok, 256);
	CHECK_INT(plan.n_chunk, 6);
	CHECK_INT(plan.chunk[5].n_tok, 20);
	/* bound by the rate: 1,300 layers' products, every pair of positions, one head */
	CHECK(near(plan.first_s, (1300 * 20e6 + 8e6 + 1000 * (1300.0 * 1301 / 2)) / 1e9));
	q.n_hit = 1300;
	plan_make(&a, &m, &q, &p, &plan);
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

TEST(a_window_bounds_what_a_local_layer_reads)
{
	PlanModel m = small();
	m.kv.window = 100, m.kv.global_every = 2;
	double all = plan_pass(&(PlanModel){ .attention_flop = 1, .n_layer = 1, .kv = small().kv }, 80, 40, 0).work[PLAN_ATTENTION].flop;
	CHECK(all == 40 * 80 + 40 * 41 / 2);
	PlanPass pass = plan_pass(&m, 80, 40, 0);
	/* half of the layers: 81 .. 100 for the first 20 tokens, then 100 each */
	CHECK(near(pass.work[PLAN_ATTENTION].flop, 1000 * (all + (20 * 80 + 20 * 21 / 2 + 20 * 100)) / 2));
	CHECK(near(pass.work[PLAN_ATTENTION].bytes, 2560 * 120));
	CHECK(near(plan_pass(&m, 1000, 1, 0).work[PLAN_ATTENTION].flop, 1000 * (1001 + 100) / 2.0));
	CHECK(near(plan_pass(&m, 1000, 1, 0).work[PLAN_ATTENTION].bytes, 2560 * (1001 + 101) / 2.0));
	/* 1,024 tokens: 32 blocks of five layers, 5 of the others (100 positions reach into 4 before the own) */
	CHECK(near(kv_sequence_bytes(&m.kv, 1024, kv_window_blocks(&m.kv)), 2560.0 / 10 * KV_BLOCK * (5 * 32 + 5 * 5)));
	CHECK_INT(pass.n_phase, 50);
	CHECK_INT(plan_pass(&m, 80, 40, 1).n_phase, 51);
}

TEST(keys_are_taken_out_once_for_each_block_of_tokens)
{
	PlanModel m = small();
	CHECK(near(plan_pass(&m, 2048, 1, 0).taken_bytes, 2560 * 2049));
	CHECK(near(plan_pass(&m, 2048, 64, 0).taken_bytes, 2560 * 2 * (2048 + 32.5)));
	CHECK(near(plan_pass(&m, 2047, 2, 0).taken_bytes, 2560 * 2 * 2048.5));
}

/* What passes take on a device of these constants. */
static FitTimes times_of(const PlanModel *m, const PlanProfile *p)
{
	FitTimes t = { .bytes_per_s = p->bytes_per_s, .flop_per_s = p->flop_per_s, .depth = 2048, .chunk = 256 };
	const struct { uint32_t first, n, n_head_row; } pass[FIT_PASS_COUNT] = {
		[FIT_TOKEN] = { 0, 1, 1 }, [FIT_TOKEN_HEADLESS] = { 0, 1, 0 }, [FIT_TOKEN_DEEP] = { 2048, 1, 1 },
		[FIT_CHUNK] = { 0, 256, 0 }, [FIT_CHUNK_DEEP] = { 2048, 256, 0 },
	};
	for (int i = 0; i < FIT_PASS_COUNT; i++) {
		PlanPass w = plan_pass(m, pass[i].first, pass[i].n, pass[i].n_head_row);
		t.s[i] = plan_pass_s(&w, p);
	}
	return t;
}

TEST(a_fit_finds_the_constants_of_a_device)
{
	PlanModel m = small();
	m.attention_flop = 70000;
	PlanProfile want = { .bytes_per_s = 5e10, .flop_per_s = 1e12, .fit = { 0.7, 0.6, 0.3, 2e-6, 1e-10 } };
	PlanProfile got = { .name = "cpu" };
	FitTimes t = times_of(&m, &want);
	fit_solve(&m, &t, &got);
	CHECK(got.is_fitted && got.bytes_per_s == 5e10 && got.flop_per_s == 1e12);
	/* a position of depth 0 is read too: a part in a hundred */
	CHECK(fabs(got.fit.e_bw - 0.7) < 0.02 && fabs(got.fit.e_f - 0.6) < 0.01 && fabs(got.fit.e_attend - 0.3) < 0.01);
	CHECK(fabs(got.fit.sync_s - 2e-6) < 1e-7 && fabs(got.fit.take_s - 1e-10) < 2e-12);
}

TEST(any_times_give_constants_that_can_be_used)
{
	PlanModel m = small();
	static const double times[][FIT_PASS_COUNT] = {
		{ 1, 1, 1, 1, 1 }, { 1e-9, 2e-9, 1e-9, 2e-9, 1e-9 }, { 1, 1e-9, 1e-9, 1e-9, 1e-9 }, { 1e-9, 1e-9, 1, 1e-9, 1 },
		{ 1e-3, 9e-4, 1e-3, 1e-3, 1e-3 }, { 1e-3, 0, 2e-3, 1, 2 },
	};
	for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
		FitTimes t = { .bytes_per_s = 1e10, .flop_per_s = 1e11, .depth = 2048, .chunk = 32 };
		PlanProfile p = { .name = "cpu" };
		memcpy(t.s, times[i], sizeof t.s);
		fit_solve(&m, &t, &p);
		CHECK(p.fit.e_bw > 0 && p.fit.e_f > 0 && p.fit.e_attend > 0 && p.fit.sync_s >= 0 && p.fit.take_s >= 0);
		CHECK(isfinite(p.fit.e_bw) && isfinite(p.fit.e_f) && isfinite(p.fit.e_attend) && isfinite(p.fit.sync_s) && isfinite(p.fit.take_s));
	}
}

CHECK_MAIN(shrink_brings_residency_to_its_limit, balance_is_the_described_one, a_request_costs_what_it_moves,
           long_prompts_go_in_chunks_and_one_token_is_always_computed, splits_follow_the_l2, a_window_bounds_what_a_local_layer_reads,
           keys_are_taken_out_once_for_each_block_of_tokens, a_fit_finds_the_constants_of_a_device,
           any_times_give_constants_that_can_be_used)
