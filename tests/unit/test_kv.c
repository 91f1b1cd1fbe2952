/* The KV pool: prefixes found and not found, eviction, groups, saved caches; and a million random operations after
 * each of which every block that a sequence holds has what its own group's tokens put there. */
#include <stdlib.h>

#include "runtime/kv/kv.h"
#include "tests/unit/check.h"

enum { N_TOKEN_MAX = 2048 };

typedef struct World {
	Arena arena;
	KvPool *pool;
	uint64_t rng;
} World;

static KvConfig config_of(KvFormat format, uint32_t n_block, uint32_t n_sequence)
{
	return (KvConfig){ .shape = { 1, 1, 16, format }, .n_block = n_block, .n_sequence = n_sequence, .n_first = n_block / 2,
		.root = { STR("model"), STR("tokenizer"), STR("rotary"), STR("build"), { NULL, 0 } } };
}

static World *world_of(const KvConfig *config)
{
	World *w = calloc(1, sizeof *w);
	Str why;
	w->rng = 1;
	w->pool = kv_pool_new(&w->arena, config, &why);
	return w;
}

static World *world(KvFormat format, uint32_t n_block, uint32_t n_sequence)
{
	KvConfig c = config_of(format, n_block, n_sequence);
	return world_of(&c);
}

static void end(World *w)
{
	kv_pool_free(w->pool);
	arena_free(&w->arena);
	free(w);
}

static bool is_whole(World *w)
{
	Str why;
	KvCounts n = kv_pool_counts(w->pool);
	bool ok = kv_pool_verify(w->pool, &w->arena, &why) && n.free + n.cached + n.live == n.total;
	if (!ok)
		printf("%.*s\n", STR_ARG(why));
	return ok;
}

/* ids[i] of one of many texts: equal texts begin equally, `from` says from where on `kind` makes a difference. */
static void text(uint32_t *ids, uint32_t n, uint32_t from, uint32_t kind)
{
	for (uint32_t i = 0; i < n; i++)
		ids[i] = i < from ? i : 1000 + 7919 * kind + i;
}

/* Computes what is not found, and returns what was. */
static uint32_t run(KvSequence *s, const uint32_t *ids, uint32_t n)
{
	uint32_t hit = kv_sequence_match(s, ids, n);
	if (!kv_sequence_reserve(s, n - hit))
		return 0xffffffff;
	for (uint32_t b = hit / KV_BLOCK; b < n / KV_BLOCK; b++)
		memcpy(kv_block_at(s->pool, s->block[b], 0, 0).k, &ids[b * KV_BLOCK + KV_BLOCK - 1], sizeof *ids);
	kv_sequence_commit(s, ids + hit, n - hit);
	return hit;
}

static uint32_t run_alone(KvPool *p, uint32_t group, const uint32_t *ids, uint32_t n)
{
	KvSequence *s = kv_sequence_new(p, group);
	uint32_t hit = run(s, ids, n);
	kv_sequence_free(s);
	return hit;
}

TEST(a_prefix_is_found_by_whole_blocks_and_one_token_is_always_computed)
{
	static const KvFormat format[] = { KV_F16, KV_INT8, KV_K8V4, KV_INT4 };
	for (int i = 0; i < 4; i++) {
		World *w = world(format[i], 16, 4);
		uint32_t ids[200], other[200];
		text(ids, 200, 200, 0);
		CHECK_INT(run_alone(w->pool, 0, ids, 100), 0);
		CHECK_INT(kv_pool_counts(w->pool).cached, 3);
		CHECK_INT(run_alone(w->pool, 0, ids, 100), 96);
		CHECK_INT(run_alone(w->pool, 0, ids, 97), 96);
		CHECK_INT(run_alone(w->pool, 0, ids, 96), 64);
		CHECK_INT(run_alone(w->pool, 0, ids, 32), 0);
		text(other, 200, 70, 1);
		CHECK_INT(run_alone(w->pool, 0, other, 200), 64);
		CHECK_INT(run_alone(w->pool, 0, other, 200), 192);
		text(other, 200, 0, 2);
		CHECK_INT(run_alone(w->pool, 0, other, 40), 0);
		CHECK_INT(kv_pool_counts(w->pool).n_hit_tok, 96 + 96 + 64 + 64 + 192);
		CHECK(is_whole(w));
		end(w);
	}
}

