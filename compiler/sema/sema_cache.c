/*
 * The cache group of a prompt: the `cache` declaration, or the comment directly above `prompt`,
 * `# cache_domain: user_profile; slot_hint: 0-3`. Both may stand where they agree.
 */
#include "compiler/sema/build.h"

static bool read_number(Str s, uint32_t *out)
{
	uint64_t v = 0;
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] < '0' || s.p[i] > '9' || v > UINT32_MAX)
			return false;
		v = v * 10 + (uint64_t)(s.p[i] - '0');
	}
	*out = (uint32_t)v;
	return s.n && v <= UINT32_MAX;
}

static CacheGroup *from_decl(Build *b, const Node *n)
{
	const Node *slots = node_clause(n, CL_SLOTS), *ttl = node_clause(n, CL_TTL), *evict = node_clause(n, CL_EVICT);
	CacheGroup *g = arena_new(b->a, CacheGroup);
	*g = (CacheGroup){ .group = n->name, .decl = n };
	if (slots && (slots->val < 0 || slots->val > UINT32_MAX || !read_number(slots->aux, &g->slot_hi)))
		diag_add(b->d, SD307, slots->span, "slots are whole numbers, as in 0-3");
	else if (slots)
		g->slot_lo = (uint32_t)slots->val;
	if (g->slot_lo > g->slot_hi)
		diag_add(b->d, SD307, slots->span, "the slots %u-%u are none", g->slot_lo, g->slot_hi);
	g->ttl_s = ttl && ttl->num > 0 && ttl->num < 1e15 ? (uint64_t)ttl->num : 0;
	if (evict && !str_is(evict->name, "lru") && !str_is(evict->name, "lfu")) {
		Diag *d = diag_add(b->d, SD307, evict->span, "there is no eviction rule `%.*s`", STR_ARG(evict->name));
		diag_help(b->d, d, "lru drops what was used longest ago, lfu what was used least");
	} else if (evict) {
		g->evict = evict->name;
	}
	return g;
}

/* The parser makes the comment form a declaration too; its text starts with `#`. */
static bool is_comment(const Build *b, const Node *n)
{
	uint32_t lo;
	Str line = source_line_text(&b->c->sources, n->span.lo, &lo);
	return line.n && line.p[0] == '#';
}

static void report_second(Build *b, const Node *n, const Node *old)
{
	Diag *g = diag_add(b->d, SD310, n->span, "a prompt has at most one cache group");
	diag_label(b->d, g, old->span, "the first stands here");
}

static void check_agree(Build *b, const CacheGroup *hint, const CacheGroup *c)
{
	bool slots = !node_clause(hint->decl, CL_SLOTS) || !node_clause(c->decl, CL_SLOTS) ||
		(hint->slot_lo == c->slot_lo && hint->slot_hi == c->slot_hi);
	if (str_eq(hint->group, c->group) && slots)
		return;
	Diag *g = diag_add(b->d, SD310, c->decl->span, "`cache %.*s` slots %u-%u and the comment above the prompt disagree",
		STR_ARG(c->group), c->slot_lo, c->slot_hi);
	diag_label(b->d, g, hint->decl->span, "the comment says %.*s, slots %u-%u", STR_ARG(hint->group), hint->slot_lo, hint->slot_hi);
	diag_help(b->d, g, "keep one of the two, or make them agree");
}

/* Both forms stand: the declaration is the group, and takes the slots that only the comment names. */
static void merge(Build *b, const CacheGroup *hint, CacheGroup *c)
{
	check_agree(b, hint, c);
	if (node_clause(c->decl, CL_SLOTS))
		return;
	c->slot_lo = hint->slot_lo;
	c->slot_hi = hint->slot_hi;
}

void build_cache(Build *b, Prompt *p)
{
	CacheGroup *hint = NULL;
	for (uint32_t i = 0; i < p->decls.n; i++) {
		const Node *n = p->decls.v[i].node;
		if (n->kind != N_CACHE)
			continue;
		CacheGroup **slot = is_comment(b, n) ? &hint : &p->cache;
		if (*slot)
			report_second(b, n, (*slot)->decl);
		else
			*slot = from_decl(b, n);
	}
	if (hint && p->cache)
		merge(b, hint, p->cache);
	else if (hint)
		p->cache = hint;
}
