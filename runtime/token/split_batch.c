/*
 * Reading the masks of 64 bytes with the vector instructions of a machine, and choosing the best set
 * at run time. A machine with none of them splits a piece at a time; the pieces are the same.
 */
#include "runtime/token/split_bits.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,bmi,bmi2,lzcnt")))

AVX512 static inline uint64_t below_512(__m512i v, char from, char n)
{
	return _mm512_cmplt_epu8_mask(_mm512_sub_epi8(v, _mm512_set1_epi8(from)), _mm512_set1_epi8(n));
}

AVX512 static inline uint64_t equal_512(__m512i v, char c) { return _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8(c)); }

AVX512 static inline void masks_512(const char *p, WindowMasks *m)
{
	__m512i v = _mm512_loadu_si512(p);
	m->wide = _mm512_movepi8_mask(v);
	m->letter = below_512(_mm512_or_si512(v, _mm512_set1_epi8(32)), 'a', 26);
	m->upper = below_512(v, 'A', 26);
	m->digit = below_512(v, '0', 10);
	m->space = equal_512(v, ' ');
	m->line = equal_512(v, '\n') | equal_512(v, '\r');
	m->tab = below_512(v, '\t', 5) & ~m->line;
	m->quote = equal_512(v, '\'');
	m->slash = equal_512(v, '/');
}

AVX512 static inline void contractions_512(const char *p, int fold, ContractionMasks *c)
{
	__m512i v = _mm512_or_si512(_mm512_loadu_si512(p), _mm512_set1_epi8((char)fold));
	c->single = equal_512(v, 's') | equal_512(v, 'd') | equal_512(v, 'm') | equal_512(v, 't');
	c->l = equal_512(v, 'l');
	c->v = equal_512(v, 'v');
	c->r = equal_512(v, 'r');
	c->e = equal_512(v, 'e');
}

#define AVX2 __attribute__((target("avx2,bmi,bmi2,lzcnt")))

typedef struct Half { __m256i lo, hi; } Half;

AVX2 static inline uint64_t both(__m256i lo, __m256i hi)
{
	return (uint32_t)_mm256_movemask_epi8(lo) | (uint64_t)(uint32_t)_mm256_movemask_epi8(hi) << 32;
}

AVX2 static inline uint64_t below_256(__m256i lo, __m256i hi, char from, char n)
{
	__m256i f = _mm256_set1_epi8(from), top = _mm256_set1_epi8((char)(n - 1));
	lo = _mm256_sub_epi8(lo, f);
	hi = _mm256_sub_epi8(hi, f);
	return both(_mm256_cmpeq_epi8(_mm256_min_epu8(lo, top), lo), _mm256_cmpeq_epi8(_mm256_min_epu8(hi, top), hi));
}

AVX2 static inline uint64_t equal_256(__m256i lo, __m256i hi, char c)
{
	__m256i x = _mm256_set1_epi8(c);
	return both(_mm256_cmpeq_epi8(lo, x), _mm256_cmpeq_epi8(hi, x));
}

AVX2 static inline void masks_256(const char *p, WindowMasks *m)
{
	__m256i lo = _mm256_loadu_si256((const void *)p), hi = _mm256_loadu_si256((const void *)(p + 32));
	__m256i fold = _mm256_set1_epi8(32);
	m->wide = both(lo, hi);
	m->letter = below_256(_mm256_or_si256(lo, fold), _mm256_or_si256(hi, fold), 'a', 26);
	m->upper = below_256(lo, hi, 'A', 26);
	m->digit = below_256(lo, hi, '0', 10);
	m->space = equal_256(lo, hi, ' ');
	m->line = equal_256(lo, hi, '\n') | equal_256(lo, hi, '\r');
	m->tab = below_256(lo, hi, '\t', 5) & ~m->line;
	m->quote = equal_256(lo, hi, '\'');
	m->slash = equal_256(lo, hi, '/');
}

AVX2 static inline void contractions_256(const char *p, int fold, ContractionMasks *c)
{
	__m256i f = _mm256_set1_epi8((char)fold);
	__m256i lo = _mm256_or_si256(_mm256_loadu_si256((const void *)p), f);
	__m256i hi = _mm256_or_si256(_mm256_loadu_si256((const void *)(p + 32)), f);
	c->single = equal_256(lo, hi, 's') | equal_256(lo, hi, 'd') | equal_256(lo, hi, 'm') | equal_256(lo, hi, 't');
	c->l = equal_256(lo, hi, 'l');
	c->v = equal_256(lo, hi, 'v');
	c->r = equal_256(lo, hi, 'r');
	c->e = equal_256(lo, hi, 'e');
}

#define GPT_SPLIT(id, ...) \
	static const SplitFacts facts_##id = __VA_ARGS__; \
	SPLIT_WINDOW(avx512_##id, AVX512, facts_##id, masks_512, contractions_512) \
	SPLIT_WINDOW(avx2_##id, AVX2, facts_##id, masks_256, contractions_256)
#include "runtime/token/split_facts.def"
#undef GPT_SPLIT

static SplitBatch *batch_of_machine(VocabSplit split, const char *isa)
{
	static SplitBatch *const avx512[SPLIT_COUNT] = {
#define GPT_SPLIT(id, ...) [SPLIT_##id] = avx512_##id,
#include "runtime/token/split_facts.def"
#undef GPT_SPLIT
	};
	static SplitBatch *const avx2[SPLIT_COUNT] = {
#define GPT_SPLIT(id, ...) [SPLIT_##id] = avx2_##id,
#include "runtime/token/split_facts.def"
#undef GPT_SPLIT
	};
	bool has_bmi = __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
	if ((!isa || !strcmp(isa, "avx512")) && has_bmi && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
		return avx512[split];
	if ((!isa || !strcmp(isa, "avx2")) && has_bmi && __builtin_cpu_supports("avx2"))
		return avx2[split];
	return NULL;
}
#else
static SplitBatch *batch_of_machine(VocabSplit split, const char *isa)
{
	(void)split;
	(void)isa;
	return NULL;
}
#endif

/* A piece at a time. */
#define EACH(id) \
	static size_t each_##id(const Vocab *v, Str t, size_t at, uint32_t *end, size_t cap) \
	{ \
		(void)v; \
		SplitNext *next = split_next(SPLIT_##id); \
		size_t k = 0; \
		while (at < t.n && k < cap) \
			end[k++] = (uint32_t)(at = next(t.p, t.n, at)); \
		return k; \
	}
#define GPT_SPLIT(id, ...) EACH(id)
#include "runtime/token/split_facts.def"
#undef GPT_SPLIT
EACH(NONE)
EACH(DEEPSEEK3)

SplitBatch *split_batch(VocabSplit split, const char *isa)
{
	static SplitBatch *const each[SPLIT_COUNT] = {
#define GPT_SPLIT(id, ...) [SPLIT_##id] = each_##id,
#include "runtime/token/split_facts.def"
#undef GPT_SPLIT
		[SPLIT_NONE] = each_NONE, [SPLIT_DEEPSEEK3] = each_DEEPSEEK3,
	};
	SplitBatch *batch = batch_of_machine(split, isa);
	return batch ? batch : each[split];
}