TEST(what_two_compute_at_once_is_kept_once)
{
	World *w = world(KV_K8V4, 16, 4);
	uint32_t ids[70];
	text(ids, 70, 70, 0);
	KvSequence *a = kv_sequence_new(w->pool, 0), *b = kv_sequence_new(w->pool, 0);
	CHECK_INT(run(a, ids, 70), 0);
	CHECK_INT(kv_sequence_match(b, ids, 1), 0);
	CHECK(kv_sequence_reserve(b, 70));
	CHECK(b->block[0] != a->block[0]);
	kv_sequence_commit(b, ids, 40);
	CHECK(b->block[0] == a->block[0] && b->block[1] != a->block[1]);
	kv_sequence_commit(b, ids + 40, 30);
	CHECK(b->block[1] == a->block[1]);
	CHECK_INT(kv_pool_counts(w->pool).live, 2);
	kv_sequence_free(a);
	CHECK_INT(kv_pool_counts(w->pool).live, 2);
	kv_sequence_free(b);
	CHECK_INT(kv_pool_counts(w->pool).cached, 2);
	CHECK(is_whole(w));
	end(w);
}

TEST(rewinding_goes_to_a_blocks_edge_or_stays_in_the_open_one)
{
	World *w = world(KV_INT8, 16, 2);
	uint32_t ids[200], other[200];
	text(ids, 200, 200, 0);
	KvSequence *s = kv_sequence_new(w->pool, 0);
	run(s, ids, 110);
	CHECK_INT(kv_sequence_rewind(s, 200), 110);
	CHECK_INT(kv_sequence_rewind(s, 100), 100);
	CHECK_INT(kv_sequence_rewind(s, 50), 32);
	CHECK_INT(s->n_block, 1);
	text(other, 200, 32, 1);
	CHECK(kv_sequence_reserve(s, 100));
	kv_sequence_commit(s, other + 32, 100);
	kv_sequence_free(s);
	CHECK_INT(run_alone(w->pool, 0, ids, 110), 96);
	CHECK_INT(run_alone(w->pool, 0, other, 140), 128);
	CHECK(is_whole(w));
	end(w);
}

TEST(a_tail_continues_over_commits)
{
	World *w = world(KV_INT8, 16, 2);
	uint32_t ids[200];
	text(ids, 200, 200, 0);
	KvSequence *s = kv_sequence_new(w->pool, 0);
	for (uint32_t i = 0; i < 100; i++) {
		CHECK(kv_sequence_reserve(s, 1));
		kv_sequence_commit(s, ids + i, 1);
	}
	CHECK_INT(s->n_block, 3);
	kv_sequence_free(s);
	CHECK_INT(run_alone(w->pool, 0, ids, 200), 96);
	end(w);
}

TEST(a_full_pool_refuses_and_changes_nothing)
{
	World *w = world(KV_K8V4, 8, 3);
	uint32_t ids[400];
	text(ids, 400, 400, 0);
	KvSequence *a = kv_sequence_new(w->pool, 0), *b = kv_sequence_new(w->pool, 0);
	run(a, ids, 200);
	text(ids, 400, 0, 3);
	run_alone(w->pool, 0, ids, 70);
	KvCounts before = kv_pool_counts(w->pool);
	CHECK(!kv_sequence_reserve(b, 5 * KV_BLOCK));
	CHECK(!kv_sequence_reserve(b, UINT32_MAX));
	KvCounts after = kv_pool_counts(w->pool);
	CHECK(!memcmp(&before, &after, sizeof before) && b->n_block == 0);
	CHECK(kv_sequence_reserve(b, 4 * KV_BLOCK));
	CHECK_INT(kv_pool_counts(w->pool).n_evicted, 1);
	CHECK(is_whole(w));
	end(w);
}

TEST(leaves_go_first_and_the_longest_unused_before_others)
{
	World *w = world(KV_INT8, 6, 2);
	uint32_t a[100], b[100], c[100];
	text(a, 100, 0, 1), text(b, 100, 0, 2), text(c, 100, 0, 3);
	run_alone(w->pool, 0, a, 97);
	run_alone(w->pool, 0, b, 97);
	run_alone(w->pool, 0, a, 97);
	run_alone(w->pool, 0, c, 64);  /* two blocks: the end of b */
	CHECK_INT(run_alone(w->pool, 0, a, 97), 96);
	KvSequence *s = kv_sequence_new(w->pool, 0);
	CHECK_INT(kv_sequence_match(s, b, 97), 32);
	kv_sequence_free(s);
	CHECK(is_whole(w));
	end(w);
}

