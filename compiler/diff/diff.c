/* The differ's driver: pairs prompts, runs the comparisons, judges, sorts. See diff.h. */
#include "compiler/diff/diff.h"

#include <stdlib.h>

#include "compiler/diff/differ.h"
#include "compiler/diff/mates.h"
#include "runtime/base/buf.h"
#include "runtime/base/map.h"
#include "runtime/base/sha256.h"

const ChangeInfo change_info[CHANGE_KIND_COUNT] = {
#define CHANGE(kind, slug, severity, party, meaning) [kind] = { slug, severity, party, meaning },
#include "compiler/diff/change.def"
#undef CHANGE
};

static const double class_weight[DELTA_CLASS_COUNT] = {
	[DELTA_PROSE] = 1, [DELTA_CONSTRAINT] = 8, [DELTA_SCHEMA] = 8, [DELTA_INPUT] = 5, [DELTA_EXAMPLE] = 2, [DELTA_META] = 0,
};

const char *diff_severity_name(DiffSeverity s)
{
	static const char *const names[] = { "safe", "risky", "breaking" };
	return names[s];
}

static void set_fingerprint(Change *c)
{
	Buf b = { 0 };
	Str field[] = { str_from(change_info[c->kind].slug), c->prompt, c->key, c->old_text, c->new_text };
	for (size_t i = 0; i < sizeof field / sizeof *field; i++) {
		buf_printf(&b, "%zu:", field[i].n);
		buf_put(&b, field[i]);
	}
	uint8_t hash[32];
	sha256_of(buf_str(&b), hash);
	memcpy(c->fingerprint, hash, sizeof c->fingerprint);
	buf_free(&b);
}

Change *differ_add(Differ *df, ChangeKind kind, ChangeArgs args)
{
	Change *c = vec_add(df->arena, &df->d->change);
	*c = (Change){
		.kind = kind, .severity = change_info[kind].severity, .prompt = df->prompt, .key = args.key,
		.old_text = args.old_text, .new_text = args.new_text, .detail = args.detail,
		.old_at = args.old_at, .new_at = args.new_at,
	};
	set_fingerprint(c);
	return c;
}

void differ_count(Differ *df, DeltaClass cls, Str old_text, Str new_text)
{
	double o = (double)model_count_words(old_text), n = (double)model_count_words(new_text);
	double words = o > n ? o : n;
	df->d->changed[cls] += words > 0 ? words : 1;
}

static void compare_prompts(Diff *d, Arena *a, const Bin *ob, const BinPrompt *o, const Bin *nb, const BinPrompt *n)
{
	Differ df = { .d = d, .arena = a, .prompt = bin_str(nb, n->name),
		.old_model = { .bin = ob, .prompt = o }, .new_model = { .bin = nb, .prompt = n } };
	differ_compare_tables(&df);
	model_build(a, &df.old_model);
	model_build(a, &df.new_model);
	differ_compare_parts(&df);
}

static void one_sided(Diff *d, Arena *a, const Bin *b, const BinPrompt *p, ChangeKind kind)
{
	Differ df = { .d = d, .arena = a, .prompt = bin_str(b, p->name) };
	DiffModel m = { .bin = b, .prompt = p };
	model_build(a, &m);
	bool gone = kind == CH_PROMPT_REMOVED;
	for (uint32_t i = 0; i < m.part.n; i++) {
		const DiffPart *part = &m.part.v[i];
		double words = (double)model_count_words(part->text);
		d->changed[model_class(part)] += words;
		d->baseline[model_class(part)] += gone ? words : 0;
	}
	*(gone ? &d->n_node_old : &d->n_node_new) += m.part.n;
	differ_add(&df, kind, (ChangeArgs){ .key = str_fmt(a, "prompt %.*s", STR_ARG(df.prompt)) });
}

typedef Str (*PromptKey)(const Bin *b, const BinPrompt *p);

static Str prompt_name(const Bin *b, const BinPrompt *p)
{
	return p->name.len ? bin_str(b, p->name) : STR("");
}

static Str prompt_hash(const Bin *b, const BinPrompt *p)
{
	(void)b;
	return (Str){ (const char *)p->hash, BIN_HASH_BYTES };
}

static Str *free_prompts(Arena *arena, const Bin *b, const uint32_t *mate, PromptKey key)
{
	Str *k = arena_array(arena, Str, b->n_prompt);
	for (uint32_t i = 0; i < b->n_prompt; i++)
		k[i] = mate[i] == BIN_NONE ? key(b, &b->prompt[i]) : (Str){ 0 };
	return k;
}

/* Mates by name, then by equal hash; one prompt on each side is always a pair. */
static void pair_prompts(Arena *arena, const Bin *ob, const Bin *nb, uint32_t *mate_old, uint32_t *mate_new)
{
	static const PromptKey keys[] = { prompt_name, prompt_hash };
	memset(mate_old, 0xff, sizeof *mate_old * ob->n_prompt);
	memset(mate_new, 0xff, sizeof *mate_new * nb->n_prompt);
	for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
		const uint32_t *mate = mates_by_key(arena, free_prompts(arena, ob, mate_old, keys[k]), ob->n_prompt,
			free_prompts(arena, nb, mate_new, keys[k]), nb->n_prompt);
		for (uint32_t i = 0; i < ob->n_prompt; i++)
			if (mate[i] != MATE_NONE)
				mate_old[i] = mate[i], mate_new[mate[i]] = i;
	}
	if (ob->n_prompt == 1 && nb->n_prompt == 1)
		mate_old[0] = mate_new[0] = 0;
}

