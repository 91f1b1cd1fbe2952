/*
 * Baking: the keys and values of a prompt's beginning that never changes, computed once and stored in the
 * .bin. A run whose request begins with the same tokens finds them there and computes the rest alone.
 */
#ifndef SEED_RUN_BAKE_H
#define SEED_RUN_BAKE_H

#include "runtime/run/run_prompt.h"

/* Appends a saved cache (kv.h) of the first request's static tokens, whole blocks of 32, to out. *n_tok: how many;
 * with 0 nothing is appended. p: as for run_prompt, inputs without a value. False when the report holds an error. */
bool run_bake(RunSession *s, RunPrompt *p, Buf *out, uint32_t *n_tok, WireReport *report);

#endif
