/*
 * Settings of a request body that stand beside nodes which say the same: `tools`, and the reply's format.
 */
#ifndef SEED_DIFF_BODY_SET_H
#define SEED_DIFF_BODY_SET_H

#include "runtime/bin/bin.h"

/* The setting's JSON without what the prompt's tools and its reply's schema say; the whole for any other. */
Str body_set_rest(Arena *a, const Bin *b, const BinPrompt *p, const BinSet *set);

#endif
