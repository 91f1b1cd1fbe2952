/* What scores are made with: the f32 reference and the CPU engine, as ScoreForward. */
#ifndef SEED_SCORE_ENGINE_H
#define SEED_SCORE_ENGINE_H

#include "compiler/cmd/score.h"
#include "runtime/oracle/oracle.h"
#include "runtime/run/session.h"

ScoreForward score_by_oracle(Oracle *o);
/* Every run begins with an empty sequence and computes all of it: nothing is taken from the cache. */
ScoreForward score_by_session(RunSession *s);

/* How far an engine's predictions are from the reference's, over the scored tokens of all windows. */
typedef struct ScoreDistance {
	Score score;
	double kl;           /* sum over tokens of KL(reference || engine), in nats */
	size_t n_same_top;   /* the two agree on the likeliest token */
} ScoreDistance;

/* Runs the reference and n engines over the same windows. reference: its own score. progress, or NULL, is told
 * how many windows are done. */
typedef struct ScoreProgress { void (*tell)(void *user, size_t n_done, size_t n_all); void *user; } ScoreProgress;
bool score_compare(Arena *a, const ScoreForward *reference, const ScoreForward *engine, uint32_t n_engine, uint32_t *ids, size_t n,
                   uint32_t window, uint32_t bos, Score *own, ScoreDistance *out, const ScoreProgress *progress, Str *why);

#endif
