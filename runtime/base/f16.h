/* IEEE half precision and bfloat16 to and from float, rounded half to even. */
#ifndef SEED_BASE_F16_H
#define SEED_BASE_F16_H

#include <stdint.h>
#include <string.h>

static inline float f32_from_bits(uint32_t u)
{
	float f;
	memcpy(&f, &u, sizeof f);
	return f;
}

static inline uint32_t f32_to_bits(float f)
{
	uint32_t u;
	memcpy(&u, &f, sizeof u);
	return u;
}

static inline float f32_from_f16(uint16_t h)
{
	uint32_t sign = (uint32_t)(h & 0x8000) << 16, rest = h & 0x7fff;
	if (rest >= 0x7c00)  /* infinity, NaN (quiet, as the hardware gives it) */
		return f32_from_bits(sign | 0x7f800000 | (rest & 0x3ff) << 13 | (rest > 0x7c00 ? 0x400000 : 0));
	if (rest >= 0x400)
		return f32_from_bits(sign | ((rest << 13) + (112u << 23)));
	float f = (float)rest * 0x1p-24f;
	return f32_from_bits(sign | f32_to_bits(f));
}

static inline uint16_t f16_from_f32(float f)
{
	uint32_t u = f32_to_bits(f), sign = u >> 16 & 0x8000, rest = u & 0x7fffffff;
	if (rest > 0x7f800000)
		return (uint16_t)(sign | 0x7e00 | (rest >> 13 & 0x3ff));
	if (rest >= 0x477ff000)  /* 65520 and more */
		return (uint16_t)(sign | 0x7c00);
	if (rest < 0x38800000) {  /* below 2^-14: a multiple of 2^-24, rounded by the addition */
		float shifted = f32_from_bits(rest) + 0.5f;
		return (uint16_t)(sign | (f32_to_bits(shifted) - 0x3f000000));
	}
	uint32_t odd = rest >> 13 & 1;
	return (uint16_t)(sign | (rest - (112u << 23) + 0xfff + odd) >> 13);
}

static inline float f32_from_bf16(uint16_t h) { return f32_from_bits((uint32_t)h << 16); }

#endif
