/*
 * Cost: what one pass of a model over some tokens moves and computes, and the time that takes on a device.
 *
 * note [cost]. A pass is three kinds of phases: the products of the layers, attention, the head. A kind takes
 * max(bytes / (bandwidth · e_bw), flops / (rate · e_f)), the pass their sum and a synchronisation for each phase.
 * Weights are read once for all tokens of a pass; the head is computed for the rows that are wanted; a token attends to
 * every position before it, of the window alone in local layers. Attention has an e_f of its own, being other
 * arithmetic than products, and a time to take keys and values out of their packed form, once for all tokens of a
 * block: so a lone token pays more for a position than a token among many. The constants belong to a device:
 * PLAN_UNFITTED until they have been fitted (fit.h), and then the plan says so.
 */
#ifndef SEED_PLAN_COST_H
#define SEED_PLAN_COST_H

#include "runtime/kv/kv_format.h"
#include "runtime/model/model.h"

typedef struct PlanFit {
	double e_bw, e_f, e_attend;   /* shares of the profile's bandwidth and rate that are reached */
	double sync_s;                /* a phase */
	double take_s;                /* a byte of keys and values, for each block of tokens that attends to it */
} PlanFit;
#define PLAN_UNFITTED { 0.8, 0.5, 0.5, 5e-6, 0 }

typedef struct PlanProfile {
	const char *name;
	double compute;               /* capability */
	uint32_t n_sm;
	double bytes_per_s, flop_per_s;
	uint64_t l2_bytes;
	uint32_t shared_bytes, n_warp; /* of an SM */
	PlanFit fit;
	bool is_fitted;
} PlanProfile;

/* What a model moves and computes. */
typedef struct PlanModel {
	uint64_t layer_bytes, head_bytes;     /* of weights, as the file has them */
	uint64_t layer_flop, head_flop;       /* a token: two for each weight of a product */
	uint64_t attention_flop;              /* a token and a position that it reads, in all layers */
	uint32_t n_layer;
	KvShape kv;
} PlanModel;

PlanModel plan_model(const Model *m, KvFormat kv);

typedef enum PlanKind { PLAN_PRODUCTS, PLAN_ATTENTION, PLAN_HEAD, PLAN_KIND_COUNT } PlanKind;
typedef struct PlanWork { double bytes, flop; } PlanWork;
typedef struct PlanPass {
	PlanWork work[PLAN_KIND_COUNT];
	double taken_bytes;           /* keys and values, once for each block of tokens */
	uint32_t n_phase;
} PlanPass;

/* n tokens behind `first`; the head for n_head_row of them. */
PlanPass plan_pass(const PlanModel *m, uint32_t first, uint32_t n, uint32_t n_head_row);
double plan_pass_s(const PlanPass *w, const PlanProfile *p);
double plan_pass_bytes(const PlanPass *w);
double plan_pass_flop(const PlanPass *w);

#endif
