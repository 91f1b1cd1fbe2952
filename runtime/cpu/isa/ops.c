/* ops.h. note [one result] in isa.h: loops over elements are plain C, sums and functions are vec16.h's. */
#include "runtime/cpu/isa/kernels_isa.h"
#include "runtime/cpu/isa/vec16.h"

static void rms_norm(const float *x, const float *weight, uint32_t n, float eps, float *out)
{
	F32x16 s = v_set(0);
	for (uint32_t i = 0; i < n; i += 16) {
		F32x16 v = v_load(x + i);
		s = v_fma(v, v, s);
	}
	F32x16 by = v_set(1.0f / sqrtf(v_sum(s) / (float)n + eps));
	for (uint32_t i = 0; i < n; i += 16)
		v_store(out + i, v_mul(v_mul(v_load(x + i), by), v_load(weight + i)));
}

static void layer_norm(const float *x, const float *weight, const float *bias, uint32_t n, float eps, float *out)
{
	F32x16 s = v_set(0), q = v_set(0);
	for (uint32_t i = 0; i < n; i += 16)
		s = v_add(s, v_load(x + i));
	F32x16 mean = v_set(v_sum(s) / (float)n);
	for (uint32_t i = 0; i < n; i += 16) {
		F32x16 d = v_sub(v_load(x + i), mean);
		q = v_fma(d, d, q);
	}
	F32x16 by = v_set(1.0f / sqrtf(v_sum(q) / (float)n + eps));
	for (uint32_t i = 0; i < n; i += 16) {
		F32x16 d = v_mul(v_sub(v_load(x + i), mean), by);
		v_store(out + i, v_fma(d, v_load(weight + i), v_load(bias + i)));
	}
}

static void add(const float *x, uint32_t n, float *to)
{
	for (uint32_t i = 0; i < n; i++)
		to[i] += x[i];
}

static void scale(float by, uint32_t n, float *x)
{
	for (uint32_t i = 0; i < n; i++)
		x[i] *= by;
}

static F32x16 silu(F32x16 x) { return v_gate(x, x); }

/* x / 2 (1 + tanh(u)), u = sqrt(2 / pi) (x + 0.044715 x^3), is x / (1 + e^-2u). */
static F32x16 gelu_tanh(F32x16 x)
{
	F32x16 inner = v_fma(v_mul(v_mul(x, x), v_set(0.044715f)), x, x);
	return v_gate(x, v_mul(inner, v_set(1.5957691f)));
}

/* x / 2 (1 + erf(x / sqrt 2)); erf by Abramowitz and Stegun 7.1.26, its error under 1.5e-7. */
static F32x16 gelu_erf(F32x16 x)
{
	F32x16 z = v_mul(v_abs(x), v_set(0.70710678f));
	F32x16 t = v_div(v_set(1.0f), v_fma(v_set(0.3275911f), z, v_set(1.0f)));
	F32x16 p = v_set(1.061405429f);
	p = v_fma(p, t, v_set(-1.453152027f));
	p = v_fma(p, t, v_set(1.421413741f));
	p = v_fma(p, t, v_set(-0.284496736f));
	p = v_fma(p, t, v_set(0.254829592f));
	F32x16 rest = v_mul(v_mul(p, t), v_exp(v_sub(v_set(0), v_mul(z, z))));
	F32x16 erf = v_sub(v_set(1.0f), rest), half = v_mul(x, v_set(0.5f));
	return v_fma(v_abs(half), erf, half);  /* x erf(x) is even */
}

static void activate(ModelAct act, const float *gate, const float *up, uint32_t n, float *out)
{
	for (uint32_t i = 0; i < n; i += 16) {
		F32x16 g = v_load(gate + i);
		g = act == MODEL_ACT_SILU ? silu(g) : act == MODEL_ACT_GELU_TANH ? gelu_tanh(g) : gelu_erf(g);
		v_store(out + i, up ? v_mul(g, v_load(up + i)) : g);
	}
}

/* ---- angles, in doubles: a position is known to 53 bits, its angle must be to 24 ---- */

static double double_of_bits(uint64_t u)
{
	double d;
	memcpy(&d, &u, sizeof d);
	return d;
}

static const double LN2 = 0.69314718055994530942;

/* x > 0, normal: the exponent, and the series of atanh for the mantissa in [sqrt 1/2, sqrt 2). */
static double log_of(double x)
{
	uint64_t u;
	memcpy(&u, &x, sizeof u);
	int exponent = (int)(u >> 52) - 1023;
	double m = double_of_bits((u & ~(0xfffull << 52)) | 1023ull << 52);
	if (m > 1.4142135623730951) {
		m /= 2;
		exponent++;
	}
	double s = (m - 1) / (m + 1), sum = 0;
	for (int k = 25; k >= 1; k -= 2)
		sum = sum * (s * s) + 1.0 / k;
	return exponent * LN2 + 2 * s * sum;
}

/* |x| < 700 */
static double exp_of(double x)
{
	double n = rint(x / LN2), r = x - n * LN2, sum = 1;
	for (int k = 16; k >= 1; k--)
		sum = 1 + sum * r / k;
	return sum * double_of_bits((uint64_t)((int64_t)n + 1023) << 52);
}

static void frequencies(float base, uint32_t n, double *out)
{
	double l = log_of(base);
	for (uint32_t i = 0; i < n; i++)
		out[i] = exp_of(-l * i / n);
}

static void sine_cosine(double x, float *sine, float *cosine)
{
	double n = rint(x * 0.63661977236758134308);
	double r = (x - n * 1.57079632673412561417) - n * 6.07710050650619224932e-11, q = r * r;
	double s = 1, c = 1;
	for (int k = 14; k >= 2; k -= 2) {
		s = 1 - s * q / (k * (k + 1));
		c = 1 - c * q / (k * (k - 1));
	}
	s *= r;
	switch ((int64_t)n & 3) {
	case 0: *sine = (float)s, *cosine = (float)c; break;
	case 1: *sine = (float)c, *cosine = (float)-s; break;
	case 2: *sine = (float)-s, *cosine = (float)-c; break;
	default: *sine = (float)-c, *cosine = (float)s; break;
	}
}

static void angles(const double *frequency, uint32_t n, double position, float *cosines, float *sines)
{
	for (uint32_t i = 0; i < n; i++)
		sine_cosine(position * frequency[i], &sines[i], &cosines[i]);
}

static void rotate(const float *cosines, const float *sines, uint32_t half, float *x)
{
	float *y = x + half;
	for (uint32_t i = 0; i < half; i++) {
		float a = x[i], b = y[i];
		x[i] = a * cosines[i] - b * sines[i];
		y[i] = a * sines[i] + b * cosines[i];
	}
}

static bool is_finite(const float *x, uint32_t n)
{
	uint32_t bad = 0;
	for (uint32_t i = 0; i < n; i++)
		bad |= (f32_to_bits(x[i]) & 0x7f800000) == 0x7f800000;
	return !bad;
}

const OpKernels ISA(op_kernels) = { rms_norm, layer_norm, add, scale, activate, frequencies, angles, rotate, is_finite };
