/* See talk.h. */
#include "runtime/run/talk.h"

double talk_weight(double decay, uint32_t step, double floor, double confidence)
{
	double weight = floor + (1 - floor) * confidence;
	for (; step; step--)
		weight *= decay;
	return weight;
}

static size_t count(const Talk *t)
{
	size_t n = t->first.n;
	for (uint32_t i = 0; i < t->turn.n; i++)
		n += t->turn.v[i].ids.n;
	return n;
}

static uint32_t lightest(const Talk *t)
{
	uint32_t at = 0;
	double least = 2;
	for (uint32_t i = 0; i < t->turn.n; i++) {
		double weight = talk_weight(t->decay, t->turn.n - 1 - i, TALK_FLOOR, t->turn.v[i].confidence);
		if (weight < least) {
			least = weight;
			at = i;
		}
	}
	return at;
}

bool talk_make_room(Talk *t, size_t n_more, size_t n_room)
{
	while (t->decay > 0 && t->turn.n && count(t) + n_more > n_room) {
		uint32_t at = lightest(t);
		memmove(t->turn.v + at, t->turn.v + at + 1, (t->turn.n - at - 1) * sizeof *t->turn.v);
		t->turn.n--;
		t->n_left++;
	}
	return count(t) + n_more <= n_room;
}

void talk_ids(const Talk *t, Arena *a, FrameIds *out)
{
	for (uint32_t i = 0; i < t->first.n; i++)
		vec_push(a, out, t->first.v[i]);
	for (uint32_t i = 0; i < t->turn.n; i++)
		for (uint32_t k = 0; k < t->turn.v[i].ids.n; k++)
			vec_push(a, out, t->turn.v[i].ids.v[k]);
}
