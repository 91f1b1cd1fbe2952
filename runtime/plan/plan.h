/*
 * Plan: what a request will cost on a device, before anything runs: tokens, KV blocks, bytes, FLOPs, time
 * to the first token and per token, memory.
 *
 * note [cost]. A phase takes max(bytes / (bandwidth · e_bw), flops / (rate · e_f)) plus a synchronisation
 * for each step that waits. The three constants belong to a device: PLAN_UNFITTED until they have been
 * fitted, and then the plan says so.
 */
#ifndef SEED_PLAN_PLAN_H
#define SEED_PLAN_PLAN_H

#include "runtime/bin/bin.h"
#include "runtime/kv/kv_format.h"
#include "runtime/model/model.h"

typedef struct PlanProfile {
	const char *name;
	double compute;               /* capability */
	uint32_t n_sm;
	double bytes_per_s, flop_per_s;
	uint64_t l2_bytes;
	uint32_t shared_bytes, n_warp; /* of an SM */
} PlanProfile;

/* By name; the suggestion of a near one, or empty, in *near. A copy, so that the CPU's rates can be filled in. */
bool plan_find_profile(Str name, PlanProfile *out, Str *near);
Str plan_list_profiles(Arena *a);

typedef struct PlanFit { double e_bw, e_f, sync_s; } PlanFit;
#define PLAN_UNFITTED (PlanFit){ 0.8, 0.5, 5e-6 }

/* What a model moves and computes. */
typedef struct PlanModel {
	uint64_t layer_bytes, head_bytes;     /* of weights, as the file has them */
	uint64_t layer_flop, head_flop;       /* a token: two for each weight of a product */
	uint64_t attention_flop;              /* a token and a position that it reads */
	uint32_t n_layer;
	KvShape kv;
} PlanModel;

PlanModel plan_model(const Model *m, KvFormat kv);

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
	uint32_t n_prompt, n_static;  /* tokens; static: whole blocks in front that never change */
	uint32_t n_block, chunk_tok, n_chunk;
	PlanChunk *chunk;
	double kv_bytes, weight_bytes, memory_bytes;
	double prefill_flop, decode_bytes;  /* decode: a token at the reply's middle */
	double first_s, token_s;
	double residency;             /* T-14: share of the memory of the device's L2 that KV and prompt take */
} Plan;

/* The chunks and what they cost. */
void plan_make(Arena *a, const PlanModel *m, const PlanRequest *q, const PlanProfile *p, PlanFit fit, Plan *out);

/* T-12: how many parts a prefill is split into, from the share of the L2 that a part's keys, values and
 * activations take: doubled above 0.82, halved below 0.65, within the warps of an SM. */
uint32_t plan_split_count(const PlanModel *m, const PlanProfile *p, uint32_t n_tok, uint32_t batch);

/* T-14: tokens that a prompt of n_tok may keep where the cache takes kv_bytes of total_bytes. Brings the
 * residency to 0.85 exactly, within [min(16, n_tok), n_tok]; *fits false where the cache alone is over. */
uint32_t plan_shrink(double kv_bytes, double prompt_bytes, double total_bytes, uint32_t n_tok, bool *fits);

/* T-17: ζ = (GB/s · SMs) / (GFLOP a token · tokens). */
double plan_balance(const PlanModel *m, const PlanProfile *p, uint32_t n_tok);

void plan_print(Buf *out, const Plan *plan, const PlanModel *m, const PlanProfile *p, bool is_fitted);
void plan_print_json(Buf *out, const Plan *plan, const PlanProfile *p, bool is_fitted);

#endif
