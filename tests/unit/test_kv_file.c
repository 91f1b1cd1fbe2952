/* Saved caches, byte for byte: every head of every block comes back, from a file that is read where it lies and from one
 * that is copied, and the keys of a partition lie side by side in both. */
#include "tests/unit/kv_world.h"

enum { N_BLOCK = 19, N_TOKEN = N_BLOCK * KV_BLOCK + 5 };

static KvPool *pool_new(Arena *a, KvFormat format, uint32_t window)
{
	KvConfig c = { .shape = { 3, 2, 32, format, window, 3 }, .n_block = 24, .n_sequence = 2, .n_first = 2,
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
			KvSpot at = kv_block_at(s, b, i / shape->n_head, i % shape->n_head);  /* all are reserved */
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
			KvSpot p = kv_block_at(x, b, i / shape->n_head, i % shape->n_head);
			KvSpot q = kv_block_at(y, b, i / shape->n_head, i % shape->n_head);
			n += !p.k ? !q.k : q.k && !memcmp(p.k, q.k, l.v) && !memcmp(p.v, q.v, l.n_bytes - l.v);
		}
	return n;
}

/* Blocks whose keys follow those of the block before. */
static uint32_t count_side_by_side(const KvSequence *s)
{
	uint32_t n = 0;
	for (uint32_t b = 1; b < N_BLOCK; b++) {
		KvLayout l = layout_of(s->pool, b);
		KvSpot p = kv_block_at(s, b - 1, 2, 1), q = kv_block_at(s, b, 2, 1);
		n += q.k == p.k + l.v && q.v == p.v + (l.n_bytes - l.v);
	}
	return n;
}

static char *at_offset(Str bytes, size_t off, char **whole)
{
	*whole = aligned_alloc(64, (bytes.n + off + 63) / 64 * 64);
	return memcpy(*whole + off, bytes.p, bytes.n);
}

TEST(every_byte_comes_back)
{
	static const KvFormat format[] = { KV_F16, KV_INT8, KV_K8V4, KV_INT4 };
	uint32_t ids[N_TOKEN], n;
	for (uint32_t i = 0; i < N_TOKEN; i++)
		ids[i] = i * 7;
	for (int f = 0; f < 4; f++)
		for (size_t off = 0; off < 6; off++) {
			static const uint32_t window[] = { 0, 290, 1000 };  /* none; from within a run of blocks on; all blocks */
			Arena a = { 0 };
			Buf out = { 0 };
			Str why;
			KvPool *from = pool_new(&a, format[f], window[off / 2]), *to = pool_new(&a, format[f], window[off / 2]);
			KvSequence *s = kv_sequence_new(from, 0), *t = kv_sequence_new(to, 0);
			CHECK(kv_sequence_reserve(s, N_TOKEN));
			fill_all(s);
			kv_sequence_commit(s, ids, N_TOKEN);
			CHECK(kv_sequence_save(s, &out));
			char *whole, *file = at_offset(buf_str(&out), off % 2, &whole);
			CHECK_INT(kv_pool_load(to, 0, (Str){ file, out.n }, false, &n, &why), KV_LOADED);
			CHECK_INT(n, N_BLOCK * KV_BLOCK);
			CHECK_INT(kv_sequence_match(t, ids, N_TOKEN), N_BLOCK * KV_BLOCK);
			CHECK_INT(count_equal(s, t), N_BLOCK * 6);
			CHECK(count_side_by_side(t) >= N_BLOCK - 1 - 3);  /* not from one partition to the next */
			KvCounts counts = kv_pool_counts(to);
			CHECK(off % 2 ? !counts.n_mapped_bytes : !counts.n_copied_bytes);
			CHECK_INT(counts.used_bytes, off % 2 ? counts.n_copied_bytes : counts.n_mapped_bytes);
			CHECK_INT(counts.local_live, off / 2 == 0 ? 0 : off / 2 == 1 ? 10 : N_BLOCK);
			kv_sequence_free(s);
			kv_sequence_free(t);
			kv_pool_free(from);
			kv_pool_free(to);
			buf_free(&out);
			free(whole);
			arena_free(&a);
		}
}

