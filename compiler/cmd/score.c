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

double score_log_sum(const float *logits, uint32_t n, uint32_t *top)
{
	double sum = 0;
	*top = 0;
	for (uint32_t i = 1; i < n; i++)
		if (logits[i] > logits[*top])
			*top = i;
	for (uint32_t i = 0; i < n; i++)
		sum += exp((double)logits[i] - (double)logits[*top]);
	return (double)logits[*top] + log(sum);
}

bool score_add(Score *s, double loss)
{
	s->sum += loss;
	s->square += loss * loss;
	s->n_scored++;
	return isfinite(loss);
}

static void take_row(void *user, const float *logits)
{
	Scoring *g = user;
	uint32_t top;
	g->is_bad |= !score_add(g->s, score_log_sum(logits, g->n_vocab, &top) - (double)logits[*g->next++]);
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

bool score_each_window(Arena *a, uint32_t *ids, size_t n, uint32_t window, uint32_t bos, ScoreWindow *run, void *user, Str *why)
{
	bool ok = n >= window;
	if (!ok)
		*why = str_fmt(a, "%zu tokens are fewer than a window of %u; --window takes a smaller one", n, window);
	for (size_t w = 0; ok && w < n / window; w++) {
		uint32_t *at = ids + w * window, own = at[0];
		at[0] = bos == TOKEN_NONE ? own : bos;
		ok = run(user, at, w, why);
		at[0] = own;
	}
	return ok;
}

typedef struct Windows {
	Arena *a;
	const ScoreForward *f;
	uint32_t window;
	Score *s;
} Windows;

static bool score_window(void *user, const uint32_t *ids, size_t w, Str *why)
{
	Windows *x = user;
	(void)w;
	return score_run(x->a, x->f, ids, x->window, x->window / 2, x->s, why);
}

bool score_windows(Arena *a, const ScoreForward *f, uint32_t *ids, size_t n, uint32_t window, uint32_t bos, Score *s, Str *why)
{
	Windows x = { a, f, window, s };
	*s = (Score){ .n_token = n, .n_window = n / window, .n_left_out = n % window };
	return score_each_window(a, ids, n, window, bos, score_window, &x, why);
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
