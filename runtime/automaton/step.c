/* The machine's step, and what a state can say of itself; see step.h and flat.h. */
#include "runtime/automaton/step.h"

enum { NONE = AUTOMATON_NONE, NAME_BYTES_MAX = 1024, LOOKS_MAX = 20000 };

/* FNV-1a, 64 bits. Two names with one hash: the second is refused. */
#define HASH_START 0xcbf29ce484222325u
#define HASH_PRIME 0x100000001b3u

/* Frames from here to the nearest end still fit. */
static bool has_depth(StepPlace *p, uint32_t depth, uint32_t need)
{
	uint64_t want = (uint64_t)depth + need;
	if (want > p->highest)
		p->highest = want > UINT32_MAX ? UINT32_MAX : (uint32_t)want;
	return want <= AUTOMATON_DEPTH_MAX;
}

static bool has_name(const StepPlace *p, const AutomatonCursor *c, uint64_t hash)
{
	for (uint32_t i = c->name; i != NONE; i = p->name[i].prev)
		if (p->name[i].hash == hash)
			return true;
	return false;
}

/* A search through the names that may become of what was read. They are few; a damaged automaton ends it too. */
typedef struct Look { const StepPlace *p; const AutomatonCursor *c; uint32_t left; } Look;

static bool finds_new_name(Look *what, uint32_t at, uint64_t hash, uint32_t depth)
{
	const Automaton *m = what->p->m;
	if (!what->left || depth == NAME_BYTES_MAX)
		return false;
	what->left--;
	for (unsigned b = 0; b < 256; b++) {
		uint32_t go = step_find(m, at, (uint8_t)b), to = auto_arg(go);
		uint64_t next = (hash ^ b) * HASH_PRIME;
		switch (auto_op(go)) {
		case AUTO_OPEN: next = HASH_START; break;
		case AUTO_CLOSE:
			if (!has_name(what->p, what->c, hash))
				return true;
			continue;
		case AUTO_GO: break;
		default: continue;
		}
		if (finds_new_name(what, to, next, depth + 1))
			return true;
	}
	return false;
}

static bool has_new_name(StepPlace *p, const AutomatonCursor *c, uint32_t at)
{
	const AutoState *s = &p->m->state[at];
	uint32_t n = 0;
	p->compared = true;
	p->collided |= c->name != NONE;
	for (uint32_t i = c->name; i != NONE && n < s->tail; i = p->name[i].prev)
		n++;
	Look what = { p, c, LOOKS_MAX };
	return n < s->tail || finds_new_name(&what, at, c->hash, 0);
}

static bool arrive(StepPlace *p, AutomatonCursor *c, uint32_t at)
{
	const AutoState *s = &p->m->state[at];
	c->at = at;
	if (s->flags & AUTO_SCARCE)
		return has_new_name(p, c, at) && has_depth(p, c->depth, s->need);
	return (uint64_t)c->n + s->tail <= p->m->limit[s->limit].max && has_depth(p, c->depth, s->need);
}

static bool is_due(const StepPlace *p, const AutomatonCursor *c)
{
	return c->n >= p->m->limit[p->m->state[c->at].limit].min;
}

static bool pop(StepPlace *p, AutomatonCursor *c, uint32_t label)
{
	if (c->frame == NONE || !is_due(p, c))
		return false;
	const AutomatonFrame *f = &p->frame[c->frame];
	const AutoSite *site = &p->m->site[f->site];
	if (label >= site->n_next)
		return false;
	c->n = f->n;
	c->name = f->name;
	c->frame = f->up;
	if (--c->depth < p->lowest)
		p->lowest = c->depth;
	return arrive(p, c, p->m->next[site->next + label]);
}

static bool call(StepPlace *p, AutomatonCursor *c, uint32_t to)
{
	const AutoState *s = &p->m->state[c->at];
	const AutoSite *site = &p->m->site[s->site];
	uint32_t n = c->n;
	if (s->flags & AUTO_CALL_TICKS && n++ >= p->m->limit[s->limit].max)
		return false;
	if (!has_depth(p, c->depth, site->need) || !has_depth(p, c->depth, 1) || c->top >= p->n_frame)
		return false;
	p->frame[c->top] = (AutomatonFrame){ s->site, n, c->frame, c->name };
	c->frame = c->top++;
	c->depth++;
	c->name = NONE;
	c->n = 0;
	return arrive(p, c, to);
}

