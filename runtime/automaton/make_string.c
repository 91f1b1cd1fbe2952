/* Strings: a Dfa over code points becomes states over the bytes of their JSON spelling. The states within a
 * character are shared wherever they are alike. */
#include "runtime/automaton/make.h"

enum { SEQUENCE_MAX = 6 };

/* ---- characters as bytes ---- */

typedef struct ByteRange { uint8_t lo, hi; } ByteRange;

/* A tree of byte ranges; ranges of a node are equal or disjoint. */
typedef struct Branch Branch;
typedef VEC(Branch) Branches;
struct Branch {
	ByteRange range;
	uint32_t go;         /* at the character's last byte; else 0 */
	uint32_t least;      /* ticks to an end behind the character, at the least */
	uint32_t scarce;     /* names that may become of it */
	Branches *kids;
};

/* Where characters lead. */
typedef struct Target { uint32_t go, least, scarce; } Target;

typedef struct Tree {
	Make *m;
	const StringPlan *plan;
	Branches root;
} Tree;

/* What further bytes make of a name: sum and each of n ranges' bytes times names. */
static uint32_t add_scarce(uint32_t sum, uint32_t names, const ByteRange *range, uint32_t n)
{
	uint64_t product = names;
	for (uint32_t i = 0; i < n && product < DFA_MANY; i++)
		product *= (uint32_t)(range[i].hi - range[i].lo + 1);
	return sum + product < DFA_MANY ? sum + (uint32_t)product : DFA_MANY;
}

static void add_sequence(Tree *t, const ByteRange *seq, uint32_t n, const Target *then)
{
	Branches *at = &t->root;
	for (uint32_t i = 0; i < n; i++) {
		Branch *found = NULL;
		for (uint32_t j = at->n; j-- > 0 && !found;)
			if (at->v[j].range.lo == seq[i].lo && at->v[j].range.hi == seq[i].hi)
				found = &at->v[j];
		if (!found) {
			found = vec_add(t->m->a, at);
			found->range = seq[i];
			found->least = UINT32_MAX;
			if (i + 1 < n)
				found->kids = arena_new(t->m->a, Branches);
		}
		if (then->least < found->least)
			found->least = then->least;
		found->scarce = add_scarce(found->scarce, then->scarce, seq + i + 1, n - i - 1);
		if (i + 1 == n)
			found->go = then->go;
		at = found->kids;
	}
}

/* The spelling of '"', '\\' and controls. */
static void add_escape(Tree *t, uint32_t cp, const Target *then)
{
	static const char hex[] = "0123456789abcdef";
	char text[SEQUENCE_MAX] = { '\\' };
	uint32_t n = 2;
	ByteRange seq[SEQUENCE_MAX];
	switch (cp) {
	case '"': case '\\': text[1] = (char)cp; break;
	case '\b': text[1] = 'b'; break;
	case '\f': text[1] = 'f'; break;
	case '\n': text[1] = 'n'; break;
	case '\r': text[1] = 'r'; break;
	case '\t': text[1] = 't'; break;
	default:
		memcpy(text + 1, "u00", 3);
		text[4] = hex[cp >> 4];
		text[5] = hex[cp & 15];
		n = SEQUENCE_MAX;
	}
	for (uint32_t i = 0; i < n; i++)
		seq[i] = (ByteRange){ (uint8_t)text[i], (uint8_t)text[i] };
	add_sequence(t, seq, n, then);
}

static void put_utf8(uint32_t cp, uint32_t n, uint8_t out[4])
{
	static const uint8_t lead[] = { 0, 0, 0xC0, 0xE0, 0xF0 };
	for (uint32_t i = n; i-- > 1; cp >>= 6)
		out[i] = (uint8_t)(0x80 | (cp & 0x3F));
	out[0] = (uint8_t)(lead[n] | cp);
}

/* Code points of one length in UTF-8, from lo to hi: cut until all bytes but those behind the first that differs
 * are full ranges. */
static void add_utf8(Tree *t, uint32_t lo, uint32_t hi, uint32_t n, const Target *then)
{
	for (uint32_t i = 1; i < n; i++) {
		uint32_t low = (1u << (6 * i)) - 1;
		if ((lo & ~low) == (hi & ~low))
			continue;
		if (lo & low) {
			add_utf8(t, lo, lo | low, n, then);
			add_utf8(t, (lo | low) + 1, hi, n, then);
			return;
		}
		if ((hi & low) != low) {
			add_utf8(t, lo, (hi & ~low) - 1, n, then);
			add_utf8(t, hi & ~low, hi, n, then);
			return;
		}
	}
	uint8_t from[4], to[4];
	ByteRange seq[4];
	put_utf8(lo, n, from);
	put_utf8(hi, n, to);
	for (uint32_t i = 0; i < n; i++)
		seq[i] = (ByteRange){ from[i], to[i] };
	add_sequence(t, seq, n, then);
}

