/* See plan.h. */
#include "runtime/plan/plan.h"

#include "runtime/cpu/cpu_engine.h"

static const PlanProfile profiles[] = {
#define PROFILE(name, cc, sm, gb_s, tflop_s, l2_mb, shared_kb, warps) \
	{ name, cc, sm, gb_s * 1e9, tflop_s * 1e12, (uint64_t)(l2_mb) << 20, (shared_kb) << 10, warps, PLAN_UNFITTED, false },
#include "runtime/plan/profiles.def"
#undef PROFILE
};
enum { N_PROFILE = sizeof profiles / sizeof *profiles };

static const double SPLIT_IDLE = 0.65, SPLIT_CONFLICT = 0.82, RESIDENCY = 0.85;
enum { CHUNK_MAX = 512, SHRINK_FLOOR = 16, ACTIVATION_BYTES = 2 };

bool plan_find_profile(Str name, PlanProfile *out, Str *near)
{
	Str names[N_PROFILE];
	*near = STR("");
	for (int i = 0; i < N_PROFILE; i++) {
		names[i] = str_from(profiles[i].name);
		if (!str_eq(names[i], name))
			continue;
		*out = profiles[i];
		return true;
	}
	const Str *best = str_nearest(name, names, N_PROFILE);
	if (best)
		*near = *best;
	return false;
}

Str plan_list_profiles(Arena *a)
{
	Str list = STR("");
	for (int i = 0; i < N_PROFILE; i++)
		list = str_fmt(a, "%.*s%s%s", STR_ARG(list), i ? " " : "", profiles[i].name);
	return list;
}

/* ---- formulas --------------------------------------------------------------------------------- */

uint32_t plan_split_count(const PlanModel *m, const PlanProfile *p, uint32_t n_tok, uint32_t batch)
{
	uint32_t n = batch <= 16 ? 4 : 8, most = p->n_warp ? p->n_warp : 64;
	double bytes = (double)n_tok * batch * kv_token_bytes(&m->kv) / m->n_layer;
	if (!p->l2_bytes)
		return 1;
	while (n < most && bytes / n / (double)p->l2_bytes > SPLIT_CONFLICT)
		n *= 2;
	while (n > 1 && bytes / n / (double)p->l2_bytes < SPLIT_IDLE && 2 * bytes / n / (double)p->l2_bytes <= SPLIT_CONFLICT)
		n /= 2;
	return n > most ? most : n;
}

uint32_t plan_shrink(double kv_bytes, double prompt_bytes, double total_bytes, uint32_t n_tok, bool *fits)
{
	uint32_t floor_tok = n_tok < SHRINK_FLOOR ? n_tok : SHRINK_FLOOR;
	*fits = kv_bytes < RESIDENCY * total_bytes;
	if ((kv_bytes + prompt_bytes) / total_bytes < RESIDENCY)
		return n_tok;
	double keep = n_tok * (RESIDENCY * total_bytes - kv_bytes) / prompt_bytes;
	return keep <= floor_tok ? floor_tok : keep >= n_tok ? n_tok : (uint32_t)keep;
}

double plan_balance(const PlanModel *m, const PlanProfile *p, uint32_t n_tok)
{
	double gflop = (double)(m->layer_flop + m->head_flop) / 1e9;
	return p->bytes_per_s / 1e9 * p->n_sm / (gflop * n_tok);
}

/* ---- a request -------------------------------------------------------------------------------- */

static void make_chunks(Arena *a, const PlanModel *m, const PlanProfile *p, uint32_t from, Plan *out)
{
	out->n_chunk = (out->n_prompt - from + out->chunk_tok - 1) / out->chunk_tok;
	out->chunk = arena_array(a, PlanChunk, out->n_chunk);
	for (uint32_t i = 0; i < out->n_chunk; i++) {
		PlanChunk *c = &out->chunk[i];
		c->first = from + i * out->chunk_tok;
		c->n_tok = out->n_prompt - c->first < out->chunk_tok ? out->n_prompt - c->first : out->chunk_tok;
		PlanPass pass = plan_pass(m, c->first, c->n_tok, i + 1 == out->n_chunk);
		c->s = plan_pass_s(&pass, p);
		out->prefill_flop += plan_pass_flop(&pass);
		out->first_s += c->s;
	}
}