/* The object's further name is complete: it must be none of those before it. */
static bool close_name(StepPlace *p, AutomatonCursor *c, uint32_t to)
{
	p->compared = true;
	p->collided |= c->name != NONE;
	if (has_name(p, c, c->hash))
		return false;
	if (c->n_name >= p->n_name)
		return false;
	p->name[c->n_name] = (AutomatonName){ c->hash, c->name, 0 };
	c->name = c->n_name++;
	return arrive(p, c, to);
}

bool step_byte(StepPlace *p, AutomatonCursor *c, uint8_t byte)
{
	const Automaton *m = p->m;
	for (;;) {
		const AutoState *s = &m->state[c->at];
		uint32_t go = step_find(m, c->at, byte), to = auto_arg(go);
		if (!go) {
			if (!(s->flags & AUTO_ENDS) || !pop(p, c, s->label))
				return false;
			continue;
		}
		if ((s->flags & AUTO_HASHES) && auto_op(go) != AUTO_CLOSE)
			c->hash = (c->hash ^ byte) * HASH_PRIME;
		switch (auto_op(go)) {
		case AUTO_OPEN: c->hash = HASH_START; return arrive(p, c, to);
		case AUTO_TICK: c->n++; return arrive(p, c, to);
		case AUTO_CLOSE: return close_name(p, c, to);
		case AUTO_CALL: return call(p, c, to);
		case AUTO_RETURN: return pop(p, c, to);
		default: return arrive(p, c, to);
		}
	}
}

bool step_is_complete(StepPlace *p, AutomatonCursor c)
{
	while (!(p->m->state[c.at].flags & AUTO_LAST))
		if (!(p->m->state[c.at].flags & AUTO_ENDS) || !pop(p, &c, p->m->state[c.at].label))
			return false;
	return true;
}

/* What a limit's min still asks for, where a value stands in the state with n ticks. */
static uint64_t missing_cost(const Automaton *m, const AutoState *s, uint32_t n)
{
	const AutoLimit *limit = &m->limit[s->limit];
	uint64_t had = (uint64_t)n + s->tail;
	return had < limit->min ? (limit->min - had) * limit->cost : 0;
}

uint32_t step_closing(const StepPlace *p, const AutomatonCursor *c)
{
	const Automaton *m = p->m;
	const AutoState *s = &m->state[c->at];
	uint64_t sum = step_cost(p, c->at) + missing_cost(m, s, c->n);
	uint32_t quote = s->flags & AUTO_HASHES ? step_find(m, c->at, '"') : 0;
	if (auto_op(quote) == AUTO_CLOSE && step_cost(p, auto_arg(quote)) < sum && !has_name(p, c, c->hash))
		sum = (uint64_t)step_cost(p, auto_arg(quote)) + 1;
	for (uint32_t i = c->frame; i != NONE; i = p->frame[i].up) {
		const AutoSite *site = &m->site[p->frame[i].site];
		sum += p->costs ? p->costs->site[p->frame[i].site] : site->cost;
		if (site->n_next)
			sum += missing_cost(m, &m->state[m->next[site->next]], p->frame[i].n);
	}
	return sum > UINT32_MAX ? UINT32_MAX : (uint32_t)sum;
}

/* ---- states ---- */

static StepPlace place_of(const AutomatonState *s)
{
	return (StepPlace){ .m = s->m, .frame = (AutomatonFrame *)s->frame, .name = (AutomatonName *)s->name,
	                    .n_frame = AUTOMATON_DEPTH_MAX + 1, .n_name = AUTOMATON_NAMES_MAX + 1 };
}

void automaton_start(AutomatonState *s, const Automaton *m)
{
	s->m = m;
	s->cursor = (AutomatonCursor){ .at = m->header->start, .frame = NONE, .name = NONE };
}