static Str route_text(Arena *a, const Bin *b, const BinRoute *r)
{
	Buf all = { 0 };
	for (uint32_t i = 0; i < r->rule.n; i++) {
		const BinRouteRule *rule = &b->route_rule[r->rule.first + i];
		buf_printf(&all, "%.*s -> %.*s\n", STR_ARG(bin_str(b, rule->text)), STR_ARG(bin_str(b, rule->prompt)));
	}
	Str text = str_dup(a, str_trim(buf_str(&all)));
	buf_free(&all);
	return text;
}

static void compare_routes(Diff *d, Arena *a, const Bin *ob, const Bin *nb)
{
	Differ df = { .d = d, .arena = a };
	for (uint32_t side = 0; side < 2; side++) {
		const Bin *x = side ? nb : ob, *y = side ? ob : nb;
		for (uint32_t i = 0; i < x->n_route; i++) {
			Str name = bin_str(x, x->route[i].name), mine = route_text(a, x, &x->route[i]), other = { 0 };
			for (uint32_t j = 0; j < y->n_route; j++)
				if (str_eq(name, bin_str(y, y->route[j].name)))
					other = route_text(a, y, &y->route[j]);
			if (str_eq(mine, other) || (side && other.n))
				continue;
			differ_add(&df, CH_ROUTE, (ChangeArgs){ .key = str_fmt(a, "route %.*s", STR_ARG(name)),
				.old_text = side ? other : mine, .new_text = side ? mine : other });
			differ_count(&df, DELTA_INPUT, mine, other);
		}
	}
}

static int by_severity(const void *x, const void *y)
{
	const Change *const *p = x, *const *q = y;
	if ((*p)->severity != (*q)->severity)
		return (int)(*q)->severity - (int)(*p)->severity;
	return *p < *q ? -1 : *p > *q;
}

static void sort_changes(Diff *d)
{
	uint32_t n = d->change.n;
	const Change **order = arena_array(d->arena, const Change *, n);
	for (uint32_t i = 0; i < n; i++)
		order[i] = &d->change.v[i];
	qsort(order, n, sizeof *order, by_severity);
	Change *sorted = arena_array(d->arena, Change, n);
	for (uint32_t i = 0; i < n; i++)
		sorted[i] = *order[i];
	d->change.v = sorted;
	d->change.cap = n;
}

/* Several changes of one declaration, or of one sentence, are one changed node. */
static void count_changed_nodes(Diff *d)
{
	Map seen = { 0 };
	for (uint32_t i = 0; i < d->change.n; i++) {
		const Change *c = &d->change.v[i];
		if (c->kind == CH_META || c->kind == CH_VERSION)
			continue;
		bool prose = c->old_at.line || c->new_at.line;
		Str key = prose ? c->key : str_sub(c->key, 0, str_find(c->key, STR("/"), 0));
		Str id = str_fmt(d->arena, "%.*s %.*s %u %u", STR_ARG(c->prompt), STR_ARG(key), c->old_at.line, c->new_at.line);
		if (prose)
			id = str_fmt(d->arena, "%.*s %.*s %.*s", STR_ARG(id), STR_ARG(c->old_text), STR_ARG(c->new_text));
		d->n_node_changed += !map_add(d->arena, &seen, id, d);
	}
}

void diff_run(Diff *d, Arena *arena, const Bin *ob, const Bin *nb)
{
	*d = (Diff){ .arena = arena };
	uint32_t *mate_old = arena_array(arena, uint32_t, ob->n_prompt), *mate_new = arena_array(arena, uint32_t, nb->n_prompt);
	pair_prompts(arena, ob, nb, mate_old, mate_new);
	for (uint32_t i = 0; i < ob->n_prompt; i++) {
		const BinPrompt *o = &ob->prompt[i];
		if (mate_old[i] == BIN_NONE) {
			one_sided(d, arena, ob, o, CH_PROMPT_REMOVED);
			continue;
		}
		const BinPrompt *n = &nb->prompt[mate_old[i]];
		compare_prompts(d, arena, ob, o, nb, n);
		Str was = bin_str(ob, o->name), is = bin_str(nb, n->name);
		Differ df = { .d = d, .arena = arena, .prompt = is };
		if (!str_eq(was, is))
			differ_add(&df, was.n ? CH_PROMPT_RENAMED : CH_PROMPT_NAMED, (ChangeArgs){ .key = STR("prompt"), .old_text = was, .new_text = is });
	}
	for (uint32_t j = 0; j < nb->n_prompt; j++)
		if (mate_new[j] == BIN_NONE)
			one_sided(d, arena, nb, &nb->prompt[j], CH_PROMPT_ADDED);
	compare_routes(d, arena, ob, nb);
	sort_changes(d);
	count_changed_nodes(d);
}

DiffSeverity diff_highest(const Diff *d)
{
	return d->change.n ? d->change.v[0].severity : DIFF_SAFE;
}

double diff_delta(const Diff *d)
{
	double changed = 0, baseline = 0;
	for (int c = 0; c < DELTA_CLASS_COUNT; c++) {
		changed += class_weight[c] * d->changed[c];
		baseline += class_weight[c] * d->baseline[c];
	}
	if (baseline > 0)
		return changed / baseline;
	return changed > 0 ? 1 : 0;
}

double diff_delta_nodes(const Diff *d)
{
	if (d->n_node_old)
		return (double)d->n_node_changed / d->n_node_old;
	return d->n_node_changed ? 1 : 0;
}
