/* Objects. Names come in the order of the rule, so an item's place is the next name it may have, and names of
 * other kinds come behind all that are declared. The states of the names themselves are a Dfa: a name's end
 * says what each item makes of it. */
#include "runtime/automaton/make.h"

/* An item of an object's set. */
typedef struct Place { uint32_t item, at, count; const Item *it; const ObjectRule *rule; } Place;

static Place place_of(const Make *m, uint32_t value, const Words *items, uint32_t i)
{
	const Item *it = &m->value.v[value]->item.v[items->v[3 * i]];
	return (Place){ items->v[3 * i], items->v[3 * i + 1], items->v[3 * i + 2], it, &it->alt->object };
}

/* ---- what may come ---- */

static bool counts(const ObjectRule *r) { return r->min || r->max != UINT64_MAX; }

/* Names of other kinds; all that can be counted, where they are many. */
static uint64_t further_names(const Make *m, const ObjectRule *r)
{
	for (uint32_t i = 0; i < r->further.n; i++)
		if (norm_lives(m->norms, r->further.v[i]))
			return r->n_further == DFA_MANY ? UINT64_MAX : r->n_further;
	return 0;
}

/* Where count properties are written and the next is at or behind at: can the object still become complete? */
static bool can_end(const Make *m, const ObjectRule *r, uint32_t at, uint32_t count)
{
	uint64_t required = 0, possible = 0;
	if (!counts(r))
		return true;
	for (uint32_t i = at; i < r->name.n; i++) {
		required += r->name.v[i].required;
		possible += norm_lives(m->norms, r->name.v[i].norm);
	}
	return count + required <= r->max && (count + possible >= r->min || further_names(m, r) >= r->min - count - possible);
}

static uint32_t next_count(const ObjectRule *r, uint32_t count)
{
	uint64_t last = r->max != UINT64_MAX ? r->max : r->min;
	return counts(r) && count < last ? count + 1 : count;
}

static bool is_required_from(const ObjectRule *r, uint32_t at)
{
	for (uint32_t i = at; i < r->name.n; i++)
		if (r->name.v[i].required)
			return true;
	return false;
}

static bool is_full(const ObjectRule *r, uint32_t count) { return r->max != UINT64_MAX && count >= r->max; }

static bool takes_name(const Make *m, const Place *p, uint32_t name)
{
	const ObjectRule *r = p->rule;
	if (name < p->at || is_full(r, p->count) || !norm_lives(m->norms, r->name.v[name].norm))
		return false;
	for (uint32_t i = p->at; i < name; i++)
		if (r->name.v[i].required)
			return false;
	return can_end(m, r, name + 1, next_count(r, p->count));
}

static bool takes_further(const Make *m, const Place *p)
{
	const ObjectRule *r = p->rule;
	return !is_full(r, p->count) && !is_required_from(r, p->at) && further_names(m, r)
		&& can_end(m, r, r->name.n, p->count);
}

static bool is_complete(const Place *p)
{
	return !is_required_from(p->rule, p->at) && p->count >= (counts(p->rule) ? p->rule->min : 0);
}

/* ---- names ---- */

/* Which Dfa label stands for what: one word an item, its label in the rule's names or 0. */
typedef struct Names {
	Make *m;
	uint32_t value;
	const Words *items;
	Interner outcome;    /* label - 1 */
} Names;

/* What the item makes of a name with this label of its rule; 0 if it does not take it. */
static uint32_t filter(const Names *x, uint32_t i, uint32_t label)
{
	Place p = place_of(x->m, x->value, x->items, i);
	uint32_t n = p.rule->name.n;
	if (!label)
		return 0;
	if (label <= n)
		return takes_name(x->m, &p, label - 1) ? label : 0;
	return takes_further(x->m, &p) && norm_lives(x->m->norms, p.rule->further.v[label - n - 1]) ? label : 0;
}

static uint32_t choose_outcome(void *context, const uint32_t *label, uint32_t n)
{
	Names *x = context;
	Words out = { 0 };
	bool any = false;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t l = filter(x, i, label[i]);
		vec_push(x->m->a, &out, l);
		any |= l != 0;
	}
	return any ? intern_add(x->m->a, &x->outcome, out.v, out.n) + 1 : 0;
}

static bool is_further(const Names *x, const uint32_t *outcome, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (outcome[i] > place_of(x->m, x->value, x->items, i).rule->name.n)
			return true;
	return false;
}

/* The state behind the name: colon, then the value that those items want which took the name. */
static uint32_t make_colon(Names *x, const uint32_t *outcome, uint32_t n)
{
	Make *m = x->m;
	Words groups = { 0 };
	Site site = { .owner = x->value, .type = SCHEMA_OBJECT };
	for (uint32_t i = 0; i < n; i++) {
		Place p = place_of(m, x->value, x->items, i);
		uint32_t n_name = p.rule->name.n, g = 0;
		if (!outcome[i])
			continue;
		bool further = outcome[i] > n_name;
		uint32_t norm = further ? p.rule->further.v[outcome[i] - n_name - 1] : p.rule->name.v[outcome[i] - 1].norm;
		while (g < groups.n && groups.v[g] != norm)
			g++;
		if (g == groups.n)
			vec_push(m->a, &groups, norm);
		vec_push(m->a, &site.follow, (Follow){ p.item, further ? n_name : outcome[i], next_count(p.rule, p.count), g });
	}
	site.value = make_value(m, &groups);
	uint32_t colon = make_state(m), before = make_state(m), id = make_site(m, &site);
	m->state.v[before].s.site = id;
	m->state.v[before].value = site.value;
	make_separator(m, colon, ':', before);
	return colon;
}