void plan_make(Arena *a, const PlanModel *m, const PlanRequest *q, const PlanProfile *p, Plan *out)
{
	*out = (Plan){ .chunk_tok = p->n_sm ? CHUNK_MAX : CPU_CHUNK_TOK };
	bool is_front = true;
	for (uint32_t i = 0; i < q->n_segment; i++) {
		is_front &= q->segment[i].stability == STAB_STATIC;
		out->n_prompt += q->segment[i].n_tok;
		out->n_static += is_front ? q->segment[i].n_tok : 0;
	}
	out->n_static -= out->n_static % KV_BLOCK;
	uint32_t n_all = out->n_prompt + q->n_reply, middle = out->n_prompt + q->n_reply / 2;
	if (p->n_sm)
		out->chunk_tok = CHUNK_MAX / plan_split_count(m, p, out->n_prompt, 1) / KV_BLOCK * KV_BLOCK;
	if (out->chunk_tok < KV_BLOCK)
		out->chunk_tok = KV_BLOCK;
	uint32_t hit = q->n_hit < out->n_prompt ? q->n_hit : out->n_prompt - (out->n_prompt != 0);
	out->n_block = (n_all + KV_BLOCK - 1) / KV_BLOCK;
	out->kv_bytes = kv_sequence_bytes(&m->kv, n_all, kv_window_blocks(&m->kv));
	out->weight_bytes = (double)(m->layer_bytes + m->head_bytes);
	out->memory_bytes = out->weight_bytes + out->kv_bytes + (double)out->chunk_tok * ACTIVATION_BYTES * m->kv.head_len * m->kv.n_head * 16;
	make_chunks(a, m, p, hit, out);
	PlanPass token = plan_pass(m, middle, 1, 1);
	out->decode_bytes = plan_pass_bytes(&token);
	out->token_s = plan_pass_s(&token, p);
	if (p->l2_bytes)
		out->residency = out->n_block * (double)KV_BLOCK * kv_token_bytes(&m->kv) / m->n_layer / (double)p->l2_bytes;  /* of a global layer */
}

/* ---- printing --------------------------------------------------------------------------------- */

static double mb(double bytes) { return bytes / 1e6; }

static void print_profile(Buf *out, const PlanProfile *p)
{
	const PlanFit *fit = &p->fit;
	buf_printf(out, "profile  %s: %.0f GB/s, %.1f TFLOP/s (%s: %.0f %% of the bandwidth, %.0f %% of the rate", p->name, p->bytes_per_s / 1e9,
	           p->flop_per_s / 1e12, p->is_fitted ? "fitted on this machine" : "efficiencies not fitted", 100 * fit->e_bw, 100 * fit->e_f);
	if (p->is_fitted)
		buf_printf(out, ", %.0f %% in attention behind %.2f ns a KB; %.1f us a phase", 100 * fit->e_attend, 1e12 * fit->take_s, 1e6 * fit->sync_s);
	buf_lit(out, ")\n");
}

