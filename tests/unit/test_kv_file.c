/* Saved caches, byte for byte: every head of every block comes back, from a file that is read where it lies and from one
 * that is copied, and the keys of a partition lie side by side in both. */
#include <stdlib.h>

#include "runtime/kv/kv.h"
#include "tests/unit/check.h"

enum { N_BLOCK = 19, N_TOKEN = N_BLOCK * KV_BLOCK + 5 };

static KvPool *pool_new(Arena *a, KvFormat format)
{
	KvConfig c = { .shape = { 3, 2, 32, format }, .n_block = 24, .n_sequence = 2, .n_first = 2,
	               .root = { STR("model"), STR("tokenizer"), STR("rotary"), STR("build"), { NULL, 0 } } };
	Str why;
	return kv_pool_new(a, &c, &why);
}

static KvLayout layout_of(const KvPool *p, uint32_t b)
{
	const KvShape *s = kv_pool_shape(p);
	return kv_layout(kv_block_format(s->format, b), s->head_len);
}

/* Bytes that no other place has, nearly. */
static void fill(uint8_t *at, size_t n, uint32_t place)
{
	for (size_t i = 0; i < n; i++)
		at[i] = (uint8_t)((place * 2654435761u + i * 40503u) >> 11);
}

static void fill_all(const KvSequence *s)
{
	const KvShape *shape = kv_pool_shape(s->pool);
	for (uint32_t b = 0, place = 0; b < N_BLOCK; b++)
		for (uint32_t i = 0; i < shape->n_layer * shape->n_head; i++, place += 2) {
			KvLayout l = layout_of(s->pool, b);
			KvSpot at = kv_block_at(s->pool, s->block[b], i / shape->n_head, i % shape->n_head);
			fill(at.k, l.v, place);
			fill(at.v, l.n_bytes - l.v, place + 1);
		}
}

static uint32_t count_equal(const KvSequence *x, const KvSequence *y)
{
	const KvShape *shape = kv_pool_shape(x->pool);
	uint32_t n = 0;
	for (uint32_t b = 0; b < N_BLOCK; b++)
		for (uint32_t i = 0; i < shape->n_layer * shape->n_head; i++) {
			KvLayout l = layout_of(x->pool, b);
			KvSpot p = kv_block_at(x->pool, x->block[b], i / shape->n_head, i % shape->n_head);
			KvSpot q = kv_block_at(y->pool, y->block[b], i / shape->n_head, i % shape->n_head);
			n += !memcmp(p.k, q.k, l.v) && !memcmp(p.v, q.v, l.n_bytes - l.v);
		}
	return n;
}

/* Blocks whose keys follow those of the block before. */
static uint32_t count_side_by_side(const KvSequence *s)
{
	uint32_t n = 0;
	for (uint32_t b = 1; b < N_BLOCK; b++) {
		KvLayout l = layout_of(s->pool, b);
		KvSpot p = kv_block_at(s->pool, s->block[b - 1], 2, 1), q = kv_block_at(s->pool, s->block[b], 2, 1);
		n += q.k == p.k + l.v && q.v == p.v + (l.n_bytes - l.v);
	}
	return n;
}

TEST(every_byte_comes_back)
{
	static const KvFormat format[] = { KV_F16, KV_INT8, KV_K8V4, KV_INT4 };
	uint32_t ids[N_TOKEN], n;
	for (uint32_t i = 0; i < N_TOKEN; i++)
		ids[i] = i * 7;
	for (int f = 0; f < 4; f++)
		for (size_t off = 0; off < 2; off++) {
			Arena a = { 0 };
			Buf out = { 0 };
			Str why;
			KvPool *from = pool_new(&a, format[f]), *to = pool_new(&a, format[f]);
			KvSequence *s = kv_sequence_new(from, 0), *t = kv_sequence_new(to, 0);
			CHECK(kv_sequence_reserve(s, N_TOKEN));
			fill_all(s);
			kv_sequence_commit(s, ids, N_TOKEN);
			CHECK(kv_sequence_save(s, &out));
			char *file = aligned_alloc(64, (out.n + off + 63) / 64 * 64);
			memcpy(file + off, out.p, out.n);
			CHECK_INT(kv_pool_load(to, 0, (Str){ file + off, out.n }, false, &n, &why), KV_LOADED);
			CHECK_INT(n, N_BLOCK * KV_BLOCK);
			CHECK_INT(kv_sequence_match(t, ids, N_TOKEN), N_BLOCK * KV_BLOCK);
			CHECK_INT(count_equal(s, t), N_BLOCK * 6);
			CHECK(count_side_by_side(t) >= N_BLOCK - 1 - 3);  /* not from one partition to the next */
			kv_sequence_free(s);
			kv_sequence_free(t);
			kv_pool_free(from);
			kv_pool_free(to);
			buf_free(&out);
			free(file);
			arena_free(&a);
		}
}

CHECK_MAIN(every_byte_comes_back)
