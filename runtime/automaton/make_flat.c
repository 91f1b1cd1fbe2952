/* The last step: what each state costs to leave, edges that lead nowhere taken out, and the bytes of flat.h.
 *
 * note [costs] The cost of a state is the bytes of the shortest way to its value's end; a call costs its value
 * and the dearest of what its site may go on with, since which it will be is known only then. So the sum over a
 * stack is an upper bound, and a way along which it falls with every byte exists from everywhere. */
#include "runtime/automaton/make.h"

#include <stdlib.h>

#include "runtime/automaton/by_cost.h"

typedef struct Flat {
	Make *m;
	VEC(AutoState) state;
	VEC(AutoEdge) edge;      /* of all states, one behind another */
	Words first;             /* of a state in edge */
	uint32_t *queue, head, n_queue;  /* a ring */
	bool *is_queued;
	Words *from_state, *from_site, *from_next;  /* who must be looked at again when a state's, a site's cost falls */
	uint32_t *site_cost, *site_need;
	Interner rows;
	uint8_t class[256];
	uint32_t n_class;
} Flat;

/* ---- edges ---- */

static int cmp_edge(const void *x, const void *y)
{
	const AutoEdge *a = x, *b = y;
	return a->lo < b->lo ? -1 : a->lo > b->lo;
}

static void gather_edges(Flat *f)
{
	Make *m = f->m;
	for (uint32_t i = 0; i < m->state.n; i++) {
		const MakeState *s = &m->state.v[i];
		uint32_t first = f->edge.n;
		vec_push(m->a, &f->first, first);
		vec_push(m->a, &f->state, s->s);
		for (uint32_t j = 0; j < s->edge.n; j++)
			vec_push(m->a, &f->edge, s->edge.v[j]);
		const Edges *more = s->value == NORM_NONE ? NULL : &m->value.v[s->value]->first;
		for (uint32_t j = 0; more && j < more->n; j++)
			vec_push(m->a, &f->edge, more->v[j]);
		if (f->edge.n > first)
			qsort(f->edge.v + first, f->edge.n - first, sizeof *f->edge.v, cmp_edge);
	}
	vec_push(m->a, &f->first, f->edge.n);
}

/* ---- costs ---- */

static uint32_t add_costs(uint32_t x, uint32_t y)
{
	return x == AUTO_FAR || y == AUTO_FAR || x + y < x ? AUTO_FAR : x + y;
}

/* A tick of a counted array is a comma and an item, of a string a byte. */
static uint32_t tick_cost(const Flat *f, uint32_t limit)
{
	uint32_t comma = f->m->limit_comma.v[limit];
	return comma ? add_costs(1, f->state.v[comma].cost) : 1;
}

/* A value from its second byte on, with what its limit's min asks for. */
static uint32_t value_cost(const Flat *f, uint32_t state)
{
	const AutoState *s = &f->state.v[state];
	uint32_t min = f->m->limit.v[s->limit].min, cost = tick_cost(f, s->limit);
	uint64_t missing = min > s->tail ? (uint64_t)(min - s->tail) * cost : 0;
	return cost == AUTO_FAR || missing > UINT32_MAX / 2 ? AUTO_FAR : add_costs(s->cost, (uint32_t)missing);
}

static uint32_t edge_cost(const Flat *f, uint32_t state, uint32_t go)
{
	switch (auto_op(go)) {
	case AUTO_RETURN: return 1;
	case AUTO_CLOSE: return add_costs(1 + AUTO_CLOSE_SPARE, f->state.v[auto_arg(go)].cost);
	case AUTO_CALL: return add_costs(add_costs(1, value_cost(f, auto_arg(go))), f->site_cost[f->state.v[state].site]);
	default: return add_costs(1, f->state.v[auto_arg(go)].cost);
	}
}

static void enqueue(Flat *f, uint32_t state)
{
	if (f->is_queued[state])
		return;
	f->is_queued[state] = true;
	f->queue[(f->head + f->n_queue++) % f->state.n] = state;
}

static void update_site(Flat *f, uint32_t site)
{
	uint32_t dearest = 0;
	const Words *next = &f->m->site.v[site].next;
	for (uint32_t i = 0; i < next->n; i++) {
		uint32_t cost = f->state.v[next->v[i]].cost;
		dearest = cost > dearest ? cost : dearest;
	}
	if (dearest >= f->site_cost[site])
		return;
	f->site_cost[site] = dearest;
	for (uint32_t i = 0; i < f->from_site[site].n; i++)
		enqueue(f, f->from_site[site].v[i]);
}