static void add_code_points(Tree *t, uint32_t lo, uint32_t hi, const Target *then)
{
	static const struct { uint32_t lo, hi, n; } part[] = {
		{ 0x20, 0x21, 1 }, { 0x23, 0x5B, 1 }, { 0x5D, 0x7F, 1 }, { 0x80, 0x7FF, 2 }, { 0x800, 0xD7FF, 3 }, { 0xE000, 0xFFFF, 3 },
		{ 0x10000, 0x10FFFF, 4 },
	};
	for (uint32_t cp = lo; cp <= hi && cp <= '\\'; cp++)
		if (cp < 0x20 || cp == '"' || cp == '\\')
			add_escape(t, cp, then);
	for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
		uint32_t from = lo > part[i].lo ? lo : part[i].lo, to = hi < part[i].hi ? hi : part[i].hi;
		if (from <= to && part[i].n == 1)
			add_sequence(t, &(ByteRange){ (uint8_t)from, (uint8_t)to }, 1, then);
		else if (from <= to)
			add_utf8(t, from, to, part[i].n, then);
	}
}

/* ---- states ---- */

static void mark_scarce(const StringPlan *plan, AutoState *s, uint32_t n)
{
	if (!plan->scarce || n > AUTOMATON_NAMES_MAX)
		return;
	s->flags |= AUTO_SCARCE;
	s->tail = (uint16_t)n;
}

static void put_edges(Tree *t, const Branches *kids, Edges *out)
{
	for (uint32_t i = 0; i < kids->n; i++) {
		const Branch *b = &kids->v[i];
		uint32_t go = b->go;
		if (b->kids) {
			Edges inner = { 0 };
			AutoState s = { .flags = t->plan->flags, .limit = t->plan->limit, .tail = (uint16_t)(t->plan->limit ? b->least + 1 : 0) };
			mark_scarce(t->plan, &s, b->scarce);
			put_edges(t, b->kids, &inner);
			go = auto_go(AUTO_GO, make_same(t->m, &s, &inner));
		}
		vec_push(t->m->a, out, (AutoEdge){ .lo = b->range.lo, .hi = b->range.hi, .go = go });
	}
}

/* Every character that needs no escape leads to a state of the set, or with only to that one. */
static bool leads_to(const Dfa *d, uint32_t state, const bool *set, uint32_t only)
{
	static const uint32_t part[][2] = { { 0x20, 0x21 }, { 0x23, 0x5B }, { 0x5D, DFA_SYMBOL_MAX } };
	const DfaState *s = &d->state.v[state];
	for (uint32_t i = 0, j = 0; i < 3; i++) {
		uint32_t at = part[i][0];
		for (; j < s->n_edge && d->edge.v[s->edge + j].hi < at; j++)
			;
		for (; j < s->n_edge && at <= part[i][1]; j++) {
			const DfaEdge *e = &d->edge.v[s->edge + j];
			if (e->lo > at || !(set ? set[e->to] : e->to == only))
				return false;
			at = e->hi + 1;
			if (e->hi >= part[i][1])
				break;
		}
		if (at <= part[i][1])
			return false;
	}
	return true;
}

/* The most states that lead to one another by all such characters. */
static bool *find_plain(Arena *a, const Dfa *d)
{
	bool *plain = arena_array(a, bool, d->state.n);
	memset(plain, true, d->state.n);
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t i = 0; i < d->state.n; i++)
			if (plain[i] && !leads_to(d, i, plain, 0)) {
				plain[i] = false;
				changed = true;
			}
	}
	return plain;
}

static void fill_state(Make *m, const StringPlan *plan, const bool *plain, uint32_t first, uint32_t q)
{
	const Dfa *d = plan->dfa;
	const DfaState *s = &d->state.v[q];
	Tree t = { .m = m, .plan = plan };
	Edges edge = { 0 };
	for (uint32_t i = 0; i < s->n_edge; i++) {
		const DfaEdge *e = &d->edge.v[s->edge + i];
		Target to = { auto_go(plan->limit ? AUTO_TICK : AUTO_GO, first + e->to), plan->limit ? plan->distance[e->to] : 0,
		              plan->scarce ? plan->scarce[e->to] : 0 };
		add_code_points(&t, e->lo, e->hi, &to);
	}
	put_edges(&t, &t.root, &edge);
	if (s->label)
		vec_push(m->a, &edge, (AutoEdge){ .lo = '"', .hi = '"', .go = plan->ends[s->label - 1] });
	MakeState *to = &m->state.v[first + q];
	to->edge = edge;
	bool same = leads_to(d, q, NULL, q);
	to->s.flags = plan->flags | (same || (plain[q] && !plan->limit) ? AUTO_PLAIN : 0) | (same ? AUTO_SAME : 0);
	to->s.limit = plan->limit;
	to->s.tail = (uint16_t)(plan->limit ? plan->distance[q] : 0);
	if (plan->scarce)
		mark_scarce(plan, &to->s, plan->scarce[q]);
}

