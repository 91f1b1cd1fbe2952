/* The worklists of make.h, and automaton_compile. */
#include "runtime/automaton/make.h"

uint32_t make_state(Make *m)
{
	if (m->state.n >= MACHINE_STATES_MAX)
		m->too_large = true;
	MakeState *s = vec_add(m->a, &m->state);
	s->value = NORM_NONE;
	return m->state.n - 1;
}

void make_edge(Make *m, uint32_t state, uint8_t lo, uint8_t hi, uint32_t go)
{
	vec_push(m->a, &m->state.v[state].edge, (AutoEdge){ .lo = lo, .hi = hi, .go = go });
}

void make_separator(Make *m, uint32_t state, uint8_t mark, uint32_t next)
{
	if (m->options.spacing == AUTOMATON_SPACED) {
		uint32_t space = make_state(m);
		m->state.v[space].s.limit = m->state.v[state].s.limit;
		m->state.v[space].s.tail = m->state.v[state].s.limit != 0;
		make_edge(m, space, ' ', ' ', auto_go(AUTO_GO, next));
		next = space;
	}
	make_edge(m, state, mark, mark, auto_go(AUTO_GO, next));
}

uint32_t make_same(Make *m, const AutoState *s, const Edges *edge)
{
	Words key = { 0 };
	vec_push(m->a, &key, (uint32_t)s->flags << 16 | s->label);
	vec_push(m->a, &key, (uint32_t)s->limit << 16 | s->tail);
	for (uint32_t i = 0; i < edge->n; i++) {
		vec_push(m->a, &key, (uint32_t)edge->v[i].lo << 8 | edge->v[i].hi);
		vec_push(m->a, &key, edge->v[i].go);
	}
	uint32_t id = intern_add(m->a, &m->same, key.v, key.n);
	if (id == m->same_state.n) {
		uint32_t state = make_state(m);
		m->state.v[state].s = *s;
		for (uint32_t i = 0; i < edge->n; i++)
			make_edge(m, state, edge->v[i].lo, edge->v[i].hi, edge->v[i].go);
		vec_push(m->a, &m->same_state, state);
	}
	return m->same_state.v[id];
}

uint32_t make_limit(Make *m, uint32_t min, uint32_t max, uint32_t comma)
{
	if (m->limit.n > UINT16_MAX) {
		m->too_large = true;
		return 0;
	}
	vec_push(m->a, &m->limit, (AutoLimit){ min, max, 1 });
	vec_push(m->a, &m->limit_comma, comma);
	return m->limit.n - 1;
}

uint32_t make_value(Make *m, const Words *groups)
{
	uint32_t id = intern_add(m->a, &m->value_key, groups->v, groups->n);
	if (id < m->value.n)
		return id;
	Value *v = arena_new(m->a, Value);
	vec_push(m->a, &m->value, v);
	for (uint32_t i = 0; i < groups->n; i++) {
		const Norm *norm = m->norms->norm.v[groups->v[i]];
		vec_push(m->a, &v->group, groups->v[i]);
		for (uint32_t j = 0; j < norm->alt.n; j++)
			vec_push(m->a, &v->item, (Item){ i, norm->alt.v[j] });
	}
	if (groups->n > GROUPS_MAX)
		m->too_large = true;
	return id;
}

/* ---- sites and labels ---- */

static uint32_t state_behind(Make *m, uint32_t site, uint32_t groups)
{
	Words items = { 0 };
	const Site *s = &m->site.v[site];
	if (s->owner == NORM_NONE)
		return m->last;
	for (uint32_t i = 0; i < s->follow.n; i++) {
		const Follow *f = &s->follow.v[i];
		if (!(groups >> f->group & 1))
			continue;
		vec_push(m->a, &items, f->item);
		vec_push(m->a, &items, f->at);
		vec_push(m->a, &items, f->count);
	}
	return make_set(m, PHASE_AFTER, s->type, s->owner, &items);
}

static void add_next(Make *m, uint32_t site, uint32_t groups)
{
	uint32_t state = state_behind(m, site, groups);
	vec_push(m->a, &m->site.v[site].next, state);
}

