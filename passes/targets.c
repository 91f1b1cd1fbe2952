/*
 * Targets (SD203, SD307, SD405, SD719, SD805): does each declared target take what the prompt asks for:
 * its roles, settings, schemas, cache hints.
 */
#include "compiler/sema/walk.h"
#include "passes/pass_loop.h"

typedef struct Targets {
	Compiler *c;
	Unit *u;
	const Prompt *p;
	const Target *t;
	Str name;  /* as the prompt names it */
	Span at;   /* where */
} Targets;

static Span name_at(const Node *n)
{
	return n->name_span.hi ? n->name_span : n->span;
}

/* ---- SD203 ---- */

/* The first and last message that the prompt sends by itself; stages end with a user message. */
static void check_roles(Targets *k)
{
	const Prompt *p = k->p;
	const MessagePlan *last = p->message.n ? &p->message.v[p->message.n - 1] : NULL;
	bool user = p->stage.n > 0;
	for (uint32_t i = 0; i < p->message.n; i++)
		user |= p->message.v[i].role == ROLE_USER;
	if (k->t->needs_user && !user) {
		Diag *g = diag_add(&k->c->diags, SD203, k->at, "`%.*s` needs a user message, and this prompt sends none", STR_ARG(k->name));
		diag_help(&k->c->diags, g, "add `user: {{question}}`, or give one when it is sent: --user TEXT");
	}
	bool is_prefill = last && last->role == ROLE_ASSISTANT && last->part.n && last->part.v[0].kind == PART_MESSAGE && !p->stage.n;
	if (!is_prefill || k->t->prefill)
		return;
	const Node *decl = last->part.v[0].decl;
	Diag *g = diag_add(&k->c->diags, SD203, (Span){ decl->span.lo, decl->span.lo + 9 }, "`%.*s` takes no message of the assistant at the end",
		STR_ARG(k->name));
	diag_label(&k->c->diags, g, k->at, "the target");
	diag_help(&k->c->diags, g, "say how the answer starts in a constraint, or declare `reply`");
}

/* What no target takes: an assistant that speaks before anybody asked. */
static void check_first(Compiler *c, const Prompt *p)
{
	for (uint32_t i = 0; i < p->message.n; i++) {
		const MessagePlan *m = &p->message.v[i];
		const Part *part = m->part.n ? &m->part.v[0] : NULL;
		if (m->role == ROLE_SYSTEM || m->role == ROLE_DEVELOPER)
			continue;
		if (m->role != ROLE_ASSISTANT || i + 1 == p->message.n || !part || part->kind != PART_MESSAGE)
			return;
		Diag *g = diag_add(&c->diags, SD203, (Span){ part->decl->span.lo, part->decl->span.lo + 9 }, "the assistant speaks before any user message");
		diag_set_severity(&c->diags, g, SEV_WARNING);
		diag_help(&c->diags, g, "most models want the user first: begin with `user:`, or put the pair into an `example`");
		return;
	}
}

/* ---- settings ---- */

static JsonNode *value_of(Targets *k, const Node *set)
{
	Buf b = { 0 };
	JsonDoc doc;
	for (const Node *v = set->first; v && !b.n; v = v->next)
		if (node_is_value(v) || v->kind == N_JSON)
			sema_value_json(&b, NULL, v);
	Str text = str_dup(&k->c->arena, buf_str(&b));
	buf_free(&b);
	return json_read(&k->c->arena, text, 0, &doc) ? doc.root : NULL;
}

static void check_set(Targets *k, const Node *n)
{
	const TargetSet *set = target_find_set(k->t, n->name);
	const JsonNode *value = value_of(k, n);
	Str why;
	if (n->aux.n || !value || !set)
		return;
	if (!target_check_set(&k->c->arena, set, value, &why))
		diag_add(&k->c->diags, SD307, n->span, "`%.*s` %.*s for %.*s", STR_ARG(n->name), STR_ARG(why), STR_ARG(k->name));
}

