/* Local layers of the KV pool: a sequence keeps the blocks of its window, and a prefix is found where a window is. */
#include "tests/unit/kv_world.h"

enum { WINDOW = 70, LOCAL_BLOCKS = 3 };  /* that a token may read before its own: positions 32 b - 69 .. 32 b - 1 */

static bool grow(KvSequence *s, const uint32_t *ids, uint32_t n)
{
	uint32_t from = s->n_token;
	if (!kv_sequence_reserve(s, n))
		return false;
	for (uint32_t b = from / KV_BLOCK; b < (from + n) / KV_BLOCK; b++)
		mark(s, b, ids[b * KV_BLOCK + KV_BLOCK - 1]);
	kv_sequence_commit(s, ids + from, n);
	return true;
}

TEST(layers_are_numbered_by_kind)
{
	KvShape s = { .n_layer = 13, .n_head = 1, .head_len = 16, .format = KV_F16, .window = 512, .global_every = 6 };
	uint32_t n[2] = { 0, 0 };
	for (uint32_t i = 0; i < 13; i++) {
		CHECK_INT(kv_layer_is_local(&s, i), i != 5 && i != 11);
		CHECK_INT(kv_layer_index(&s, i), n[kv_layer_is_local(&s, i)]++);
	}
	CHECK_INT(kv_n_layer(&s, false), 2);
	CHECK_INT(kv_n_layer(&s, true), 11);
	CHECK_INT(kv_window_blocks(&s), 17);  /* 512 / 32 + 1 */
	CHECK_INT(kv_window_first(&s, 15), 0);
	CHECK_INT(kv_window_first(&s, 16), 0);
	CHECK_INT(kv_window_first(&s, 17), 1);
	CHECK(kv_sequence_bytes(&s, 8192, 17) == 256 * 2 * 2048.0 + 17 * 11 * 2048.0);
	CHECK(kv_sequence_bytes(&s, 33, 17) == 2 * 13 * 2048.0);
	s.window = 0;
	CHECK_INT(kv_layer_index(&s, 12), 12);
	CHECK(!kv_window_blocks(&s) && !kv_n_layer(&s, true) && kv_n_layer(&s, false) == 13);
}

TEST(a_sequence_keeps_a_window_and_its_open_block)
{
	static const KvFormat format[] = { KV_F16, KV_K8V4, KV_SEED4 };
	for (int i = 0; i < 3; i++) {
		World *w = world_of_windows(format[i], 64, 1, WINDOW, LOCAL_BLOCKS + 2);
		uint32_t ids[1500];
		text(ids, 1500, 1500, 0);
		KvSequence *s = kv_sequence_new(w->pool, 0);
		bool ok = true;
		while (ok && s->n_token < 1500) {
			ok = grow(s, ids, s->n_token < 100 ? 7 : 1) && all_marked(s, ids);
			ok = ok && kv_pool_counts(w->pool).local_live <= LOCAL_BLOCKS + (s->n_block > s->n_token / KV_BLOCK);
		}
		CHECK(ok);
		CHECK_INT(kv_pool_counts(w->pool).local_live, LOCAL_BLOCKS);
		CHECK_INT(kv_pool_counts(w->pool).live, 1500 / KV_BLOCK + LOCAL_BLOCKS);
		CHECK(is_whole(w));
		kv_sequence_free(s);
		CHECK_INT(kv_pool_counts(w->pool).live, 0);
		CHECK(is_whole(w));
		end(w);
	}
}

TEST(a_chunk_that_local_blocks_have_no_room_for_is_refused)
{
	World *w = world_of_windows(KV_INT8, 64, 2, WINDOW, 8);
	uint32_t ids[700];
	text(ids, 700, 700, 0);
	KvSequence *s = kv_sequence_new(w->pool, 0);
	CHECK(grow(s, ids, 256) && all_marked(s, ids));
	KvCounts before = kv_pool_counts(w->pool);
	CHECK(!kv_sequence_reserve(s, 200));
	KvCounts after = kv_pool_counts(w->pool);
	CHECK(!memcmp(&before, &after, sizeof before) && s->n_block == 8);
	CHECK(grow(s, ids, 160) && all_marked(s, ids));
	CHECK(is_whole(w));
	end(w);
}

TEST(a_prefix_is_found_where_its_window_is_there)
{
	static const KvFormat format[] = { KV_F16, KV_INT8, KV_K8V4, KV_INT4 };
	for (int i = 0; i < 4; i++) {
		World *w = world_of_windows(format[i], 64, 2, WINDOW, 32);
		uint32_t ids[700], other[700];
		text(ids, 700, 700, 0);
		CHECK_INT(run_alone(w->pool, 0, ids, 600), 0);
		KvSequence *s = kv_sequence_new(w->pool, 0);
		CHECK_INT(run(s, ids, 700), 576);
		CHECK(all_marked(s, ids));
		CHECK_INT(kv_pool_counts(w->pool).local_live, LOCAL_BLOCKS);
		kv_sequence_free(s);
		text(other, 700, 300, 1);
		s = kv_sequence_new(w->pool, 0);
		CHECK_INT(run(s, other, 400), 288);  /* in the middle: what slid out is there still */
		CHECK(all_marked(s, other));
		kv_sequence_free(s);
		CHECK(is_whole(w));
		end(w);
	}
}

