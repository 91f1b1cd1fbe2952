/*
 * Two texts of one part, by sentences: what was reworded, moved, added, removed, and what each says.
 * The rule: a changed sentence is judged by its strongest fact, in this order: hidden characters,
 * polarity, modality, output format, numbers, literals; then words, punctuation, white space.
 */
#include "compiler/diff/align.h"
#include "compiler/diff/differ.h"
#include "compiler/diff/units.h"
#include "runtime/base/map.h"

typedef struct TextPair {
	Differ *df;
	const DiffPart *old_part, *new_part;
	Units old_units, new_units;
} TextPair;

static int strength(Modality m)
{
	return m == MOD_NEVER || m == MOD_MUST ? 3 : m == MOD_SHOULD ? 2 : m == MOD_MAY ? 1 : 0;
}

static Str key_in(Differ *df, const DiffPart *part, const DiffUnit *u)
{
	return u->section.n ? str_fmt(df->arena, "%.*s > %.*s", STR_ARG(part->key), STR_ARG(u->section)) : part->key;
}

static ChangeArgs args_of(TextPair *tp, const DiffUnit *o, const DiffUnit *n)
{
	ChangeArgs args = { 0 };
	if (o) {
		args.key = key_in(tp->df, tp->old_part, o);
		args.old_text = o->text;
		args.old_at = model_place(&tp->df->old_model, tp->old_part, o->off);
	}
	if (n) {
		args.key = key_in(tp->df, tp->new_part, n);
		args.new_text = n->text;
		args.new_at = model_place(&tp->df->new_model, tp->new_part, n->off);
	}
	return args;
}

/* ---- one reworded sentence --------------------------------------------------------------------- */

static bool polarity_flips(const DiffUnit *o, const DiffUnit *n)
{
	return o->is_negative != n->is_negative;
}

static ChangeKind judge_modality(const DiffPart *part, const DiffUnit *o, const DiffUnit *n)
{
	if (strength(n->modality) > strength(o->modality))
		return CH_CONSTRAINT_STRONGER;
	return part->flags & SEG_GUARDRAIL ? CH_GUARDRAIL_WEAKENED : CH_CONSTRAINT_WEAKER;
}

static ChangeKind judge_wording(const DiffPart *part)
{
	switch (part->kind) {
	case BNODE_CONSTRAINT: return part->flags & SEG_GUARDRAIL ? CH_GUARDRAIL_WORDING : CH_CONSTRAINT_WORDING;
	case BNODE_ROLE: return CH_PERSONA;
	default: return CH_WORDING;
	}
}

static ChangeKind judge(TextPair *tp, const DiffUnit *o, const DiffUnit *n, ChangeArgs *args)
{
	Arena *a = tp->df->arena;
	if (units_count_hidden(n->text) > units_count_hidden(o->text))
		return CH_HIDDEN_UNICODE;
	if (str_eq(o->squeezed, n->squeezed))
		return CH_WHITESPACE;
	if (str_eq(o->letters, n->letters) && str_eq(o->variables, n->variables))
		return CH_PUNCTUATION;
	if (polarity_flips(o, n)) {
		args->detail = STR("one of them says not to");
		return CH_POLARITY_FLIPPED;
	}
	if (strength(o->modality) != strength(n->modality))
		return judge_modality(tp->old_part, o, n);
	if (o->formats.n && n->formats.n && !str_eq(o->formats, n->formats)) {
		args->detail = str_fmt(a, "%.*s is now %.*s", STR_ARG(o->formats), STR_ARG(n->formats));
		return CH_OUTPUT_FORMAT;
	}
	if (!str_eq(o->numbers, n->numbers)) {
		args->detail = str_fmt(a, "%.*s is now %.*s", STR_ARG(o->numbers.n ? o->numbers : STR("no number")),
			STR_ARG(n->numbers.n ? n->numbers : STR("no number")));
		return CH_NUMBER;
	}
	if (!str_eq(o->literals, n->literals))
		return CH_LITERAL;
	return judge_wording(tp->new_part);
}

static void report_reworded(TextPair *tp, const DiffUnit *o, const DiffUnit *n)
{
	ChangeArgs args = args_of(tp, o, n);
	ChangeKind kind = judge(tp, o, n, &args);
	differ_add(tp->df, kind, args);
	differ_count(tp->df, model_class(tp->new_part), o->text, n->text);
}

/* ---- sentences on one side only ---------------------------------------------------------------- */