static void update_state(Flat *f, uint32_t state)
{
	AutoState *s = &f->state.v[state];
	uint32_t best = s->flags & (AUTO_ENDS | AUTO_LAST) ? 0 : AUTO_FAR;
	for (uint32_t i = f->first.v[state]; i < f->first.v[state + 1]; i++) {
		uint32_t cost = edge_cost(f, state, f->edge.v[i].go);
		best = cost < best ? cost : best;
	}
	if (best >= s->cost)
		return;
	s->cost = best;
	for (uint32_t i = 0; i < f->from_state[state].n; i++)
		enqueue(f, f->from_state[state].v[i]);
	for (uint32_t i = 0; i < f->from_next[state].n; i++)
		update_site(f, f->from_next[state].v[i]);
}

static void find_costs(Flat *f)
{
	Arena *a = f->m->a;
	uint32_t n = f->state.n, n_site = f->m->site.n;
	f->queue = arena_array(a, uint32_t, n);
	f->is_queued = arena_array(a, bool, n);
	f->from_state = arena_array(a, Words, n);
	f->from_next = arena_array(a, Words, n);
	f->from_site = arena_array(a, Words, n_site);
	f->site_cost = arena_array(a, uint32_t, n_site);
	for (uint32_t i = 0; i < n_site; i++) {
		f->site_cost[i] = AUTO_FAR;
		for (uint32_t j = 0; j < f->m->site.v[i].next.n; j++)
			vec_push(a, &f->from_next[f->m->site.v[i].next.v[j]], i);
	}
	for (uint32_t i = 0; i < n; i++) {
		f->state.v[i].cost = AUTO_FAR;
		if (f->m->state.v[i].value != NORM_NONE)
			vec_push(a, &f->from_site[f->state.v[i].site], i);
		for (uint32_t j = f->first.v[i]; j < f->first.v[i + 1]; j++) {
			uint32_t go = f->edge.v[j].go, op = auto_op(go);
			uint32_t comma = op == AUTO_CALL ? f->m->limit_comma.v[f->state.v[auto_arg(go)].limit] : 0;
			if (op != AUTO_RETURN)
				vec_push(a, &f->from_state[auto_arg(go)], i);
			if (comma)
				vec_push(a, &f->from_state[comma], i);
		}
	}
	for (uint32_t i = n; i-- > 0;)
		enqueue(f, i);
	while (f->n_queue) {
		uint32_t state = f->queue[f->head];
		f->head = (f->head + 1) % n;
		f->n_queue--;
		f->is_queued[state] = false;
		update_state(f, state);
	}
}

/* Takes out what never ends. */
static void drop_far_edges(Flat *f)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < f->state.n; i++) {
		uint32_t from = f->first.v[i], to = f->first.v[i + 1];
		f->first.v[i] = kept;
		for (uint32_t j = from; j < to; j++)
			if (edge_cost(f, i, f->edge.v[j].go) != AUTO_FAR)
				f->edge.v[kept++] = f->edge.v[j];
	}
	f->first.v[f->state.n] = f->edge.n = kept;
}

static uint32_t dearest_need(const Flat *f, uint32_t site)
{
	const Words *next = &f->m->site.v[site].next;
	uint32_t need = 0;
	for (uint32_t i = 0; i < next->n; i++)
		need = f->state.v[next->v[i]].need > need ? f->state.v[next->v[i]].need : need;
	return need;
}

/* Frames along the cheapest way: cheaper states first, so that they are known. */
static void find_needs(Flat *f)
{
	StateCost *order = arena_array(f->m->a, StateCost, f->state.n);
	for (uint32_t i = 0; i < f->state.n; i++)
		order[i] = (StateCost){ f->state.v[i].cost, i };
	qsort(order, f->state.n, sizeof *order, state_cost_cmp);
	for (uint32_t i = 0; i < f->state.n && order[i].cost != AUTO_FAR; i++) {
		uint32_t state = order[i].state;
		AutoState *s = &f->state.v[state];
		for (uint32_t j = f->first.v[state]; j < f->first.v[state + 1] && s->cost; j++) {
			uint32_t go = f->edge.v[j].go, behind = dearest_need(f, s->site);
			if (edge_cost(f, state, go) != s->cost)
				continue;
			if (auto_op(go) != AUTO_RETURN)
				s->need = f->state.v[auto_arg(go)].need + (auto_op(go) == AUTO_CALL);
			if (auto_op(go) == AUTO_CALL && behind > s->need)
				s->need = behind;
			break;
		}
	}
	f->site_need = arena_array(f->m->a, uint32_t, f->m->site.n);
	for (uint32_t i = 0; i < f->m->site.n; i++)
		f->site_need[i] = dearest_need(f, i);
}

static void price_ticks(Flat *f)
{
	for (uint32_t i = 1; i < f->m->limit.n; i++)
		f->m->limit.v[i].cost = tick_cost(f, i);
}

