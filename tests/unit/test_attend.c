/* Attention kernels against a plain computation in double, against themselves alone and in a group, and on every
 * instruction set that this machine has. */
#include <math.h>
#include <stdlib.h>

#include "runtime/cpu/kernels.h"
#include "tests/unit/check.h"

/* The sets of this machine, the best last. */
static uint32_t sets_here(const CpuKernels *set[4])
{
	uint32_t n = 0;
	while (n < 4 && cpu_kernels_at(n))
		n++;
	for (uint32_t i = 0; i < n; i++)
		set[n - 1 - i] = cpu_kernels_at(i);
	return n;
}

static float draw(uint64_t *state)
{
	double sum = 0;
	for (int i = 0; i < 4; i++) {
		*state = *state * 6364136223846793005u + 1442695040888963407u;
		sum += (double)(*state >> 40) / (1 << 24) - 0.5;
	}
	return (float)(sum * 1.7320508);
}

/* A sequence of n tokens: what was written, and the cache that comes of it. */
typedef struct Case {
	KvFormat format;
	uint32_t head_len, n_group, n, window;
	float *q, *k, *v;          /* [n][n_group][head_len], [n][head_len] */
	KvSpot *sealed;            /* each block */
	uint16_t **open;           /* each block, as its own queries see it */
} Case;

static void *aligned(size_t n)
{
	void *p = aligned_alloc(64, (n + 63) / 64 * 64);
	memset(p, 0xff, (n + 63) / 64 * 64);  /* NaN wherever nothing was written */
	return p;
}

static Case make_case(KvFormat format, uint32_t head_len, uint32_t n_group, uint32_t n, uint32_t window)
{
	Case c = { format, head_len, n_group, n, window, NULL, NULL, NULL, NULL, NULL };
	uint64_t seed = 7;
	c.q = malloc(sizeof *c.q * n * n_group * head_len);
	c.k = malloc(sizeof *c.k * n * head_len);
	c.v = malloc(sizeof *c.v * n * head_len);
	for (uint32_t i = 0; i < n * n_group * head_len; i++)
		c.q[i] = 1.5f * draw(&seed);
	for (uint32_t i = 0; i < n * head_len; i++) {
		c.k[i] = draw(&seed) * (i % head_len == 5 ? 6 : 1) + (i % head_len == 9 ? 3 : 0);  /* channels that stand out */
		c.v[i] = draw(&seed);
	}
	uint32_t n_block = (n + KV_BLOCK - 1) / KV_BLOCK;
	c.sealed = calloc(n_block, sizeof *c.sealed);
	c.open = calloc(n_block, sizeof *c.open);
	return c;
}

static void free_case(Case *c)
{
	for (uint32_t b = 0; b < (c->n + KV_BLOCK - 1) / KV_BLOCK; b++)
		free(c->sealed[b].k), free(c->open[b]);
	free(c->sealed), free(c->open), free(c->q), free(c->k), free(c->v);
}

static KvShape shape_of(const Case *c) { return (KvShape){ .n_layer = 1, .n_head = 1, .head_len = c->head_len, .format = c->format }; }

static void fill_cache(Case *c, const AttendKernels *kernels)
{
	KvShape shape = shape_of(c);
	for (uint32_t t = 0; t < c->n; t++) {
		uint32_t b = t / KV_BLOCK, at = t % KV_BLOCK;
		if (!at)
			c->open[b] = aligned(2 * kv_open_halves(&shape));
		kernels->write(c->format, c->head_len, c->k + t * c->head_len, c->v + t * c->head_len, at, c->open[b]);
		if (at == KV_BLOCK - 1) {
			KvFormat f = kv_block_format(c->format, b);
			c->sealed[b] = kv_spot(aligned(kv_head_bytes(&shape, f)), f, c->head_len);
			kernels->seal(f, c->head_len, c->open[b], c->sealed[b]);
		}
	}
}

/* Tokens first .. first + n - 1, of one block, into out [n][n_group][head_len]. */
static void attend(const Case *c, const AttendKernels *kernels, uint32_t first, uint32_t n, float *out)
{
	uint32_t b = first / KV_BLOCK, n_part = b / 8 + 1, n_query = n * c->n_group;
	size_t row = attend_part_floats(c->head_len);
	AttendHead h = { .format = c->format, .head_len = c->head_len, .n_group = c->n_group, .open = c->open[b],
		.sealed = c->sealed, .first = first, .n_token = n, .window = c->window,
		.scale = 1 / sqrtf((float)c->head_len) };
	void *scratch = aligned(attend_scratch_bytes(c->head_len, n_query));
	float *parts = aligned(n_part * n_query * row * sizeof *parts);
	for (uint32_t p = 0; p < n_part; p++)
		kernels->part(&h, p, c->q + (size_t)first * c->n_group * c->head_len, scratch, parts + p * n_query * row);
	for (uint32_t i = 0; i < n_query; i++)
		kernels->merge(c->format, c->head_len, parts + i * row, n_part, n_query * row, out + i * c->head_len);
	free(scratch), free(parts);
}

