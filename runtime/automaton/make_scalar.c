/* Strings, numbers, true, false and null of a value. Where several groups or alternatives read the same kind,
 * they are one Dfa whose labels say which groups took the value. */
#include "runtime/automaton/make.h"

#include "runtime/base/utf8.h"

typedef struct Union {
	Make *m;
	uint32_t value;
	VEC(Dfa *) part;
	Words group;         /* of each part */
} Union;

static uint32_t choose_groups(void *context, const uint32_t *label, uint32_t n)
{
	Union *u = context;
	uint32_t groups = 0;
	for (uint32_t i = 0; i < n; i++)
		groups |= (uint32_t)(label[i] != 0) << u->group.v[i];
	return groups ? make_label(u->m, u->value, groups) + 1 : 0;
}

/* The union, label + 1 at its ends. NULL if it is empty or too large. */
static Dfa *join(Union *u)
{
	Dfa *d = u->part.n ? dfa_product(u->m->a, u->part.v, u->part.n, choose_groups, u) : NULL;
	if (u->part.n && !d)
		u->m->too_large = true;
	return d && !dfa_is_empty(d) ? dfa_minimise(u->m->a, d) : NULL;
}

static void add_part(Union *u, Dfa *d, uint32_t group)
{
	vec_push(u->m->a, &u->part, d);
	vec_push(u->m->a, &u->group, group);
}

static void add_first(Make *m, uint32_t value, uint8_t lo, uint8_t hi, uint32_t state)
{
	vec_push(m->a, &m->value.v[value]->first, (AutoEdge){ .lo = lo, .hi = hi, .go = auto_go(AUTO_CALL, state) });
}

/* ---- strings ---- */

/* The one rule where there is one group and one alternative of it suffices. */
static const StringRule *only_rule(const Value *v)
{
	const StringRule *only = NULL;
	uint32_t n = 0;
	for (uint32_t i = 0; i < v->item.n; i++) {
		const StringRule *r = &v->item.v[i].alt->string;
		if (!(v->item.v[i].alt->types & SCHEMA_STRING))
			continue;
		if (!r->dfa && !r->min && r->max == UINT32_MAX && v->group.n == 1)
			return r;
		only = r;
		n++;
	}
	return n == 1 && v->group.n == 1 ? only : NULL;
}

static uint32_t make_one_string(Make *m, const StringRule *r, uint32_t end)
{
	uint16_t limit = r->min || r->max < UINT32_MAX ? (uint16_t)make_limit(m, r->min, r->max, 0) : 0;
	if (!r->dfa)
		return make_free_string(m, end, limit);
	StringPlan plan = { .dfa = r->dfa, .ends = &end, .limit = limit, .distance = limit ? dfa_distances(m->a, r->dfa) : NULL };
	return make_string(m, &plan);
}

static void make_strings(Make *m, uint32_t value)
{
	const Value *v = m->value.v[value];
	const StringRule *only = only_rule(v);
	Union u = { .m = m, .value = value };
	Words ends = { 0 };
	if (only) {
		uint32_t end = auto_go(AUTO_RETURN, make_label(m, value, 1));
		add_first(m, value, '"', '"', make_one_string(m, only, end));
		return;
	}
	for (uint32_t i = 0; i < v->item.n && !m->too_large; i++) {
		const NormAlt *alt = v->item.v[i].alt;
		Dfa *d = alt->types & SCHEMA_STRING ? string_rule_dfa(m->a, &alt->string) : NULL;
		if (d)
			add_part(&u, d, v->item.v[i].group);
		else if (alt->types & SCHEMA_STRING)
			m->too_large = true;
	}
	Dfa *d = join(&u);
	if (!d)
		return;
	for (uint32_t i = 0; i < v->label.n; i++)
		vec_push(m->a, &ends, auto_go(AUTO_RETURN, i));
	StringPlan plan = { .dfa = d, .ends = ends.v };
	add_first(m, value, '"', '"', make_string(m, &plan));
}

/* ---- numbers ---- */

static void add_numbers(Union *u, const Value *v)
{
	for (uint32_t i = 0; i < v->item.n; i++)
		if (v->item.v[i].alt->types & (SCHEMA_INTEGER | SCHEMA_NUMBER))
			add_part(u, v->item.v[i].alt->number, v->item.v[i].group);
}

