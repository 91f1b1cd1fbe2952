#include "runtime/token/bpe_each.h"

#include "runtime/token/vocab_find.h"

#define INLINE static inline __attribute__((always_inline))

enum { BPE_LANES = 16, BPE_STEP = 16, BPE_ROOM = 1 + BPE_SHORT + 2 * BPE_STEP };

/* Two neighbours whose rank is to be looked up. */
typedef struct Neighbours {
	uint64_t key;
	const uint64_t *row;
} Neighbours;

/* The row of neighbours that are not there. */
_Alignas(64) static const uint64_t no_row[PAIR_ROW] = { PAIR_EMPTY, PAIR_EMPTY, PAIR_EMPTY, PAIR_EMPTY,
                                                        PAIR_EMPTY, PAIR_EMPTY, PAIR_EMPTY, PAIR_EMPTY };

/* A short piece under way. Its symbols stand from [1] on; behind them stand ranks of TOKEN_NONE, BPE_STEP of them at
 * the least. What [0] holds is written and read, and decides nothing. */
typedef struct Lane {
	BpeJob *job;
	size_t k, at;  /* symbols; the one that was joined last */
	Neighbours left, right;  /* of it */
	uint32_t id[BPE_ROOM], rank[BPE_ROOM];
} Lane;

/* What a machine has its own ways for. */
typedef struct Ways {
	/* The first place of the lowest rank among rank[0, k). */
	size_t (*lowest)(const uint32_t *rank, size_t k);
	/* The rank of neighbours, or TOKEN_NONE. */
	uint32_t (*find)(const Vocab *v, Neighbours of);
} Ways;

INLINE size_t lowest_scalar(const uint32_t *rank, size_t k)
{
	uint64_t low = UINT64_MAX;
	for (size_t i = 0; i < k; i++) {
		uint64_t x = (uint64_t)rank[i] << 32 | i;
		low = x < low ? x : low;
	}
	return (uint32_t)low;
}

INLINE uint32_t find_scalar(const Vocab *v, Neighbours of)
{
	return of.row == no_row ? TOKEN_NONE : pair_find(v, of.key, (uint64_t)(of.row - v->pair));
}

/* Moves list[1, n) to list[0, n - 1); what lies up to BPE_STEP behind is moved as well. */
INLINE void shift(uint32_t *list, size_t n)
{
	for (size_t i = 0; i + 1 < n; i += BPE_STEP) {
		uint32_t part[BPE_STEP];
		memcpy(part, list + i + 1, sizeof part);
		memcpy(list + i, part, sizeof part);
	}
}

/* Asks for the row of two neighbours. there: all bits, or none for no_row; a branch would often be taken wrong. */
INLINE Neighbours neighbours(const Vocab *v, uint32_t left, uint32_t right, uintptr_t there)
{
	uint64_t key = pair_key(left, right);
	uintptr_t row = (uintptr_t)(v->pair + pair_start(key, v->pair_mask)), none = (uintptr_t)no_row;
	row = none ^ ((row ^ none) & there);
	__builtin_prefetch((const void *)row);
	return (Neighbours){ key, (const uint64_t *)row };
}

/* Joins the lowest pair and asks for the two ranks that it makes new; false: none joins. */
INLINE bool lane_join(const Vocab *v, Lane *l, Ways w)
{
	uint32_t *id = l->id + 1, *rank = l->rank + 1;
	size_t at = w.lowest(rank, l->k), n = l->k - at;
	if (rank[at] == TOKEN_NONE)
		return false;
	uint32_t joined = bpe_joined(v, rank[at]);
	l->at = at;
	l->k--;
	shift(id + at, n);
	shift(rank + at, n);
	id[at] = joined;
	l->left = neighbours(v, l->id[at], joined, -(uintptr_t)(at > 0));
	l->right = neighbours(v, joined, id[at + 1], -(uintptr_t)(n > 2));
	return true;
}

/* Looks the two up. */
INLINE void lane_rank(const Vocab *v, Lane *l, Ways w)
{
	l->rank[l->at + 1] = w.find(v, l->right);
	l->rank[l->at] = w.find(v, l->left);
}

static void lane_start(const Vocab *v, Lane *l, BpeJob *job)
{
	l->job = job;
	l->id[0] = l->rank[0] = 0;
	l->k = bpe_start(v, job->piece.p, job->piece.n, l->id + 1, l->rank + 1);
	memset(l->id + 1 + l->k, 0, 2 * BPE_STEP * sizeof *l->id);
	memset(l->rank + 1 + l->k, 0xff, 2 * BPE_STEP * sizeof *l->rank);
}

static void lane_end(Lane *l)
{
	memcpy(l->job->ids, l->id + 1, l->k * sizeof *l->id);
	l->job->n_id = (uint32_t)l->k;
}

/* Fills a lane with the next job that needs one; false: none is left. */
INLINE bool lane_fill(const Vocab *v, BpeScratch *s, Lane *l, BpeJob *const **job, BpeJob *const *end, Ways w)
{
	while (*job < end) {
		BpeJob *j = *(*job)++;
		if (j->piece.n > BPE_SHORT) {
			j->n_id = (uint32_t)bpe_encode(v, s, j->piece.p, j->piece.n, j->ids);
			continue;
		}
		lane_start(v, l, j);
		if (l->k > 1 && lane_join(v, l, w))
			return true;
		lane_end(l);
	}
	return false;
}