TEST(without_a_whole_window_a_prefix_ends_earlier)
{
	World *w = world_of_windows(KV_INT8, 64, 2, WINDOW, 8);
	uint32_t ids[700], other[700];
	text(ids, 700, 700, 0);
	KvSequence *s = kv_sequence_new(w->pool, 0);
	while (s->n_token < 640)
		CHECK(grow(s, ids, 32));
	kv_sequence_free(s);  /* of 20 blocks there are 0 and 1, a third of 8, and 14 to 19 */
	CHECK_INT(kv_pool_counts(w->pool).local_cached, 8);
	text(other, 700, 16 * 32, 1);
	s = kv_sequence_new(w->pool, 0);
	CHECK_INT(kv_sequence_match(s, other, 600), 2 * 32);  /* its window would be blocks 13 to 15 */
	CHECK(all_marked(s, other) && is_whole(w));
	kv_sequence_free(s);
	text(other, 700, 17 * 32, 2);
	s = kv_sequence_new(w->pool, 0);
	CHECK_INT(kv_sequence_match(s, other, 600), 17 * 32);
	CHECK(all_marked(s, other) && is_whole(w));
	kv_sequence_free(s);
	s = kv_sequence_new(w->pool, 0);
	CHECK_INT(kv_sequence_match(s, ids, 640), 19 * 32);
	kv_sequence_free(s);
	text(other, 700, 0, 3);
	run_alone(w->pool, 0, other, 256);  /* all local blocks go, the chain stays */
	s = kv_sequence_new(w->pool, 0);
	CHECK_INT(kv_sequence_match(s, ids, 640), 0);
	uint32_t n_before = kv_pool_counts(w->pool).total - kv_pool_counts(w->pool).free;
	CHECK(grow(s, ids, 64) && all_marked(s, ids));  /* computed again: the chain's blocks are used, their twins are new */
	CHECK_INT(kv_pool_counts(w->pool).total - kv_pool_counts(w->pool).free, n_before);
	CHECK(is_whole(w));
	end(w);
}

TEST(rewinding_goes_where_a_window_is_there)
{
	static const uint32_t n_local[] = { 32, 6 };
	for (int i = 0; i < 2; i++) {
		World *w = world_of_windows(KV_K8V4, 64, 1, WINDOW, n_local[i]);
		uint32_t ids[700];
		text(ids, 700, 700, 0);
		KvSequence *s = kv_sequence_new(w->pool, 0);
		while (s->n_token < 650)
			CHECK(grow(s, ids, 26));
		CHECK_INT(kv_sequence_rewind(s, 645), 645);
		CHECK_INT(kv_sequence_rewind(s, 620), 608);
		CHECK(all_marked(s, ids) && is_whole(w));
		CHECK_INT(kv_sequence_rewind(s, 330), i ? 64 : 320);  /* what a window left goes, but for the front */
		CHECK(all_marked(s, ids) && is_whole(w));
		CHECK(grow(s, ids, 60) && all_marked(s, ids) && is_whole(w));
		end(w);
	}
}

TEST(shapes_with_one_kind_of_layers)
{
	for (uint32_t every = 1; every < 5; every += 3) {
		KvConfig c = config_of(KV_K8V4, 64, 2);
		c.shape.n_layer = 3, c.shape.window = WINDOW, c.shape.global_every = every;
		World *w = world_of(&c);
		uint32_t ids[400];
		text(ids, 400, 400, 0);
		KvSequence *s = kv_sequence_new(w->pool, 0);
		CHECK_INT(run(s, ids, 400), 0);
		CHECK(all_marked(s, ids) && is_whole(w));
		CHECK_INT(kv_pool_counts(w->pool).local_live, every == 1 ? 0 : LOCAL_BLOCKS);
		kv_sequence_free(s);
		CHECK_INT(run_alone(w->pool, 0, ids, 400), 384);
		end(w);
	}
}

TEST(a_pool_that_no_window_goes_into_is_refused)
{
	KvConfig c = config_of(KV_K8V4, 64, 2);
	Arena a = { 0 };
	Str why = { 0 };
	c.shape.n_layer = c.shape.global_every = 3, c.shape.window = 512, c.n_local = 17;
	CHECK(!kv_pool_new(&a, &c, &why) && why.n);
	c.shape.global_every = 0, c.n_local = 0;
	CHECK(!kv_pool_new(&a, &c, &why) && why.n);
	arena_free(&a);
}

CHECK_MAIN(layers_are_numbered_by_kind, a_sequence_keeps_a_window_and_its_open_block,
           a_chunk_that_local_blocks_have_no_room_for_is_refused, a_prefix_is_found_where_its_window_is_there,
           without_a_whole_window_a_prefix_ends_earlier, rewinding_goes_where_a_window_is_there, shapes_with_one_kind_of_layers,
           a_pool_that_no_window_goes_into_is_refused)
