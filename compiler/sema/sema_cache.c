/*
 * The cache group of a prompt: the `cache` declaration and the comment directly above `prompt`,
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

static bool read_slots(Str value, CacheGroup *g)
{
	size_t dash = str_find(value, STR("-"), 0);
	return dash < value.n && read_number(str_trim(str_sub(value, 0, dash)), &g->slot_lo) &&
		read_number(str_trim(str_sub(value, dash + 1, value.n)), &g->slot_hi) && g->slot_lo <= g->slot_hi;
}

/* The comment's entries; NULL if it is some other comment. */
static CacheGroup *from_comment(Build *b, Str line, Span at)
{
	Str rest = str_trim(str_sub(line, 1, line.n));
	if (!str_starts(rest, STR("cache_domain:")))
		return NULL;
	CacheGroup *g = arena_new(b->a, CacheGroup);
	while (rest.n) {
		size_t end = str_find(rest, STR(";"), 0), colon = str_find(rest, STR(":"), 0);
		Str key = str_trim(str_sub(rest, 0, colon)), value = str_trim(str_sub(rest, colon + 1, end));
		rest = str_trim(str_sub(rest, end + 1, rest.n));
		if (str_is(key, "cache_domain") && value.n)
			g->group = value;
		else if (!str_is(key, "slot_hint") || !read_slots(value, g))
			diag_add(b->d, SD310, at, "`%.*s: %.*s` is no cache hint; write `cache_domain: NAME; slot_hint: 0-3`", STR_ARG(key), STR_ARG(value));
	}
	return g;
}

/* The line of comment that ends right above the prompt's line. */
static CacheGroup *comment_above(Build *b, const Prompt *p)
{
	uint32_t at, above;
	if (!p->decl || b->u->front != FRONT_SD)
		return NULL;
	const Source *src = source_of(&b->c->sources, p->decl->span.lo);
	source_line_text(&b->c->sources, p->decl->span.lo, &at);
	if (!src || at == src->base)
		return NULL;
	Str line = source_line_text(&b->c->sources, at - 1, &above);
	return line.n && line.p[0] == '#' ? from_comment(b, line, (Span){ above, above + (uint32_t)line.n }) : NULL;
}

void build_cache(Build *b, Prompt *p)
{
	CacheGroup *hint = comment_above(b, p);
	for (uint32_t i = 0; i < p->decls.n; i++) {
		const Node *n = p->decls.v[i].node;
		if (n->kind != N_CACHE)
			continue;
		if (p->cache) {
			Diag *g = diag_add(b->d, SD310, n->span, "a prompt has at most one cache group");
			diag_label(b->d, g, p->cache->decl->span, "the first stands here");
			continue;
		}
		p->cache = from_decl(b, n);
	}
	if (!hint)
		return;
	if (!p->cache) {
		p->cache = hint;
		p->cache->decl = p->decl;
		return;
	}
	const CacheGroup *c = p->cache;
	bool slots = !hint->slot_hi || (hint->slot_lo == c->slot_lo && hint->slot_hi == c->slot_hi);
	if (!str_eq(hint->group, c->group) || !slots) {
		Diag *g = diag_add(b->d, SD310, c->decl->span, "cache %.*s slots %u-%u and the comment above the prompt disagree",
			STR_ARG(c->group), c->slot_lo, c->slot_hi);
		diag_label(b->d, g, p->decl->name_span, "the comment says %.*s, slots %u-%u", STR_ARG(hint->group), hint->slot_lo, hint->slot_hi);
		diag_help(b->d, g, "keep one of the two, or make them agree");
	}
}
