/* See run_print.h. */
#include "runtime/run/run_print.h"

#include <sys/resource.h>

#include "runtime/cpu/cpu_engine.h"

static const char *const end_name[GENERATE_END_COUNT] = {
	[END_MODEL] = "model", [END_STOP] = "stop", [END_SCHEMA] = "schema", [END_LENGTH] = "length", [END_CANCELLED] = "cancelled",
	[END_GIVEN] = "given",
};

static double ms(uint64_t ns) { return (double)ns / 1e6; }

static double per_s(uint32_t n, uint64_t ns) { return ns ? n * 1e9 / (double)ns : 0; }

static void print_stage(Buf *out, const RunStage *stage)
{
	const Generated *r = &stage->reply;
	uint32_t n_read = r->n_prompt - r->n_hit, n_asked = r->n_token - r->n_forced;
	if (stage->name.n)
		buf_printf(out, "stage    %.*s\n", STR_ARG(stage->name));
	buf_printf(out, "prompt   %u tokens, %u of them from the cache, %u read in %.1f ms: %.0f tokens/s\n", r->n_prompt, r->n_hit, n_read,
	           ms(r->prefill_ns), per_s(n_read, r->prefill_ns));
	buf_printf(out, "ids      %u from the file, %u tokenised; %zu bytes of the file's text copied\n", stage->counts.n_shipped,
	           stage->counts.n_made, stage->counts.n_copied);
	buf_printf(out, "reply    %u tokens", r->n_token);
	if (r->n_forced)
		buf_printf(out, ", %u of them forced by the schema", r->n_forced);
	buf_printf(out, ", first after %.1f ms, then %.1f ms: %.0f tokens/s; ended by %s\n", ms(r->first_ns), ms(r->total_ns - r->first_ns),
	           per_s(r->n_token ? r->n_token - 1 : 0, r->total_ns - r->first_ns), end_name[r->end]);
	if (stage->has_schema && n_asked)
		buf_printf(out, "schema   %s; masks took %.1f us a token\n", stage->is_valid ? "valid" : "not valid", (double)r->mask_ns / 1e3 / n_asked);
}

/* The process's peak, and what of it the engine and the blocks in use take. */
static void print_memory(Buf *out, const RunSession *s, const KvCounts *n)
{
	struct rusage use;
	getrusage(RUSAGE_SELF, &use);
	buf_printf(out, "memory   %.1f MB at the most", (double)use.ru_maxrss / 1000 * 1.024);
	if (!s->is_oracle)
		buf_printf(out, ": weights %.1f, cache %.1f", (double)cpu_engine_weight_bytes(s->engine) / 1e6, (double)n->used_bytes / 1e6);
	buf_byte(out, '\n');
}

static double layers_bytes(const KvShape *kv, bool is_local)
{
	return kv_token_bytes(kv) * kv_n_layer(kv, is_local) / kv->n_layer;
}

/* The reference keeps its own keys and values, in f32. */
static void print_cache(Buf *out, const RunSession *s, const KvCounts *n)
{
	const KvShape *kv = kv_pool_shape(s->pool);
	uint32_t n_local = kv_n_layer(kv, true);
	if (s->is_oracle)
		buf_printf(out, "cache    f32, %.0f bytes a token\n", 8.0 * kv->n_layer * kv->n_head * kv->head_len);
	else
		buf_printf(out, "cache    %s, %.0f bytes a token%s; blocks of %d: %u live, %u cached, %u free\n", kv_format_name(kv->format),
		           layers_bytes(kv, false), n_local ? " in global layers" : "", KV_BLOCK, n->live - n->local_live,
		           n->cached - n->local_cached, n->free - n->local_free);
	if (!s->is_oracle && n_local)
		buf_printf(out, "window   %u tokens in %u of %u layers, %.0f bytes a token; their blocks: %u live, %u cached\n", kv->window, n_local,
		           kv->n_layer, layers_bytes(kv, true), n->local_live, n->local_cached);
}

void run_print_stats(Buf *out, const RunSession *s, const RunStages *stages)
{
	const ModelShape *m = &s->model.shape;
	KvCounts n = kv_pool_counts(s->pool);
	buf_printf(out, "model    %.*s: %u layers, %u wide, %u tokens known; ready in %.1f ms\n", STR_ARG(s->model.name), m->n_layer, m->n_embd,
	           m->n_vocab, ms(s->open_ns));
	for (uint32_t i = 0; i < stages->n; i++)
		print_stage(out, &stages->v[i]);
	print_cache(out, s, &n);
	if (s->n_loaded_tok)
		buf_printf(out, "loaded   %u tokens of saved caches: %llu bytes read where they lie, %llu copied\n", s->n_loaded_tok,
		           (unsigned long long)n.n_mapped_bytes, (unsigned long long)n.n_copied_bytes);
	print_memory(out, s, &n);
}

static void print_json_stage(Buf *out, const RunStage *stage)
{
	const Generated *r = &stage->reply;
	buf_lit(out, "{\"name\":");
	buf_json_str(out, stage->name);
	buf_lit(out, ",\"text\":");
	buf_json_str(out, buf_str(&r->text));
	buf_printf(out, ",\"end\":\"%s\",\"prompt_tok\":%u,\"cached_tok\":%u,\"reply_tok\":%u,\"forced_tok\":%u,\"first_ms\":%.3f,\"total_ms\":%.3f",
	           end_name[r->end], r->n_prompt, r->n_hit, r->n_token, r->n_forced, ms(r->first_ns), ms(r->total_ns));
	buf_printf(out, ",\"file_ids\":%u,\"made_ids\":%u,\"copied_bytes\":%zu", stage->counts.n_shipped, stage->counts.n_made,
	           stage->counts.n_copied);
	if (stage->has_schema)
		buf_printf(out, ",\"valid\":%s", stage->is_valid ? "true" : "false");
	buf_byte(out, '}');
}

void run_print_json(Buf *out, const RunSession *s, const RunStages *stages)
{
	const RunStage *last = &stages->v[stages->n - 1];
	KvCounts n = kv_pool_counts(s->pool);
	buf_lit(out, "{\"text\":");
	buf_json_str(out, buf_str(&last->reply.text));
	buf_printf(out, ",\"end\":\"%s\",\"loaded_tok\":%u,\"mapped_kv_bytes\":%llu,\"copied_kv_bytes\":%llu,\"stages\":[",
	           end_name[last->reply.end], s->n_loaded_tok, (unsigned long long)n.n_mapped_bytes, (unsigned long long)n.n_copied_bytes);
	for (uint32_t i = 0; i < stages->n; i++) {
		if (i)
			buf_byte(out, ',');
		print_json_stage(out, &stages->v[i]);
	}
	buf_lit(out, "]}\n");
}
