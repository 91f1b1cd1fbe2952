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

static bool make_room(Talk *t, const RunSession *s, uint32_t n_turn, Str *why)
{
	uint32_t max_tok = t->hold->rules.max_tok, n_reply = max_tok && max_tok < TALK_REPLY_TOK ? max_tok : TALK_REPLY_TOK;
	if (talk_make_room(t, (size_t)n_turn + n_reply, engine_max_tok(s->engine)))
		return true;
	*why = t->decay > 0 ? STR("the turn and its reply do not go into the model's context")
		: STR("the talk fills the model's context: --decay lets older turns leave it");
	return false;
}

static bool answer(Talk *t, RunSession *s, const FrameIds *turn, const GenerateSink *sink, Generated *reply, Str *why)
{
	FrameIds ids = { 0 };
	talk_ids(t, t->arena, &ids);
	for (uint32_t i = 0; i < turn->n; i++)
		vec_push(t->arena, &ids, turn->v[i]);
	KvSequence *seq = kv_sequence_new(s->pool, s->group);
	if (!seq) {
		*why = STR("every slot of the cache group is taken");
		return false;
	}
	bool ok = generate(s->generator, seq, ids.v, ids.n, &t->hold->rules, sink, reply, why);
	kv_sequence_free(seq);
	if (!ok)
		generated_free(reply);
	return ok;
}

bool talk_turn(Talk *t, RunSession *s, const Target *target, Str user, const GenerateSink *sink, RunStage *out, Str *why)
{
	TalkTurn turn = { 0 };
	uint32_t n;
	*out = (RunStage){ .hold = t->hold, .has_schema = t->hold->schema != NULL };
	if (!run_next_turn(t->arena, s, target, user, &turn.ids, &out->counts, why) || !make_room(t, s, turn.ids.n, why) ||
	    !answer(t, s, &turn.ids, sink, &out->reply, why))
		return false;
	const uint32_t *more = generator_ids(s->generator, &n);
	for (uint32_t i = 0; i < n; i++)
		vec_push(t->arena, &turn.ids, more[i]);
	turn.confidence = out->reply.confidence;
	vec_push(t->arena, &t->turn, turn);
	out->is_valid = out->has_schema && run_hold_allows(t->arena, t->hold, buf_str(&out->reply.text));
	return true;
}
