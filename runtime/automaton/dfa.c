/* Dfas: literals, products, minimal forms; see dfa.h. */
#include "runtime/automaton/dfa.h"

#include <stdlib.h>

#include "runtime/base/utf8.h"

uint32_t dfa_begin_state(Arena *a, Dfa *d, uint32_t label)
{
	vec_push(a, &d->state, (DfaState){ d->edge.n, 0, label });
	return d->state.n - 1;
}

void dfa_add_edge(Arena *a, Dfa *d, uint32_t lo, uint32_t hi, uint32_t to)
{
	DfaState *s = &d->state.v[d->state.n - 1];
	DfaEdge *last = s->n_edge ? &d->edge.v[d->edge.n - 1] : NULL;
	if (last && last->to == to && last->hi + 1 == lo) {
		last->hi = hi;
		return;
	}
	vec_push(a, &d->edge, (DfaEdge){ lo, hi, to });
	s->n_edge++;
}

Dfa *dfa_new_any(Arena *a)
{
	Dfa *d = arena_new(a, Dfa);
	dfa_begin_state(a, d, 1);
	dfa_add_edge(a, d, 0, DFA_SYMBOL_MAX, 0);
	return d;
}

Dfa *dfa_new_length(Arena *a, uint32_t min, uint32_t max)
{
	Dfa *d = arena_new(a, Dfa);
	uint32_t last = max == UINT32_MAX ? min : max;
	for (uint32_t i = 0; i <= last && min <= max; i++) {
		dfa_begin_state(a, d, i >= min);
		if (i < last || max == UINT32_MAX)
			dfa_add_edge(a, d, 0, DFA_SYMBOL_MAX, i < last ? i + 1 : i);
	}
	return d;
}