uint32_t make_label(Make *m, uint32_t value, uint32_t groups)
{
	Value *v = m->value.v[value];
	for (uint32_t i = 0; i < v->label.n; i++)
		if (v->label.v[i] == groups)
			return i;
	vec_push(m->a, &v->label, groups);
	for (uint32_t i = 0; i < v->site.n; i++)
		add_next(m, v->site.v[i], groups);
	return v->label.n - 1;
}

uint32_t make_site(Make *m, const Site *site)
{
	Value *v = m->value.v[site->value];
	vec_push(m->a, &m->site, *site);
	vec_push(m->a, &v->site, m->site.n - 1);
	for (uint32_t i = 0, id = m->site.n - 1; i < v->label.n; i++)
		add_next(m, id, v->label.v[i]);
	return m->site.n - 1;
}

/* ---- sets ---- */

uint32_t make_set(Make *m, Phase phase, unsigned type, uint32_t value, const Words *items)
{
	Words key = { 0 };
	vec_push(m->a, &key, phase);
	vec_push(m->a, &key, type);
	vec_push(m->a, &key, value);
	for (uint32_t i = 0; i < items->n; i++)
		vec_push(m->a, &key, items->v[i]);
	uint32_t id = intern_add(m->a, &m->set_key, key.v, key.n);
	if (id == m->set_state.n) {
		uint32_t state = make_state(m);
		vec_push(m->a, &m->set_state, state);
	}
	return m->set_state.v[id];
}

static void fill_set(Make *m, uint32_t id)
{
	Words items = { 0 };
	uint32_t n;
	const uint32_t *key = intern_get(&m->set_key, id, &n);
	uint32_t phase = key[0], type = key[1], value = key[2];
	for (uint32_t i = 3; i < n; i++)
		vec_push(m->a, &items, key[i]);
	if (type == SCHEMA_ARRAY)
		make_array(m, m->set_state.v[id], (Phase)phase, value, &items);
	else
		make_object(m, m->set_state.v[id], (Phase)phase, value, &items);
}

static void fill_value(Make *m, uint32_t value)
{
	uint32_t state;
	if (m->options.form == AUTOMATON_BARE) {
		make_bare(m, value);
		return;
	}
	make_scalars(m, value);
	if (make_array_start(m, value, &state))
		vec_push(m->a, &m->value.v[value]->first, (AutoEdge){ .lo = '[', .hi = '[', .go = auto_go(AUTO_CALL, state) });
	if (make_object_start(m, value, &state))
		vec_push(m->a, &m->value.v[value]->first, (AutoEdge){ .lo = '{', .hi = '{', .go = auto_go(AUTO_CALL, state) });
}

uint32_t make_all(Make *m, uint32_t root)
{
	Words groups = { 0 };
	uint32_t n_value = 0, n_set = 0;
	make_limit(m, 0, UINT32_MAX, 0);
	m->last = make_state(m);
	m->state.v[m->last].s.flags = AUTO_LAST;
	uint32_t start = make_state(m);
	vec_push(m->a, &groups, root);
	uint32_t value = make_value(m, &groups);
	Site whole = { .owner = NORM_NONE, .value = value };
	m->state.v[start].s.site = make_site(m, &whole);
	m->state.v[start].value = value;
	while (!m->too_large && !m->norms->errs->n && (n_value < m->value.n || n_set < intern_count(&m->set_key))) {
		if (n_value < m->value.n)
			fill_value(m, n_value++);
		else
			fill_set(m, n_set++);
	}
	return start;
}

bool automaton_compile(Arena *a, const SchemaNode *root, AutomatonOptions options, Buf *out, SchemaErrors *errs)
{
	SchemaErrors found = { 0 };
	Norms norms = { .a = a, .root = root, .errs = &found };
	Make m = { .a = a, .options = options, .norms = &norms };
	uint32_t norm = norms_build(&norms);
	if (norm != NORM_NONE) {
		uint32_t start = make_all(&m, norm);
		if (m.too_large)
			norm_refuse(&norms, root, KW_COUNT, STR("the schema needs too many states: fewer alternatives that begin alike, or shorter "
				"patterns and lengths"));
		else if (!found.n && !make_flat(&m, start, out))
			norm_refuse(&norms, root, KW_COUNT, STR("no value satisfies this schema"));
	}
	for (uint32_t i = 0; i < found.n; i++)
		vec_push(a, errs, found.v[i]);
	return !found.n;
}
