/* Choosing tokens, and showing their text: rules by hand, chance by its counts, streams cut at every byte. */
#include <math.h>

#include "runtime/decode/sample.h"
#include "runtime/decode/stream.h"
#include "tests/unit/check.h"

enum { N_VOCAB = 200 };

static uint32_t choose(SampleRules rules, const float *from, uint32_t n, const uint64_t *allowed, uint64_t position)
{
	float logits[N_VOCAB];
	uint32_t id = UINT32_MAX;
	Sampler *s = sampler_new(n);
	memcpy(logits, from, n * sizeof *logits);
	SampleStatus status = sampler_choose(s, &rules, logits, allowed, position, &id);
	sampler_free(s);
	return status == SAMPLE_DONE ? id : 1000 + status;
}

TEST(greedy_takes_the_likeliest_and_the_lowest_id_of_equals)
{
	float logits[] = { 1, 3, -2, 3, 2 };
	uint64_t odd = 8, none = 0, low = 5;
	CHECK(choose(SAMPLE_GREEDY, logits, 5, NULL, 0) == 1);
	CHECK(choose(SAMPLE_GREEDY, logits, 5, &odd, 0) == 3);
	CHECK(choose(SAMPLE_GREEDY, logits, 5, &low, 0) == 0);
	CHECK(choose(SAMPLE_GREEDY, logits, 5, &none, 0) == 1000 + SAMPLE_NONE);
	SampleRules one = { .temperature = 5, .top_k = 1, .top_p = 1, .repetition_penalty = 1 };
	CHECK(choose(one, logits, 5, NULL, 7) == 1);
}

TEST(a_number_that_is_none_is_an_error)
{
	float nan_last[] = { 1, 2, NAN }, infinite[] = { 1, INFINITY, 0 };
	CHECK(choose(SAMPLE_GREEDY, nan_last, 3, NULL, 0) == 1000 + SAMPLE_NAN);
	CHECK(choose(SAMPLE_GREEDY, infinite, 3, NULL, 0) == 1000 + SAMPLE_NAN);
}

TEST(a_seen_token_is_less_likely)
{
	SampleRules rules = { .top_p = 1, .repetition_penalty = 2 };
	float logits[] = { 3, 2, -1 };
	uint32_t id;
	Sampler *s = sampler_new(3);
	sampler_saw(s, 0);
	CHECK(sampler_choose(s, &rules, logits, NULL, 0, &id) == SAMPLE_DONE && id == 1);
	CHECK(logits[0] == 1.5f && logits[2] == -1);
	sampler_reset(s);
	float again[] = { 3, 2, -1 };
	CHECK(sampler_choose(s, &rules, again, NULL, 0, &id) == SAMPLE_DONE && id == 0);
	sampler_free(s);
}

/* How often each id comes in 20,000 draws. */
static void draw(SampleRules rules, const float *logits, uint32_t n, uint32_t *count)
{
	for (uint32_t i = 0; i < n; i++)
		count[i] = 0;
	for (uint64_t position = 0; position < 20000; position++)
		count[choose(rules, logits, n, NULL, position)]++;
}

TEST(draws_follow_the_probabilities)
{
	SampleRules rules = { .temperature = 1, .top_p = 1, .repetition_penalty = 1, .seed = 11 };
	float logits[4] = { logf(0.5f), logf(0.25f), logf(0.125f), logf(0.125f) };
	uint32_t n[4];
	draw(rules, logits, 4, n);
	CHECK(n[0] > 9700 && n[0] < 10300 && n[1] > 4750 && n[1] < 5250 && n[2] > 2300 && n[2] < 2700);
	rules.temperature = 0.5f;  /* squares: 16 : 4 : 1 : 1 */
	draw(rules, logits, 4, n);
	CHECK(n[0] > 14250 && n[0] < 14850 && n[3] > 780 && n[3] < 1040);
}

TEST(rules_leave_the_likeliest)
{
	SampleRules rules = { .temperature = 1, .top_p = 0.7f, .repetition_penalty = 1 };
	float logits[4] = { logf(0.5f), logf(0.25f), logf(0.125f), logf(0.125f) };
	uint32_t n[4];
	draw(rules, logits, 4, n);
	CHECK(n[0] > 12900 && n[1] > 6300 && !n[2] && !n[3]);
	rules = (SampleRules){ .temperature = 1, .top_p = 1, .top_k = 3, .repetition_penalty = 1 };
	draw(rules, logits, 4, n);
	CHECK(n[2] > 2500 && !n[3]);
	rules = (SampleRules){ .temperature = 1, .top_p = 1, .min_p = 0.4f, .repetition_penalty = 1 };
	draw(rules, logits, 4, n);
	CHECK(n[1] > 6300 && !n[2] && !n[3]);
}

