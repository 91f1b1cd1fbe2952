/* See mask_costs.h. States are taken in the order of their cost in bytes, so that what lies on the way to the end is known.
 * Tokens are counted within a value: one that would also close what is around it counts as two. */
#include "runtime/automaton/mask_costs.h"

#include <stdlib.h>

#include "runtime/automaton/by_cost.h"

enum { CHAIN_MAX = 16 };

static uint32_t add(uint32_t x, uint32_t y) { return x > UINT32_MAX - y ? UINT32_MAX : x + y; }

/* A value from its second byte on, with the ticks that it must have: a tick counts as many tokens as bytes. */
static uint32_t value_cost(const Automaton *m, uint32_t state, uint32_t cost)
{
	const AutoState *s = &m->state[state];
	const AutoLimit *limit = &m->limit[s->limit];
	uint64_t missing = limit->min > s->tail ? (uint64_t)(limit->min - s->tail) * limit->cost : 0;
	return missing > UINT32_MAX ? UINT32_MAX : add(cost, (uint32_t)missing);
}

static uint32_t site_bytes(const Automaton *m, uint32_t state) { return m->site[m->state[state].site].cost; }

static uint32_t edge_bytes(const Automaton *m, uint32_t state, uint32_t go)
{
	uint32_t to = auto_arg(go);
	switch (auto_op(go)) {
	case AUTO_DEAD: return UINT32_MAX;
	case AUTO_RETURN: return 1;
	case AUTO_CALL: return add(add(1, value_cost(m, to, m->state[to].cost)), site_bytes(m, state));
	case AUTO_CLOSE: return add(1 + AUTO_CLOSE_SPARE, m->state[to].cost);
	default: return add(1, m->state[to].cost);
	}
}

/* The byte of the cheapest way, as its go word; 0 if there is none. */
static uint32_t best_go(const Automaton *m, uint32_t state, char *byte)
{
	const AutoState *s = &m->state[state];
	uint32_t best = 0, least = UINT32_MAX, cost;
	uint32_t n = s->n_edge == AUTO_WIDE ? 256 : s->n_edge;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t go = s->n_edge == AUTO_WIDE ? m->row[s->edge + m->header->class[i]] : m->edge[s->edge + i].go;
		if (go && (cost = edge_bytes(m, state, go)) < least) {
			least = cost;
			best = go;
			*byte = (char)(s->n_edge == AUTO_WIDE ? i : m->edge[s->edge + i].lo);
		}
	}
	return best;
}

static bool is_step(uint32_t go) { return auto_op(go) == AUTO_GO || auto_op(go) == AUTO_TICK || auto_op(go) == AUTO_OPEN; }

typedef struct Costing {
	const Automaton *m;
	const Vocab *v;
	MaskCosts *c;
	uint32_t *go;        /* by state: of its cheapest byte */
	char *byte;
} Costing;

/* The fewest tokens along the cheapest way: one of its first bytes, as far as no value begins or ends, then the rest. */
static uint32_t chain_cost(const Costing *x, uint32_t state)
{
	char bytes[CHAIN_MAX];
	uint32_t best = UINT32_MAX;
	for (uint32_t n = 0, at = state; n < CHAIN_MAX && is_step(x->go[at]);) {
		bytes[n++] = x->byte[at];
		at = auto_arg(x->go[at]);
		if (n > 1 && vocab_find(x->v, (Str){ bytes, n }) == TOKEN_NONE)
			continue;
		uint32_t cost = add(1, x->c->state[at]);
		best = cost < best ? cost : best;
	}
	return best;
}

static uint32_t dearest_next(const Costing *x, uint32_t site)
{
	uint32_t dearest = 0;
	for (uint32_t i = 0; i < x->m->site[site].n_next; i++) {
		uint32_t cost = x->c->state[x->m->next[x->m->site[site].next + i]];
		dearest = cost > dearest ? cost : dearest;
	}
	return dearest;
}

static uint32_t state_cost(const Costing *x, uint32_t state)
{
	const AutoState *s = &x->m->state[state];
	uint32_t go = x->go[state], to = auto_arg(go);
	if (s->flags & (AUTO_ENDS | AUTO_LAST))
		return 0;
	switch (auto_op(go)) {
	case AUTO_DEAD: return UINT32_MAX;
	case AUTO_RETURN: return 1;
	case AUTO_CALL: return add(add(1, value_cost(x->m, to, x->c->state[to])), dearest_next(x, s->site));
	case AUTO_CLOSE: return add(1 + AUTO_CLOSE_SPARE, x->c->state[to]);
	default: return chain_cost(x, state);
	}
}

void mask_costs_init(MaskCosts *c, const Automaton *m, const Vocab *v)
{
	uint32_t n_site = m->header->count[AUTO_SITE];
	StateCost *order = mem_must_alloc(m->n_state * sizeof *order);
	Costing x = { m, v, c, mem_must_alloc(m->n_state * sizeof *x.go), mem_must_alloc(m->n_state) };
	c->state = mem_must_alloc(m->n_state * sizeof *c->state);
	c->site = mem_must_alloc(n_site * sizeof *c->site);
	for (uint32_t i = 0; i < m->n_state; i++) {
		order[i] = (StateCost){ m->state[i].cost, i };
		x.go[i] = best_go(m, i, &x.byte[i]);
		c->state[i] = UINT32_MAX;
	}
	qsort(order, m->n_state, sizeof *order, state_cost_cmp);
	for (uint32_t i = 0; i < m->n_state; i++)
		c->state[order[i].state] = state_cost(&x, order[i].state);
	for (uint32_t i = 0; i < n_site; i++)
		c->site[i] = dearest_next(&x, i);
	free(order);
	free(x.go);
	free(x.byte);
}
