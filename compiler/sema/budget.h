/*
 * Budget: how many tokens a prompt's request can take, as an interval: fixed text, inputs at their
 * declared bounds, the reply's reserve.
 *
 * Without a vocabulary fixed text is not counted: its interval is what holds for every tokenizer (at
 * least one token where there is text, at most one a byte), and is_counted says so. Nothing is guessed.
 */
#ifndef SEED_SEMA_BUDGET_H
#define SEED_SEMA_BUDGET_H

#include "compiler/sema/sema.h"

#define BUDGET_UNBOUNDED UINT64_MAX

typedef struct TokenRange {
	uint64_t lo, hi;   /* hi may be BUDGET_UNBOUNDED */
} TokenRange;

/* Counts tokens of a text for one tokenizer; NULL where none is at hand. */
typedef struct Vocabulary {
	bool (*count)(void *context, Str text, uint64_t *n_token);
	void *context;
} Vocabulary;

typedef struct Budget {
	TokenRange fixed;      /* text of all parts and of the longest stage, every branch counted in hi */
	TokenRange input;      /* values of inputs used, by `max` */
	TokenRange rigid;      /* of these, what has a bound and neither a cut nor a weight */
	TokenRange reply;      /* the largest `max` of the prompt's replies; unbounded where none is given */
	TokenRange total;      /* fixed, input and the reply's reserve as far as it is given */
	bool is_counted;       /* fixed is exact at both ends of each text */
	const Input *largest;  /* the widest input with a bound; NULL if none has */
} Budget;

Budget budget_of(const Unit *u, const Prompt *p, const Vocabulary *v);
/* Never wraps: what is too large is unbounded. */
TokenRange budget_add(TokenRange a, TokenRange b);

#endif
