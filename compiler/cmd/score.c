/* See score.h. */
#include "compiler/cmd/score.h"

#include <math.h>

#include "runtime/token/vocab.h"

/* One run: the ids that its rows are held against, in order. */
typedef struct Scoring {
	Score *s;
	const uint32_t *next;
	uint32_t n_vocab;
	bool is_bad;
} Scoring;

static double loss(const float *logits, uint32_t n, uint32_t id)
{
	double max = (double)logits[0], sum = 0;
	for (uint32_t i = 1; i < n; i++)
		max = (double)logits[i] > max ? (double)logits[i] : max;
	for (uint32_t i = 0; i < n; i++)
		sum += exp((double)logits[i] - max);
	return max + log(sum) - (double)logits[id];
}

static void take_row(void *user, const float *logits)
{
	Scoring *g = user;
	double x = loss(logits, g->n_vocab, *g->next++);
	g->is_bad |= !isfinite(x);
	g->s->sum += x;
	g->s->square += x * x;
	g->s->n_scored++;
}

/* ids[from + 1 ..] against the logits behind the ids before them. */
static bool score_run(Arena *a, const ScoreForward *f, const uint32_t *ids, uint32_t n, uint32_t from, Score *s, Str *why)
{
	Scoring g = { s, ids + from + 1, f->n_vocab, false };
	if (!f->run(f->engine, ids, n - 1, from, take_row, &g, why))
		return false;
	if (g.is_bad)
		*why = str_fmt(a, "logits that are no finite numbers");
	return !g.is_bad;
}

bool score_windows(Arena *a, const ScoreForward *f, uint32_t *ids, size_t n, uint32_t window, uint32_t bos, Score *s, Str *why)
{
	*s = (Score){ .n_token = n, .n_window = n / window, .n_left_out = n % window };
	if (!s->n_window)
		*why = str_fmt(a, "%zu tokens are fewer than a window of %u; --window takes a smaller one", n, window);
	bool ok = s->n_window != 0;
	for (size_t w = 0; ok && w < s->n_window; w++) {
		uint32_t *at = ids + w * window, own = at[0];
		at[0] = bos == TOKEN_NONE ? own : bos;
		ok = score_run(a, f, at, window, window / 2, s, why);
		at[0] = own;
	}
	return ok;
}

bool score_given(Arena *a, const ScoreForward *f, const uint32_t *ids, size_t n, size_t n_given, Score *s, Str *why)
{
	*s = (Score){ .n_token = n, .n_window = 1 };
	uint32_t from = n_given ? (uint32_t)n_given - 1 : 0;
	if (from + 1 < n)
		return score_run(a, f, ids, (uint32_t)n, from, s, why);
	*why = str_fmt(a, "there is no token to score");
	return false;
}

double score_mean(const Score *s)
{
	return s->sum / (double)s->n_scored;
}

double score_error(const Score *s)
{
	double n = (double)s->n_scored, mean = score_mean(s), variance = s->square / n - mean * mean;
	return n > 1 && variance > 0 ? sqrt(variance / (n - 1)) : 0;
}
