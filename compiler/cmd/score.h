/*
 * Scores: how likely a model finds a text, by any engine that gives logits. The rule of windows is
 * llama-perplexity's: each from an empty cache, its first token replaced by bos where the model wants one, and of
 * its second half every token but the first scored.
 */
#ifndef SEED_SCORE_H
#define SEED_SCORE_H

#include <stdint.h>

#include "runtime/base/str.h"

/* Logits behind one token, in the order of tokens. */
typedef void ScoreRow(void *user, const float *logits);

/* What an engine has to offer. */
typedef struct ScoreForward {
	void *engine;
	uint32_t n_vocab;
	/* Runs n ids from an empty cache; row gets the logits behind ids[from] .. ids[n - 1]. False: *why. */
	bool (*run)(void *engine, const uint32_t *ids, uint32_t n, uint32_t from, ScoreRow *row, void *user, Str *why);
} ScoreForward;

typedef struct Score {
	size_t n_token;      /* of the text, bos included */
	size_t n_scored, n_window, n_left_out;
	double sum, square;  /* of the negative log-likelihoods, in nats */
} Score;

/* bos: or TOKEN_NONE, stands for the first token of each window; ids start with it then. ids are changed and put
 * back. False with *why: an engine that failed, logits that are no numbers, fewer tokens than a window. */
bool score_windows(Arena *a, const ScoreForward *f, uint32_t *ids, size_t n, uint32_t window, uint32_t bos, Score *s, Str *why);
/* Every id behind the first n_given, which may be 0: then the first id is not scored. */
bool score_given(Arena *a, const ScoreForward *f, const uint32_t *ids, size_t n, size_t n_given, Score *s, Str *why);

/* log of the sum of e^logit, and the likeliest id. */
double score_log_sum(const float *logits, uint32_t n, uint32_t *top);
/* One token's negative log-likelihood. False: it is no finite number. */
bool score_add(Score *s, double loss);

/* Calls run for each whole window, its first id replaced by bos where there is one. False with *why: fewer tokens than
 * a window, or a run that failed. */
typedef bool ScoreWindow(void *user, const uint32_t *ids, size_t w, Str *why);
bool score_each_window(Arena *a, uint32_t *ids, size_t n, uint32_t window, uint32_t bos, ScoreWindow *run, void *user, Str *why);

double score_mean(const Score *s);
/* Of the mean. */
double score_error(const Score *s);

#endif
