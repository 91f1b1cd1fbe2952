/*
 * The heads of a prompt that stand for themselves: targets, reply, budget, constraints, cuts and
 * weights, settings, tests. What may stand once is taken from its first place and the second reported.
 */
#include <math.h>
#include <stdlib.h>

#include "compiler/sema/build.h"
#include "compiler/sema/use.h"
#include "runtime/base/num.h"

static double number_of(Str spelled)
{
	Num n;
	return num_parse(spelled, &n) ? num_to_double(spelled) : NAN;
}

static uint32_t count_of(Build *b, const Node *n, Str spelled)
{
	Num num;
	int64_t v = 0;
	if (num_parse(spelled, &num) && num_to_i64(&num, &v) && v >= 0 && v <= UINT32_MAX)
		return (uint32_t)v;
	diag_add(b->d, SD307, n->name_span.hi ? n->name_span : n->span, "`%.*s` is not a whole number below 2^32", STR_ARG(spelled));
	return 0;
}

static void report_second(Build *b, const Node *n, const Node *old)
{
	Diag *g = diag_add(b->d, SD310, n->span, "a prompt has at most one `%s`", node_kind_name(n->kind));
	diag_label(b->d, g, old->span, "the first stands here");
	diag_help(b->d, g, "keep one of the two");
}

/* True when n is the first of its kind. */
static bool is_first(Build *b, const Node **slot, const Node *n)
{
	if (!*slot) {
		*slot = n;
		return true;
	}
	if (*slot != n)
		report_second(b, n, *slot);
	return false;
}

static ProjectTargets *project_targets(Unit *u)
{
	Compiler *c = u->c;
	if (!c->targets) {
		c->targets = arena_new(&c->arena, ProjectTargets);
		c->targets->arena = &c->arena;
	}
	ProjectTargets *t = c->targets;
	if (!t->is_read) {
		targets_init(&t->table, t->arena);
		t->is_bad = !targets_add_folder(&t->table, use_root(u), &t->err);
		t->is_read = true;
	}
	return t;
}

TargetTable *sema_targets(Unit *u)
{
	const ProjectTargets *t = project_targets(u);
	if (!t->is_bad)
		return &u->c->targets->table;
	if (!u->is_target_told)
		diag_add(&u->c->diags, SD304, (Span){ u->file->span.lo, u->file->span.lo },
		         "a target file is refused: %.*s, byte %u: %.*s", STR_ARG(t->err.file), t->err.offset, STR_ARG(t->err.message));
	u->is_target_told = true;
	return NULL;
}

static const Target *find_profile(Build *b, const Node *name)
{
	TargetTable *table = sema_targets(b->u);
	const Target *t = table ? target_find(table, name->name) : NULL;
	if (t || !table)
		return t;
	Diag *g = diag_add(b->d, SD304, name->span, "there is no target `%.*s`", STR_ARG(name->name));
	Str near = target_suggest(table, name->name);
	diag_did_you_mean(b->d, g, name->span, name->name, &near, near.n ? 1 : 0);
	diag_note(b->d, g, "a project describes its own models in targets/*.json");
	return NULL;
}

static void add_targets(Build *b, Prompt *p, const Node *n)
{
	for (const Node *k = n->first; k; k = k->next) {
		if (k->kind != N_NAME)
			continue;
		bool twice = false;
		for (uint32_t i = 0; i < p->target.n; i++)
			twice |= str_eq(p->target.v[i], k->name);
		if (twice) {
			diag_add(b->d, SD310, k->span, "target `%.*s` is named twice", STR_ARG(k->name));
			continue;
		}
		vec_push(b->a, &p->target, k->name);
		vec_push(b->a, &p->target_decl, k);
		vec_push(b->a, &p->profile, find_profile(b, k));
	}
}

/* note [weights]: a weight says how much is lost when the thing shrinks, so it lies in (0, 1]. */
static double weight_of(Build *b, const Node *at, Str spelled)
{
	double w = number_of(spelled);
	if (w > 0 && w <= 1)
		return w;
	Diag *g = diag_add(b->d, SD804, at->aux_span.hi ? at->aux_span : at->span, "weight %.*s is not above 0 and at most 1", STR_ARG(spelled));
	diag_help(b->d, g, "1 is kept longest; leave the weight out where the thing must never shrink");
	return -1;
}

static void add_constraint(Build *b, Prompt *p, const Decl *d)
{
	const Node *n = d->node, *on = node_clause(n, CL_ON), *weight = node_clause(n, CL_WEIGHT);
	Constraint *k = vec_add(b->a, &p->constraint);
	*k = (Constraint){ .name = d->name, .decl = n, .modality = (Modality)n->op, .weight = -1 };
	k->is_guardrail = node_clause(n, CL_GUARDRAIL) != NULL;
	for (const Node *s = on ? on->first : NULL; s; s = s->next)
		vec_push(b->a, &k->on, s->name);
	if (!weight)
		return;
	if (k->modality == MOD_MUST || k->modality == MOD_NEVER || k->is_guardrail) {
		const char *what = k->is_guardrail ? "guardrail" : k->modality == MOD_MUST ? "must" : "never";
		Diag *g = diag_add(b->d, SD804, weight->span, "constraint `%.*s` is `%s` and has a weight", STR_ARG(k->name), what);
		diag_help(b->d, g, "what may be left out under a budget is a `should`; a `%s` is always sent, so drop the weight", what);
		return;
	}
	k->weight = weight_of(b, weight, weight->name);
}

