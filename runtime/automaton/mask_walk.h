/*
 * The walk over a vocabulary's sorted tokens from one place of the machine: each distinct prefix is stepped
 * once. What it leaves in p says what the answer depended on.
 */
#ifndef SEED_AUTOMATON_MASK_WALK_H
#define SEED_AUTOMATON_MASK_WALK_H

#include "runtime/automaton/step.h"
#include "runtime/automaton/trie.h"

typedef struct MaskWalk {
	StepPlace p;
	const TokenTrie *trie;
	AutomatonCursor *cursor;     /* trie->max_bytes + 1; [0] is where tokens begin */
	bool *compared;              /* by depth: a name came to its end on the way */
	uint64_t *mask;              /* trie->n_word */
	uint32_t left;               /* tokens, the next one included; UINT32_MAX: any number */
	uint32_t dearest;            /* the most bytes that are to be closed behind an allowed token */
	uint32_t *retest;            /* allowed tokens in which a name came to its end, up to retest_max */
	uint32_t n_retest, retest_max;
} MaskWalk;

/* Fills mask. */
void mask_walk(MaskWalk *w);

#endif
