/* The KV pool: prefixes found and not found, eviction, groups. */
#include "tests/unit/kv_world.h"

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
	bad[3].n_block = 0, bad[4].n_sequence = 0, bad[5].n_block = 1u << 30, bad[5].shape = (KvShape){ 4096, 4096, 512, KV_INT8, 0, 0 };
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

CHECK_MAIN(a_prefix_is_found_by_whole_blocks_and_one_token_is_always_computed, what_two_compute_at_once_is_kept_once,
           rewinding_goes_to_a_blocks_edge_or_stays_in_the_open_one, a_tail_continues_over_commits,
           a_full_pool_refuses_and_changes_nothing, leaves_go_first_and_the_longest_unused_before_others,
           lfu_keeps_what_was_used_often_until_time_has_passed, lru_loses_what_is_unlike_the_last_request_sooner,
           what_is_older_than_its_groups_ttl_is_not_found, groups_have_their_slots_stamps_and_blocks,
           a_group_that_fills_the_pool_loses_its_own, seed4_is_never_shared, a_shape_that_is_none_is_refused,
           hashes_tell_every_field_apart)
