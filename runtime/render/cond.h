/*
 * Conditions: postfix programs of the binary, evaluated over values in Kleene's three-valued logic.
 * What hangs on an unbound required input is UNKNOWN, unless the rest decides.
 */
#ifndef SEED_RENDER_COND_H
#define SEED_RENDER_COND_H

#include "runtime/render/values.h"

typedef enum Truth { TRUTH_FALSE, TRUTH_TRUE, TRUTH_UNKNOWN } Truth;

/* One open loop: the segment that opened it, its current item and counter from 1. */
typedef struct LoopItem {
	uint32_t seg;
	const JsonNode *item;  /* NULL: the list is unbound */
	uint32_t n;
	const struct LoopItem *outer;
} LoopItem;

typedef struct CondEnv {
	const Bin *bin;
	const Values *values;
	const LoopItem *loop;
	Arena *arena;
	Str family;  /* what target.family is; empty: not known */
	/* For tests: of the rendered request. has_tokens is false while no vocabulary is at hand. */
	uint64_t n_token;
	uint32_t n_message;
	bool has_tokens, has_messages;
} CondEnv;

/* n = 0 is true. */
Truth cond_eval(const CondEnv *env, BinRange program);

/* What a reference stands for now. field access on anything but an object gives ABSENT. */
Value ref_value(const CondEnv *env, uint32_t ref);

/* User turns at the end of a turns value that say the same after NFKC and case folding. */
uint32_t turns_count_repeats(Arena *arena, const JsonNode *turns);

#endif
