/*
 * Oracle: the forward pass in f32, one plain function per operator (ops.h). It is what engines are compared with,
 * by distance and not by bits, so it is made to be read: weights become floats once, activations are never rounded,
 * keys and values stay f32, one sequence at a time.
 *
 *     Oracle *o = oracle_new(&model, 512, 2);
 *     oracle_forward(o, ids, n, 0);                  positions 0 .. n - 1, keys kept for what follows
 *     oracle_logits(o, n - 1, 1, logits);            of the last token
 *     oracle_free(o);
 *
 * An encoder (no MODEL_CAUSAL) reads all of its text in one call, at position 0.
 */
#ifndef SEED_ORACLE_ORACLE_H
#define SEED_ORACLE_ORACLE_H

#include "runtime/engine/engine.h"

typedef struct Oracle Oracle;

/* n_position: room for keys, at least 2. The model must outlive it. Takes four bytes a weight. */
Oracle *oracle_new(const Model *m, uint32_t n_position, unsigned n_thread);
void oracle_free(Oracle *o);
const ModelShape *oracle_shape(const Oracle *o);
uint32_t oracle_room(const Oracle *o);
/* For the forwards that follow; NULL: none. */
void oracle_set_taps(Oracle *o, const EngineTap *taps);

/* n tokens at position, position + 1, …; those before must have been run. ids < n_vocab, position + n within the
 * room. */
void oracle_forward(Oracle *o, const uint32_t *ids, uint32_t n, uint32_t position);
/* Of the last forward: n_embd floats of each token, behind the last norm. */
const float *oracle_hidden(const Oracle *o);
/* Of its tokens first .. first + n - 1: n_vocab floats each. For models with a head. */
void oracle_logits(Oracle *o, uint32_t first, uint32_t n, float *logits);

#endif