static uint32_t open_group(World *w, const char *name, uint32_t lo, uint32_t hi, uint64_t ttl_s, KvEvict evict)
{
	KvGroup g = { str_from(name), lo, hi, ttl_s, evict };
	uint32_t group = 99;
	Str why;
	return kv_group_open(w->pool, &g, &group, &why) ? group : 99;
}

TEST(lfu_keeps_what_was_used_often_until_time_has_passed)
{
	for (int late = 0; late < 2; late++) {
		World *w = world(KV_INT8, 4, 2);
		uint32_t a[40], b[40], c[100], g = open_group(w, "product_catalog", 0, 1, 86400, KV_EVICT_LFU);
		text(a, 40, 0, 1), text(b, 40, 0, 2), text(c, 100, 0, 3);
		for (int i = 0; i < 6; i++)
			run_alone(w->pool, g, a, 40);
		kv_pool_set_clock(w->pool, late ? 80000 : 1);
		run_alone(w->pool, g, b, 40);
		run_alone(w->pool, g, b, 40);
		run_alone(w->pool, g, c, 100);  /* three blocks: one of a and b must go */
		CHECK_INT(run_alone(w->pool, g, a, 40), late ? 0 : 32);
		end(w);
	}
}

TEST(lru_loses_what_is_unlike_the_last_request_sooner)
{
	World *w = world(KV_INT8, 4, 2);
	uint32_t a[40], b[40], like_a[100], g = open_group(w, "user_profile", 0, 1, 3600, KV_EVICT_LRU);
	text(a, 40, 0, 1), text(b, 40, 0, 2);
	run_alone(w->pool, g, a, 40);
	run_alone(w->pool, g, b, 40);
	for (uint32_t i = 0; i < 20; i++)
		run_alone(w->pool, 0, a, 1);  /* time passes */
	for (uint32_t i = 0; i < 100; i++)
		like_a[i] = a[i * 7 % 32];  /* the same tokens, another text */
	run_alone(w->pool, g, like_a, 100);
	CHECK_INT(run_alone(w->pool, g, a, 40), 32);
	end(w);
}

TEST(what_is_older_than_its_groups_ttl_is_not_found)
{
	World *w = world(KV_K8V4, 16, 4);
	uint32_t ids[100], g = open_group(w, "user_profile", 0, 3, 3600, KV_EVICT_LRU), forever = open_group(w, "all", 0, 3, 0, KV_EVICT_LRU);
	text(ids, 100, 100, 0);
	kv_pool_set_clock(w->pool, 1000);
	run_alone(w->pool, g, ids, 100);
	run_alone(w->pool, forever, ids, 100);
	kv_pool_set_clock(w->pool, 4599);
	CHECK_INT(run_alone(w->pool, g, ids, 100), 96);
	KvSequence *s = kv_sequence_new(w->pool, g);
	CHECK_INT(kv_sequence_match(s, ids, 100), 96);
	kv_pool_set_clock(w->pool, 4600);
	CHECK_INT(kv_pool_counts(w->pool).live, 3);  /* in use */
	CHECK_INT(run_alone(w->pool, g, ids, 40), 0);  /* computed anew: young again */
	kv_sequence_free(s);
	CHECK_INT(run_alone(w->pool, g, ids, 100), 32);
	CHECK_INT(run_alone(w->pool, forever, ids, 100), 96);
	kv_pool_set_clock(w->pool, 100000);
	CHECK_INT(kv_pool_counts(w->pool).cached, 3);
	CHECK(is_whole(w));
	end(w);
}