/* ---- rows ---- */

static uint32_t find_go(const Flat *f, uint32_t state, uint32_t byte)
{
	for (uint32_t i = f->first.v[state]; i < f->first.v[state + 1]; i++)
		if (byte >= f->edge.v[i].lo && byte <= f->edge.v[i].hi)
			return f->edge.v[i].go;
	return 0;
}

static bool is_wide(const Flat *f, uint32_t state)
{
	return f->first.v[state + 1] - f->first.v[state] > AUTO_NARROW_MAX;
}

/* Bytes that no wide state tells apart are of one class. */
static void find_classes(Flat *f)
{
	bool begins[257] = { true };
	for (uint32_t i = 0; i < f->state.n; i++)
		for (uint32_t j = f->first.v[i]; is_wide(f, i) && j < f->first.v[i + 1]; j++)
			begins[f->edge.v[j].lo] = begins[f->edge.v[j].hi + 1] = true;
	for (uint32_t b = 0; b < 256; b++)
		f->class[b] = (uint8_t)((f->n_class += begins[b]) - 1);
}

static void lay_state(Flat *f, uint32_t state, Buf *edges)
{
	AutoState *s = &f->state.v[state];
	uint32_t first = f->first.v[state], n = f->first.v[state + 1] - first, go[256] = { 0 };
	if (n <= AUTO_NARROW_MAX) {
		s->edge = (uint32_t)(edges->n / sizeof(AutoEdge));
		s->n_edge = (uint8_t)n;
		if (n)
			buf_put(edges, (Str){ (const char *)(f->edge.v + first), n * sizeof(AutoEdge) });
		return;
	}
	for (uint32_t b = 0; b < 256; b++)
		if (!b || f->class[b] != f->class[b - 1])
			go[f->class[b]] = find_go(f, state, b);
	s->n_edge = AUTO_WIDE;
	s->edge = intern_add(f->m->a, &f->rows, go, f->n_class) * f->n_class;
}

/* ---- bytes ---- */

static void put_bytes(Buf *out, const void *p, size_t n)
{
	if (n)
		buf_put(out, (Str){ p, n });
}

static void put_sites(Flat *f, Buf *sites, Buf *next)
{
	for (uint32_t i = 0; i < f->m->site.n; i++) {
		const Words *w = &f->m->site.v[i].next;
		AutoSite s = { (uint32_t)(next->n / 4), w->n, f->site_cost[i], f->site_need[i] };
		put_bytes(sites, &s, sizeof s);
		put_bytes(next, w->v, w->n * 4);
	}
}

static void put_all(Flat *f, uint32_t start, Buf *out)
{
	Buf edges = { 0 }, sites = { 0 }, next = { 0 };
	AutoHeader h = { .version = AUTO_VERSION, .start = start, .n_class = f->n_class };
	for (uint32_t i = 0; i < f->state.n; i++)
		lay_state(f, i, &edges);
	put_sites(f, &sites, &next);
	memcpy(h.magic, AUTO_MAGIC, sizeof h.magic);
	memcpy(h.class, f->class, sizeof h.class);
	h.count[AUTO_STATE] = f->state.n;
	h.count[AUTO_EDGE] = (uint32_t)(edges.n / sizeof(AutoEdge));
	h.count[AUTO_SITE] = f->m->site.n;
	h.count[AUTO_NEXT] = (uint32_t)(next.n / 4);
	h.count[AUTO_LIMIT] = f->m->limit.n;
	h.count[AUTO_ROW] = f->rows.data.n;
	h.n_bytes = (uint32_t)(sizeof h + f->state.n * sizeof(AutoState) + edges.n + sites.n + next.n
		+ f->m->limit.n * sizeof(AutoLimit) + f->rows.data.n * sizeof(uint32_t));
	put_bytes(out, &h, sizeof h);
	put_bytes(out, f->state.v, f->state.n * sizeof(AutoState));
	put_bytes(out, edges.p, edges.n);
	put_bytes(out, sites.p, sites.n);
	put_bytes(out, next.p, next.n);
	put_bytes(out, f->m->limit.v, f->m->limit.n * sizeof(AutoLimit));
	put_bytes(out, f->rows.data.v, f->rows.data.n * sizeof(uint32_t));
	buf_free(&edges);
	buf_free(&sites);
	buf_free(&next);
}

bool make_flat(Make *m, uint32_t start, Buf *out)
{
	Flat f = { .m = m };
	gather_edges(&f);
	find_costs(&f);
	if (f.state.v[start].cost == AUTO_FAR)
		return false;
	drop_far_edges(&f);
	find_needs(&f);
	price_ticks(&f);
	find_classes(&f);
	put_all(&f, start, out);
	return true;
}
