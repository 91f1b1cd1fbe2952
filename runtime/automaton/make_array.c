/* Arrays. An item's place is counted in the state up to where nothing changes any more; an array of hundreds
 * that all are alike counts with the machine's counter instead. */
#include "runtime/automaton/make.h"

enum { COUNTED = UINT32_MAX };

static bool is_counted(const ArrayRule *r, uint32_t n_item)
{
	bool is_long = r->min > UNROLLED_MAX || (r->max != UINT64_MAX && r->max > UNROLLED_MAX);
	return n_item == 1 && is_long && !r->prefix.n && r->min <= UINT32_MAX;
}

static uint32_t norm_at(const ArrayRule *r, uint32_t at)
{
	return at < r->prefix.n ? r->prefix.v[at] : r->rest;
}

/* Places from here on are alike. */
static uint32_t last_place(const ArrayRule *r)
{
	uint64_t last = r->prefix.n > r->min ? r->prefix.n : r->min;
	if (r->max != UINT64_MAX && r->max > last)
		last = r->max;
	return last > UINT32_MAX - 2 ? UINT32_MAX - 2 : (uint32_t)last;
}

static bool has_more(const Make *m, const ArrayRule *r, uint32_t at)
{
	return at == COUNTED || (at < r->max && norm_lives(m->norms, norm_at(r, at)));
}

/* The state's value: what the items that go on want of it. */
static void call_values(Make *m, uint32_t state, uint32_t value, const Words *items)
{
	Words groups = { 0 };
	Site site = { .owner = value, .type = SCHEMA_ARRAY };
	for (uint32_t i = 0; i < items->n; i += 3) {
		const ArrayRule *r = &m->value.v[value]->item.v[items->v[i]].alt->array;
		uint32_t at = items->v[i + 1], norm, g = 0;
		if (!has_more(m, r, at))
			continue;
		norm = at == COUNTED ? r->rest : norm_at(r, at);
		while (g < groups.n && groups.v[g] != norm)
			g++;
		if (g == groups.n)
			vec_push(m->a, &groups, norm);
		uint32_t next = at == COUNTED || at >= last_place(r) ? at : at + 1;
		vec_push(m->a, &site.follow, (Follow){ items->v[i], next, items->v[i + 2], g });
	}
	if (!groups.n)
		return;
	site.value = make_value(m, &groups);
	uint32_t id = make_site(m, &site);
	m->state.v[state].s.site = id;
	m->state.v[state].value = site.value;
}

static uint32_t ended_groups(const Make *m, uint32_t value, const Words *items)
{
	uint32_t groups = 0;
	for (uint32_t i = 0; i < items->n; i += 3) {
		const Item *it = &m->value.v[value]->item.v[items->v[i]];
		if (items->v[i + 1] == COUNTED || items->v[i + 1] >= it->alt->array.min)
			groups |= 1u << it->group;
	}
	return groups;
}

/* The three states of a counted array share its limit, which items->v[2] names. */
static void set_limit(Make *m, uint32_t state, Phase phase, const Words *items)
{
	if (items->n != 3 || items->v[1] != COUNTED)
		return;
	AutoState *s = &m->state.v[state].s;
	s->limit = (uint16_t)items->v[2];
	s->tail = phase == PHASE_COMMA;
	if (phase != PHASE_AFTER)
		s->flags |= AUTO_CALL_TICKS;
	if (phase == PHASE_COMMA)
		m->limit_comma.v[s->limit] = state;
}

void make_array(Make *m, uint32_t state, Phase phase, uint32_t value, const Words *items)
{
	uint32_t ended = phase == PHASE_COMMA ? 0 : ended_groups(m, value, items);
	bool more = false;
	set_limit(m, state, phase, items);
	if (ended)
		make_edge(m, state, ']', ']', auto_go(AUTO_RETURN, make_label(m, value, ended)));
	if (phase != PHASE_AFTER) {
		call_values(m, state, value, items);
		return;
	}
	for (uint32_t i = 0; i < items->n; i += 3)
		more |= has_more(m, &m->value.v[value]->item.v[items->v[i]].alt->array, items->v[i + 1]);
	if (!more)
		return;
	make_separator(m, state, ',', make_set(m, PHASE_COMMA, SCHEMA_ARRAY, value, items));
}

bool make_array_start(Make *m, uint32_t value, uint32_t *state)
{
	const Value *v = m->value.v[value];
	Words items = { 0 };
	uint32_t n = 0;
	for (uint32_t i = 0; i < v->item.n; i++)
		n += (v->item.v[i].alt->lives & SCHEMA_ARRAY) != 0;
	for (uint32_t i = 0; i < v->item.n; i++) {
		const ArrayRule *r = &v->item.v[i].alt->array;
		if (!(v->item.v[i].alt->lives & SCHEMA_ARRAY))
			continue;
		bool counted = is_counted(r, n);
		uint32_t max = r->max > UINT32_MAX - 1 ? UINT32_MAX : (uint32_t)r->max;
		vec_push(m->a, &items, i);
		vec_push(m->a, &items, counted ? COUNTED : 0);
		vec_push(m->a, &items, counted ? make_limit(m, (uint32_t)r->min, max, 0) : 0);
	}
	if (items.n)
		*state = make_set(m, PHASE_FIRST, SCHEMA_ARRAY, value, &items);
	return items.n;
}