INLINE void encode_each(const Vocab *v, BpeScratch *s, BpeJob *const *job, size_t n, Ways w)
{
	BpeJob *const *end = job + n;
	Lane lane[BPE_LANES], *open[BPE_LANES];
	size_t n_open = 0;
	while (n_open < BPE_LANES && lane_fill(v, s, &lane[n_open], &job, end, w)) {
		open[n_open] = &lane[n_open];
		n_open++;
	}
	while (n_open) {
		for (size_t i = 0; i < n_open; i++)
			lane_rank(v, open[i], w);
		for (size_t i = n_open; i-- > 0;) {
			Lane *l = open[i];
			if (lane_join(v, l, w))
				continue;
			lane_end(l);
			if (!lane_fill(v, s, l, &job, end, w))
				open[i] = open[--n_open];
		}
	}
}

static void each_scalar(const Vocab *v, BpeScratch *s, BpeJob *const *job, size_t n)
{
	encode_each(v, s, job, n, (Ways){ lowest_scalar, find_scalar });
}

#if defined(__x86_64__)
#include <immintrin.h>

/* The rank, at: bits of the slots of the row that have the key (empty ones too, for one key). Where none has,
 * it may stand behind a full row. */
INLINE uint32_t rank_of(const Vocab *v, Neighbours of, unsigned at)
{
	if (__builtin_expect(!at & (of.row[PAIR_ROW - 1] != PAIR_EMPTY), 0))
		return pair_find(v, of.key, (uint64_t)(of.row - v->pair));
	uint64_t slot = of.row[__builtin_ctz(at | 1u << (PAIR_ROW - 1))];
	return at && slot != PAIR_EMPTY ? slot & ((1u << PAIR_RANK_BITS) - 1) : TOKEN_NONE;
}

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,bmi,bmi2,lzcnt")))

AVX512 INLINE size_t lowest_512(const uint32_t *rank, size_t k)
{
	__m512i low = _mm512_loadu_si512(rank);
	for (size_t i = BPE_STEP; i < k; i += BPE_STEP)
		low = _mm512_min_epu32(low, _mm512_loadu_si512(rank + i));
	low = _mm512_set1_epi32((int)_mm512_reduce_min_epu32(low));
	size_t i = 0;
	uint32_t at;
	while (!(at = _mm512_cmpeq_epi32_mask(_mm512_loadu_si512(rank + i), low)))
		i += BPE_STEP;
	return i + (unsigned)__builtin_ctz(at);
}

AVX512 INLINE uint32_t find_512(const Vocab *v, Neighbours of)
{
	__m512i keys = _mm512_srli_epi64(_mm512_loadu_si512(of.row), PAIR_RANK_BITS);
	return rank_of(v, of, _mm512_cmpeq_epi64_mask(keys, _mm512_set1_epi64((long long)of.key)));
}

AVX512 static void each_512(const Vocab *v, BpeScratch *s, BpeJob *const *job, size_t n)
{
	encode_each(v, s, job, n, (Ways){ lowest_512, find_512 });
}

#define AVX2 __attribute__((target("avx2,bmi,bmi2,lzcnt")))

AVX2 INLINE __m256i load_256(const uint32_t *p) { return _mm256_loadu_si256((const void *)p); }

AVX2 INLINE size_t lowest_256(const uint32_t *rank, size_t k)
{
	__m256i low = load_256(rank);
	for (size_t i = 8; i < k; i += 8)
		low = _mm256_min_epu32(low, load_256(rank + i));
	low = _mm256_min_epu32(low, _mm256_permute2x128_si256(low, low, 1));
	low = _mm256_min_epu32(low, _mm256_shuffle_epi32(low, 0x4e));
	low = _mm256_min_epu32(low, _mm256_shuffle_epi32(low, 0xb1));
	size_t i = 0;
	unsigned at;
	while (!(at = (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(load_256(rank + i), low)))))
		i += 8;
	return i + (unsigned)__builtin_ctz(at);
}

AVX2 INLINE unsigned equal_256(const uint64_t *row, __m256i key)
{
	__m256i keys = _mm256_srli_epi64(_mm256_loadu_si256((const void *)row), PAIR_RANK_BITS);
	return (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(keys, key)));
}

AVX2 INLINE uint32_t find_256(const Vocab *v, Neighbours of)
{
	__m256i key = _mm256_set1_epi64x((long long)of.key);
	return rank_of(v, of, equal_256(of.row, key) | equal_256(of.row + PAIR_ROW / 2, key) << PAIR_ROW / 2);
}

AVX2 static void each_256(const Vocab *v, BpeScratch *s, BpeJob *const *job, size_t n)
{
	encode_each(v, s, job, n, (Ways){ lowest_256, find_256 });
}

BpeEach *bpe_each(const char *isa)
{
	bool has_bmi = __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
	bool has_512 = has_bmi && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
	if ((!isa || !strcmp(isa, "avx512")) && has_512)
		return each_512;
	if ((!isa || !strcmp(isa, "avx2")) && has_bmi && __builtin_cpu_supports("avx2"))
		return each_256;
	return each_scalar;
}
#else
BpeEach *bpe_each(const char *isa)
{
	(void)isa;
	return each_scalar;
}
#endif
