/* Numbers as Dfas over bytes: how a value within bounds may be spelled. See automaton.h for which spellings. */
#ifndef SEED_AUTOMATON_DFA_NUMBER_H
#define SEED_AUTOMATON_DFA_NUMBER_H

#include "runtime/automaton/dfa.h"
#include "runtime/base/num.h"

typedef struct NumberBound { Num num; bool exclusive; } NumberBound;

typedef struct NumberRule {
	bool integer;               /* whole numbers only */
	bool fraction_only;         /* only numbers that are not whole */
	bool by_value;              /* every spelling without an exponent: 1.0 is whole; no multiples */
	uint32_t whole, fraction;   /* at least so many digits are read before and behind the point */
	VEC(NumberBound) min, max;  /* all of them */
	VEC(Num) multiple;
} NumberRule;

/* dfa_new_number: NULL with *why: too many states, or a multipleOf or bound with too many digits. */
/* The digits that the rule's bounds ask for. */
void number_rule_digits(const NumberRule *rule, uint32_t *whole, uint32_t *fraction);
Dfa *dfa_new_number(Arena *a, const NumberRule *rule, Str *why);

#endif