TEST(groups_have_their_slots_stamps_and_blocks)
{
	World *w = world(KV_K8V4, 32, 8);
	uint32_t ids[100], user = open_group(w, "user_profile", 0, 3, 3600, KV_EVICT_LRU),
		catalog = open_group(w, "product_catalog", 4, 7, 86400, KV_EVICT_LFU);
	text(ids, 100, 100, 0);
	CHECK_INT(open_group(w, "user_profile", 0, 3, 3600, KV_EVICT_LRU), user);
	CHECK_INT(open_group(w, "user_profile", 0, 4, 3600, KV_EVICT_LRU), 99);
	CHECK_INT(open_group(w, "far", 7, 8, 0, KV_EVICT_LRU), 99);
	CHECK_INT(open_group(w, "none", 3, 2, 0, KV_EVICT_LRU), 99);
	run_alone(w->pool, user, ids, 100);
	CHECK_INT(kv_group_stamp(w->pool, user), 3);
	CHECK_INT(kv_group_stamp(w->pool, catalog), 0);
	CHECK_INT(run_alone(w->pool, catalog, ids, 100), 0);
	CHECK_INT(run_alone(w->pool, 0, ids, 100), 0);
	CHECK_INT(run_alone(w->pool, user, ids, 100), 96);
	CHECK_INT(kv_group_stamp(w->pool, user), 3);
	KvSequence *s[4];
	for (uint32_t i = 0; i < 4; i++) {
		s[i] = kv_sequence_new(w->pool, catalog);
		CHECK(s[i] && s[i]->id == 4 + i);
	}
	CHECK(!kv_sequence_new(w->pool, catalog) && !kv_sequence_new(w->pool, 77));
	kv_sequence_free(s[2]);
	CHECK(kv_sequence_new(w->pool, catalog) == s[2]);
	CHECK(is_whole(w));
	end(w);
}

TEST(a_group_that_fills_the_pool_loses_its_own)
{
	World *w = world(KV_INT8, 16, 8);
	uint32_t ids[300], user = open_group(w, "user", 0, 3, 0, KV_EVICT_LRU), flood = open_group(w, "flood", 4, 7, 0, KV_EVICT_LRU);
	text(ids, 300, 300, 0);
	run_alone(w->pool, user, ids, 100);
	for (uint32_t i = 1; i < 20; i++) {
		uint32_t other[100];
		text(other, 100, 0, i);
		run_alone(w->pool, flood, other, 100);
	}
	CHECK_INT(run_alone(w->pool, user, ids, 100), 96);
	CHECK(is_whole(w));
	end(w);
}

TEST(seed4_is_never_shared)
{
	World *w = world(KV_SEED4, 16, 2);
	Buf out = { 0 };
	uint32_t ids[100];
	text(ids, 100, 100, 0);
	CHECK_INT(run_alone(w->pool, 0, ids, 100), 0);
	CHECK_INT(run_alone(w->pool, 0, ids, 100), 0);
	CHECK_INT(kv_pool_counts(w->pool).free, kv_pool_counts(w->pool).total);
	KvSequence *s = kv_sequence_new(w->pool, 0);
	run(s, ids, 100);
	CHECK(!kv_sequence_save(s, &out) && !out.n);
	CHECK_INT(kv_sequence_rewind(s, 40), 32);
	kv_sequence_free(s);
	CHECK(is_whole(w));
	end(w);
}

TEST(a_shape_that_is_none_is_refused)
{
	KvConfig bad[6];
	for (int i = 0; i < 6; i++)
		bad[i] = config_of(KV_INT8, 8, 2);
	bad[0].shape.head_len = 24, bad[1].shape.head_len = 1024, bad[2].shape.n_layer = 0;
	bad[3].n_block = 0, bad[4].n_sequence = 0, bad[5].n_block = 1u << 30, bad[5].shape = (KvShape){ 4096, 4096, 512, KV_INT8 };
	for (int i = 0; i < 6; i++) {
		Arena a = { 0 };
		Str why = { 0 };
		CHECK(!kv_pool_new(&a, &bad[i], &why) && why.n);
		arena_free(&a);
	}
}

TEST(hashes_tell_every_field_apart)
{
	KvConfig c = config_of(KV_INT8, 8, 2);
	KvRoot r[6];
	for (int i = 0; i < 6; i++)
		r[i] = c.root;
	r[0].model = STR("modelt"), r[0].tokenizer = STR("okenizer");
	r[1].rotary = STR(""), r[2].build = STR("2"), r[3].adapters = STR("lora");
	KvHash h[8];
	KvShape f16 = c.shape;
	f16.format = KV_F16;
	for (int i = 0; i < 5; i++)
		h[i] = kv_hash_root(&r[i], &c.shape, STR(""));
	h[5] = kv_hash_root(&c.root, &f16, STR(""));
	h[6] = kv_hash_root(&c.root, &c.shape, STR("g"));
	h[7] = kv_hash_root(&c.root, &c.shape, (Str){ "\0", 1 });
	for (int i = 0; i < 8; i++)
		for (int k = 0; k < i; k++)
			CHECK(memcmp(&h[i], &h[k], sizeof h[i]));
}