uint32_t make_string(Make *m, const StringPlan *plan)
{
	uint32_t first = m->state.n;
	for (uint32_t q = 0; q < plan->dfa->state.n; q++)
		make_state(m);
	const bool *plain = find_plain(m->a, plan->dfa);
	for (uint32_t q = 0; q < plan->dfa->state.n && !m->too_large; q++)
		fill_state(m, plan, plain, first, q);
	return first;
}

/* ---- any string ---- */

static uint32_t new_inner(Make *m, uint16_t limit)
{
	uint32_t s = make_state(m);
	m->state.v[s].s.limit = limit;
	m->state.v[s].s.tail = limit != 0;
	return s;
}

/* n hexadecimal digits, then go. */
static uint32_t add_hex(Make *m, uint16_t limit, uint32_t n, uint32_t go)
{
	for (uint32_t s; n-- > 0; go = auto_go(AUTO_GO, s)) {
		s = new_inner(m, limit);
		make_edge(m, s, '0', '9', go);
		make_edge(m, s, 'A', 'F', go);
		make_edge(m, s, 'a', 'f', go);
	}
	return auto_arg(go);
}

static void add_letter(Make *m, uint32_t s, char lo, char hi, uint32_t go)
{
	make_edge(m, s, (uint8_t)lo, (uint8_t)hi, go);
	make_edge(m, s, (uint8_t)(lo | 32), (uint8_t)(hi | 32), go);
}

/* The state behind "\u": four digits, and for a high surrogate a low one. */
static uint32_t add_unicode_escape(Make *m, uint16_t limit, uint32_t back)
{
	uint32_t s = new_inner(m, limit), high = new_inner(m, limit), low = new_inner(m, limit), d = new_inner(m, limit),
		slash = new_inner(m, limit), u = new_inner(m, limit);
	uint32_t three = auto_go(AUTO_GO, add_hex(m, limit, 3, back)), two = auto_go(AUTO_GO, add_hex(m, limit, 2, back));
	make_edge(m, s, '0', '9', three);
	add_letter(m, s, 'A', 'C', three);
	add_letter(m, s, 'E', 'F', three);
	add_letter(m, s, 'D', 'D', auto_go(AUTO_GO, high));
	make_edge(m, high, '0', '7', two);
	uint32_t pair = auto_go(AUTO_GO, add_hex(m, limit, 2, auto_go(AUTO_GO, slash)));
	make_edge(m, high, '8', '9', pair);
	add_letter(m, high, 'A', 'B', pair);
	make_edge(m, slash, '\\', '\\', auto_go(AUTO_GO, u));
	make_edge(m, u, 'u', 'u', auto_go(AUTO_GO, d));
	add_letter(m, d, 'D', 'D', auto_go(AUTO_GO, low));
	add_letter(m, low, 'C', 'F', two);
	return s;
}

uint32_t make_free_string(Make *m, uint32_t end, uint16_t limit)
{
	uint32_t distance = 0;
	StringPlan plan = { .dfa = dfa_new_any(m->a), .ends = &end, .limit = limit, .distance = &distance };
	uint32_t s = make_string(m, &plan), escape = new_inner(m, limit);
	uint32_t back = auto_go(limit ? AUTO_TICK : AUTO_GO, s);
	Edges *edge = &m->state.v[s].edge;
	for (uint32_t i = 0; i < edge->n; i++)
		if (edge->v[i].lo == '\\')
			edge->v[i].go = auto_go(AUTO_GO, escape);
	for (const char *c = "\"/\\bfnrt"; *c; c++)
		make_edge(m, escape, (uint8_t)*c, (uint8_t)*c, back);
	uint32_t unicode = add_unicode_escape(m, limit, back);
	make_edge(m, escape, 'u', 'u', auto_go(AUTO_GO, unicode));
	return s;
}

/* ---- bytes ---- */

uint32_t make_bytes(Make *m, const Dfa *d)
{
	uint32_t first = m->state.n;
	for (uint32_t q = 0; q < d->state.n; q++)
		make_state(m);
	for (uint32_t q = 0; q < d->state.n; q++) {
		const DfaState *s = &d->state.v[q];
		for (uint32_t i = 0; i < s->n_edge; i++) {
			const DfaEdge *e = &d->edge.v[s->edge + i];
			make_edge(m, first + q, (uint8_t)e->lo, (uint8_t)e->hi, auto_go(AUTO_GO, first + e->to));
		}
		if (s->label) {
			m->state.v[first + q].s.flags = AUTO_ENDS;
			m->state.v[first + q].s.label = (uint16_t)(s->label - 1);
		}
	}
	return first;
}
