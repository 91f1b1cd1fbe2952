/*
 * One byte of the machine. The frames and names a cursor names may lie in a state or, while masks are
 * made, in a larger copy; steps only ever write at cursor.top and cursor.n_name, so that an older cursor
 * stays good when a newer one is dropped.
 */
#ifndef SEED_AUTOMATON_STEP_H
#define SEED_AUTOMATON_STEP_H

#include "runtime/automaton/automaton.h"

/* What closing costs, in tokens of a vocabulary: by state and site, as flat.h has it in bytes. */
typedef struct StepCosts { const uint32_t *state, *site; } StepCosts;

typedef struct StepPlace {
	const Automaton *m;
	const StepCosts *costs;     /* NULL: bytes */
	AutomatonFrame *frame;
	AutomatonName *name;
	uint32_t n_frame, n_name;   /* room */
	/* What a mask depends on, for those who keep masks: */
	uint32_t lowest;            /* the least depth that a return came down to */
	uint32_t highest;           /* the most frames that were asked for, had or not */
	bool compared;              /* a name came to its end … */
	bool collided;              /* … and its object had others */
} StepPlace;

/* What the byte does in the state, without regard to counters; 0: nothing. */
static inline uint32_t step_find(const Automaton *m, uint32_t at, uint8_t byte)
{
	const AutoState *s = &m->state[at];
	if (s->n_edge == AUTO_WIDE)
		return m->row[s->edge + m->header->class[byte]];
	const AutoEdge *e = &m->edge[s->edge];
	for (uint32_t i = 0; i < s->n_edge; i++)
		if (byte >= e[i].lo && byte <= e[i].hi)
			return e[i].go;
	return 0;
}

static inline uint32_t step_cost(const StepPlace *p, uint32_t state)
{
	return p->costs ? p->costs->state[state] : p->m->state[state].cost;
}

/* False when the byte cannot come; the cursor is then of no use. */
bool step_byte(StepPlace *p, AutomatonCursor *c, uint8_t byte);
/* The text may end here; pops what ends without a byte. */
bool step_is_complete(StepPlace *p, AutomatonCursor c);
/* Bytes or tokens that suffice to the end of the text. */
uint32_t step_closing(const StepPlace *p, const AutomatonCursor *c);

#endif
