/*
 * The embedding of a text: the mean of its tokens' hidden states (those of bos and eos too, as the models were
 * trained), made of length 1. For encoders.
 */
#ifndef SEED_ORACLE_EMBED_H
#define SEED_ORACLE_EMBED_H

#include "runtime/oracle/oracle.h"
#include "runtime/token/token.h"

typedef struct EmbedCount { uint32_t n_token, n_left_out; } EmbedCount;

/* unit: n_embd floats. What goes past the oracle's room or the model's positions is left out, and counted. */
EmbedCount embed_text(Oracle *o, Encoder *e, Str text, float *unit);

#endif
