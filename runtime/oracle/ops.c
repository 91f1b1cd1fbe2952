/* See ops.h. */
#include "runtime/oracle/ops.h"

#include <math.h>
#include <pthread.h>

/* ---- threads ------------------------------------------------------------------------------------------ */

enum { THREADS_MAX = 16 };

typedef struct Piece { OpRange *fn; void *job; uint32_t lo, hi; } Piece;

static void *run_piece(void *piece)
{
	const Piece *p = piece;
	p->fn(p->job, p->lo, p->hi);
	return NULL;
}

void op_split(uint32_t n, unsigned n_thread, OpRange *fn, void *job)
{
	pthread_t thread[THREADS_MAX];
	Piece piece[THREADS_MAX];
	unsigned n_piece = n_thread < THREADS_MAX ? n_thread : THREADS_MAX, n_started = 0;
	for (unsigned i = 1; i < n_piece; i++) {
		piece[i] = (Piece){ fn, job, (uint32_t)((uint64_t)n * (i - 1) / n_piece), (uint32_t)((uint64_t)n * i / n_piece) };
		if (pthread_create(&thread[i], NULL, run_piece, &piece[i]))
			break;
		n_started = i;
	}
	fn(job, n_piece ? (uint32_t)((uint64_t)n * n_started / n_piece) : 0, n);
	for (unsigned i = 1; i <= n_started; i++)
		pthread_join(thread[i], NULL);
}

/* ---- products ------------------------------------------------------------------------------------------ */

/* Four vectors of four: what the plain instruction set of every machine has. */
enum { WIDTH = 4, LANES = 16 };
typedef float Four __attribute__((vector_size(WIDTH * sizeof(float))));

static Four load(const float *p)
{
	Four v;
	memcpy(&v, p, sizeof v);
	return v;
}

float op_dot(const float *a, const float *b, uint32_t n)
{
	Four s0 = { 0 }, s1 = s0, s2 = s0, s3 = s0;
	float rest = 0;
	for (; n >= LANES; n -= LANES, a += LANES, b += LANES) {
		s0 += load(a) * load(b);
		s1 += load(a + WIDTH) * load(b + WIDTH);
		s2 += load(a + 2 * WIDTH) * load(b + 2 * WIDTH);
		s3 += load(a + 3 * WIDTH) * load(b + 3 * WIDTH);
	}
	for (uint32_t i = 0; i < n; i++)
		rest += a[i] * b[i];
	Four s = (s0 + s1) + (s2 + s3);
	return (s[0] + s[1]) + (s[2] + s[3]) + rest;
}

typedef struct Product { OpMatrix w; const float *bias, *x; uint32_t n; float *out; } Product;

static void product_rows(void *job, uint32_t lo, uint32_t hi)
{
	const Product *p = job;
	uint32_t n_out = p->w.n_out, n_in = p->w.n_in;
	for (uint32_t r = lo; r < hi; r++)
		for (uint32_t t = 0; t < p->n; t++)
			p->out[(size_t)t * n_out + r] = op_dot(p->w.w + (size_t)r * n_in, p->x + (size_t)t * n_in, n_in)
				+ (p->bias ? p->bias[r] : 0);
}

enum { THREAD_WORTH = 1 << 21 }; /* products: below, starting one takes longer */

void op_product(OpMatrix w, const float *bias, const float *x, uint32_t n, float *out, unsigned n_thread)
{
	Product p = { w, bias, x, n, out };
	bool is_worth = (uint64_t)w.n_out * w.n_in * n >= THREAD_WORTH;
	op_split(w.n_out, is_worth ? n_thread : 1, product_rows, &p);
}

/* ---- norms --------------------------------------------------------------------------------------------- */

static void norm_row(ModelNorm kind, const float *weight, const float *bias, float eps, float *x, uint32_t n)
{
	double mean = 0, square = 0;
	for (uint32_t i = 0; kind == MODEL_NORM_LAYER && i < n; i++)
		mean += (double)x[i] / n;
	for (uint32_t i = 0; i < n; i++)
		square += (x[i] - mean) * (x[i] - mean);
	double by = 1 / sqrt(square / n + (double)eps);
	for (uint32_t i = 0; i < n; i++)
		x[i] = (float)((x[i] - mean) * by) * weight[i] + (bias ? bias[i] : 0);
}

void op_norm(ModelNorm kind, const float *weight, const float *bias, float eps, float *x, uint32_t n, uint32_t width)
{
	for (uint32_t t = 0; t < n; t++)
		norm_row(kind, weight, bias, eps, x + (size_t)t * width, width);
}

/* ---- rotary -------------------------------------------------------------------------------------------- */

static void rotate_pair(float *a, float *b, double angle)
{
	double c = cos(angle), s = sin(angle), x = *a, y = *b;
	*a = (float)(x * c - y * s);
	*b = (float)(x * s + y * c);
}

void op_rotate(const OpRope *r, float *x, uint32_t n, uint32_t n_head, uint32_t len)
{
	for (uint32_t i = 0; r->form != MODEL_ROPE_NONE && i < len / 2; i++) {
		double turn = pow((double)r->base, -2.0 * i / len) * (double)r->scale / (r->factor ? (double)r->factor[i] : 1);
		uint32_t lo = r->form == MODEL_ROPE_PAIRS ? 2 * i : i, hi = r->form == MODEL_ROPE_PAIRS ? 2 * i + 1 : i + len / 2;
		for (uint32_t t = 0; t < n; t++)
			for (uint32_t h = 0; h < n_head; h++) {
				float *head = x + ((size_t)t * n_head + h) * len;
				rotate_pair(head + lo, head + hi, turn * (r->position + t));
			}
	}
}

/* ---- the rest ------------------------------------------------------------------------------------------ */

static float activate(ModelAct act, float x)
{
	double v = x;
	switch (act) {
	case MODEL_ACT_SILU: return (float)(v / (1 + exp(-v)));
	case MODEL_ACT_GELU_TANH: return (float)(0.5 * v * (1 + tanh(0.79788456080286535588 * (v + 0.044715 * v * v * v)))); /* sqrt(2/pi) */
	case MODEL_ACT_GELU_ERF: return (float)(0.5 * v * (1 + erf(v * 0.70710678118654752440))); /* 1/sqrt(2) */
	}
	return x;
}

void op_activate(ModelAct act, const float *gate, float *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		x[i] = gate ? activate(act, gate[i]) * x[i] : activate(act, x[i]);
}

void op_add(float *x, const float *y, size_t n)
{
	for (size_t i = 0; i < n; i++)
		x[i] += y[i];
}

void op_scale(float *x, float by, size_t n)
{
	for (size_t i = 0; i < n; i++)
		x[i] *= by;
}

void op_softmax(float *x, uint32_t n)
{
	float max = x[0];
	double sum = 0;
	for (uint32_t i = 1; i < n; i++)
		max = x[i] > max ? x[i] : max;
	for (uint32_t i = 0; i < n; i++)
		sum += x[i] = (float)exp((double)(x[i] - max));
	for (uint32_t i = 0; i < n; i++)
		x[i] = (float)(x[i] / sum);
}