void automaton_copy(AutomatonState *to, const AutomatonState *from)
{
	to->m = from->m;
	to->cursor = from->cursor;
	memcpy(to->frame, from->frame, from->cursor.top * sizeof *to->frame);
	memcpy(to->name, from->name, from->cursor.n_name * sizeof *to->name);
}

/* A state's frames lie by depth, its names behind one another: what a step put behind those that ended moves up. */
static void settle(AutomatonState *s)
{
	AutomatonCursor *c = &s->cursor;
	if (c->depth && c->frame != c->depth - 1) {
		s->frame[c->depth - 1] = s->frame[c->frame];
		c->frame = c->depth - 1;
	}
	c->top = c->depth;
	uint32_t last = c->name;
	for (uint32_t i = c->depth; last == NONE && i-- > 0;)
		last = s->frame[i].name;
	c->n_name = last == NONE ? 0 : last + 1;
}

bool automaton_accept_bytes(AutomatonState *s, Str bytes)
{
	StepPlace p = place_of(s);
	for (size_t i = 0; i < bytes.n; i++) {
		if (!step_byte(&p, &s->cursor, (uint8_t)bytes.p[i]))
			return false;
		settle(s);
	}
	return true;
}

bool automaton_is_complete(const AutomatonState *s)
{
	StepPlace p = place_of(s);
	return step_is_complete(&p, s->cursor);
}

uint32_t automaton_closing_bytes(const AutomatonState *s)
{
	StepPlace p = place_of(s);
	return step_closing(&p, &s->cursor);
}

/* Steps write behind what is in use only: a state that is kept is not changed by trying. */
static bool try_byte(const AutomatonState *s, AutomatonCursor *c, uint8_t byte)
{
	StepPlace p = place_of(s);
	*c = s->cursor;
	return step_byte(&p, c, byte);
}

void automaton_next_bytes(const AutomatonState *s, uint64_t set[4])
{
	AutomatonCursor c;
	memset(set, 0, 4 * sizeof *set);
	for (unsigned b = 0; b < 256; b++)
		if (try_byte(s, &c, (uint8_t)b))
			set[b >> 6] |= (uint64_t)1 << (b & 63);
}

/* The one byte that can come, or -1. */
static int only_byte(const AutomatonState *s)
{
	const AutoState *at = &s->m->state[s->cursor.at];
	AutomatonCursor c;
	int only = -1;
	if (at->n_edge == 1 && at->flags == 0) {
		const AutoEdge *e = &s->m->edge[at->edge];
		return e->lo == e->hi && try_byte(s, &c, e->lo) ? e->lo : -1;
	}
	for (unsigned b = 0; b < 256; b++) {
		if (!try_byte(s, &c, (uint8_t)b))
			continue;
		if (only >= 0)
			return -1;
		only = (int)b;
	}
	return only;
}

size_t automaton_forced(const AutomatonState *s, char *bytes, size_t room)
{
	AutomatonState next;
	size_t n = 0;
	automaton_copy(&next, s);
	for (int b; n < room && !automaton_is_complete(&next) && (b = only_byte(&next)) >= 0; n++) {
		bytes[n] = (char)b;
		if (!automaton_accept_bytes(&next, (Str){ &bytes[n], 1 }))
			break;
	}
	return n;
}

void automaton_close(const AutomatonState *s, Buf *out)
{
	AutomatonState next;
	AutomatonCursor c;
	automaton_copy(&next, s);
	StepPlace p = place_of(&next);
	for (uint32_t left = AUTOMATON_NAMES_MAX + automaton_closing_bytes(s); left && !automaton_is_complete(&next); left--) {
		uint32_t best = UINT32_MAX, cost;
		char byte = 0;
		for (unsigned b = 0; b < 256; b++)
			if (try_byte(&next, &c, (uint8_t)b) && (cost = step_closing(&p, &c)) < best) {
				best = cost;
				byte = (char)b;
			}
		if (best == UINT32_MAX || !automaton_accept_bytes(&next, (Str){ &byte, 1 }))
			return;
		buf_byte(out, byte);
	}
}
