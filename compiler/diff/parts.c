/*
 * Parts: matched by kind and name, then by content, then by nearness of wording; then what a pair
 * changed: role, modality, guardrail, weight, scope, stability, condition, holes, place, and its text.
 */
#include "compiler/diff/align.h"
#include "compiler/diff/differ.h"
#include "compiler/diff/mates.h"
#include "compiler/diff/units.h"
#include "runtime/base/map.h"

enum { NEAR_PARTS_MAX = 400 };
static const double NEAR_PART_MIN = 0.5;

static const char *role_of(const DiffPart *p)
{
	static const char *const names[ROLE_COUNT] = { "system", "developer", "user", "assistant", "tool" };
	return names[p->role];
}

static void pair_parts(DiffModel *om, DiffModel *nm, uint32_t i, uint32_t j)
{
	om->part.v[i].mate = j;
	nm->part.v[j].mate = i;
	om->part.v[i].was_renamed = !str_eq(om->part.v[i].name, nm->part.v[j].name);
}

static bool both_free(const DiffModel *om, const DiffModel *nm, uint32_t i, uint32_t j)
{
	return om->part.v[i].mate == PART_NONE && nm->part.v[j].mate == PART_NONE;
}

/* Parts with equal keys match; p NULL has no mate. Kind and role are part of a key where a mate must share them. */
typedef Str (*PartKey)(Arena *a, const DiffPart *p);

static Str key_and_content(Arena *a, const DiffPart *p)
{
	return str_fmt(a, "%d %llx %.*s", p->kind, (unsigned long long)p->hash, STR_ARG(p->key));
}

static Str key_named(Arena *a, const DiffPart *p)
{
	return p->name.n ? str_fmt(a, "%d %.*s", p->kind, STR_ARG(p->name)) : (Str){ 0 };
}

static Str key_kind_content(Arena *a, const DiffPart *p)
{
	return p->text.n ? str_fmt(a, "%d %d %llx", p->kind, p->role, (unsigned long long)p->hash) : (Str){ 0 };
}

static Str key_content(Arena *a, const DiffPart *p)
{
	bool can = p->kind != BNODE_EXAMPLE && p->text.n;
	return can ? str_fmt(a, "%llx", (unsigned long long)p->hash) : (Str){ 0 };
}

static Str key_unnamed(Arena *a, const DiffPart *p)
{
	return p->name.n ? (Str){ 0 } : str_fmt(a, "%d %.*s", p->kind, STR_ARG(p->key));
}

static Str key_kind_alone(Arena *a, const DiffPart *p)
{
	bool can = p->kind == BNODE_ROLE || p->kind == BNODE_HISTORY || p->kind == BNODE_CONTEXT;
	return can ? str_fmt(a, "%d", p->kind) : (Str){ 0 };
}

static Str *free_parts(Arena *a, const DiffModel *m, PartKey key)
{
	Str *k = arena_array(a, Str, m->part.n);
	for (uint32_t i = 0; i < m->part.n; i++)
		k[i] = m->part.v[i].mate == PART_NONE ? key(a, &m->part.v[i]) : (Str){ 0 };
	return k;
}

static void match_by(Differ *df, PartKey key)
{
	DiffModel *om = &df->old_model, *nm = &df->new_model;
	const uint32_t *mate = mates_by_key(df->arena, free_parts(df->arena, om, key), om->part.n,
		free_parts(df->arena, nm, key), nm->part.n);
	for (uint32_t i = 0; i < om->part.n; i++)
		if (mate[i] != MATE_NONE)
			pair_parts(om, nm, i, mate[i]);
}

static void match_near(Differ *df)
{
	DiffModel *om = &df->old_model, *nm = &df->new_model;
	if (om->part.n > NEAR_PARTS_MAX || nm->part.n > NEAR_PARTS_MAX)
		return;
	for (uint32_t i = 0; i < om->part.n; i++) {
		const DiffPart *o = &om->part.v[i];
		double best_sim = NEAR_PART_MIN;
		uint32_t best = PART_NONE;
		for (uint32_t j = 0; j < nm->part.n; j++) {
			const DiffPart *n = &nm->part.v[j];
			if (!both_free(om, nm, i, j) || o->kind != n->kind)
				continue;
			double sim = units_similarity(df->arena, o->text, n->text);
			if (sim > best_sim)
				best_sim = sim, best = j;
		}
		if (best != PART_NONE)
			pair_parts(om, nm, i, best);
	}
}

