/*
 * Plan: what a request will cost on a device, before anything runs: tokens, KV blocks, bytes, FLOPs, time
 * to the first token and per token, memory. What a pass costs is note [cost] in cost.h.
 */
#ifndef SEED_PLAN_PLAN_H
#define SEED_PLAN_PLAN_H

#include "runtime/bin/bin.h"
#include "runtime/plan/cost.h"

/* By name, unfitted; the suggestion of a near one, or empty, in *near. The rates of `cpu` are 0: fit.h measures them. */
bool plan_find_profile(Str name, PlanProfile *out, Str *near);
Str plan_list_profiles(Arena *a);

/* Consecutive tokens of the request that are alike. */
typedef struct PlanSegment {
	uint32_t n_tok;
	Stability stability;
} PlanSegment;

typedef struct PlanRequest {
	const PlanSegment *segment;
	uint32_t n_segment;
	uint32_t n_hit;               /* tokens that the cache has, whole blocks */
	uint32_t n_reply;             /* tokens that will be generated */
} PlanRequest;

typedef struct PlanChunk { uint32_t first, n_tok; double s; } PlanChunk;

typedef struct Plan {
	Str stage;                    /* of a chain; empty: the prompt itself */
	const struct Plan *next;      /* the chain's next request, or NULL */
	uint32_t n_prompt, n_static;  /* tokens; static: whole blocks in front that never change */
	uint32_t n_earlier;           /* of n_prompt: replies of earlier stages, each of its max or of 128 */
	uint32_t n_block, chunk_tok, n_chunk;
	PlanChunk *chunk;
	double kv_bytes, weight_bytes, memory_bytes;
	double prefill_flop, decode_bytes;  /* decode: a token at the reply's middle */
	double first_s, token_s;
	double residency;             /* T-14: share of the memory of the device's L2 that KV and prompt take */
} Plan;

/* The chunks and what they cost. */
void plan_make(Arena *a, const PlanModel *m, const PlanRequest *q, const PlanProfile *p, Plan *out);

/* T-12: how many parts a prefill is split into, from the share of the L2 that a part's keys, values and
 * activations take: doubled above 0.82, halved below 0.65, within the warps of an SM. */
uint32_t plan_split_count(const PlanModel *m, const PlanProfile *p, uint32_t n_tok, uint32_t batch);

/* T-14: tokens that a prompt of n_tok may keep where the cache takes kv_bytes of total_bytes. Brings the
 * residency to 0.85 exactly, within [min(16, n_tok), n_tok]; *fits false where the cache alone is over. */
uint32_t plan_shrink(double kv_bytes, double prompt_bytes, double total_bytes, uint32_t n_tok, bool *fits);

/* T-17: ζ = (GB/s · SMs) / (GFLOP a token · tokens). */
double plan_balance(const PlanModel *m, const PlanProfile *p, uint32_t n_tok);

/* All requests of a chain, from its first on. In JSON they are `stages`. */
void plan_print(Buf *out, const Plan *plan, const PlanModel *m, const PlanProfile *p);
void plan_print_json(Buf *out, const Plan *plan, const PlanProfile *p);

#endif
