/* What it takes to close a text, in tokens of a vocabulary: flat.h's costs are bytes, and three or four of them are a token.
 * An upper bound that is met: from each state the tokens that were counted can come, one after the other. */
#ifndef SEED_AUTOMATON_MASK_COSTS_H
#define SEED_AUTOMATON_MASK_COSTS_H

#include "runtime/automaton/automaton.h"
#include "runtime/token/vocab.h"

typedef struct MaskCosts { uint32_t *state, *site; } MaskCosts;

/* Both arrays are the caller's to free. */
void mask_costs_init(MaskCosts *c, const Automaton *m, const Vocab *v);

#endif