static void match_parts(Differ *df)
{
	static const PartKey keys[] = { key_and_content, key_named, key_kind_content, key_content, key_unnamed };
	for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
		match_by(df, keys[k]);
	match_near(df);
	match_by(df, key_kind_alone);
}

/* --- what one pair changed -------------------------------------------------------------------- */

static int strength(Modality m)
{
	switch (m) {
	case MOD_MUST: case MOD_NEVER: return 3;
	case MOD_SHOULD: return 2;
	case MOD_MAY: return 1;
	default: return 0;
	}
}

static const char *modality_name(Modality m)
{
	static const char *const names[MOD_COUNT] = { "", "must", "should", "may", "never" };
	return names[m];
}

static void compare_modality(Differ *df, ChangeArgs args, const DiffPart *o, const DiffPart *n)
{
	bool guard = o->flags & SEG_GUARDRAIL;
	if (guard && !(n->flags & SEG_GUARDRAIL)) {
		args.detail = STR("it is no longer a guardrail");
		differ_add(df, CH_GUARDRAIL_WEAKENED, args);
	} else if (!guard && n->flags & SEG_GUARDRAIL) {
		args.detail = STR("it is a guardrail now");
		differ_add(df, CH_CONSTRAINT_STRONGER, args);
	}
	if (o->modality == n->modality)
		return;
	args.detail = str_fmt(df->arena, "%s is now %s", modality_name(o->modality), modality_name(n->modality));
	if ((o->modality == MOD_NEVER) != (n->modality == MOD_NEVER))
		differ_add(df, CH_POLARITY_FLIPPED, args);
	else if (strength(n->modality) > strength(o->modality))
		differ_add(df, CH_CONSTRAINT_STRONGER, args);
	else
		differ_add(df, guard ? CH_GUARDRAIL_WEAKENED : CH_CONSTRAINT_WEAKER, args);
}

static Str hole_text(Arena *a, const PartHole *h)
{
	return str_fmt(a, "{{%.*s%s%.*s}}", STR_ARG(h->name), h->filters.n ? " | " : "", STR_ARG(h->filters));
}

static Str *hole_texts(Arena *a, const DiffPart *p)
{
	Str *k = arena_array(a, Str, p->hole.n);
	for (uint32_t i = 0; i < p->hole.n; i++)
		k[i] = hole_text(a, &p->hole.v[i]);
	return k;
}

/* Names of the holes that do not stand on the other side as they are: `has_mate` says which do. */
static Str *changed_names(Arena *a, const DiffPart *p, const bool *has_mate)
{
	Str *k = arena_array(a, Str, p->hole.n);
	for (uint32_t i = 0; i < p->hole.n; i++)
		if (!has_mate[i])
			k[i] = p->hole.v[i].name;
	return k;
}

/*
 * One value may stand several times, each with its own filters: those that stand on both sides as they are
 * are set aside first. What a changed one was before is one of its name that is no longer there, or else any.
 */
static void compare_holes(Differ *df, ChangeArgs args, const DiffPart *o, const DiffPart *n)
{
	Arena *a = df->arena;
	const Str *was_text = hole_texts(a, o), *now_text = hole_texts(a, n);
	const uint32_t *kept = mates_by_key(a, now_text, n->hole.n, was_text, o->hole.n);
	bool *was_kept = arena_array(a, bool, o->hole.n), *is_kept = arena_array(a, bool, n->hole.n);
	for (uint32_t i = 0; i < n->hole.n; i++) {
		is_kept[i] = kept[i] != MATE_NONE;
		if (is_kept[i])
			was_kept[kept[i]] = true;
	}
	const uint32_t *before = mates_by_key(a, changed_names(a, n, is_kept), n->hole.n, changed_names(a, o, was_kept), o->hole.n);
	Map any = { 0 };
	for (uint32_t k = 0; k < o->hole.n; k++)
		map_add(a, &any, o->hole.v[k].name, &o->hole.v[k]);
	for (uint32_t i = 0; i < n->hole.n; i++) {
		const PartHole *now = &n->hole.v[i];
		const PartHole *was = is_kept[i] ? NULL : before[i] != MATE_NONE ? &o->hole.v[before[i]] : map_get(&any, now->name);
		if (!was || str_eq(was->filters, now->filters))
			continue;
		args.old_text = hole_text(a, was);
		args.new_text = hole_text(a, now);
		differ_add(df, was->is_fenced && !now->is_fenced ? CH_FILTER_DROPPED : CH_FILTER_CHANGED, args);
	}
}

