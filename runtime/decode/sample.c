/* See sample.h. Candidates are taken from a heap in order of likelihood, so that only those that the
 * rules let through are ever sorted. */
#include "runtime/decode/sample.h"

#include <math.h>
#include <stdlib.h>

#include "runtime/base/arena.h"

typedef struct Candidate { float logit, weight; uint32_t id; } Candidate;

struct Sampler {
	uint32_t n_vocab;
	Candidate *heap;
	uint64_t *seen;
};

Sampler *sampler_new(uint32_t n_vocab)
{
	Sampler *s = mem_must_alloc(sizeof *s);
	*s = (Sampler){ .n_vocab = n_vocab };
	s->heap = mem_must_alloc((size_t)n_vocab * sizeof *s->heap);
	s->seen = mem_must_alloc(((size_t)n_vocab + 63) / 64 * sizeof *s->seen);
	sampler_reset(s);
	return s;
}

void sampler_free(Sampler *s)
{
	if (!s)
		return;
	free(s->heap);
	free(s->seen);
	free(s);
}

static bool has_bit(const uint64_t *bits, uint32_t i) { return bits[i / 64] >> i % 64 & 1; }

void sampler_reset(Sampler *s)
{
	for (uint32_t i = 0; i < (s->n_vocab + 63) / 64; i++)
		s->seen[i] = 0;
}

void sampler_saw(Sampler *s, uint32_t id)
{
	if (id < s->n_vocab)
		s->seen[id / 64] |= (uint64_t)1 << id % 64;
}

float sample_exp(float x)
{
	if (!(x >= -87.0f))
		return 0;
	float n = rintf(fminf(x, 88.0f) * 1.44269504f);
	float r = fmaf(n, -0.693145752f, fminf(x, 88.0f));
	r = fmaf(n, -1.42860677e-6f, r);
	float p = 1.3981999e-3f;
	p = fmaf(p, r, 8.3333478e-3f);
	p = fmaf(p, r, 4.1666515e-2f);
	p = fmaf(p, r, 1.6666665e-1f);
	p = fmaf(p, r, 0.5f);
	p = fmaf(p, r, 1.0f);
	p = fmaf(p, r, 1.0f);
	return ldexpf(p, (int)n);
}

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

double sample_share(const float *logits, uint32_t n, uint32_t id)
{
	float best = logits[id];
	double total = 0;
	for (uint32_t i = 0; i < n; i++)
		best = logits[i] > best ? logits[i] : best;
	for (uint32_t i = 0; i < n; i++)
		total += (double)sample_exp(logits[i] - best);
	return (double)sample_exp(logits[id] - best) / total;
}

double sample_uniform(uint64_t seed, uint64_t position)
{
	uint64_t x = mix(mix(seed + 0x9e3779b97f4a7c15u) + position * 0x9e3779b97f4a7c15u);
	return (double)(x >> 11) * 0x1p-53;
}

/* ---- candidates ------------------------------------------------------------------------------- */

static bool comes_first(const Candidate *a, const Candidate *b)
{
	return a->logit != b->logit ? a->logit > b->logit : a->id < b->id;
}

static void sift_down(Candidate *h, uint32_t n, uint32_t at)
{
	Candidate x = h[at];
	for (uint32_t kid; (kid = 2 * at + 1) < n; at = kid) {
		kid += kid + 1 < n && comes_first(&h[kid + 1], &h[kid]);
		if (!comes_first(&h[kid], &x))
			break;
		h[at] = h[kid];
	}
	h[at] = x;
}

static Candidate take_first(Candidate *h, uint32_t *n)
{
	Candidate first = h[0];
	h[0] = h[--*n];
	if (*n)
		sift_down(h, *n, 0);
	return first;
}

static bool penalise(const Sampler *s, float penalty, float *logits)
{
	bool is_bad = false;
	for (uint32_t i = 0; i < s->n_vocab; i++)
		is_bad |= !(logits[i] < INFINITY);
	if (is_bad || penalty == 1)
		return !is_bad;
	for (uint32_t i = 0; i < s->n_vocab; i++)
		if (has_bit(s->seen, i))
			logits[i] = logits[i] > 0 ? logits[i] / penalty : logits[i] * penalty;
	return true;
}

static SampleStatus choose_greedy(const Sampler *s, const float *logits, const uint64_t *allowed, uint32_t *id)
{
	float best = -INFINITY;
	bool found = false;
	for (uint32_t i = 0; i < s->n_vocab; i++)
		if ((!allowed || has_bit(allowed, i)) && (logits[i] > best || (!found && !allowed))) {
			best = logits[i];
			*id = i;
			found = true;
		}
	return found ? SAMPLE_DONE : SAMPLE_NONE;
}

/* All that may come, with their weights e^((logit - best) / temperature), as a heap. */
static uint32_t gather(Sampler *s, const SampleRules *rules, const float *logits, const uint64_t *allowed, double *total)
{
	float best = -INFINITY, scale = 1 / rules->temperature;
	uint32_t n = 0;
	for (uint32_t i = 0; i < s->n_vocab; i++)
		if ((!allowed || has_bit(allowed, i)) && logits[i] > best)
			best = logits[i];
	*total = 0;
	for (uint32_t i = 0; i < s->n_vocab; i++) {
		if ((allowed && !has_bit(allowed, i)) || !(logits[i] > -INFINITY))
			continue;
		float weight = sample_exp((logits[i] - best) * scale);
		*total += weight;
		if (weight > 0 && weight >= rules->min_p)
			s->heap[n++] = (Candidate){ logits[i], weight, i };
	}
	for (uint32_t i = n / 2; i-- > 0;)
		sift_down(s->heap, n, i);
	return n;
}

static SampleStatus choose_drawn(Sampler *s, const SampleRules *rules, const float *logits, const uint64_t *allowed,
                                 uint64_t position, uint32_t *id)
{
	double total, kept = 0, reach;
	uint32_t n = gather(s, rules, logits, allowed, &total), n_kept = 0, left = n;
	if (!n)
		return SAMPLE_NONE;
	/* What is taken is put behind the heap's end, likeliest last. */
	reach = rules->top_p < 1 ? rules->top_p * total : INFINITY;
	while (left && (!n_kept || ((!rules->top_k || n_kept < rules->top_k) && kept < reach))) {
		Candidate c = take_first(s->heap, &left);
		s->heap[left] = c;
		kept += c.weight;
		n_kept++;
	}
	double at = sample_uniform(rules->seed, position) * kept;
	for (uint32_t i = 0; i < n_kept; i++) {
		const Candidate *c = &s->heap[n - 1 - i];
		*id = c->id;
		if ((at -= c->weight) < 0)
			break;
	}
	return SAMPLE_DONE;
}

SampleStatus sampler_choose(Sampler *s, const SampleRules *rules, float *logits, const uint64_t *allowed,
                            uint64_t position, uint32_t *id)
{
	if (!penalise(s, rules->repetition_penalty, logits))
		return SAMPLE_NAN;
	bool is_cold = rules->temperature <= 0 || !(1 / rules->temperature < INFINITY);
	if (is_cold || rules->top_k == 1)
		return choose_greedy(s, logits, allowed, id);
	return choose_drawn(s, rules, logits, allowed, position, id);
}