TEST(a_draw_depends_on_seed_and_position_alone)
{
	SampleRules rules = { .temperature = 1, .top_p = 1, .repetition_penalty = 1, .seed = 3 };
	float logits[N_VOCAB] = { 0 };
	uint32_t same = 0, other = 0;
	for (uint64_t at = 0; at < 1000; at++) {
		uint32_t id = choose(rules, logits, N_VOCAB, NULL, at);
		same += id == choose(rules, logits, N_VOCAB, NULL, at);
		SampleRules changed = rules;
		changed.seed = 4;
		other += id == choose(changed, logits, N_VOCAB, NULL, at);
	}
	CHECK(same == 1000 && other < 30);
}

TEST(exp_is_e_to_the_x)
{
	double worst = 0;
	for (float x = -80; x < 80; x += 0.0137f)
		worst = fmax(worst, fabs(sample_exp(x) / exp((double)x) - 1));
	CHECK(worst < 3e-7);
	CHECK(sample_exp(0) == 1 && sample_exp(-200) == 0 && sample_exp(-INFINITY) == 0);
}

/* ---- streams ---------------------------------------------------------------------------------- */

/* What is shown of `all` when it comes `step` bytes at a time; every showing must be whole characters. */
static Str run(Check *check_, Arena *a, const char *all, size_t step, const Str *stop, uint32_t n_stop, bool *stopped)
{
	TextStream s = { .stop = stop, .n_stop = n_stop };
	Buf shown = { 0 };
	size_t n = strlen(all);
	for (size_t at = 0; at < n; at += step) {
		Str now = stream_put(&s, (Str){ all + at, n - at < step ? n - at : step });
		CHECK(!now.n || (now.p[0] & 0xc0) != 0x80);
		buf_put(&shown, now);
	}
	buf_put(&shown, stream_end(&s));
	CHECK(str_eq(buf_str(&shown), buf_str(&s.text)));
	*stopped = s.is_stopped;
	Str out = str_dup(a, buf_str(&shown));
	buf_free(&shown);
	stream_free(&s);
	return out;
}

TEST(characters_are_shown_whole)
{
	Arena a = { 0 };
	bool stopped;
	for (size_t step = 1; step < 9; step++) {
		CHECK(str_is(run(check_, &a, "a\xc3\xa9\xe4\xbd\xa0\xf0\x9f\x98\x80z", step, NULL, 0, &stopped), "a\xc3\xa9\xe4\xbd\xa0\xf0\x9f\x98\x80z"));
		CHECK(str_is(run(check_, &a, "a\xe4\xbd" "b\xff\xf0\x9f\x98", step, NULL, 0, &stopped),
		             "a\xef\xbf\xbd\xef\xbf\xbd" "b\xef\xbf\xbd\xef\xbf\xbd"));
		CHECK(str_is(run(check_, &a, "\xed\xa0\x80", step, NULL, 0, &stopped), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"));
	}
	arena_free(&a);
}

TEST(nothing_of_a_stop_string_is_shown)
{
	static const Str stop[] = { STR_INIT("</end>"), STR_INIT("\n\n") };
	Arena a = { 0 };
	bool stopped;
	for (size_t step = 1; step < 12; step++) {
		CHECK(str_is(run(check_, &a, "one </en </end> two", step, stop, 2, &stopped), "one </en ") && stopped);
		CHECK(str_is(run(check_, &a, "one\ntwo\n\n</end>", step, stop, 2, &stopped), "one\ntwo") && stopped);
		CHECK(str_is(run(check_, &a, "one </en", step, stop, 2, &stopped), "one </en") && !stopped);
	}
	arena_free(&a);
}

CHECK_MAIN(greedy_takes_the_likeliest_and_the_lowest_id_of_equals, a_number_that_is_none_is_an_error, a_seen_token_is_less_likely, draws_follow_the_probabilities, rules_leave_the_likeliest, a_draw_depends_on_seed_and_position_alone, exp_is_e_to_the_x, characters_are_shown_whole, nothing_of_a_stop_string_is_shown)