/* A setting that none of the targets knows and that is not sent as it is (`json`, provider.name). */
static void check_unknown_set(Compiler *c, const Prompt *p, const Node *n, const Target *const *target, uint32_t n_target)
{
	VEC(Str) cand = { 0 };
	(void)p;
	if (n->aux.n || (n->first && n->first->kind == N_JSON))
		return;
	for (uint32_t i = 0; i < n_target; i++) {
		if (!target[i] || target_find_set(target[i], n->name))
			return;
		for (uint32_t j = 0; j < target[i]->set.n; j++)
			vec_push(&c->arena, &cand, target[i]->set.v[j].name);
	}
	Diag *g = diag_add(&c->diags, SD301, name_at(n), "no target of this prompt has a setting `%.*s`", STR_ARG(n->name));
	diag_did_you_mean(&c->diags, g, name_at(n), n->name, cand.v, cand.n);
	if (!g->help.n)
		diag_help(&c->diags, g, "a field of one provider is written `set openai.%.*s json \"…\"`", STR_ARG(n->name));
}

/* ---- SD719 ---- */

static bool takes_ttl(const Target *t, uint64_t ttl_s)
{
	for (uint32_t i = 0; i < t->cache.ttl_s.n; i++)
		if (t->cache.ttl_s.v[i] == ttl_s)
			return true;
	return false;
}

/* Models that the local runtime serves keep every hint; what a hosted one drops is named. */
static void check_cache(Targets *k)
{
	const CacheGroup *cache = k->p->cache;
	bool hosted = k->t->wire != WIRE_OPENAI || k->t->cache.kind != CACHE_NONE;
	if (!cache || !cache->decl || !hosted)
		return;
	const Node *ttl = node_clause(cache->decl, CL_TTL), *slots = node_clause(cache->decl, CL_SLOTS), *evict = node_clause(cache->decl, CL_EVICT);
	Str dropped = { 0 };
	if (slots)
		dropped = STR("slots");
	if (ttl && !takes_ttl(k->t, cache->ttl_s))
		dropped = str_fmt(&k->c->arena, "%.*s%sttl", STR_ARG(dropped), dropped.n ? ", " : "");
	if (evict)
		dropped = str_fmt(&k->c->arena, "%.*s%sevict", STR_ARG(dropped), dropped.n ? ", " : "");
	if (!dropped.n)
		return;
	Diag *g = diag_add(&k->c->diags, SD719, cache->decl->span, "`%.*s` drops these cache hints: %.*s", STR_ARG(k->name), STR_ARG(dropped));
	diag_label(&k->c->diags, g, k->at, "the target");
	if (k->t->cache.ttl_s.n)
		diag_help(&k->c->diags, g, "it keeps a prefix for %u s%s", k->t->cache.ttl_s.v[0], k->t->cache.ttl_s.n > 1 ? " or one hour" : "");
	else
		diag_help(&k->c->diags, g, "the hints bind on the local runtime only");
}

/* ---- SD805 ---- */

static void check_pin(Targets *k, Str name)
{
	if (!str_ends(name, STR("-latest")))
		return;
	Diag *g = diag_add(&k->c->diags, SD805, k->at, "`%.*s` moves when the provider moves it", STR_ARG(name));
	diag_help(&k->c->diags, g, "name a dated model, so that what was tested is what answers");
}

static void check_target(Targets *k, uint32_t i)
{
	k->at = k->p->target_decl.v[i]->span;
	k->name = k->p->target.v[i];
	check_pin(k, k->name);
	k->t = k->p->profile.v[i];
	if (!k->t)
		return;
	check_roles(k);
	for (uint32_t j = 0; j < k->p->set.n; j++)
		check_set(k, k->p->set.v[j]);
	sema_check_strict(k->c, k->p, k->t, k->name, k->at);
	check_cache(k);
}

static void check_sets(Targets *k)
{
	TargetTable *table = k->p->set.n ? sema_targets(k->u) : NULL;
	if (!table)
		return;
	const Target *generic = target_find(table, STR("generic"));
	const Target *const *list = k->p->profile.n ? k->p->profile.v : &generic;
	for (uint32_t i = 0; i < k->p->set.n; i++)
		check_unknown_set(k->c, k->p, k->p->set.v[i], list, k->p->profile.n ? k->p->profile.n : 1);
	k->t = generic;
	k->name = STR("generic");
	for (uint32_t i = 0; !k->p->profile.n && generic && i < k->p->set.n; i++)
		check_set(k, k->p->set.v[i]);
}

void pass_targets(Compiler *c, Unit *u)
{
	for (uint32_t i = 0; i < u->prompt.n; i++) {
		Targets k = { .c = c, .u = u, .p = u->prompt.v[i] };
		check_first(c, k.p);
		check_sets(&k);
		for (uint32_t j = 0; j < k.p->target.n; j++)
			check_target(&k, j);
	}
}