/* ---- saved caches ---- */

static Str saved(World *w, uint32_t group, uint32_t n, Buf *out)
{
	uint32_t ids[N_TOKEN_MAX];
	text(ids, n, n, 0);
	KvSequence *s = kv_sequence_new(w->pool, group);
	run(s, ids, n);
	kv_sequence_save(s, out);
	kv_sequence_free(s);
	return buf_str(out);
}

static char *at_offset(Str bytes, size_t off, char **whole)
{
	*whole = aligned_alloc(64, (bytes.n + off + 63) / 64 * 64);
	return memcpy(*whole + off, bytes.p, bytes.n);
}

TEST(a_saved_cache_is_read_where_it_lies)
{
	for (size_t off = 0; off < 2; off++) {
		World *w = world(KV_K8V4, 16, 4), *other = world(KV_K8V4, 16, 4);
		Buf out = { 0 };
		Str bytes = saved(w, 0, 100, &out), why = { 0 };
		char *whole, *p = at_offset(bytes, off, &whole);
		uint32_t n = 0, ids[200];
		CHECK_INT(kv_pool_load(other->pool, 0, (Str){ p, bytes.n }, false, &n, &why), KV_LOADED);
		CHECK_INT(n, 96);
		CHECK_INT(kv_pool_counts(other->pool).cached, 3);
		text(ids, 200, 200, 0);
		KvSequence *s = kv_sequence_new(other->pool, 0);
		CHECK_INT(kv_sequence_match(s, ids, 120), 96);
		for (uint32_t b = 0; b < 3; b++) {
			const char *at = (const char *)kv_block_at(other->pool, s->block[b], 0, 0).k;
			CHECK((at >= whole && at < whole + off + bytes.n) == !off && (uintptr_t)at % 64 == 0);
			CHECK(!memcmp(at, &ids[b * KV_BLOCK + 31], sizeof *ids));
		}
		CHECK(kv_sequence_reserve(s, 60));
		kv_sequence_commit(s, ids + 96, 60);
		Buf again = { 0 };
		CHECK(kv_sequence_save(s, &again) && again.n > bytes.n);
		kv_sequence_free(s);
		CHECK_INT(kv_pool_load(other->pool, 0, (Str){ p, bytes.n }, false, &n, &why), KV_LOADED);
		CHECK(is_whole(other));
		CHECK_INT(kv_pool_load(w->pool, 0, bytes, false, &n, &why), KV_LOADED);
		CHECK(is_whole(w));
		end(w), end(other);
		free(whole), buf_free(&out), buf_free(&again);
	}
}

TEST(what_another_saved_is_stale)
{
	World *w = world(KV_K8V4, 16, 4);
	open_group(w, "g", 0, 3, 0, KV_EVICT_LRU);
	Buf out = { 0 };
	Str bytes = saved(w, 1, 100, &out), why = { 0 };
	KvConfig c[8];
	static const char *const says[8] = { "saved by another model", "saved with another tokenizer", "saved with other rotary positions",
		"saved by an engine of another build", "saved with other adapters", "saved in another KV format",
		"saved by a model of another shape", "saved by another cache group" };
	for (int i = 0; i < 8; i++) {
		c[i] = config_of(KV_K8V4, 16, 4);
		Str *field[] = { &c[i].root.model, &c[i].root.tokenizer, &c[i].root.rotary, &c[i].root.build, &c[i].root.adapters };
		if (i < 5)
			*field[i] = STR("another");
		c[i].shape.format = i == 5 ? KV_INT4 : KV_K8V4;
		c[i].shape.n_layer = i == 6 ? 2 : 1;
		World *other = world_of(&c[i]);
		uint32_t n = 1, group = open_group(other, i == 7 ? "h" : "g", 0, 3, 0, KV_EVICT_LRU);
		CHECK_INT(kv_pool_load(other->pool, group, bytes, false, &n, &why), KV_STALE);
		CHECK_STR(why, says[i]);
		CHECK(!n && !kv_pool_counts(other->pool).cached);
		end(other);
	}
	end(w);
	buf_free(&out);
}

