/*
 * The oracle behind the interface of engines: what it computes for a sequence is f32 throughout. It keeps the keys of
 * one sequence at a time; what another one has, or found in the cache, it computes again from the ids. The pool gives
 * sequences, limits and prefix hits alone: its blocks hold nothing.
 */
#ifndef SEED_ORACLE_ORACLE_ENGINE_H
#define SEED_ORACLE_ORACLE_ENGINE_H

#include "runtime/engine/engine.h"

/* The build of a pool's root (KvRoot): caches saved by another engine are stale here. */
#define ORACLE_BITS "oracle"

/* Room for as many positions as the pool has. Model and pool must outlive it. */
Engine *oracle_engine_open(const Model *m, KvPool *pool, unsigned n_thread);

#endif
