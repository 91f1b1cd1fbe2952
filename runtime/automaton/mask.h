/*
 * Masks: which tokens may come next, a bit per id. The tokens are walked once per kind of place in a text
 * and kept; see mask.c. One AutomatonMasks per thread; after its init nothing is allocated.
 */
#ifndef SEED_AUTOMATON_MASK_H
#define SEED_AUTOMATON_MASK_H

#include "runtime/automaton/automaton.h"
#include "runtime/automaton/trie.h"
#include "runtime/token/token.h"

#define AUTOMATON_NO_LIMIT UINT32_MAX

typedef struct AutomatonMasks AutomatonMasks;

/* m and trie must outlive it. end: ids that end a generation; they are allowed where the text is complete, and
 * only there. Freed with automaton_masks_free. */
AutomatonMasks *automaton_masks_new(const Automaton *m, const TokenTrie *trie, const uint32_t *end, uint32_t n_end);
void automaton_masks_free(AutomatonMasks *x);

/* trie->n_word words, good until the next call. A bit is set iff after the token's bytes the text can still be
 * completed, and automaton_closing_tokens says: within left - 1 tokens more. No bit: left was too small. */
const uint64_t *automaton_mask(AutomatonMasks *x, const AutomatonState *s, uint32_t left);
/* Whether `left` may have taken a bit from the last mask. */
bool automaton_mask_was_near_limit(const AutomatonMasks *x);
/* Tokens that surely suffice to complete the text from here: left must be more than that. Single bytes must be tokens. */
uint32_t automaton_closing_tokens(const AutomatonMasks *x, const AutomatonState *s);
/* Tokens whose bytes are the only way on, as many as will be the same whatever follows; ids has room for `room`. e belongs
 * to the trie's vocabulary. 0 where the way is open or its tokens depend on what follows. */
size_t automaton_forced_tokens(const AutomatonState *s, Encoder *e, uint32_t *ids, size_t room);
/* Steps over a token. False if its bytes cannot come, or if it has none; s is then of no use. */
bool automaton_accept(AutomatonMasks *x, AutomatonState *s, uint32_t token);

#endif