/* What the Dfa's start does becomes calls. */
static void add_first_bytes(Make *m, uint32_t value, const Dfa *d)
{
	uint32_t first = make_bytes(m, d);
	for (uint32_t i = 0; i < d->state.v[0].n_edge; i++) {
		const DfaEdge *e = &d->edge.v[d->state.v[0].edge + i];
		add_first(m, value, (uint8_t)e->lo, (uint8_t)e->hi, first + e->to);
	}
}

static void make_numbers(Make *m, uint32_t value)
{
	Union u = { .m = m, .value = value };
	add_numbers(&u, m->value.v[value]);
	Dfa *d = join(&u);
	if (d)
		add_first_bytes(m, value, d);
}

/* ---- true, false, null ---- */

typedef enum Word { WORD_TRUE, WORD_FALSE, WORD_NULL, WORD_COUNT } Word;

static const char *const word_text[WORD_COUNT] = { "true", "false", "null" };

static bool takes_word(const NormAlt *alt, Word w)
{
	if (w == WORD_NULL)
		return alt->types & SCHEMA_NULL;
	return (alt->types & SCHEMA_BOOLEAN) && (w == WORD_TRUE ? alt->is_true_ok : alt->is_false_ok);
}

static uint32_t groups_of_word(const Value *v, Word w)
{
	uint32_t groups = 0;
	for (uint32_t i = 0; i < v->item.n; i++)
		groups |= (uint32_t)takes_word(v->item.v[i].alt, w) << v->item.v[i].group;
	return groups;
}

static void make_words(Make *m, uint32_t value)
{
	for (int w = 0; w < WORD_COUNT; w++) {
		uint32_t groups = groups_of_word(m->value.v[value], (Word)w);
		if (!groups)
			continue;
		uint32_t go = auto_go(AUTO_RETURN, make_label(m, value, groups));
		for (size_t i = strlen(word_text[w]); i-- > 1;) {
			uint32_t s = make_state(m);
			make_edge(m, s, (uint8_t)word_text[w][i], (uint8_t)word_text[w][i], go);
			go = auto_go(AUTO_GO, s);
		}
		add_first(m, value, (uint8_t)word_text[w][0], (uint8_t)word_text[w][0], auto_arg(go));
	}
}

void make_scalars(Make *m, uint32_t value)
{
	make_strings(m, value);
	make_numbers(m, value);
	make_words(m, value);
}

/* ---- bare text ---- */

static bool add_bare_strings(Union *u, const NormAlt *alt, uint32_t group)
{
	VEC(Str) text = { 0 };
	if (!alt->has_values)
		return false;
	for (uint32_t i = 0; i < alt->value.n; i++) {
		const JsonNode *x = alt->value.v[i];
		if (x->kind == JSON_STRING && (!x->text.n || utf8_find_bad(x->text) < x->text.n))
			return false;
		if (x->kind == JSON_STRING)
			vec_push(u->m->a, &text, x->text);
	}
	add_part(u, dfa_new_literals(u->m->a, text.v, text.n, DFA_BYTES), group);
	return true;
}

void make_bare(Make *m, uint32_t value)
{
	Union u = { .m = m, .value = value };
	const Value *v = m->value.v[value];
	for (uint32_t i = 0; i < v->item.n; i++) {
		const NormAlt *alt = v->item.v[i].alt;
		if (alt->lives & (SCHEMA_ARRAY | SCHEMA_OBJECT)
			|| ((alt->types & SCHEMA_STRING) && !add_bare_strings(&u, alt, v->item.v[i].group))) {
			norm_refuse(m->norms, m->norms->root, KW_COUNT,
				STR("a bare reply is an enum of words, a number, true, false or null; this schema has other values"));
			return;
		}
		for (int w = 0; w < WORD_COUNT; w++)
			if (takes_word(alt, (Word)w))
				add_part(&u, dfa_new_literals(m->a, &(Str){ word_text[w], strlen(word_text[w]) }, 1, DFA_BYTES), v->item.v[i].group);
	}
	add_numbers(&u, v);
	Dfa *d = join(&u);
	if (d)
		add_first_bytes(m, value, d);
}