static ChangeKind judge_gone(const DiffPart *part, const DiffUnit *u)
{
	if (part->flags & SEG_GUARDRAIL)
		return CH_GUARDRAIL_WEAKENED;
	return u->modality != MOD_NONE && strength(u->modality) > 1 ? CH_CONSTRAINT_REMOVED : CH_TEXT_REMOVED;
}

static ChangeKind judge_new(const DiffUnit *u)
{
	if (units_count_hidden(u->text))
		return CH_HIDDEN_UNICODE;
	return u->modality != MOD_NONE && strength(u->modality) > 1 ? CH_CONSTRAINT_ADDED : CH_TEXT_ADDED;
}

static void report_gone(TextPair *tp, const DiffUnit *u)
{
	differ_add(tp->df, judge_gone(tp->old_part, u), args_of(tp, u, NULL));
	differ_count(tp->df, model_class(tp->old_part), u->text, (Str){ 0 });
}

static void report_new(TextPair *tp, const DiffUnit *u)
{
	differ_add(tp->df, judge_new(u), args_of(tp, NULL, u));
	differ_count(tp->df, model_class(tp->new_part), (Str){ 0 }, u->text);
}

/* ---- pairs that alignment by wording cannot see -------------------------------------------------- */

/* A removed and an added sentence about the same thing, such as "Always cite." and "Never cite." */
static bool same_subject(const DiffUnit *o, const DiffUnit *n)
{
	bool modal = o->modality != MOD_NONE && n->modality != MOD_NONE;
	return modal && o->predicate.n && str_eq(o->predicate, n->predicate);
}

static const double SAME_FACT_MIN = 0.5;

/*
 * A short sentence that another replaces, both with a format or both with a number: "Reply in JSON." and
 * "Reply in XML." share two of three words, below what alignment takes for one sentence reworded.
 */
static bool same_fact(const Units *was, uint32_t i, const Units *is, uint32_t j)
{
	const DiffUnit *o = &was->unit.v[i], *n = &is->unit.v[j];
	bool shared = (o->formats.n && n->formats.n) || (o->numbers.n && n->numbers.n);
	return shared && str_eq(o->section, n->section) && align_similarity(&was->align[i], &is->align[j]) >= SAME_FACT_MIN;
}

enum { SUBJECT_PAIRS_MAX = 200000 };

static void pair_by_subject(TextPair *tp, Alignment *al)
{
	uint64_t tries = 0;
	for (uint32_t i = 0; i < al->pair.n; i++) {
		if (al->pair.v[i].op != ALIGN_REMOVED)
			continue;
		const DiffUnit *o = &tp->old_units.unit.v[al->pair.v[i].a];
		bool has_fact = o->modality != MOD_NONE || o->formats.n || o->numbers.n;
		for (uint32_t j = 0; has_fact && j < al->pair.n && tries < SUBJECT_PAIRS_MAX; j++) {
			if (al->pair.v[j].op != ALIGN_ADDED)
				continue;
			tries++;
			if (!same_subject(o, &tp->new_units.unit.v[al->pair.v[j].b]) &&
			    !same_fact(&tp->old_units, al->pair.v[i].a, &tp->new_units, al->pair.v[j].b))
				continue;
			al->pair.v[j].op = ALIGN_REWORDED;
			al->pair.v[j].a = al->pair.v[i].a;
			al->pair.v[i].op = ALIGN_SAME; /* said by its partner's row */
			break;
		}
	}
}

/* ---- variables, white space between sentences -------------------------------------------------- */

typedef struct Variables {
	VEC(Str) name;  /* each once, in the order met */
	Map has;
} Variables;

static void list_variables(Arena *a, Variables *v, const Units *u)
{
	for (uint32_t i = 0; i < u->unit.n; i++) {
		Str rest = u->unit.v[i].variables;
		while (rest.n) {
			size_t hi = str_find(rest, STR(", "), 0);
			Str name = str_sub(rest, 0, hi);
			if (name.n && !map_add(a, &v->has, name, (void *)1))
				vec_push(a, &v->name, name);
			rest = str_sub(rest, hi + 2, rest.n);
		}
	}
}

static uint32_t count_missing(const Variables *v, const Variables *in, Str *last)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < v->name.n; i++)
		if (!map_get(&in->has, v->name.v[i])) {
			*last = v->name.v[i];
			n++;
		}
	return n;
}

