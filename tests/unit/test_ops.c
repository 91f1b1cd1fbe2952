/* The operators between products: the same bits on every instruction set, and near what libm says in doubles. */
#include <math.h>

#include "runtime/cpu/kernels.h"

#include "tests/unit/check.h"
#include "tests/unit/noise.h"

enum { N = 320 };

typedef struct Outputs {
	float rms[N], layer[N], act[3][N], plain[3][N], cosines[N], sines[N], turned[N], sum[N];
	double frequency[N];
} Outputs;

static float x[N], y[N], z[N];

static void inputs_make(void)
{
	Noise noise = { 3 };
	for (int i = 0; i < N; i++) {
		x[i] = noise_float(&noise) * (i % 40 ? 6 : 90);
		y[i] = noise_float(&noise) * 2;
		z[i] = noise_float(&noise);
	}
}

static void outputs_make(const OpKernels *op, Outputs *o)
{
	op->rms_norm(x, y, N, 1e-5f, o->rms);
	op->layer_norm(x, y, z, N, 1e-12f, o->layer);
	for (int act = 0; act < 3; act++) {
		op->activate((ModelAct)act, x, y, N, o->act[act]);
		op->activate((ModelAct)act, x, NULL, N, o->plain[act]);
	}
	op->frequencies(100000, N, o->frequency);
	op->angles(o->frequency, N, 8191, o->cosines, o->sines);
	memcpy(o->turned, x, sizeof x);
	op->rotate(o->cosines, o->sines, N / 2, o->turned);
	memcpy(o->sum, x, sizeof x);
	op->add(y, N - 3, o->sum);
	op->scale(0.3f, N - 5, o->sum);
}

TEST(sets_agree)
{
	static Outputs got, want;
	unsigned n = 0;
	while (cpu_kernels_at(n))
		n++;
	inputs_make();
	outputs_make(cpu_kernels_at(n - 1)->op, &want);
	for (unsigned i = 0; i + 1 < n; i++) {
		outputs_make(cpu_kernels_at(i)->op, &got);
		if (!CHECK(!memcmp(&got, &want, sizeof got)))
			printf("\t%s\n", cpu_kernels_at(i)->name);
	}
}

static double act_want(int act, double v)
{
	if (act == MODEL_ACT_SILU)
		return v / (1 + exp(-v));
	if (act == MODEL_ACT_GELU_TANH)
		return v / 2 * (1 + tanh(0.79788456080286536 * (v + 0.044715 * v * v * v)));
	return v / 2 * (1 + erf(v * 0.70710678118654752));
}

TEST(near_libm)
{
	static Outputs o;
	inputs_make();
	outputs_make(cpu_kernels_at(0)->op, &o);
	for (int i = 0; i < N; i++) {
		for (int act = 0; act < 3; act++) {
			CHECK(fabs(o.plain[act][i] - act_want(act, x[i])) <= 1e-6 * (1 + fabs(x[i])));
			CHECK(o.act[act][i] == o.plain[act][i] * y[i]);
		}
		double f = pow(100000, -(double)i / N);
		CHECK(fabs(o.frequency[i] / f - 1) < 1e-13);
		CHECK(fabs(o.cosines[i] - cos(8191 * f)) < 1e-7);
		CHECK(fabs(o.sines[i] - sin(8191 * f)) < 1e-7);
	}
}

TEST(norms_are_norms)
{
	static Outputs o;
	double squares = 0, mean = 0, var = 0;
	inputs_make();
	outputs_make(cpu_kernels_at(0)->op, &o);
	for (int i = 0; i < N; i++) {
		squares += (double)x[i] * x[i] / N;
		mean += (double)x[i] / N;
	}
	for (int i = 0; i < N; i++)
		var += (x[i] - mean) * (x[i] - mean) / N;
	for (int i = 0; i < N; i++) {
		CHECK(fabs(o.rms[i] - x[i] / sqrt(squares + 1e-5) * y[i]) < 1e-5);
		CHECK(fabs(o.layer[i] - ((x[i] - mean) / sqrt(var + 1e-12) * y[i] + z[i])) < 1e-5);
	}
}

/* Far from zero an activation is 0 or its argument, never NaN. */
TEST(activations_saturate)
{
	float far[16] = { 0, -0.0f, 50, -50, 88, -88, 100, -100, 1e4f, -1e4f, 1e8f, -1e8f, 1, -1, 20, -20 }, out[16];
	for (int act = 0; act < 3; act++) {
		cpu_kernels_at(0)->op->activate((ModelAct)act, far, NULL, 16, out);
		for (int i = 2; i < 12; i++)
			CHECK(fabsf(out[i] - (far[i] > 0 ? far[i] : 0)) < 1e-6f * fabsf(far[i]) + 1e-9f);
		CHECK(out[0] == 0 && out[1] == 0);
	}
}

TEST(finite)
{
	const OpKernels *op = cpu_kernels_at(0)->op;
	float v[37] = { 0 };
	CHECK(op->is_finite(v, 37));
	v[36] = NAN;
	CHECK(!op->is_finite(v, 37));
	CHECK(op->is_finite(v, 36));
	v[0] = -INFINITY;
	CHECK(!op->is_finite(v, 36));
}

CHECK_MAIN(sets_agree, near_libm, norms_are_norms, activations_saturate, finite)
