/* See run_bake.h. */
#include "runtime/run/run_bake.h"

#include "runtime/run/run_plan.h"

static bool refuse(WireReport *report, Str why)
{
	wire_note(report, WIRE_ERROR, NULL, "%.*s", STR_ARG(why));
	return false;
}

static bool compute(RunSession *s, KvSequence *seq, const uint32_t *ids, uint32_t n, Str *why)
{
	for (uint32_t at = 0, take; at < n; at += take) {
		take = n - at < s->engine->chunk_tok ? n - at : s->engine->chunk_tok;
		EngineRun run = { seq, ids + at, take };
		EngineBatch batch = { .run = &run, .n_run = 1 };
		if (!kv_sequence_reserve(seq, take)) {
			*why = STR("the KV cache has no room for the prompt's beginning");
			return false;
		}
		if (!s->engine->ops->forward(s->engine, &batch, why))
			return false;
	}
	return true;
}

bool run_bake(RunSession *s, RunPrompt *p, Buf *out, uint32_t *n_tok, WireReport *report)
{
	FrameIds ids = { 0 };
	Str why;
	if (!run_static_ids(s->encoder, p, &ids, report))
		return false;
	*n_tok = ids.n / KV_BLOCK * KV_BLOCK;
	if (!*n_tok)
		return true;
	KvSequence *seq = kv_sequence_new(s->pool, p->group);
	if (!seq)
		return refuse(report, STR("every slot of the cache group is taken"));
	bool ok = compute(s, seq, ids.v, *n_tok, &why);
	if (ok && !kv_sequence_save(seq, out)) {
		ok = false;
		why = STR("this format of the KV cache is never saved");
	}
	kv_sequence_free(seq);
	return ok || refuse(report, why);
}