uint32_t dfa_next(const Dfa *d, uint32_t state, uint32_t symbol)
{
	if (state >= d->state.n)
		return DFA_DEAD;
	const DfaState *s = &d->state.v[state];
	uint32_t lo = 0, hi = s->n_edge;
	const DfaEdge *e = s->n_edge ? &d->edge.v[s->edge] : NULL;
	while (lo < hi) {
		uint32_t mid = (lo + hi) / 2;
		if (symbol > e[mid].hi)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < s->n_edge && symbol >= e[lo].lo ? e[lo].to : DFA_DEAD;
}

bool dfa_is_any(const Dfa *d)
{
	for (uint32_t i = 0; i < d->state.n; i++) {
		const DfaState *s = &d->state.v[i];
		uint32_t at = 0;
		for (uint32_t j = 0; j < s->n_edge && d->edge.v[s->edge + j].lo == at; j++)
			at = d->edge.v[s->edge + j].hi + 1;
		if (!s->label || at != DFA_SYMBOL_MAX + 1)
			return false;
	}
	return d->state.n;
}

/* ---- literals ---- */

typedef struct Literal { Words symbol; uint32_t label; } Literal;

static int cmp_literal(const void *x, const void *y)
{
	const Literal *a = x, *b = y;
	for (uint32_t i = 0; i < a->symbol.n && i < b->symbol.n; i++)
		if (a->symbol.v[i] != b->symbol.v[i])
			return a->symbol.v[i] < b->symbol.v[i] ? -1 : 1;
	if (a->symbol.n != b->symbol.n)
		return a->symbol.n < b->symbol.n ? -1 : 1;
	return a->label < b->label ? -1 : a->label > b->label;
}

static void read_symbols(Arena *a, Str text, DfaUnit unit, Words *out)
{
	for (size_t at = 0; at < text.n;) {
		uint32_t cp = (unsigned char)text.p[at], len = 1;
		if (unit == DFA_CODE_POINTS)
			len = utf8_decode(text, at, &cp);
		vec_push(a, out, cp);
		at += len;
	}
}

/* The state of what l[lo, hi) share in their first depth symbols. Edges of a state stand together, so its kids'
 * states are made first and it last: the start is moved to 0 at the end. */
static uint32_t add_literals(Arena *a, Dfa *d, const Literal *l, uint32_t lo, uint32_t hi, uint32_t depth)
{
	VEC(DfaEdge) edge = { 0 };
	uint32_t label = l[lo].symbol.n == depth ? l[lo].label : 0;
	while (lo < hi && l[lo].symbol.n == depth)
		lo++;
	for (uint32_t from = lo; from < hi;) {
		uint32_t symbol = l[from].symbol.v[depth], to = from;
		while (to < hi && l[to].symbol.v[depth] == symbol)
			to++;
		uint32_t kid = add_literals(a, d, l, from, to, depth + 1);
		vec_push(a, &edge, (DfaEdge){ symbol, symbol, kid });
		from = to;
	}
	uint32_t id = dfa_begin_state(a, d, label);
	for (uint32_t i = 0; i < edge.n; i++)
		dfa_add_edge(a, d, edge.v[i].lo, edge.v[i].hi, edge.v[i].to);
	return id;
}

/* States and edges turned round, so that the last state is the first. */
static void reverse_states(Dfa *d)
{
	uint32_t n = d->state.n;
	for (uint32_t i = 0; i < n / 2; i++) {
		DfaState swap = d->state.v[i];
		d->state.v[i] = d->state.v[n - 1 - i];
		d->state.v[n - 1 - i] = swap;
	}
	for (uint32_t i = 0; i < d->edge.n; i++)
		d->edge.v[i].to = n - 1 - d->edge.v[i].to;
}

Dfa *dfa_new_literals(Arena *a, const Str *text, uint32_t n, DfaUnit unit)
{
	Dfa *d = arena_new(a, Dfa);
	Literal *l = arena_array(a, Literal, n);
	for (uint32_t i = 0; i < n; i++) {
		read_symbols(a, text[i], unit, &l[i].symbol);
		l[i].label = i + 1;
	}
	if (!n)
		return d;
	qsort(l, n, sizeof *l, cmp_literal);
	add_literals(a, d, l, 0, n, 0);
	reverse_states(d);
	return d;
}

/* ---- products ---- */

typedef struct Product {
	Arena *a;
	Dfa *out;
	Dfa *const *part;
	uint32_t n;
	Interner tuple;
	uint32_t *now, *next, *label, *edge;
} Product;

/* From symbol lo, where every part stands in now: the tuple that follows, and how far it stays the same. */
static uint32_t next_tuple(Product *p, uint32_t lo)
{
	uint32_t hi = DFA_SYMBOL_MAX;
	for (uint32_t i = 0; i < p->n; i++) {
		const Dfa *d = p->part[i];
		p->next[i] = DFA_DEAD;
		if (p->now[i] == DFA_DEAD)
			continue;
		const DfaState *s = &d->state.v[p->now[i]];
		while (p->edge[i] < s->n_edge && d->edge.v[s->edge + p->edge[i]].hi < lo)
			p->edge[i]++;
		if (p->edge[i] == s->n_edge)
			continue;
		const DfaEdge *e = &d->edge.v[s->edge + p->edge[i]];
		uint32_t until = e->lo > lo ? e->lo - 1 : e->hi;
		if (e->lo <= lo)
			p->next[i] = e->to;
		if (until < hi)
			hi = until;
	}
	return hi;
}

static void expand_tuple(Product *p, uint32_t id, DfaChoose choose, void *context)
{
	uint32_t n;
	if (p->n)
		memcpy(p->now, intern_get(&p->tuple, id, &n), p->n * sizeof *p->now);
	for (uint32_t i = 0; i < p->n; i++) {
		p->label[i] = p->now[i] == DFA_DEAD ? 0 : p->part[i]->state.v[p->now[i]].label;
		p->edge[i] = 0;
	}
	dfa_begin_state(p->a, p->out, choose(context, p->label, p->n));
	for (uint32_t lo = 0, hi; lo <= DFA_SYMBOL_MAX; lo = hi + 1) {
		hi = next_tuple(p, lo);
		dfa_add_edge(p->a, p->out, lo, hi, intern_add(p->a, &p->tuple, p->next, p->n));
	}
}

Dfa *dfa_product(Arena *a, Dfa *const *part, uint32_t n, DfaChoose choose, void *context)
{
	Product p = { .a = a, .out = arena_new(a, Dfa), .part = part, .n = n };
	p.now = arena_array(a, uint32_t, n);
	p.next = arena_array(a, uint32_t, n);
	p.label = arena_array(a, uint32_t, n);
	p.edge = arena_array(a, uint32_t, n);
	for (uint32_t i = 0; i < n; i++)
		p.next[i] = dfa_is_empty(part[i]) ? DFA_DEAD : 0;
	intern_add(a, &p.tuple, p.next, n);
	for (uint32_t i = 0; i < intern_count(&p.tuple); i++) {
		if (i >= DFA_STATES_MAX || p.out->edge.n > DFA_EDGES_MAX)
			return NULL;
		expand_tuple(&p, i, choose, context);
	}
	return dfa_prune(a, p.out);
}

static uint32_t choose_and(void *context, const uint32_t *label, uint32_t n)
{
	(void)context, (void)n;
	return label[0] && label[1];
}

static uint32_t choose_and_not(void *context, const uint32_t *label, uint32_t n)
{
	(void)context, (void)n;
	return label[0] && !label[1];
}

Dfa *dfa_and(Arena *a, Dfa *x, Dfa *y)
{
	return dfa_product(a, (Dfa *[]){ x, y }, 2, choose_and, NULL);
}

Dfa *dfa_and_not(Arena *a, Dfa *x, Dfa *y)
{
	return dfa_product(a, (Dfa *[]){ x, y }, 2, choose_and_not, NULL);
}

/* ---- distances, pruning, minimal form ---- */

/* The edges turned round: for state i, from[start[i] .. start[i + 1]). */
typedef struct Back { uint32_t *start, *from; } Back;

static Back turn_edges(Arena *a, const Dfa *d)
{
	Back b = { arena_array(a, uint32_t, d->state.n + 2), arena_array(a, uint32_t, d->edge.n) };
	for (uint32_t i = 0; i < d->edge.n; i++)
		b.start[d->edge.v[i].to + 2]++;
	for (uint32_t i = 2; i < d->state.n + 2; i++)
		b.start[i] += b.start[i - 1];
	for (uint32_t i = 0; i < d->state.n; i++)
		for (uint32_t j = 0; j < d->state.v[i].n_edge; j++)
			b.from[b.start[d->edge.v[d->state.v[i].edge + j].to + 1]++] = i;
	return b;
}

uint32_t *dfa_distances(Arena *a, const Dfa *d)
{
	Back back = turn_edges(a, d);
	uint32_t *dist = arena_array(a, uint32_t, d->state.n), *queue = arena_array(a, uint32_t, d->state.n), n = 0;
	for (uint32_t i = 0; i < d->state.n; i++) {
		dist[i] = d->state.v[i].label ? 0 : UINT32_MAX;
		if (!dist[i])
			queue[n++] = i;
	}
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t j = back.start[queue[i]]; j < back.start[queue[i] + 1]; j++)
			if (dist[back.from[j]] == UINT32_MAX) {
				dist[back.from[j]] = dist[queue[i]] + 1;
				queue[n++] = back.from[j];
			}
	return dist;
}