TEST(a_saved_cache_for_a_small_pool_is_taken_as_far_as_it_goes)
{
	World *w = world(KV_INT8, 16, 4), *small = world(KV_INT8, 4, 2);
	Buf out = { 0 };
	Str bytes = saved(w, 0, 400, &out), why = { 0 };
	uint32_t n, ids[400];
	CHECK_INT(kv_pool_load(small->pool, 0, bytes, false, &n, &why), KV_FULL);
	CHECK_INT(n, 128);
	text(ids, 400, 400, 0);
	KvSequence *s = kv_sequence_new(small->pool, 0);
	CHECK_INT(kv_sequence_match(s, ids, 400), 128);
	CHECK(is_whole(small));
	end(w), end(small);
	buf_free(&out);
}

TEST(cut_or_changed_bytes_are_never_loaded)
{
	World *w = world(KV_K8V4, 16, 4), *other = world(KV_K8V4, 16, 4);
	Buf out = { 0 };
	Str bytes = saved(w, 0, 70, &out), why;
	uint32_t n, n_bad = 0;
	for (size_t cut = 0; cut < bytes.n; cut++) {
		char *exact = malloc(cut ? cut : 1);
		memcpy(exact, bytes.p, cut);
		n_bad += kv_pool_load(other->pool, 0, (Str){ exact, cut }, false, &n, &why) == KV_DAMAGED && why.n;
		free(exact);
	}
	CHECK_INT(n_bad, bytes.n);
	n_bad = 0;
	char *exact = malloc(bytes.n);
	for (size_t i = 0; i < bytes.n; i++) {
		memcpy(exact, bytes.p, bytes.n);
		exact[i] ^= (char)(1 << i % 8);
		n_bad += kv_pool_load(other->pool, 0, (Str){ exact, bytes.n }, false, &n, &why) >= KV_STALE && why.n && !n;
	}
	CHECK_INT(n_bad, bytes.n);
	CHECK_INT(kv_pool_counts(other->pool).cached, 0);
	CHECK(is_whole(other));
	free(exact), buf_free(&out);
	end(w), end(other);
}

/* ---- a million operations ---- */

enum { N_SEQUENCE = 9, N_FAMILY = 5 };

typedef struct Actor {
	KvSequence *s;
	uint32_t family, n;         /* its text; tokens so far */
	uint32_t ids[N_TOKEN_MAX];
} Actor;

static uint32_t dice(World *w, uint32_t n)
{
	w->rng = w->rng * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((w->rng >> 33) % n);
}

/* What a block of a group must hold: a digest of the group and of all tokens up to its end. */
static uint64_t digest(uint32_t group, const uint32_t *ids, uint32_t n)
{
	uint64_t h = group + 1;
	for (uint32_t i = 0; i < n; i++)
		h = (h ^ ids[i]) * 0x9e3779b97f4a7c15u + (h >> 29);
	return h;
}

static bool holds_its_own(const Actor *a)
{
	for (uint32_t b = 0; b < a->s->n_token / KV_BLOCK; b++) {
		uint64_t want = digest(a->s->group, a->ids, (b + 1) * KV_BLOCK);
		if (memcmp(kv_block_at(a->s->pool, a->s->block[b], 0, 0).k, &want, sizeof want))
			return false;
	}
	uint64_t tail = digest(a->s->group, a->ids, a->s->n_token);
	return !(a->s->n_token % KV_BLOCK) || !memcmp(kv_tail_at(a->s, 0, 0), &tail, sizeof tail);
}

/* A few families of texts that branch now and then, so that prefixes meet. */
static void actor_extend(World *w, Actor *a, uint32_t n)
{
	if (a->n + n > 256)
		n = 256 - a->n;
	if (!n || !kv_sequence_reserve(a->s, n))
		return;
	for (uint32_t i = 0; i < n; i++)
		a->ids[a->n + i] = a->family * 1000 + a->n + i + (dice(w, 80) ? 0 : 500);
	for (uint32_t b = a->n / KV_BLOCK; b < (a->n + n) / KV_BLOCK; b++) {
		uint64_t h = digest(a->s->group, a->ids, (b + 1) * KV_BLOCK);
		memcpy(kv_block_at(w->pool, a->s->block[b], 0, 0).k, &h, sizeof h);
	}
	kv_sequence_commit(a->s, a->ids + a->n, n);
	a->n += n;
	uint64_t h = digest(a->s->group, a->ids, a->n);
	memcpy(kv_tail_at(a->s, 0, 0), &h, sizeof h);
}

