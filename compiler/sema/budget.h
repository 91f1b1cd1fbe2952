/*
 * Budget: how many tokens a prompt's request can take, as an interval: fixed text, inputs at their
 * declared bounds, the reply's reserve.
 *
 * Without a vocabulary fixed text is not counted: its interval is what holds for every tokenizer (at
 * least one token where there is text, at most one a byte), and is_counted says so. Nothing is guessed.
 * With one it is what holds whatever values stand beside the text: between its first and its last cut
 * point (token.h) the tokens are certain; outside them there may be none, or one a byte. Framing, tools
 * and what stands between parts come on top.
 */
#ifndef SEED_SEMA_BUDGET_H
#define SEED_SEMA_BUDGET_H

#include "compiler/sema/sema.h"

#define BUDGET_UNBOUNDED UINT64_MAX

typedef struct TokenRange {
	uint64_t lo, hi;   /* hi may be BUDGET_UNBOUNDED */
} TokenRange;

typedef struct Budget {
	TokenRange fixed;      /* text of all parts and of the longest stage, every branch counted in hi */
	TokenRange input;      /* values of inputs used, by `max` */
	TokenRange rigid;      /* of these, what has a bound and neither a cut nor a weight */
	TokenRange reply;      /* the largest `max` of the prompt's replies; unbounded where none is given */
	TokenRange total;      /* fixed, input and the reply's reserve as far as it is given */
	bool is_counted;       /* a vocabulary counted fixed */
	const Input *largest;  /* the widest input with a bound; NULL if none has */
} Budget;

Budget budget_of(const Unit *u, const Prompt *p, const TokenCounter *t);
/* Of a text, whatever stands beside it; e: the vocabulary's, or NULL. */
TokenRange budget_text(Encoder *e, Str text);
/* The vocabulary of the prompt's first target. */
TokenCounter budget_counter(Compiler *c, const Prompt *p);
/* Never wraps: what is too large is unbounded. */
TokenRange budget_add(TokenRange a, TokenRange b);

#endif
