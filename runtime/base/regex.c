/* Runs a pattern's automaton. The idea (Thompson, Pike): all live states step together over one code
 * point at a time, each state at most once a step, so no input makes it backtrack.
 *
 * Invariant: the live list is ordered by where its match began, so the first to reach a state is the
 * leftmost and later ones may be dropped. */
#include "runtime/base/regex.h"

#include <stdlib.h>

#include "runtime/base/regex_prog.h"
#include "runtime/base/utf8.h"

enum { NO_CHAR = UINT32_MAX };

typedef struct Thread {
	uint32_t pc;
	size_t from;
} Thread;

typedef struct Live {
	Thread *v;
	uint32_t n;
	uint32_t *mark;  /* per instruction: the step that added it */
	uint32_t step;
} Live;

typedef struct Run {
	const Regex *re;
	Live now, next;
	uint32_t *stack;
	bool matched;
	size_t lo, hi;
} Run;

static bool is_word(uint32_t cp)
{
	return cp < 128 && (cp == '_' || (cp >= '0' && cp <= '9') || ((cp | 32) >= 'a' && (cp | 32) <= 'z'));
}

static bool assert_holds(RegexAssert what, uint32_t before, uint32_t after)
{
	switch (what) {
	case ASSERT_START: return before == NO_CHAR;
	case ASSERT_END: return after == NO_CHAR;
	case ASSERT_WORD_EDGE: return is_word(before) != is_word(after);
	case ASSERT_NO_WORD_EDGE: return is_word(before) == is_word(after);
	}
	return false;
}

static void live_clear(Live *l)
{
	l->n = 0;
	l->step++;
}

/* Adds pc and what it reaches without a character; before and after surround the position. */
static void add_thread(Run *r, Live *l, uint32_t pc, size_t from, uint32_t before, uint32_t after)
{
	uint32_t n = 0;
	r->stack[n++] = pc;
	while (n) {
		pc = r->stack[--n];
		if (l->mark[pc] == l->step)
			continue;
		l->mark[pc] = l->step;
		const RegexInst *in = &r->re->inst.v[pc];
		if (in->op == I_JUMP) {
			r->stack[n++] = in->x;
		} else if (in->op == I_SPLIT) {
			r->stack[n++] = in->y;
			r->stack[n++] = in->x;
		} else if (in->op == I_ASSERT) {
			if (assert_holds((RegexAssert)in->x, before, after))
				r->stack[n++] = pc + 1;
		} else {
			l->v[l->n++] = (Thread){ pc, from };
		}
	}
}

static bool inst_takes(const Regex *re, const RegexInst *in, uint32_t cp)
{
	if (in->op == I_CHAR)
		return in->x == cp;
	const RegexClass *c = &re->class.v[in->x];
	return cp < 128 ? c->ascii[cp >> 6] >> (cp & 63) & 1 : regex_class_has(c, cp);
}

/* Steps every live thread over cp; after is the character behind it, at the end of it. */
static void step(Run *r, uint32_t cp, uint32_t after, size_t at)
{
	live_clear(&r->next);
	for (uint32_t i = 0; i < r->now.n; i++) {
		Thread t = r->now.v[i];
		const RegexInst *in = &r->re->inst.v[t.pc];
		if (r->matched && t.from > r->lo)
			break;
		if (in->op == I_MATCH) {
			if (!r->matched || t.from < r->lo || at > r->hi) {
				r->lo = t.from;
				r->hi = at;
			}
			r->matched = true;
		} else if (cp != NO_CHAR && inst_takes(r->re, in, cp)) {
			add_thread(r, &r->next, t.pc + 1, t.from, cp, after);
		}
	}
	Live swap = r->now;
	r->now = r->next;
	r->next = swap;
}

static uint32_t char_at(Str text, size_t at, size_t *end)
{
	uint32_t cp;
	*end = at;
	if (at >= text.n)
		return NO_CHAR;
	*end = at + utf8_decode(text, at, &cp);
	return cp == UTF8_BAD ? NO_CHAR - 1 : cp;
}

typedef enum Want { WANT_ANY, WANT_LONGEST } Want;

static void search(Run *r, Str text, size_t from, Want want)
{
	size_t at = from, end, after_end;
	uint32_t before = NO_CHAR, cp = char_at(text, at, &end);
	if (from) {
		size_t back = from;
		while (back && ((unsigned char)text.p[--back] & 0xC0) == 0x80)
			;
		before = char_at(text, back, &after_end);
	}
	for (;;) {
		if (!r->matched)
			add_thread(r, &r->now, 0, at, before, cp);
		uint32_t after = cp == NO_CHAR ? NO_CHAR : char_at(text, end, &after_end);
		step(r, cp, after, at);
		if (cp == NO_CHAR || (r->matched && (want == WANT_ANY || !r->now.n)))
			return;
		before = cp;
		cp = after;
		at = end;
		end = after_end;
	}
}

static void live_init(Live *l, uint32_t n_inst)
{
	l->v = mem_must_alloc(sizeof(Thread) * n_inst);
	l->mark = mem_must_alloc(sizeof *l->mark * n_inst);
	memset(l->mark, 0, sizeof *l->mark * n_inst);
	l->step = 1;
}

static void run(Run *r, const Regex *re, Str text, size_t from, Want want)
{
	r->re = re;
	live_init(&r->now, re->inst.n);
	live_init(&r->next, re->inst.n);
	r->stack = mem_must_alloc(sizeof *r->stack * (2 * (size_t)re->inst.n + 2));
	search(r, text, from, want);
	free(r->now.v);
	free(r->now.mark);
	free(r->next.v);
	free(r->next.mark);
	free(r->stack);
}

bool regex_search(const Regex *re, Str text)
{
	Run r = { 0 };
	if (utf8_find_bad(text) < text.n)
		return false;
	run(&r, re, text, 0, WANT_ANY);
	return r.matched;
}

bool regex_find(const Regex *re, Str text, size_t from, size_t *lo, size_t *hi)
{
	Run r = { 0 };
	if (from > text.n || utf8_find_bad(text) < text.n)
		return false;
	run(&r, re, text, from, WANT_LONGEST);
	*lo = r.lo;
	*hi = r.hi;
	return r.matched;
}
