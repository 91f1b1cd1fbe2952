/*
 * The profile `cpu`: note [cost]'s constants for this machine, one model and one form of the KV cache, measured with
 * the model itself and kept in the cache folder.
 *
 * note [fit]. Bandwidth is what the threads read side by side; the rate is that of products out of the cache. Then
 * passes of the model are timed, in turns, until the two least times of each are alike, and the least counts: so a
 * neighbour on the machine disturbs little. They are a token with and without the head (e_bw, sync_s), a token and a
 * chunk behind many positions (e_attend, take_s), a chunk behind none (e_f). What stands at these positions is made
 * up, not computed: what reading it costs does not depend on what it says.
 *
 * A kept fit is one file of JSON with its key inside: the model's fingerprint, instruction set, threads, KV format,
 * version, processor. One that does not parse, or is of another key, is fitted again.
 */
#ifndef SEED_PLAN_FIT_H
#define SEED_PLAN_FIT_H

#include "runtime/cpu/cpu_engine.h"
#include "runtime/plan/cost.h"

typedef enum PlanFitHow { FIT_KEPT_OR_NEW, FIT_NEW } PlanFitHow;

typedef struct PlanFitting {
	PlanFitHow how;
	const Model *model;
	KvFormat kv;
	CpuEngineConfig cpu;
	void (*begin)(void);  /* called before measuring, which takes seconds; or NULL */
	/* out */
	double took_s;       /* that measuring took; 0: the fit had been kept */
	const char *kept_at; /* the file; NULL: there is none, and not_kept says why */
	Str not_kept;
} PlanFitting;

/* Fills in the profile's rates and constants. False with *why: the engine cannot run the model. */
bool plan_fit(Arena *a, PlanFitting *f, PlanProfile *p, Str *why);

/* ---- parts of it ------------------------------------------------------------------------------ */

/* The passes that are timed. */
typedef enum FitPass { FIT_TOKEN, FIT_TOKEN_HEADLESS, FIT_TOKEN_DEEP, FIT_CHUNK, FIT_CHUNK_DEEP, FIT_PASS_COUNT } FitPass;

typedef struct FitTimes {
	double bytes_per_s, flop_per_s;
	uint32_t depth, chunk;        /* tokens: before the deep passes; of a chunk */
	double s[FIT_PASS_COUNT];
} FitTimes;

bool fit_measure(Arena *a, const PlanFitting *f, FitTimes *t, Str *why);
/* Every constant is positive and finite, whatever the times. */
void fit_solve(const PlanModel *m, const FitTimes *t, PlanProfile *p);

/* NULL: no folder, or a model without a fingerprint; *not_kept says which. */
const char *fit_path(Arena *a, const PlanFitting *f, Str *key, Str *not_kept);
bool fit_read(Arena *a, const char *path, Str key, PlanProfile *p);
bool fit_write(Arena *a, const char *path, Str key, const PlanProfile *p, Str *why);

#endif