/* Longest paths first: a state is counted when all it leads to are; what is never counted lies before a loop. */
uint32_t *dfa_counts(Arena *a, const Dfa *d, const bool *set)
{
	Back back = turn_edges(a, d);
	uint32_t *count = arena_array(a, uint32_t, d->state.n), *open = arena_array(a, uint32_t, d->state.n);
	uint32_t *queue = arena_array(a, uint32_t, d->state.n), n = 0;
	for (uint32_t i = 0; i < d->state.n; i++) {
		open[i] = d->state.v[i].n_edge;
		count[i] = DFA_MANY;
		if (!open[i])
			queue[n++] = i;
	}
	for (uint32_t i = 0; i < n; i++) {
		const DfaState *s = &d->state.v[queue[i]];
		uint64_t sum = set[queue[i]];
		for (uint32_t j = 0; j < s->n_edge && sum < DFA_MANY; j++) {
			const DfaEdge *e = &d->edge.v[s->edge + j];
			sum += (uint64_t)(e->hi - e->lo + 1) * count[e->to];
		}
		count[queue[i]] = sum < DFA_MANY ? (uint32_t)sum : DFA_MANY;
		for (uint32_t j = back.start[queue[i]]; j < back.start[queue[i] + 1]; j++)
			if (!--open[back.from[j]])
				queue[n++] = back.from[j];
	}
	return count;
}

