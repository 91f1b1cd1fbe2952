/* See engine.h. */
#include "runtime/engine/engine.h"

uint32_t engine_max_tok(const Engine *e)
{
	uint32_t n_ctx = e->model->shape.n_ctx, n_pool = kv_pool_max_tok(e->pool);
	return n_ctx < n_pool ? n_ctx : n_pool;
}

bool engine_prefill(Engine *e, KvSequence *s, const uint32_t *ids, uint32_t n, float *logits, Str *why)
{
	for (uint32_t at = 0, take; at < n; at += take) {
		take = n - at < e->chunk_tok ? n - at : e->chunk_tok;
		uint32_t last = take - 1;
		EngineRun run = { s, ids + at, take };
		EngineBatch batch = { .run = &run, .n_run = 1, .logit_row = &last, .n_logit = logits && at + take == n, .logits = logits };
		if (!kv_sequence_reserve(s, take)) {
			*why = STR("the KV cache has no room for so many tokens");
			return false;
		}
		if (!e->ops->forward(e, &batch, why))
			return false;
	}
	return true;
}
