/* States in the order of what it costs to end from them, the cheapest first; equals by their number. */
#ifndef SEED_AUTOMATON_BY_COST_H
#define SEED_AUTOMATON_BY_COST_H

#include <stdint.h>

typedef struct StateCost { uint32_t cost, state; } StateCost;

/* For qsort. */
static inline int state_cost_cmp(const void *x, const void *y)
{
	const StateCost *a = x, *b = y;
	if (a->cost != b->cost)
		return a->cost < b->cost ? -1 : 1;
	return a->state < b->state ? -1 : a->state > b->state;
}

#endif