Dfa *dfa_prune(Arena *a, const Dfa *d)
{
	Dfa *out = arena_new(a, Dfa);
	uint32_t *dist = dfa_distances(a, d), n = 0;
	if (!d->state.n || dist[0] == UINT32_MAX)
		return out;
	for (uint32_t i = 0; i < d->state.n; i++)  /* now the new number */
		dist[i] = dist[i] == UINT32_MAX ? DFA_DEAD : n++;
	for (uint32_t i = 0; i < d->state.n; i++) {
		const DfaState *s = &d->state.v[i];
		if (dist[i] == DFA_DEAD)
			continue;
		dfa_begin_state(a, out, s->label);
		for (uint32_t j = 0; j < s->n_edge; j++) {
			const DfaEdge *e = &d->edge.v[s->edge + j];
			if (dist[e->to] != DFA_DEAD)
				dfa_add_edge(a, out, e->lo, e->hi, dist[e->to]);
		}
	}
	return out;
}

/* One round of Moore's refinement: states of a class that go to the same classes. */
static uint32_t refine(Arena *scratch, const Dfa *d, const uint32_t *class, uint32_t *to)
{
	Interner in = { 0 };
	Words sign = { 0 };
	for (uint32_t i = 0; i < d->state.n; i++) {
		const DfaState *s = &d->state.v[i];
		sign.n = 0;
		vec_push(scratch, &sign, class[i]);
		for (uint32_t j = 0; j < s->n_edge; j++) {
			const DfaEdge *e = &d->edge.v[s->edge + j];
			uint32_t k = class[e->to];
			if (sign.n > 1 && sign.v[sign.n - 1] == k && sign.v[sign.n - 2] + 1 == e->lo) {
				sign.v[sign.n - 2] = e->hi;
				continue;
			}
			vec_push(scratch, &sign, e->lo);
			vec_push(scratch, &sign, e->hi);
			vec_push(scratch, &sign, k);
		}
		to[i] = intern_add(scratch, &in, sign.v, sign.n);
	}
	return intern_count(&in);
}

static Dfa *join_classes(Arena *a, const Dfa *d, const uint32_t *class, uint32_t n_class)
{
	Dfa *out = arena_new(a, Dfa);
	uint32_t done = 0;
	for (uint32_t i = 0; i < d->state.n && done < n_class; i++) {
		const DfaState *s = &d->state.v[i];
		if (class[i] != done)
			continue;
		done++;
		dfa_begin_state(a, out, s->label);
		for (uint32_t j = 0; j < s->n_edge; j++) {
			const DfaEdge *e = &d->edge.v[s->edge + j];
			dfa_add_edge(a, out, e->lo, e->hi, class[e->to]);
		}
	}
	return out;
}

Dfa *dfa_minimise(Arena *a, Dfa *d)
{
	const uint64_t work_max = 3000000;  /* longer, and the larger form costs less than the search for the smallest */
	uint32_t *class = arena_array(a, uint32_t, d->state.n), *next = arena_array(a, uint32_t, d->state.n);
	uint32_t n = 0, before;
	uint64_t work = 0;
	Arena scratch = { 0 };
	for (uint32_t i = 0; i < d->state.n; i++)
		class[i] = d->state.v[i].label;
	do {
		before = n;
		n = refine(&scratch, d, class, next);
		memcpy(class, next, d->state.n * sizeof *class);
		arena_reset(&scratch);
		work += d->state.n + d->edge.n;
	} while (n != before && n < d->state.n && work < work_max);
	arena_free(&scratch);
	return n == d->state.n || n != before ? d : join_classes(a, d, class, n);
}