static void print_request(Buf *out, const Plan *plan, const PlanModel *m, const PlanProfile *p)
{
	uint32_t first = plan->n_chunk ? plan->chunk[0].first : plan->n_prompt;
	if (plan->stage.n)
		buf_printf(out, "stage    %.*s\n", STR_ARG(plan->stage));
	buf_printf(out, "prompt   %u tokens: %u static in whole blocks, %u from the cache", plan->n_prompt, plan->n_static, first);
	if (plan->n_earlier)
		buf_printf(out, ", %u of earlier replies", plan->n_earlier);
	buf_printf(out, "\nprefill  %u tokens in %u %s of %u: %.1f GFLOP, first token after %.3f ms\n", plan->n_prompt - first, plan->n_chunk,
	           plan->n_chunk == 1 ? "chunk" : "chunks", plan->chunk_tok, plan->prefill_flop / 1e9, plan->first_s * 1e3);
	buf_printf(out, "decode   %.1f MB a token: %.3f ms, %.0f tokens/s\n", mb(plan->decode_bytes), plan->token_s * 1e3, 1 / plan->token_s);
	buf_printf(out, "memory   %.1f MB: weights %.1f, KV %.1f in %u blocks of %d tokens (%s)\n", mb(plan->memory_bytes), mb(plan->weight_bytes),
	           mb(plan->kv_bytes), plan->n_block, KV_BLOCK, kv_format_name(m->kv.format));
	if (p->n_sm)
		buf_printf(out, "device   splits %u; balance %.2f GB/s*SM/(GFLOP/token*tokens); residency of a layer's KV in L2 %.3f\n",
		           plan_split_count(m, p, plan->n_prompt, 1), plan_balance(m, p, plan->n_prompt), plan->residency);
}

void plan_print(Buf *out, const Plan *plan, const PlanModel *m, const PlanProfile *p)
{
	print_profile(out, p);
	for (; plan; plan = plan->next)
		print_request(out, plan, m, p);
}

static void print_request_json(Buf *out, const Plan *plan)
{
	buf_printf(out, "\"prompt_tok\":%u,\"static_tok\":%u,\"earlier_tok\":%u,\"chunk_tok\":%u,\"blocks\":%u,", plan->n_prompt, plan->n_static,
	           plan->n_earlier, plan->chunk_tok, plan->n_block);
	buf_printf(out, "\"prefill_flop\":%.0f,\"decode_bytes\":%.0f,\"kv_bytes\":%.0f,\"weight_bytes\":%.0f,\"memory_bytes\":%.0f,", plan->prefill_flop,
	           plan->decode_bytes, plan->kv_bytes, plan->weight_bytes, plan->memory_bytes);
	buf_printf(out, "\"first_ms\":%.6g,\"token_ms\":%.6g,\"chunks\":[", plan->first_s * 1e3, plan->token_s * 1e3);
	for (uint32_t i = 0; i < plan->n_chunk; i++)
		buf_printf(out, "%s{\"first\":%u,\"tok\":%u,\"ms\":%.6g}", i ? "," : "", plan->chunk[i].first, plan->chunk[i].n_tok, plan->chunk[i].s * 1e3);
	buf_byte(out, ']');
}

void plan_print_json(Buf *out, const Plan *plan, const PlanProfile *p)
{
	const PlanFit *fit = &p->fit;
	buf_printf(out, "{\"profile\":\"%s\",\"fitted\":%s,\"fit\":{\"gb_s\":%.6g,\"tflop_s\":%.6g,\"e_bw\":%.6g,\"e_f\":%.6g,\"e_attend\":%.6g,"
	           "\"sync_us\":%.6g,\"take_ns_kb\":%.6g},", p->name, p->is_fitted ? "true" : "false", p->bytes_per_s / 1e9, p->flop_per_s / 1e12, fit->e_bw,
	           fit->e_f, fit->e_attend, 1e6 * fit->sync_s, 1e12 * fit->take_s);
	if (!plan->stage.n) {
		print_request_json(out, plan);
		buf_lit(out, "}\n");
		return;
	}
	buf_lit(out, "\"stages\":[");
	for (const Plan *at = plan; at; at = at->next) {
		buf_putz(out, at == plan ? "{\"name\":" : ",{\"name\":");
		buf_json_str(out, at->stage);
		buf_byte(out, ',');
		print_request_json(out, at);
		buf_byte(out, '}');
	}
	buf_lit(out, "]}\n");
}
