/* What a run would cost, without a weight being read: the tokens of its requests on a device. */
#ifndef SEED_RUN_PLAN_H
#define SEED_RUN_PLAN_H

#include "runtime/plan/plan.h"
#include "runtime/run/run_prompt.h"

/* The ids of the first request's beginning that no value changes. False when the report holds an error. */
bool run_static_ids(Encoder *encoder, RunPrompt *p, FrameIds *out, WireReport *report);

/* p: as for run_prompt; *out is the first of a chain's. What has no value counts as empty, with a warning; a stage's reply
 * takes its max, or 128 tokens, and one that has a value is not planned. False when the report holds an error. */
bool run_plan(const Model *m, Encoder *encoder, RunPrompt *p, KvFormat kv, const PlanProfile *profile, Plan *out, WireReport *report);

#endif
