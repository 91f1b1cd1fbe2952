/*
 * The walk over a vocabulary's sorted tokens from one place of the machine: each distinct prefix is stepped
 * once. What it leaves in p says what the answer depended on.
 */
#ifndef SEED_AUTOMATON_MASK_WALK_H
#define SEED_AUTOMATON_MASK_WALK_H

#include "runtime/automaton/step.h"
#include "runtime/automaton/trie.h"

/* What every walk over one automaton with one vocabulary needs to know. */
typedef struct MaskPlan {
	const Automaton *m;
	const TokenTrie *trie;
	bool *is_simple;             /* by state: coming there by AUTO_GO changes the state and nothing else */
	uint32_t need, cost;         /* the most of simple states; of plain states */
	StepCosts costs;             /* in tokens */
} MaskPlan;

/* A token's way, by bytes. Simple steps change at alone: all else is in the cursor that from names. */
typedef struct MaskStep {
	AutomatonCursor cursor;
	uint32_t at, from, rest;     /* rest: bytes to be closed, less those of from's own state */
	bool compared;               /* a name came to its end on the way */
} MaskStep;

typedef struct MaskWalk {
	const MaskPlan *plan;
	StepPlace p;
	MaskStep *step;              /* trie->max_bytes + 1; [0] is where tokens begin */
	bool exact;                  /* of this very place: hashes of names and each token's own cost count */
	uint64_t *mask;              /* trie->n_word */
	uint32_t left;               /* tokens, the next one included; UINT32_MAX: any number, which it is unless exact */
	uint32_t dearest;            /* bytes that are to be closed behind any allowed token, at the most */
	uint32_t *retest;            /* allowed tokens in which a name came to its end, up to retest_max */
	uint32_t n_retest, retest_max;
} MaskWalk;

/* Fills mask for tokens behind the cursor. */
void mask_walk(MaskWalk *w, const AutomatonCursor *cursor);

#endif