/* Every token's result: block by block, or one by one. */
static float *attend_all(const Case *c, const AttendKernels *kernels, uint32_t at_once)
{
	float *out = aligned(sizeof *out * c->n * c->n_group * c->head_len);
	for (uint32_t t = 0, n; t < c->n; t += n) {
		n = KV_BLOCK - t % KV_BLOCK < at_once ? KV_BLOCK - t % KV_BLOCK : at_once;
		n = c->n - t < n ? c->n - t : n;
		attend(c, kernels, t, n, out + (size_t)t * c->n_group * c->head_len);
	}
	return out;
}

/* What attention is, of query g of token t. */
static void plain(const Case *c, uint32_t t, uint32_t g, double *out)
{
	const float *q = c->q + ((size_t)t * c->n_group + g) * c->head_len;
	double max = -INFINITY, sum = 0, *s = malloc(sizeof *s * (t + 1));
	uint32_t from = c->window && t + 1 > c->window ? t + 1 - c->window : 0;
	for (uint32_t i = from; i <= t; i++) {
		s[i] = 0;
		for (uint32_t x = 0; x < c->head_len; x++)
			s[i] += (double)q[x] * c->k[i * c->head_len + x];
		s[i] /= sqrt(c->head_len);
		max = s[i] > max ? s[i] : max;
	}
	memset(out, 0, sizeof *out * c->head_len);
	for (uint32_t i = from; i <= t; i++) {
		sum += s[i] = exp(s[i] - max);
		for (uint32_t x = 0; x < c->head_len; x++)
			out[x] += s[i] * c->v[i * c->head_len + x];
	}
	for (uint32_t x = 0; x < c->head_len; x++)
		out[x] /= sum;
	free(s);
}

/* The distance from plain() over tokens lo .. hi - 1, in parts of its length. */
static double distance(const Case *c, const float *got, uint32_t lo, uint32_t hi)
{
	double off = 0, len = 0, want[KV_HEAD_MAX];
	for (uint32_t t = lo; t < hi; t++)
		for (uint32_t g = 0; g < c->n_group; g++) {
			plain(c, t, g, want);
			const float *o = got + ((size_t)t * c->n_group + g) * c->head_len;
			for (uint32_t x = 0; x < c->head_len; x++) {
				off += (o[x] - want[x]) * (o[x] - want[x]);
				len += want[x] * want[x];
			}
		}
	return sqrt(off / len);
}

static const struct Bound {
	KvFormat format;
	double most;  /* distance of tokens behind the first block, where keys and values are noise */
} bounds[] = {
	{ KV_F16, 0.001 }, { KV_INT8, 0.02 }, { KV_K8V4, 0.09 }, { KV_INT4, 0.2 }, { KV_SEED4, 0.5 },
};

static const struct Size { uint32_t head_len, n_group, n; } sizes[] = {
	{ 64, 3, 262 }, { 256, 4, 72 }, { 32, 1, 261 }, { 80, 2, 70 }, { 16, 5, 72 },
};

TEST(result_is_attention_within_what_a_format_costs)
{
	const CpuKernels *set[4];
	uint32_t n = sets_here(set);
	for (size_t f = 0; f < sizeof bounds / sizeof *bounds; f++)
		for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
			Case c = make_case(bounds[f].format, sizes[i].head_len, sizes[i].n_group, sizes[i].n, 0);
			fill_cache(&c, set[n - 1]->attend);
			float *got = attend_all(&c, set[n - 1]->attend, KV_BLOCK);
			double own = distance(&c, got, 0, KV_BLOCK), rest = distance(&c, got, KV_BLOCK, c.n);
			if (!CHECK(own < 0.001) || !CHECK(rest < bounds[f].most) || getenv("SHOW"))
				printf("%s, head %u: %g in the first block, %g behind it\n", kv_format_name(c.format), c.head_len, own, rest);
			free(got);
			free_case(&c);
		}
}

TEST(edges_of_blocks_and_partitions)
{
	static const uint32_t position[] = { 0, 1, 30, 31, 32, 33, 63, 254, 255, 256, 257, 287, 288 };
	const CpuKernels *set[4];
	uint32_t n = sets_here(set);
	Case c = make_case(KV_F16, 64, 3, 290, 0);
	fill_cache(&c, set[n - 1]->attend);
	float *got = aligned(sizeof *got * c.n * c.n_group * c.head_len);
	for (size_t i = 0; i < sizeof position / sizeof *position; i++) {
		attend(&c, set[n - 1]->attend, position[i], 1, got + position[i] * c.n_group * c.head_len);
		CHECK(distance(&c, got, position[i], position[i] + 1) < 0.001);
	}
	free(got);
	free_case(&c);
}

