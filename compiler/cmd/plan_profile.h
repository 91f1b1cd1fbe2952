/* The device that --profile names, by default this machine: the one that `run` runs on. */
#ifndef SEED_PLAN_PROFILE_H
#define SEED_PLAN_PROFILE_H

#include "compiler/cmd/model_use.h"
#include "runtime/plan/plan.h"

/* `cpu` is this machine with n_thread threads (0: what the process may use): its constants for the model are kept from
 * an earlier plan, or measured now, which err says. 0, or an exit code with the reason on err. */
int plan_profile_open(Invocation *iv, const ModelUse *use, KvFormat kv, uint32_t n_thread, PlanProfile *p);

#endif
