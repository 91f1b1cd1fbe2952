/* The reader of flat bytes. All that a step relies on is checked here once, so that a damaged file gives wrong
 * tokens at worst and never a read outside it. */
#include "runtime/automaton/automaton.h"

static const uint8_t part_bytes[AUTO_PART_COUNT] = {
	[AUTO_STATE] = sizeof(AutoState), [AUTO_EDGE] = sizeof(AutoEdge), [AUTO_SITE] = sizeof(AutoSite), [AUTO_NEXT] = 4,
	[AUTO_LIMIT] = sizeof(AutoLimit), [AUTO_ROW] = 4,
};

static bool refuse(Str *why, const char *message)
{
	*why = str_from(message);
	return false;
}

static bool check_header(const AutoHeader *h, Str bytes, Str *why)
{
	uint64_t n = sizeof *h;
	if (memcmp(h->magic, AUTO_MAGIC, sizeof h->magic))
		return refuse(why, "this is no automaton");
	if (h->version != AUTO_VERSION)
		return refuse(why, "the automaton is of another version: compile it again");
	for (int i = 0; i < AUTO_PART_COUNT; i++)
		n += (uint64_t)h->count[i] * part_bytes[i];
	if (n != bytes.n || h->n_bytes != bytes.n)
		return refuse(why, "the automaton's length is not what its header says: it is cut or damaged");
	if (!h->n_class || h->n_class > 256 || h->count[AUTO_ROW] % h->n_class)
		return refuse(why, "the automaton's rows are damaged");
	for (int i = 0; i < 256; i++)
		if (h->class[i] >= h->n_class)
			return refuse(why, "the automaton's byte classes are damaged");
	if (h->count[AUTO_STATE] > AUTO_STATES_MAX || h->start >= h->count[AUTO_STATE] || !h->count[AUTO_SITE]
		|| !h->count[AUTO_LIMIT])
		return refuse(why, "the automaton has no start");
	return true;
}

static bool is_go(const Automaton *m, uint32_t go)
{
	uint32_t op = auto_op(go), arg = auto_arg(go);
	if (op == AUTO_DEAD)
		return !go;
	return op == AUTO_RETURN || (op < AUTO_RETURN && arg < m->n_state);
}

static bool is_state(const Automaton *m, const AutoState *s)
{
	const uint32_t *count = m->header->count;
	if (s->site >= count[AUTO_SITE] || s->limit >= count[AUTO_LIMIT])
		return false;
	if (s->n_edge == AUTO_WIDE)
		return s->edge % m->header->n_class == 0 && s->edge < count[AUTO_ROW];
	return s->n_edge <= AUTO_NARROW_MAX && s->edge <= count[AUTO_EDGE] && s->n_edge <= count[AUTO_EDGE] - s->edge;
}

static bool check_records(const Automaton *m, Str *why)
{
	const uint32_t *count = m->header->count;
	for (uint32_t i = 0; i < m->n_state; i++)
		if (!is_state(m, &m->state[i]))
			return refuse(why, "the automaton has a damaged state");
	for (uint32_t i = 0; i < count[AUTO_EDGE]; i++)
		if (!is_go(m, m->edge[i].go) || m->edge[i].lo > m->edge[i].hi)
			return refuse(why, "the automaton has a damaged edge");
	for (uint32_t i = 0; i < count[AUTO_ROW]; i++)
		if (!is_go(m, m->row[i]))
			return refuse(why, "the automaton has a damaged row");
	for (uint32_t i = 0; i < count[AUTO_SITE]; i++)
		if (m->site[i].next > count[AUTO_NEXT] || m->site[i].n_next > count[AUTO_NEXT] - m->site[i].next)
			return refuse(why, "the automaton has a damaged site");
	for (uint32_t i = 0; i < count[AUTO_NEXT]; i++)
		if (m->next[i] >= m->n_state)
			return refuse(why, "the automaton returns to a state that it does not have");
	return true;
}

bool automaton_open(Str bytes, Automaton *m, Str *why)
{
	const AutoHeader *h = (const void *)bytes.p;
	*m = (Automaton){ 0 };
	if (bytes.n < sizeof *h || (uintptr_t)bytes.p % _Alignof(AutoHeader))
		return refuse(why, "the automaton is cut, or does not lie on a multiple of four");
	if (!check_header(h, bytes, why))
		return false;
	const char *at = bytes.p + sizeof *h;
	const void *part[AUTO_PART_COUNT];
	for (int i = 0; i < AUTO_PART_COUNT; i++) {
		part[i] = at;
		at += (size_t)h->count[i] * part_bytes[i];
	}
	*m = (Automaton){ h, part[AUTO_STATE], part[AUTO_EDGE], part[AUTO_SITE], part[AUTO_NEXT], part[AUTO_LIMIT],
	                  part[AUTO_ROW], h->count[AUTO_STATE] };
	return check_records(m, why);
}