/* What was met before, of what a prompt can hold many of or only one. */
typedef struct Firsts {
	const Node *reply, *budget, *lang, *chain, *anchor;
	Map cut;         /* by name: where in the prompt's list, from 1, since the list moves as it grows */
	Map constraint;  /* by name: the first, all constraints being known */
} Firsts;

static Cut *cut_named(Build *b, Prompt *p, Firsts *first, Str name, const Node *decl)
{
	uintptr_t at = (uintptr_t)map_add(b->a, &first->cut, name, (void *)(uintptr_t)(p->cut.n + 1));
	if (at)
		return &p->cut.v[at - 1];
	Cut *c = vec_add(b->a, &p->cut);
	*c = (Cut){ .name = name, .how = CUT_AUTO, .decay = 0, .weight = -1, .decl = decl };
	return c;
}

static bool set_how(Cut *c, Str how)
{
	static const struct { const char *name; CutHow how; } HOW[] = {
		{ "oldest", CUT_OLDEST }, { "tail", CUT_TAIL }, { "head", CUT_HEAD }, { "middle", CUT_MIDDLE }, { "decay", CUT_DECAY },
	};
	for (size_t i = 0; i < sizeof HOW / sizeof *HOW; i++) {
		if (str_is(how, HOW[i].name)) {
			c->how = HOW[i].how;
			return true;
		}
	}
	return false;
}

/* `json "…"` of a setting goes out as it stands, so it must be JSON. */
static void check_json(Build *b, const Node *n)
{
	const Node *json = node_kid(n, N_JSON);
	JsonDoc doc;
	if (json && !json_read(b->a, json->name, 0, &doc))
		diag_add(b->d, SD307, json->span, "this is no JSON: %.*s", STR_ARG(doc.err.message));
}

static void report_cut_word(Build *b, const Node *r)
{
	static const Str word[] = { STR_INIT("oldest"), STR_INIT("tail"), STR_INIT("head"), STR_INIT("middle"), STR_INIT("decay"),
		STR_INIT("keep"), STR_INIT("mark") };
	Span at = r->name_span.hi ? r->name_span : r->span;
	Diag *g = diag_add(b->d, SD307, at, "`!CUT` knows no `%.*s`", STR_ARG(r->name));
	if (!diag_did_you_mean(b->d, g, at, r->name, word, sizeof word / sizeof *word))
		diag_help(b->d, g, "a part is cut `oldest`, `tail`, `head`, `middle` or `decay 0.618`; `keep N` and `mark \"…\"` may follow");
}

static void add_cut(Build *b, Prompt *p, Firsts *first, const Node *n)
{
	Cut *c = cut_named(b, p, first, n->name, n);
	if (c->decl != n && c->decl->kind == N_CUT) {
		Diag *g = diag_add(b->d, SD310, n->span, "`%.*s` has two `!CUT`s", STR_ARG(n->name));
		diag_label(b->d, g, c->decl->span, "the first stands here");
		return;
	}
	c->decl = n;
	c->mark = n->aux;
	const Node *how = NULL;
	for (const Node *r = n->first; r; r = r->next) {
		if (r->kind != N_CUT_RULE)
			continue;
		if (str_is(r->name, "keep") && !r->aux.n) {
			diag_add(b->d, SD307, r->span, "`keep` needs a number: `keep 2`");
		} else if (str_is(r->name, "keep")) {
			c->keep = count_of(b, r, r->aux);
		} else if (set_how(c, r->name)) {
			if (how)
				diag_add(b->d, SD310, r->span, "`%.*s` and `%.*s` cannot both say how to cut", STR_ARG(how->name), STR_ARG(r->name));
			how = r;
			if (c->how == CUT_DECAY) {
				c->decay = r->aux.n ? number_of(r->aux) : 0.618;
				if (!(c->decay > 0 && c->decay < 1))
					diag_add(b->d, SD307, r->span, "a decay lies between 0 and 1");
			} else if (r->aux.n) {
				diag_add(b->d, SD307, r->aux_span, "`%.*s` takes no number", STR_ARG(r->name));
			}
		} else {
			report_cut_word(b, r);
		}
	}
}

