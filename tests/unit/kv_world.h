/* A small KV pool for tests, texts that share beginnings, and sequences that compute what they do not find: what a block
 * holds is a mark of all tokens up to its end, in every kind of layer. */
#ifndef SEED_TESTS_KV_WORLD_H
#define SEED_TESTS_KV_WORLD_H

#include <stdlib.h>

#include "runtime/kv/kv.h"
#include "tests/unit/check.h"

enum { N_TOKEN_MAX = 2048 };

typedef struct World {
	Arena arena;
	KvPool *pool;
	uint64_t rng;
} World;

static inline KvConfig config_of(KvFormat format, uint32_t n_block, uint32_t n_sequence)
{
	return (KvConfig){ .shape = { 1, 1, 16, format, 0, 0 }, .n_block = n_block, .n_sequence = n_sequence, .n_first = n_block / 2,
		.root = { STR("model"), STR("tokenizer"), STR("rotary"), STR("build"), { NULL, 0 } } };
}

static inline World *world_of(const KvConfig *config)
{
	World *w = calloc(1, sizeof *w);
	Str why;
	w->rng = 1;
	w->pool = kv_pool_new(&w->arena, config, &why);
	return w;
}

/* Layer 2 of three is global, two are local. */
static inline World *world_of_windows(KvFormat format, uint32_t n_block, uint32_t n_sequence, uint32_t window, uint32_t n_local)
{
	KvConfig c = config_of(format, n_block, n_sequence);
	c.shape.n_layer = c.shape.global_every = 3;
	c.shape.window = window;
	c.n_local = n_local;
	return world_of(&c);
}

static inline World *world(KvFormat format, uint32_t n_block, uint32_t n_sequence)
{
	KvConfig c = config_of(format, n_block, n_sequence);
	return world_of(&c);
}

static inline void end(World *w)
{
	kv_pool_free(w->pool);
	arena_free(&w->arena);
	free(w);
}

static inline bool is_whole(World *w)
{
	Str why;
	KvCounts n = kv_pool_counts(w->pool);
	bool ok = kv_pool_verify(w->pool, &w->arena, &why) && n.free + n.cached + n.live == n.total;
	if (!ok)
		printf("%.*s\n", STR_ARG(why));
	return ok;
}

/* ids[i] of one of many texts: equal texts begin equally, `from` says from where on `kind` makes a difference. */
static inline void text(uint32_t *ids, uint32_t n, uint32_t from, uint32_t kind)
{
	for (uint32_t i = 0; i < n; i++)
		ids[i] = i < from ? i : 1000 + 7919 * kind + i;
}

/* What is computed of block b, in every layer. */
static inline void mark(const KvSequence *s, uint32_t b, uint64_t value)
{
	for (uint32_t layer = 0; layer < kv_pool_shape(s->pool)->n_layer; layer++, value++)
		memcpy(kv_block_at(s, b, layer, 0).k, &value, sizeof value);
}

/* In every layer that still has the block: local ones have those of the window. */
static inline bool is_marked(const KvSequence *s, uint32_t b, uint64_t value)
{
	const KvShape *shape = kv_pool_shape(s->pool);
	for (uint32_t layer = 0; layer < shape->n_layer; layer++, value++) {
		KvSpot at = kv_block_at(s, b, layer, 0);
		bool is_gone = kv_layer_is_local(shape, layer) && b < kv_window_first(shape, s->n_token / KV_BLOCK);
		if (is_gone ? at.k || at.v : !at.k || memcmp(at.k, &value, sizeof value))
			return false;
	}
	return true;
}

/* Of a sequence that `run` or its like computed. */
static inline bool all_marked(const KvSequence *s, const uint32_t *ids)
{
	for (uint32_t b = 0; b < s->n_token / KV_BLOCK; b++)
		if (!is_marked(s, b, ids[b * KV_BLOCK + KV_BLOCK - 1]))
			return false;
	return true;
}

/* Computes what is not found, and returns what was. */
static inline uint32_t run(KvSequence *s, const uint32_t *ids, uint32_t n)
{
	uint32_t hit = kv_sequence_match(s, ids, n);
	if (!kv_sequence_reserve(s, n - hit))
		return 0xffffffff;
	for (uint32_t b = hit / KV_BLOCK; b < n / KV_BLOCK; b++)
		mark(s, b, ids[b * KV_BLOCK + KV_BLOCK - 1]);
	kv_sequence_commit(s, ids + hit, n - hit);
	return hit;
}

static inline uint32_t run_alone(KvPool *p, uint32_t group, const uint32_t *ids, uint32_t n)
{
	KvSequence *s = kv_sequence_new(p, group);
	uint32_t hit = run(s, ids, n);
	kv_sequence_free(s);
	return hit;
}

static inline uint32_t open_group(World *w, const char *name, uint32_t lo, uint32_t hi, uint64_t ttl_s, KvEvict evict)
{
	KvGroup g = { str_from(name), lo, hi, ttl_s, evict };
	uint32_t group = 99;
	Str why;
	return kv_group_open(w->pool, &g, &group, &why) ? group : 99;
}

#endif
