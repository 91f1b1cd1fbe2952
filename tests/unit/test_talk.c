/* Turns of a talk: what they weigh, and which leave when the context is full. */
#include <math.h>

#include "runtime/run/talk.h"
#include "tests/unit/check.h"

/* The worked example of R-11: confidence 0.90, steps 0, 1, 2. */
TEST(weights_are_those_of_the_example)
{
	static const double with_floor[] = { 0.930, 0.575, 0.355 }, without[] = { 0.900, 0.556, 0.344 };
	for (uint32_t step = 0; step < 3; step++) {
		CHECK(fabs(talk_weight(0.618, step, 0.3, 0.9) - with_floor[step]) < 6e-4);
		CHECK(fabs(talk_weight(0.618, step, 0, 0.9) - without[step]) < 6e-4);
	}
}

static Talk sample(Arena *a, double decay, const double *confidence, uint32_t n)
{
	Talk t = { .arena = a, .decay = decay };
	for (uint32_t i = 0; i < 10; i++)
		vec_push(a, &t.first, i);
	for (uint32_t i = 0; i < n; i++) {
		TalkTurn turn = { .confidence = confidence[i] };
		for (uint32_t k = 0; k < 4; k++)
			vec_push(a, &turn.ids, 100 * (i + 1) + k);
		vec_push(a, &t.turn, turn);
	}
	return t;
}

TEST(the_oldest_of_equals_leaves_first)
{
	Arena a = { 0 };
	FrameIds ids = { 0 };
	Talk t = sample(&a, 0.618, (double[]){ 0.5, 0.5, 0.5 }, 3);
	CHECK(talk_make_room(&t, 5, 23));
	talk_ids(&t, &a, &ids);
	CHECK_INT(ids.n, 18);
	CHECK_INT(ids.v[10], 200);
	CHECK_INT(t.n_left, 1);
	arena_free(&a);
}

TEST(an_unsure_turn_leaves_before_an_older_sure_one)
{
	Arena a = { 0 };
	Talk t = sample(&a, 0.8, (double[]){ 0.9, 0.05, 0.5 }, 3);
	CHECK(talk_make_room(&t, 0, 18));
	CHECK_INT(t.turn.n, 2);
	CHECK_INT(t.turn.v[0].ids.v[0], 100);
	CHECK_INT(t.turn.v[1].ids.v[0], 300);
	arena_free(&a);
}

TEST(without_decay_nothing_leaves_and_the_first_request_never_does)
{
	Arena a = { 0 };
	Talk kept = sample(&a, 0, (double[]){ 0.5, 0.5 }, 2), t = sample(&a, 0.618, (double[]){ 0.5, 0.5 }, 2);
	CHECK(!talk_make_room(&kept, 1, 18));
	CHECK_INT(kept.turn.n, 2);
	CHECK(talk_make_room(&kept, 0, 18));
	CHECK(!talk_make_room(&t, 1, 10));
	CHECK_INT(t.turn.n, 0);
	CHECK_INT(t.first.n, 10);
	arena_free(&a);
}

CHECK_MAIN(weights_are_those_of_the_example, the_oldest_of_equals_leaves_first, an_unsure_turn_leaves_before_an_older_sure_one, without_decay_nothing_leaves_and_the_first_request_never_does)