static void add_weight(Build *b, Prompt *p, Firsts *first, const Node *n)
{
	Cut *c = cut_named(b, p, first, n->name, n);
	if (c->weight >= 0) {
		Diag *g = diag_add(b->d, SD804, n->span, "`%.*s` has two weights", STR_ARG(n->name));
		diag_label(b->d, g, c->decl->span, "the first stands here");
		return;
	}
	c->weight = weight_of(b, n, n->aux);
	Constraint *k = map_get(&first->constraint, n->name);
	if (!k)
		return;
	if (k->modality == MOD_MUST || k->modality == MOD_NEVER || k->is_guardrail) {
		Diag *g = diag_add(b->d, SD804, n->span, "constraint `%.*s` is always sent and has a weight", STR_ARG(k->name));
		diag_label(b->d, g, k->decl->name_span, "declared here");
	} else if (k->weight >= 0) {
		diag_add(b->d, SD804, n->span, "`%.*s` has two weights", STR_ARG(n->name));
	} else {
		k->weight = c->weight;
	}
}

static void add_head(Build *b, Prompt *p, const Decl *d, Firsts *first)
{
	const Node *n = d->node;
	switch (n->kind) {
	case N_TARGET:
		add_targets(b, p, n);
		break;
	case N_CONSTRAINT:
		add_constraint(b, p, d);
		break;
	case N_BLOCK:
		vec_push(b->a, &p->block, n);
		break;
	case N_EXAMPLE:
		vec_push(b->a, &p->example, n);
		break;
	case N_SET:
		check_json(b, n);
		vec_push(b->a, &p->set, n);
		break;
	case N_META:
		check_json(b, n);
		vec_push(b->a, &p->meta, n);
		break;
	case N_TEST:
		vec_push(b->a, &p->test, n);
		break;
	case N_CUT:
		add_cut(b, p, first, n);
		break;
	case N_BUDGET:
		if (is_first(b, &first->budget, n))
			p->budget_tok = count_of(b, n, n->name);
		break;
	case N_LANG:
		if (is_first(b, &first->lang, n))
			p->lang = n->name;
		break;
	case N_ANCHOR:
		if (is_first(b, &first->anchor, n))
			p->anchor_every = count_of(b, n, n->name);
		break;
	case N_CHAIN:
		if (is_first(b, &first->chain, n))
			p->chain_decl = n;
		break;
	case N_REPLY:
		if (is_first(b, &first->reply, n))
			p->reply = build_reply(b, p, n->first && node_is_type(n->first) ? n->first : NULL, node_clause(n, CL_MAX), n);
		break;
	default:
		break;
	}
}

static void check_sets(Build *b, const Prompt *p)
{
	Map seen = { 0 };
	for (uint32_t i = 0; i < p->set.n; i++) {
		const Node *n = p->set.v[i];
		Str key = n->aux.n ? str_fmt(b->a, "%.*s.%.*s", STR_ARG(n->aux), STR_ARG(n->name)) : n->name;
		const Node *old = map_add(b->a, &seen, key, (void *)n);
		if (!old)
			continue;
		Diag *g = diag_add(b->d, SD202, n->name_span, "`set %.*s` is given twice", STR_ARG(n->name));
		diag_label(b->d, g, old->name_span, "first given here");
	}
}

Reply build_reply(Build *b, Prompt *p, const Node *type, const Node *max, const Node *decl)
{
	Reply r = { .kind = REPLY_TEXT, .decl = decl };
	if (max)
		r.max_tok = (uint32_t)max->val;
	const Type *t = type ? build_value_type(b, p, type) : NULL;
	bool is_named = t && t->schema_name.n;  /* a schema, whatever its root: its JSON is what is asked for */
	if (!t || (t->kind == INPUT_TEXT && !t->is_constrained && !is_named))
		return r;
	r.type = t;
	switch (is_named ? INPUT_OBJECT : t->kind) {
	case INPUT_JSON:
		r.kind = REPLY_JSON;
		break;
	case INPUT_TEXT:
	case INPUT_ENUM:
	case INPUT_BOOL:
	case INPUT_INT:
	case INPUT_NUMBER:
		r.kind = REPLY_BARE;
		break;
	case INPUT_DOCS:
	case INPUT_TURNS:
	case INPUT_IMAGE:
	case INPUT_FILE:
		diag_add(b->d, SD307, type->span, "a reply cannot be `%.*s`", STR_ARG(t->spelled));
		r.type = NULL;
		break;
	default:
		r.kind = REPLY_SCHEMA;
		break;
	}
	return r;
}

void build_heads(Build *b, Prompt *p)
{
	Firsts first = { 0 };
	for (uint32_t i = 0; i < p->decls.n; i++)
		add_head(b, p, &p->decls.v[i], &first);
	for (uint32_t i = 0; i < p->constraint.n; i++)
		map_add(b->a, &first.constraint, p->constraint.v[i].name, &p->constraint.v[i]);
	for (uint32_t i = 0; i < p->decls.n; i++)
		if (p->decls.v[i].node->kind == N_WEIGHT)
			add_weight(b, p, &first, p->decls.v[i].node);
	check_sets(b, p);
}