static void actor_begin(World *w, Actor *a)
{
	uint32_t n = 1 + dice(w, 200);
	a->s = kv_sequence_new(w->pool, dice(w, 4));
	if (!a->s)
		return;
	a->family = dice(w, N_FAMILY);
	for (uint32_t i = 0; i < n; i++)
		a->ids[i] = a->family * 1000 + i;
	a->n = kv_sequence_match(a->s, a->ids, n);
}

static bool actor_step(World *w, Actor *a)
{
	if (!a->s) {
		actor_begin(w, a);
		return !a->s || (a->n % KV_BLOCK == 0 && holds_its_own(a));
	}
	switch (dice(w, 16)) {
	case 0:
	case 1: kv_sequence_free(a->s), a->s = NULL; return true;
	case 2: {
		uint32_t n = kv_sequence_rewind(a->s, dice(w, a->n + 10));
		if (n != a->n && n % KV_BLOCK) {  /* stays in the open block: what the tail says there changes */
			uint64_t h = digest(a->s->group, a->ids, n);
			memcpy(kv_tail_at(a->s, 0, 0), &h, sizeof h);
		}
		a->n = n;
		break;
	}
	case 3: kv_sequence_reserve(a->s, dice(w, 300)); break;
	default: actor_extend(w, a, 1 + dice(w, dice(w, 4) ? 8 : 70)); break;
	}
	return holds_its_own(a);
}

static bool many_steps(World *w, uint32_t n_step, uint64_t *n_hit)
{
	static const uint64_t ttl[3] = { 0, 900, 5000 };
	static const char *const name[3] = { "a", "b", "c" };
	Actor *actor = calloc(N_SEQUENCE, sizeof *actor);
	uint64_t clock = 0;
	bool ok = true;
	for (uint32_t g = 0; g < 3; g++)
		open_group(w, name[g], 3 * g, 3 * g + 2, ttl[g], g == 2 ? KV_EVICT_LFU : KV_EVICT_LRU);
	for (uint32_t i = 0; ok && i < n_step; i++) {
		if (!dice(w, 50))
			kv_pool_set_clock(w->pool, clock += dice(w, 200));
		ok = actor_step(w, &actor[dice(w, N_SEQUENCE)]);
		KvCounts n = kv_pool_counts(w->pool);
		ok = ok && n.free + n.cached + n.live == n.total && (i % 4096 || is_whole(w));
	}
	*n_hit = kv_pool_counts(w->pool).n_hit_tok;
	free(actor);
	return ok && is_whole(w);
}

TEST(no_sequence_of_operations_shows_a_group_anothers_block)
{
	static const KvFormat format[] = { KV_K8V4, KV_INT8 };
	for (int i = 0; i < 2; i++) {
		World *w = world(format[i], 40, N_SEQUENCE);
		uint64_t n_hit = 0;
		CHECK(many_steps(w, 500000, &n_hit));
		CHECK(n_hit > 100000 && kv_pool_counts(w->pool).n_evicted > 1000);
		end(w);
	}
}

CHECK_MAIN(a_prefix_is_found_by_whole_blocks_and_one_token_is_always_computed, what_two_compute_at_once_is_kept_once,
           rewinding_goes_to_a_blocks_edge_or_stays_in_the_open_one, a_tail_continues_over_commits,
           a_full_pool_refuses_and_changes_nothing, leaves_go_first_and_the_longest_unused_before_others,
           lfu_keeps_what_was_used_often_until_time_has_passed, lru_loses_what_is_unlike_the_last_request_sooner,
           what_is_older_than_its_groups_ttl_is_not_found, groups_have_their_slots_stamps_and_blocks,
           a_group_that_fills_the_pool_loses_its_own, seed4_is_never_shared, a_shape_that_is_none_is_refused,
           hashes_tell_every_field_apart, a_saved_cache_is_read_where_it_lies, what_another_saved_is_stale,
           a_saved_cache_for_a_small_pool_is_taken_as_far_as_it_goes, cut_or_changed_bytes_are_never_loaded,
           no_sequence_of_operations_shows_a_group_anothers_block)
