/*
 * Half and brain floats as bits. To float is exact; from float rounds half to even, overflows to infinity and keeps a
 * NaN a NaN. Plain integers: the same bits on every machine, subnormals included, whatever the processor's mode.
 */
#ifndef SEED_BASE_HALF_H
#define SEED_BASE_HALF_H

#include <stdint.h>
#include <string.h>

static inline uint32_t float_bits(float f)
{
	uint32_t u;
	memcpy(&u, &f, sizeof u);
	return u;
}

static inline float float_of_bits(uint32_t u)
{
	float f;
	memcpy(&f, &u, sizeof f);
	return f;
}

static inline float half_to_float(uint16_t h)
{
	uint32_t sign = (uint32_t)(h & 0x8000) << 16, exp = h >> 10 & 31, man = h & 0x3ff;
	if (exp == 31)
		return float_of_bits(sign | 0x7f800000 | man << 13);
	if (exp)
		return float_of_bits(sign | (exp + 112) << 23 | man << 13);
	float f = (float)man * 0x1p-24f;
	return float_of_bits(sign | float_bits(f));
}

static inline uint16_t half_of_float(float f)
{
	uint32_t u = float_bits(f), sign = u >> 16 & 0x8000, abs = u & 0x7fffffff;
	if (abs > 0x7f800000)
		return (uint16_t)(sign | 0x7e00);
	if (abs >= 0x477ff000) /* 65520 and above */
		return (uint16_t)(sign | 0x7c00);
	if (abs < 0x33000000)  /* below half of the least subnormal */
		return (uint16_t)sign;
	uint32_t shift = 13, man = abs, base = 112u << 10;
	if (abs < 0x38800000) { /* a subnormal: its unit is 2^-24 */
		shift = 126 - (abs >> 23);
		man = (abs & 0x7fffff) | 0x800000;
		base = 0;
	}
	uint32_t odd = man >> shift & 1, up = (man + ((1u << (shift - 1)) - 1 + odd)) >> shift;
	return (uint16_t)(sign | (up - base));
}

static inline float bfloat_to_float(uint16_t b)
{
	return float_of_bits((uint32_t)b << 16);
}

#endif
