/* See ops.h. */
#include "runtime/oracle/ops.h"

#include <math.h>

/* ---- threads ------------------------------------------------------------------------------------------ */

enum { PIECES_PER_THREAD = 4 };

typedef struct Split { CpuThreads *threads; OpRange *fn; void *job; uint32_t n, n_piece; } Split;

static void run_piece(void *user, unsigned thread, uint32_t i)
{
	const Split *s = user;
	(void)thread;
	s->fn(s->job, (uint32_t)((uint64_t)s->n * i / s->n_piece), (uint32_t)((uint64_t)s->n * (i + 1) / s->n_piece));
}

static void run_pieces(void *user, unsigned thread)
{
	const Split *s = user;
	cpu_phase(s->threads, thread, s->n_piece, run_piece, user);
}

void op_split(CpuThreads *threads, uint32_t n, OpRange *fn, void *job)
{
	uint32_t most = PIECES_PER_THREAD * (threads ? cpu_threads_of(threads) : 0);
	Split s = { threads, fn, job, n, n < most ? n : most };
	if (s.n_piece < 2)
		fn(job, 0, n);
	else
		cpu_threads_run(threads, run_pieces, &s);
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

void op_mix(const float *share, const float *v, size_t row, uint32_t n, uint32_t len, float *out)
{
	uint32_t c = 0;
	for (; c + LANES <= len; c += LANES) {
		Four s0 = { 0 }, s1 = s0, s2 = s0, s3 = s0;
		const float *at = v + c;
		for (uint32_t j = 0; j < n; j++, at += row) {
			s0 += share[j] * load(at);
			s1 += share[j] * load(at + WIDTH);
			s2 += share[j] * load(at + 2 * WIDTH);
			s3 += share[j] * load(at + 3 * WIDTH);
		}
		Four sum[] = { s0, s1, s2, s3 };
		memcpy(out + c, sum, sizeof sum);
	}
	for (; c < len; c++) {
		out[c] = 0;
		for (uint32_t j = 0; j < n; j++)
			out[c] += share[j] * v[j * row + c];
	}
}

typedef struct Product { OpMatrix w; const float *bias, *x; uint32_t n; float *out; } Product;

/* note [tiles]. A tile of rows by tokens keeps its sums in registers, each in the lanes and the order of op_dot, so that
 * the bits are the same on every machine; what is loaded once serves the whole tile. */
typedef float Lanes __attribute__((vector_size(LANES * sizeof(float)), aligned(sizeof(float)), may_alias));
#define TILE static inline __attribute__((always_inline))

TILE void tile_sum(const float *w, const float *x, uint32_t n, uint32_t n_row, uint32_t n_tok, float *out)
{
	Lanes sum[16] = { { 0 } };
	for (uint32_t i = 0; i + LANES <= n; i += LANES)
#pragma GCC unroll 4
		for (uint32_t r = 0; r < n_row; r++)
#pragma GCC unroll 4
			for (uint32_t t = 0; t < n_tok; t++)
				sum[r * n_tok + t] += *(const Lanes *)(w + (size_t)r * n + i) * *(const Lanes *)(x + (size_t)t * n + i);
	for (uint32_t k = 0; k < n_row * n_tok; k++)
		memcpy(out + k * LANES, &sum[k], sizeof sum[k]);
}

/* s: the lanes of op_dot. */
static float lanes_add(const float *s, float rest)
{
	float four[WIDTH];
	for (int i = 0; i < WIDTH; i++)
		four[i] = (s[i] + s[i + WIDTH]) + (s[i + 2 * WIDTH] + s[i + 3 * WIDTH]);
	return (four[0] + four[1]) + (four[2] + four[3]) + rest;
}

typedef void TileSum(const float *w, const float *x, uint32_t n, float *out);
typedef struct TileKernel { uint32_t n_row, n_tok; TileSum *sum; } TileKernel;

#if defined(__x86_64__)
__attribute__((target("avx512f"))) static void sum_avx512(const float *w, const float *x, uint32_t n, float *out) { tile_sum(w, x, n, 4, 4, out); }
__attribute__((target("avx2"))) static void sum_avx2(const float *w, const float *x, uint32_t n, float *out) { tile_sum(w, x, n, 2, 2, out); }
#endif
static void sum_plain(const float *w, const float *x, uint32_t n, float *out) { tile_sum(w, x, n, 1, 2, out); }

static TileKernel tile_kernel(void)
{
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx512f"))
		return (TileKernel){ 4, 4, sum_avx512 };
	if (__builtin_cpu_supports("avx2"))
		return (TileKernel){ 2, 2, sum_avx2 };
#endif
	return (TileKernel){ 1, 2, sum_plain };
}

static float product_end(const Product *p, uint32_t r, float dot) { return dot + (p->bias ? p->bias[r] : 0); }

/* One whole tile from row r, token t on. */
static void product_tile(const Product *p, const TileKernel *k, uint32_t r, uint32_t t)
{
	uint32_t n_in = p->w.n_in, n_whole = n_in / LANES * LANES;
	const float *w = p->w.w + (size_t)r * n_in, *x = p->x + (size_t)t * n_in;
	float sum[16 * LANES];
	k->sum(w, x, n_in, sum);
	for (uint32_t i = 0; i < k->n_row * k->n_tok; i++) {
		uint32_t row = i / k->n_tok, tok = i % k->n_tok;
		float rest = 0;
		for (uint32_t c = n_whole; c < n_in; c++)
			rest += w[(size_t)row * n_in + c] * x[(size_t)tok * n_in + c];
		p->out[(size_t)(t + tok) * p->w.n_out + r + row] = product_end(p, r + row, lanes_add(sum + i * LANES, rest));
	}
}

static void product_rows(void *job, uint32_t lo, uint32_t hi)
{
	const Product *p = job;
	TileKernel k = tile_kernel();
	uint32_t n_in = p->w.n_in, n_tok = p->n / k.n_tok * k.n_tok, n_row = (hi - lo) / k.n_row * k.n_row;
	for (uint32_t r = lo; r < lo + n_row; r += k.n_row)
		for (uint32_t t = 0; t < n_tok; t += k.n_tok)
			product_tile(p, &k, r, t);
	for (uint32_t r = lo; r < hi; r++)
		for (uint32_t t = r < lo + n_row ? n_tok : 0; t < p->n; t++)
			p->out[(size_t)t * p->w.n_out + r] = product_end(p, r, op_dot(p->w.w + (size_t)r * n_in, p->x + (size_t)t * n_in, n_in));
}

enum { THREAD_WORTH = 1 << 18 }; /* products: below, waking one takes longer */

void op_product(OpMatrix w, const float *bias, const float *x, uint32_t n, float *out, CpuThreads *threads)
{
	Product p = { w, bias, x, n, out };
	bool is_worth = (uint64_t)w.n_out * w.n_in * n >= THREAD_WORTH;
	op_split(is_worth ? threads : NULL, w.n_out, product_rows, &p);
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

typedef struct Activation { ModelAct act; const float *gate; float *x; uint32_t width; } Activation;

static void activate_rows(void *job, uint32_t lo, uint32_t hi)
{
	const Activation *a = job;
	for (size_t i = (size_t)lo * a->width; i < (size_t)hi * a->width; i++)
		a->x[i] = a->gate ? activate(a->act, a->gate[i]) * a->x[i] : activate(a->act, a->x[i]);
}

void op_activate(ModelAct act, const float *gate, float *x, uint32_t n, uint32_t width, CpuThreads *threads)
{
	op_split(threads, n, activate_rows, &(Activation){ act, gate, x, width });
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