/* Lower is more privileged. */
static int privilege(Role r)
{
	return r == ROLE_SYSTEM ? 0 : r == ROLE_DEVELOPER ? 1 : r == ROLE_ASSISTANT ? 2 : 3;
}

static void compare_role(Differ *df, ChangeArgs args, const DiffPart *o, const DiffPart *n)
{
	if (o->role == n->role || o->kind == BNODE_EXAMPLE)
		return;
	args.detail = str_fmt(df->arena, "%s is now %s", role_of(o), role_of(n));
	bool rises = privilege(n->role) < privilege(o->role);
	differ_add(df, rises ? CH_MOVED_PRIVILEGED : CH_ROLE_CHANGED, args);
}

static void compare_attributes(Differ *df, const DiffPart *o, const DiffPart *n)
{
	ChangeArgs args = {
		.key = n->key, .old_text = str_trim(o->text), .new_text = str_trim(n->text),
		.old_at = model_place(&df->old_model, o, 0), .new_at = model_place(&df->new_model, n, 0),
	};
	compare_role(df, args, o, n);
	compare_modality(df, args, o, n);
	compare_holes(df, args, o, n);
	if (o->was_renamed && o->kind != BNODE_MESSAGE && o->kind != BNODE_ROLE) {
		args.detail = str_fmt(df->arena, "`%.*s` is now `%.*s`", STR_ARG(o->name), STR_ARG(n->name));
		differ_add(df, CH_RENAMED, args);
	}
	args.detail = str_fmt(df->arena, "%g is now %g", o->weight, n->weight);
	if (o->weight < n->weight || o->weight > n->weight)
		differ_add(df, CH_WEIGHT, args);
	args.detail = (Str){ 0 };
	if (!str_eq(o->on, n->on))
		differ_add(df, o->flags & SEG_GUARDRAIL ? CH_GUARDRAIL_WEAKENED : CH_CONSTRAINT_SCOPE, args);
	args.old_text = o->condition, args.new_text = n->condition;
	if (!str_eq(o->condition, n->condition))
		differ_add(df, CH_CONDITION, args);
	args.old_text = o->facts, args.new_text = n->facts;
	if (!str_eq(o->facts, n->facts))
		differ_add(df, CH_CONTEXT, args);
	static const char *const stab[STAB_COUNT] = { "@static", "@session", "@turn" };
	args.old_text = str_from(stab[o->stability]), args.new_text = str_from(stab[n->stability]);
	bool written = (o->flags | n->flags) & SEG_STABILITY_WRITTEN;
	if (o->stability != n->stability && written)
		differ_add(df, CH_STABILITY, args);
}

/* A new name alone changes nothing that is sent, and costs nothing of a budget. */
static bool has_more_than_a_name(const Differ *df, uint32_t before)
{
	for (uint32_t i = before; i < df->d->change.n; i++)
		if (df->d->change.v[i].kind != CH_RENAMED)
			return true;
	return false;
}

static void compare_pair(Differ *df, const DiffPart *o, const DiffPart *n)
{
	uint32_t before = df->d->change.n;
	compare_attributes(df, o, n);
	if (!str_eq(o->text, n->text)) {
		if (o->kind == BNODE_EXAMPLE) {
			differ_add(df, CH_EXAMPLE_CHANGED, (ChangeArgs){ .key = n->key, .old_text = str_trim(o->text), .new_text = str_trim(n->text),
				.old_at = model_place(&df->old_model, o, 0), .new_at = model_place(&df->new_model, n, 0) });
			differ_count(df, DELTA_EXAMPLE, o->text, n->text);
		} else {
			differ_compare_text(df, o, n);
		}
	} else if (o->kind == BNODE_CONSTRAINT && has_more_than_a_name(df, before)) {
		differ_count(df, DELTA_CONSTRAINT, o->text, n->text);
	}
}

/* --- parts on one side only ------------------------------------------------------------------- */

static void part_gone(Differ *df, const DiffPart *p)
{
	ChangeArgs args = { .key = p->key, .old_text = str_trim(p->text), .old_at = model_place(&df->old_model, p, 0) };
	switch (p->kind) {
	case BNODE_CONSTRAINT: differ_add(df, p->flags & SEG_GUARDRAIL ? CH_GUARDRAIL_REMOVED : CH_CONSTRAINT_REMOVED, args); break;
	case BNODE_EXAMPLE: differ_add(df, CH_EXAMPLE_REMOVED, args); break;
	case BNODE_STAGE: break; /* the table of stages says so */
	case BNODE_CONTEXT: case BNODE_HISTORY: differ_add(df, CH_CONTEXT, args); break;
	default: differ_text_gone(df, p); return;
	}
	differ_count(df, model_class(p), p->text, (Str){ 0 });
}

