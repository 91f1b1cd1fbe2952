/* Pattern -> Dfa. A Dfa's state is the set of instructions that are live before their assertions are
 * looked at, and what stood before: an assertion is decided when the next symbol, or the end, is known.
 * Search semantics: a match may begin anywhere, and after one everything is accepted. */
#include "runtime/automaton/dfa.h"

#include <stdlib.h>
#include <utf8proc.h>

#include "runtime/base/regex_prog.h"

enum { BEFORE_START, BEFORE_WORD, BEFORE_OTHER };
enum { AFTER_OTHER, AFTER_WORD, AFTER_END, AFTER_COUNT };
enum { LIVE_WORDS_MAX = 4000000 };

typedef struct Build {
	Arena *a;         /* the Dfa's */
	Arena scratch;
	const Regex *re;
	bool asks_start, asks_word;
	Words lo;         /* where intervals of symbols that no instruction tells apart begin */
	uint32_t *kind;   /* by interval: those with equal answers are of one kind */
	Words sample;     /* by kind */
	Interner live;    /* by state: what stood before, then instructions; empty: matched */
	uint32_t *mark, step;
	Words stack, closed, next;
} Build;

static bool is_word(uint32_t cp)
{
	return cp < 128 && (cp == '_' || (cp >= '0' && cp <= '9') || ((cp | 32) >= 'a' && (cp | 32) <= 'z'));
}

/* ---- the alphabet ---- */

static int cmp_word(const void *x, const void *y)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	return a < b ? -1 : a > b;
}

static void add_range(Build *b, uint32_t lo, uint32_t hi)
{
	vec_push(&b->scratch, &b->lo, lo);
	if (hi < DFA_SYMBOL_MAX)
		vec_push(&b->scratch, &b->lo, hi + 1);
}

static void add_category_borders(Build *b)
{
	for (uint32_t cp = 1, before = (uint32_t)utf8proc_category(0); cp <= DFA_SYMBOL_MAX; cp++) {
		uint32_t now = (uint32_t)utf8proc_category((utf8proc_int32_t)cp);
		if (now != before)
			vec_push(&b->scratch, &b->lo, cp);
		before = now;
	}
}

static void find_intervals(Build *b)
{
	static const RegexRange word[] = { { '0', '9' }, { 'A', 'Z' }, { '_', '_' }, { 'a', 'z' } };
	uint32_t n = 0, categories = 0;
	vec_push(&b->scratch, &b->lo, 0);
	for (uint32_t i = 0; i < b->re->inst.n; i++)
		if (b->re->inst.v[i].op == I_CHAR)
			add_range(b, b->re->inst.v[i].x, b->re->inst.v[i].x);
	for (uint32_t i = 0; i < b->re->class.n; i++) {
		const RegexClass *c = &b->re->class.v[i];
		categories |= c->categories;
		for (uint32_t j = 0; j < c->range.n; j++)
			add_range(b, c->range.v[j].lo, c->range.v[j].hi);
	}
	for (uint32_t i = 0; i < 4 && b->asks_word; i++)
		add_range(b, word[i].lo, word[i].hi);
	if (categories)
		add_category_borders(b);
	qsort(b->lo.v, b->lo.n, sizeof *b->lo.v, cmp_word);
	for (uint32_t i = 0; i < b->lo.n; i++)
		if (!i || b->lo.v[i] != b->lo.v[n - 1])
			b->lo.v[n++] = b->lo.v[i];
	b->lo.n = n;
}

/* The answers of every class, and which single symbol it is if one asks for it. */
static void find_kinds(Build *b)
{
	Interner in = { 0 };
	Words sign = { 0 };
	uint64_t *is_char = arena_array(&b->scratch, uint64_t, (b->lo.n + 63) / 64);
	for (uint32_t i = 0; i < b->re->inst.n; i++)
		if (b->re->inst.v[i].op == I_CHAR) {
			uint32_t *at = bsearch(&b->re->inst.v[i].x, b->lo.v, b->lo.n, sizeof *b->lo.v, cmp_word);
			is_char[(at - b->lo.v) >> 6] |= (uint64_t)1 << ((at - b->lo.v) & 63);
		}
	b->kind = arena_array(&b->scratch, uint32_t, b->lo.n);
	for (uint32_t i = 0; i < b->lo.n; i++) {
		sign.n = 0;
		vec_push(&b->scratch, &sign, is_char[i >> 6] >> (i & 63) & 1 ? i + 1 : 0);
		vec_push(&b->scratch, &sign, b->asks_word && is_word(b->lo.v[i]));
		for (uint32_t j = 0; j < b->re->class.n; j++)
			vec_push(&b->scratch, &sign, regex_class_has(&b->re->class.v[j], b->lo.v[i]));
		b->kind[i] = intern_add(&b->scratch, &in, sign.v, sign.n);
		if (b->kind[i] == b->sample.n)
			vec_push(&b->scratch, &b->sample, b->lo.v[i]);
	}
}

/* ---- states ---- */

static bool assert_holds(RegexAssert what, uint32_t before, uint32_t after)
{
	switch (what) {
	case ASSERT_START: return before == BEFORE_START;
	case ASSERT_END: return after == AFTER_END;
	case ASSERT_WORD_EDGE: return (before == BEFORE_WORD) != (after == AFTER_WORD);
	case ASSERT_NO_WORD_EDGE: return (before == BEFORE_WORD) == (after == AFTER_WORD);
	}
	return false;
}