/* ---- what is taken and what is not ---- */

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
			const char *at = (const char *)kv_block_at(s, b, 0, 0).k;
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
	KvConfig c[9];
	static const char *const says[9] = { "saved by another model", "saved with another tokenizer", "saved with other rotary positions",
		"saved by an engine of another build", "saved with other adapters", "saved in another KV format",
		"saved by a model of another shape", "saved by another cache group", "saved by a model of another shape" };
	for (int i = 0; i < 9; i++) {
		c[i] = config_of(KV_K8V4, 16, 4);
		Str *field[] = { &c[i].root.model, &c[i].root.tokenizer, &c[i].root.rotary, &c[i].root.build, &c[i].root.adapters };
		if (i < 5)
			*field[i] = STR("another");
		c[i].shape.format = i == 5 ? KV_INT4 : KV_K8V4;
		c[i].shape.n_layer = i == 6 ? 2 : 1;
		c[i].shape.window = i == 8 ? 64 : 0, c[i].shape.global_every = 2;
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

/* Of local layers a file has what the pool had, and a pool takes what it has room for: the end. */
TEST(windows_are_saved_and_taken_from_the_end)
{
	World *w = world_of_windows(KV_K8V4, 64, 2, 70, 0), *small = world_of_windows(KV_K8V4, 64, 2, 70, 5);
	World *tiny = world_of_windows(KV_K8V4, 12, 2, 70, 5);
	const KvShape *shape = kv_pool_shape(w->pool);
	Buf out = { 0 }, less = { 0 };
	Str bytes = saved(w, 0, 1300, &out), why = { 0 };
	uint32_t n, ids[1400];
	text(ids, 1400, 1400, 0);
	CHECK_INT(kv_pool_load(small->pool, 0, bytes, false, &n, &why), KV_LOADED);
	CHECK_INT(n, 1280);
	CHECK_INT(kv_pool_counts(small->pool).local_cached, 5);
	KvSequence *s = kv_sequence_new(small->pool, 0);
	CHECK_INT(run(s, ids, 1300), 1280);
	CHECK(all_marked(s, ids));
	CHECK(kv_sequence_save(s, &less));
	CHECK_INT(out.n - less.n, 2 * (kv_head_bytes(shape, KV_K8V4) * (40 - 1 - 5) + kv_head_bytes(shape, KV_INT8)));
	kv_sequence_free(s);
	s = kv_sequence_new(small->pool, 0);
	CHECK_INT(kv_sequence_match(s, ids, 1230), 38 * 32);
	CHECK(all_marked(s, ids));
	kv_sequence_free(s);
	s = kv_sequence_new(small->pool, 0);
	CHECK_INT(kv_sequence_match(s, ids, 1200), 0);  /* of block 34 there is none */
	CHECK_INT(kv_pool_load(tiny->pool, 0, bytes, false, &n, &why), KV_FULL);
	CHECK_INT(n, 13 * 32);
	CHECK(is_whole(small) && is_whole(tiny));
	end(tiny);
	tiny = world_of_windows(KV_K8V4, 12, 2, 70, 5);
	CHECK_INT(kv_pool_load(tiny->pool, 0, buf_str(&less), false, &n, &why), KV_FULL);
	CHECK(!n && is_whole(tiny));
	end(w), end(small), end(tiny);
	buf_free(&out), buf_free(&less);
}

/* What is in front of a window takes free blocks alone: another's window stays. */
TEST(loading_leaves_others_their_windows)
{
	World *w = world_of_windows(KV_INT8, 64, 2, 70, 0), *to = world_of_windows(KV_INT8, 64, 2, 70, 12);
	Buf one = { 0 }, two = { 0 };
	Str why = { 0 };
	uint32_t n, ids[700], other[700];
	text(ids, 700, 700, 0), text(other, 700, 0, 1);
	KvSequence *s = kv_sequence_new(w->pool, 0);
	run(s, other, 300);
	kv_sequence_save(s, &two);
	kv_sequence_free(s);
	CHECK_INT(kv_pool_load(to->pool, 0, saved(w, 0, 260, &one), false, &n, &why), KV_LOADED);
	CHECK_INT(kv_pool_load(to->pool, 0, buf_str(&two), false, &n, &why), KV_LOADED);
	CHECK_INT(n, 288);
	CHECK_INT(run_alone(to->pool, 0, other, 290), 288);
	CHECK_INT(run_alone(to->pool, 0, ids, 260), 256);
	CHECK(is_whole(to));
	end(w), end(to);
	buf_free(&one), buf_free(&two);
}

static void cut_and_change(Check *check_, World *w, World *other)
{
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

TEST(cut_or_changed_bytes_are_never_loaded)
{
	cut_and_change(check_, world(KV_K8V4, 16, 4), world(KV_K8V4, 16, 4));
	cut_and_change(check_, world_of_windows(KV_K8V4, 16, 4, 40, 0), world_of_windows(KV_K8V4, 16, 4, 40, 0));
}

CHECK_MAIN(every_byte_comes_back, a_saved_cache_is_read_where_it_lies, what_another_saved_is_stale,
           a_saved_cache_for_a_small_pool_is_taken_as_far_as_it_goes, windows_are_saved_and_taken_from_the_end, loading_leaves_others_their_windows,
           cut_or_changed_bytes_are_never_loaded)