TEST(a_window_ends_what_a_token_reads)
{
	static const uint32_t window[] = { 1, 31, 33, 256, 289, 1000 };
	const CpuKernels *set[4];
	uint32_t n = sets_here(set);
	for (size_t i = 0; i < sizeof window / sizeof *window; i++)
		for (int f = 0; f < 2; f++) {
			Case c = make_case(f ? KV_K8V4 : KV_F16, 64, 1, 330, window[i]);
			fill_cache(&c, set[n - 1]->attend);
			float *got = attend_all(&c, set[n - 1]->attend, KV_BLOCK), *alone = attend_all(&c, set[n - 1]->attend, 1);
			CHECK(distance(&c, got, 0, c.n) < (f ? 0.1 : 0.001));
			CHECK(!memcmp(got, alone, sizeof *got * c.n * c.head_len));
			free(got), free(alone);
			free_case(&c);
		}
}

static bool same_blocks(const Case *a, const Case *b)
{
	KvShape shape = shape_of(a);
	for (uint32_t i = 0; i < a->n / KV_BLOCK; i++)
		if (memcmp(a->sealed[i].k, b->sealed[i].k, kv_head_bytes(&shape, kv_block_format(a->format, i))))
			return false;
	return true;
}

TEST(alone_in_a_group_and_on_every_set_the_bits_are_one)
{
	const CpuKernels *set[4];
	static const uint32_t at_once[] = { 1, 7, KV_BLOCK };
	uint32_t n_set = sets_here(set);
	for (int f = 0; f < KV_FORMAT_COUNT; f++)
		for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
			Case first = make_case((KvFormat)f, sizes[i].head_len, sizes[i].n_group, sizes[i].n, 0);
			size_t bytes = sizeof(float) * first.n * first.n_group * first.head_len;
			fill_cache(&first, set[0]->attend);
			float *want = attend_all(&first, set[0]->attend, KV_BLOCK);
			for (uint32_t s = 0; s < n_set; s++) {
				Case c = make_case((KvFormat)f, sizes[i].head_len, sizes[i].n_group, sizes[i].n, 0);
				fill_cache(&c, set[s]->attend);
				CHECK(same_blocks(&first, &c));
				for (size_t x = 0; x < sizeof at_once / sizeof *at_once; x++) {
					float *got = attend_all(&c, set[s]->attend, at_once[x]);
					if (!CHECK(!memcmp(got, want, bytes)))
						printf("%s, %s, head %u, %u at once\n", set[s]->name, kv_format_name(c.format), c.head_len, at_once[x]);
					free(got);
				}
				free_case(&c);
			}
			free(want);
			free_case(&first);
		}
}

TEST(nothing_but_zeros_is_no_error)
{
	const CpuKernels *set[4];
	uint32_t n = sets_here(set);
	for (int f = 0; f < KV_FORMAT_COUNT; f++) {
		Case c = make_case((KvFormat)f, 64, 3, 100, 0);
		memset(c.k, 0, sizeof *c.k * c.n * c.head_len);
		memset(c.v, 0, sizeof *c.v * c.n * c.head_len);
		fill_cache(&c, set[n - 1]->attend);
		float *got = attend_all(&c, set[n - 1]->attend, KV_BLOCK), sum = 0;
		for (uint32_t i = 0; i < c.n * c.n_group * c.head_len; i++)
			sum += got[i] == 0;
		CHECK(sum == (float)(c.n * c.n_group * c.head_len));
		free(got);
		free_case(&c);
	}
}

TEST(sizes_are_those_of_the_table)
{
	static const struct { KvFormat f; double bytes; } row[] = {
		{ KV_F16, 23040 }, { KV_INT8, 11880 }, { KV_K8V4, 9540 }, { KV_INT4, 7200 }, { KV_SEED4, 6120 },
	};
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		KvShape s = { .n_layer = 30, .n_head = 3, .head_len = 64, .format = row[i].f };
		CHECK(kv_token_bytes(&s) == row[i].bytes);
		KvFormat found;
		CHECK(kv_format_find(str_from(kv_format_name(row[i].f)), &found) && found == row[i].f);
	}
	for (uint32_t head_len = 16; head_len <= KV_HEAD_MAX; head_len += 16)
		for (int f = 0; f < KV_FORMAT_COUNT; f++) {
			KvLayout l = kv_layout((KvFormat)f, head_len);
			CHECK(l.k_scale % KV_ALIGN == 0 && l.v % KV_ALIGN == 0 && l.v_scale % KV_ALIGN == 0 && l.n_bytes % KV_ALIGN == 0);
		}
}

CHECK_MAIN(result_is_attention_within_what_a_format_costs, edges_of_blocks_and_partitions, a_window_ends_what_a_token_reads,
           alone_in_a_group_and_on_every_set_the_bits_are_one, nothing_but_zeros_is_no_error, sizes_are_those_of_the_table)