/* What the live set reaches without a symbol, in b->closed. True if that is a match. */
static bool close_set(Build *b, const uint32_t *live, uint32_t n, uint32_t after)
{
	b->closed.n = b->stack.n = 0;
	b->step++;
	for (uint32_t i = n; i-- > 1;)
		vec_push(&b->scratch, &b->stack, live[i]);
	while (b->stack.n) {
		uint32_t pc = b->stack.v[--b->stack.n];
		const RegexInst *in = &b->re->inst.v[pc];
		if (b->mark[pc] == b->step)
			continue;
		b->mark[pc] = b->step;
		switch (in->op) {
		case I_MATCH: return true;
		case I_JUMP: vec_push(&b->scratch, &b->stack, in->x); break;
		case I_SPLIT:
			vec_push(&b->scratch, &b->stack, in->y);
			vec_push(&b->scratch, &b->stack, in->x);
			break;
		case I_ASSERT:
			if (assert_holds((RegexAssert)in->x, live[0], after))
				vec_push(&b->scratch, &b->stack, pc + 1);
			break;
		default: vec_push(&b->scratch, &b->closed, pc);
		}
	}
	return false;
}

static uint32_t add_set(Build *b, uint32_t before)
{
	uint32_t n = 1;
	qsort(b->next.v + 1, b->next.n - 1, sizeof *b->next.v, cmp_word);
	for (uint32_t i = 1; i < b->next.n; i++)
		if (i == 1 || b->next.v[i] != b->next.v[n - 1])
			b->next.v[n++] = b->next.v[i];
	b->next.v[0] = before;
	return intern_add(&b->scratch, &b->live, b->next.v, n);
}

static uint32_t before_of(const Build *b, uint32_t cp)
{
	if (b->asks_word)
		return is_word(cp) ? BEFORE_WORD : BEFORE_OTHER;
	return b->asks_start ? BEFORE_OTHER : BEFORE_START;
}

/* The state after a symbol, from b->closed. */
static uint32_t step_set(Build *b, uint32_t cp)
{
	b->next.n = 0;
	vec_push(&b->scratch, &b->next, 0);
	vec_push(&b->scratch, &b->next, 0);  /* a match may begin behind this symbol */
	for (uint32_t i = 0; i < b->closed.n; i++) {
		const RegexInst *in = &b->re->inst.v[b->closed.v[i]];
		if (in->op == I_CHAR ? in->x == cp : regex_class_has(&b->re->class.v[in->x], cp))
			vec_push(&b->scratch, &b->next, b->closed.v[i] + 1);
	}
	return add_set(b, before_of(b, cp));
}

static void expand_state(Build *b, Dfa *d, uint32_t id)
{
	uint32_t n, *live, *to = arena_array(&b->scratch, uint32_t, b->sample.n);
	const uint32_t *kept = intern_get(&b->live, id, &n);
	if (!n) {
		dfa_begin_state(b->a, d, 1);
		dfa_add_edge(b->a, d, 0, DFA_SYMBOL_MAX, id);
		return;
	}
	live = arena_dup(&b->scratch, kept, n * sizeof *kept);
	for (uint32_t after = AFTER_OTHER; after <= (b->asks_word ? AFTER_WORD : AFTER_OTHER); after++) {
		bool matched = close_set(b, live, n, after);
		for (uint32_t k = 0; k < b->sample.n; k++)
			if (!b->asks_word || is_word(b->sample.v[k]) == (after == AFTER_WORD))
				to[k] = matched ? intern_add(&b->scratch, &b->live, NULL, 0) : step_set(b, b->sample.v[k]);
	}
	dfa_begin_state(b->a, d, close_set(b, live, n, AFTER_END));
	for (uint32_t i = 0; i < b->lo.n; i++)
		dfa_add_edge(b->a, d, b->lo.v[i], i + 1 < b->lo.n ? b->lo.v[i + 1] - 1 : DFA_SYMBOL_MAX, to[b->kind[i]]);
}

static Dfa *build(Build *b)
{
	Dfa *d = arena_new(b->a, Dfa);
	for (uint32_t i = 0; i < b->re->inst.n; i++) {
		const RegexInst *in = &b->re->inst.v[i];
		b->asks_start |= in->op == I_ASSERT && in->x == ASSERT_START;
		b->asks_word |= in->op == I_ASSERT && (in->x == ASSERT_WORD_EDGE || in->x == ASSERT_NO_WORD_EDGE);
	}
	find_intervals(b);
	find_kinds(b);
	b->mark = arena_array(&b->scratch, uint32_t, b->re->inst.n);
	b->next.n = 0;
	vec_push(&b->scratch, &b->next, 0);
	vec_push(&b->scratch, &b->next, 0);
	add_set(b, BEFORE_START);
	for (uint32_t i = 0; i < intern_count(&b->live); i++) {
		if (i >= DFA_STATES_MAX || b->live.data.n > LIVE_WORDS_MAX || d->edge.n > DFA_EDGES_MAX)
			return NULL;
		expand_state(b, d, i);
	}
	return dfa_minimise(b->a, dfa_prune(b->a, d));
}

Dfa *dfa_new_regex(Arena *a, const Regex *re)
{
	Build b = { .a = a, .re = re };
	Dfa *d = build(&b);
	arena_free(&b.scratch);
	return d;
}