static void part_new(Differ *df, const DiffPart *p)
{
	ChangeArgs args = { .key = p->key, .new_text = str_trim(p->text), .new_at = model_place(&df->new_model, p, 0) };
	switch (p->kind) {
	case BNODE_CONSTRAINT: differ_add(df, CH_CONSTRAINT_ADDED, args); break;
	case BNODE_EXAMPLE: differ_add(df, CH_EXAMPLE_ADDED, args); break;
	case BNODE_STAGE: break;
	case BNODE_CONTEXT: case BNODE_HISTORY: differ_add(df, CH_CONTEXT, args); break;
	default: differ_text_new(df, p); return;
	}
	differ_count(df, model_class(p), (Str){ 0 }, p->text);
}

/* Matched parts that left the longest run of parts in unchanged order. */
static void report_moves(Differ *df)
{
	DiffModel *om = &df->old_model, *nm = &df->new_model;
	uint32_t n = om->part.n;
	uint32_t *tail = arena_array(df->arena, uint32_t, n), *prev = arena_array(df->arena, uint32_t, n), len = 0;
	bool *kept = arena_array(df->arena, bool, n);
	for (uint32_t i = 0; i < n; i++) {
		if (om->part.v[i].mate == PART_NONE)
			continue;
		uint32_t lo = 0, hi = len;
		while (lo < hi) {
			uint32_t mid = (lo + hi) / 2;
			if (om->part.v[tail[mid]].mate < om->part.v[i].mate)
				lo = mid + 1;
			else
				hi = mid;
		}
		prev[i] = lo ? tail[lo - 1] : PART_NONE;
		tail[lo] = i;
		len += lo == len;
	}
	for (uint32_t i = len ? tail[len - 1] : PART_NONE; i != PART_NONE; i = prev[i])
		kept[i] = true;
	for (uint32_t i = 0; i < n; i++) {
		const DiffPart *o = &om->part.v[i];
		if (o->mate == PART_NONE || kept[i])
			continue;
		const DiffPart *p = &nm->part.v[o->mate];
		differ_add(df, o->kind == BNODE_EXAMPLE ? CH_EXAMPLE_ORDER : CH_MOVED, (ChangeArgs){ .key = p->key,
			.old_text = str_trim(o->text), .new_text = str_trim(p->text), .detail = STR("among the parts"),
			.old_at = model_place(om, o, 0), .new_at = model_place(nm, p, 0) });
	}
}

static bool is_prose(const DiffPart *p)
{
	return p->kind != BNODE_CONSTRAINT && p->kind != BNODE_EXAMPLE && p->kind != BNODE_HISTORY;
}

/* A constraint, an example, a declaration is one node; of prose each sentence is. */
static uint32_t count_nodes(Differ *df, const DiffModel *m)
{
	const BinPrompt *p = m->prompt;
	uint32_t n = p->input.n + p->tool.n + p->stage.n + p->set.n + p->target.n + p->cut.n + (p->reply.type_text.len > 0);
	for (uint32_t i = 0; i < m->part.n; i++) {
		Units u = { 0 };
		if (is_prose(&m->part.v[i]))
			units_build(df->arena, &u, m->part.v[i].text);
		n += is_prose(&m->part.v[i]) ? u.unit.n : 1;
	}
	return n;
}

void differ_compare_parts(Differ *df)
{
	DiffModel *om = &df->old_model, *nm = &df->new_model;
	match_parts(df);
	for (uint32_t i = 0; i < om->part.n; i++) {
		const DiffPart *o = &om->part.v[i];
		df->d->baseline[model_class(o)] += (double)model_count_words(o->text);
		if (o->mate == PART_NONE)
			part_gone(df, o);
		else
			compare_pair(df, o, &nm->part.v[o->mate]);
	}
	for (uint32_t j = 0; j < nm->part.n; j++)
		if (nm->part.v[j].mate == PART_NONE)
			part_new(df, &nm->part.v[j]);
	report_moves(df);
	df->d->n_node_old += count_nodes(df, om);
	df->d->n_node_new += count_nodes(df, nm);
}
