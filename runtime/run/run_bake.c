/* See run_bake.h. */
#include "runtime/run/run_bake.h"

#include "runtime/run/run_plan.h"

bool run_bake(RunSession *s, RunPrompt *p, Buf *out, uint32_t *n_tok, WireReport *report)
{
	FrameIds ids = { 0 };
	Str why;
	if (!run_static_ids(s->encoder, p, &ids, report))
		return false;
	*n_tok = ids.n / KV_BLOCK * KV_BLOCK;
	if (!*n_tok)
		return true;
	KvSequence *seq = kv_sequence_new(s->pool, s->group);
	if (!seq)
		return wire_refuse(report, STR("every slot of the cache group is taken"));
	bool ok = engine_prefill(s->engine, seq, ids.v, *n_tok, NULL, &why);
	if (ok && !kv_sequence_save(seq, out)) {
		ok = false;
		why = STR("this format of the KV cache is never saved");
	}
	kv_sequence_free(seq);
	return ok || wire_refuse(report, why);
}