/* Every name of one item, as its rule's labels. */
static Dfa *names_of(const Make *m, const Place *p)
{
	Str *name = arena_array(m->a, Str, p->rule->name.n);
	if (p->rule->names && takes_further(m, p))
		return p->rule->names;
	for (uint32_t i = 0; i < p->rule->name.n; i++)
		name[i] = p->rule->name.v[i].name;
	return dfa_new_literals(m->a, name, p->rule->name.n, DFA_CODE_POINTS);
}

/* One item that only declares names: the few it may have now, without a product. */
static Dfa *declared_names(Names *x, const Place *p)
{
	VEC(Str) name = { 0 };
	for (uint32_t i = p->at; i < p->rule->name.n; i++) {
		uint32_t label = i + 1;
		if (!takes_name(x->m, p, i))
			continue;
		vec_push(x->m->a, &name, p->rule->name.v[i].name);
		intern_add(x->m->a, &x->outcome, &label, 1);
		if (p->rule->name.v[i].required)
			break;
	}
	return dfa_new_literals(x->m->a, name.v, name.n, DFA_CODE_POINTS);
}

static Dfa *find_names(Names *x)
{
	VEC(Dfa *) part = { 0 };
	uint32_t n = x->items->n / 3;
	Place p = place_of(x->m, x->value, x->items, 0);
	if (n == 1 && !takes_further(x->m, &p))
		return declared_names(x, &p);
	for (uint32_t i = 0; i < n; i++) {
		p = place_of(x->m, x->value, x->items, i);
		vec_push(x->m->a, &part, names_of(x->m, &p));
	}
	Dfa *d = dfa_product(x->m->a, part.v, n, choose_outcome, x);
	if (!d)
		x->m->too_large = true;
	return d ? dfa_minimise(x->m->a, d) : NULL;
}

/* How many further names are left to each state; many where a declared one may still come. */
static uint32_t *count_scarce(Make *m, const Dfa *d, const uint32_t *ends)
{
	bool *further = arena_array(m->a, bool, d->state.n), *declared = arena_array(m->a, bool, d->state.n);
	for (uint32_t i = 0; i < d->state.n; i++) {
		uint32_t label = d->state.v[i].label;
		further[i] = label && auto_op(ends[label - 1]) == AUTO_CLOSE;
		declared[i] = label && !further[i];
	}
	uint32_t *n = dfa_counts(m->a, d, further), *n_declared = dfa_counts(m->a, d, declared);
	for (uint32_t i = 0; i < d->state.n; i++)
		n[i] = n_declared[i] ? DFA_MANY : n[i];
	return n;
}

/* Fills the set's state with what its first byte, the opening quote, does; nothing where no name may come. */
static void make_names(Make *m, uint32_t state, uint32_t value, const Words *items)
{
	Names x = { .m = m, .value = value, .items = items };
	Words ends = { 0 };
	Dfa *d = find_names(&x);
	bool further = false;
	if (!d || dfa_is_empty(d))
		return;
	for (uint32_t i = 0, n; i < intern_count(&x.outcome); i++) {
		const uint32_t *kept = intern_get(&x.outcome, i, &n);
		uint32_t *outcome = arena_dup(m->a, kept, n * sizeof *kept);
		bool closes = is_further(&x, outcome, n);
		further |= closes;
		vec_push(m->a, &ends, auto_go(closes ? AUTO_CLOSE : AUTO_GO, make_colon(&x, outcome, n)));
	}
	StringPlan plan = { .dfa = d, .ends = ends.v, .flags = further ? AUTO_HASHES : 0 };
	plan.scarce = further ? count_scarce(m, d, ends.v) : NULL;
	uint32_t first = make_string(m, &plan);
	if (plan.scarce && plan.scarce[0] <= AUTOMATON_NAMES_MAX) {
		m->state.v[state].s.flags |= AUTO_SCARCE;
		m->state.v[state].s.tail = (uint16_t)plan.scarce[0];
	}
	make_edge(m, state, '"', '"', auto_go(further ? AUTO_OPEN : AUTO_GO, first));
}

/* ---- sets ---- */

static bool has_name(const Make *m, const Place *p)
{
	for (uint32_t i = p->at; i < p->rule->name.n; i++)
		if (takes_name(m, p, i))
			return true;
	return takes_further(m, p);
}

void make_object(Make *m, uint32_t state, Phase phase, uint32_t value, const Words *items)
{
	uint32_t ended = 0;
	bool more = false;
	if (phase == PHASE_NAMES) {
		make_names(m, state, value, items);
		return;
	}
	for (uint32_t i = 0; i < items->n / 3; i++) {
		Place p = place_of(m, value, items, i);
		if (is_complete(&p))
			ended |= 1u << p.it->group;
		more |= has_name(m, &p);
	}
	if (ended)
		make_edge(m, state, '}', '}', auto_go(AUTO_RETURN, make_label(m, value, ended)));
	if (!more)
		return;
	if (phase == PHASE_FIRST) {
		make_names(m, state, value, items);
		return;
	}
	make_separator(m, state, ',', make_set(m, PHASE_NAMES, SCHEMA_OBJECT, value, items));
}

bool make_object_start(Make *m, uint32_t value, uint32_t *state)
{
	const Value *v = m->value.v[value];
	Words items = { 0 };
	for (uint32_t i = 0; i < v->item.n; i++) {
		if (!(v->item.v[i].alt->lives & SCHEMA_OBJECT))
			continue;
		vec_push(m->a, &items, i);
		vec_push(m->a, &items, 0);
		vec_push(m->a, &items, 0);
	}
	if (items.n)
		*state = make_set(m, PHASE_FIRST, SCHEMA_OBJECT, value, &items);
	return items.n;
}