static void report_missing(TextPair *tp, const Variables *v, const Variables *in, ChangeKind kind)
{
	for (uint32_t i = 0; i < v->name.n; i++) {
		Str name = v->name.v[i], was = kind == CH_INPUT_REMOVED ? name : (Str){ 0 };
		if (!map_get(&in->has, name))
			differ_add(tp->df, kind, (ChangeArgs){ .key = str_fmt(tp->df->arena, "variable %.*s", STR_ARG(name)),
				.old_text = was, .new_text = was.n ? (Str){ 0 } : name });
	}
}

/* Variables of plain text are inputs nobody declared; declared ones are compared as inputs. */
static void compare_variables(TextPair *tp)
{
	Differ *df = tp->df;
	if (df->old_model.prompt->input.n || df->new_model.prompt->input.n)
		return;
	Variables o = { 0 }, n = { 0 };
	list_variables(df->arena, &o, &tp->old_units);
	list_variables(df->arena, &n, &tp->new_units);
	Str was, is;
	uint32_t n_gone = count_missing(&o, &n, &was), n_new = count_missing(&n, &o, &is);
	if (n_gone == 1 && n_new == 1) {
		differ_add(df, CH_INPUT_RENAMED, (ChangeArgs){ .key = str_fmt(df->arena, "variable %.*s", STR_ARG(is)),
			.old_text = was, .new_text = is });
		return;
	}
	report_missing(tp, &o, &n, CH_INPUT_REMOVED);
	report_missing(tp, &n, &o, CH_INPUT_REQUIRED);
}

static void compare_space(TextPair *tp, uint32_t before)
{
	if (tp->df->d->change.n > before)
		return;
	const DiffPart *o = tp->old_part, *n = tp->new_part;
	bool hidden = units_count_hidden(n->text) > units_count_hidden(o->text);
	differ_add(tp->df, hidden ? CH_HIDDEN_UNICODE : CH_WHITESPACE, (ChangeArgs){ .key = n->key,
		.detail = STR("between sentences"), .old_at = model_place(&tp->df->old_model, o, 0),
		.new_at = model_place(&tp->df->new_model, n, 0) });
	tp->df->d->changed[model_class(n)] += 1;
}

void differ_compare_text(Differ *df, const DiffPart *o, const DiffPart *n)
{
	TextPair tp = { .df = df, .old_part = o, .new_part = n };
	units_build(df->arena, &tp.old_units, o->text);
	units_build(df->arena, &tp.new_units, n->text);
	Alignment al;
	align_run(df->arena, &al, tp.old_units.align, tp.old_units.unit.n, tp.new_units.align, tp.new_units.unit.n);
	if (al.n_coarse)
		df->d->note = str_fmt(df->arena, "%.*s: %u long stretches with nothing in common were compared with their neighbourhood only",
			STR_ARG(n->key), al.n_coarse);
	pair_by_subject(&tp, &al);
	uint32_t before = df->d->change.n;
	for (uint32_t i = 0; i < al.pair.n; i++) {
		const AlignPair *p = &al.pair.v[i];
		const DiffUnit *ou = p->a == ALIGN_NONE ? NULL : &tp.old_units.unit.v[p->a];
		const DiffUnit *nu = p->b == ALIGN_NONE ? NULL : &tp.new_units.unit.v[p->b];
		switch (p->op) {
		case ALIGN_REWORDED: report_reworded(&tp, ou, nu); break;
		case ALIGN_REMOVED: report_gone(&tp, ou); break;
		case ALIGN_ADDED: report_new(&tp, nu); break;
		case ALIGN_MOVED: differ_add(df, CH_MOVED, args_of(&tp, ou, nu)); break;
		case ALIGN_SAME: break;
		}
	}
	compare_variables(&tp);
	compare_space(&tp, before);
}

void differ_text_gone(Differ *df, const DiffPart *part)
{
	TextPair tp = { .df = df, .old_part = part, .new_part = part };
	units_build(df->arena, &tp.old_units, part->text);
	for (uint32_t i = 0; i < tp.old_units.unit.n; i++)
		report_gone(&tp, &tp.old_units.unit.v[i]);
}

void differ_text_new(Differ *df, const DiffPart *part)
{
	TextPair tp = { .df = df, .old_part = part, .new_part = part };
	units_build(df->arena, &tp.new_units, part->text);
	for (uint32_t i = 0; i < tp.new_units.unit.n; i++)
		report_new(&tp, &tp.new_units.unit.v[i]);
}
