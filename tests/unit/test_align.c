/* Alignment: described layouts with the lines and sectors that they must give, and every layout that the KV cache has. */
#include "runtime/plan/align.h"

#include "runtime/kv/kv_file.h"
#include "tests/unit/check.h"

TEST(a_misaligned_address_is_printed_as_described)
{
	Arena a = { 0 };
	AlignReport r;
	Buf out = { 0 };
	align_init(&a, 16, &r);
	align_add(&r, &(AlignArray){ "K", 0x7f8a2c000000, 26, 2, 16 });
	align_print(&out, &r);
	CHECK_INT(align_faults(&r), 1);
	CHECK_STR(buf_str(&out), "K                             2 loads of 16 B, stride      26 B: 1 not at a multiple of 16 B; "
	          "sectors 1.50 a load (1.00 at best), 2.00 a warp (1.00)\n"
	          "addr=0x7f8a2c00001a (offset=26) \xe2\x86\x92 misaligned by 10B (expected 16B boundary)\n");
	buf_free(&out);
	arena_free(&a);
}

TEST(what_is_aligned_is_one_line_a_kind)
{
	Arena a = { 0 };
	AlignReport r;
	Buf out = { 0 };
	align_init(&a, 16, &r);
	align_add(&r, &(AlignArray){ "block", 4096, 320, 3, 0 });
	align_add(&r, &(AlignArray){ "K", 4096, 64, 4, 64 });
	align_add(&r, &(AlignArray){ "K", 8192, 64, 4, 64 });
	align_print(&out, &r);
	CHECK_INT(align_faults(&r), 0);
	CHECK_STR(buf_str(&out), "block                         3 pointers,      stride     320 B: aligned to 16 B\n"
	          "K                             8 loads of 64 B, stride      64 B: aligned to 16 B; sectors 2.00 a load (2.00 at best), "
	          "8.00 a warp (8.00)\n");
	buf_free(&out);
	arena_free(&a);
}

TEST(long_lists_are_cut_and_counted)
{
	Arena a = { 0 };
	AlignReport r;
	Buf out = { 0 };
	align_init(&a, 16, &r);
	align_add(&r, &(AlignArray){ "head", 8, 16, 1000, 0 });
	align_print(&out, &r);
	CHECK_INT(align_faults(&r), 1000);
	CHECK_INT(r.fault.n, ALIGN_SHOWN);
	CHECK(str_ends(buf_str(&out), STR("and 984 more of them\n")));
	buf_free(&out);
	arena_free(&a);
}

TEST(sectors_of_vectors_and_warps)
{
	Arena a = { 0 };
	AlignReport r;
	align_init(&a, 16, &r);
	align_add(&r, &(AlignArray){ "aligned", 1024, 64, 16, 64 });
	align_add(&r, &(AlignArray){ "off by 16", 1040, 64, 16, 64 });
	align_add(&r, &(AlignArray){ "apart", 1024, 64, 32, 16 });
	align_add(&r, &(AlignArray){ "short", 1024, 32, 2, 32 });
	const struct { uint64_t load, load_best, n_warp, warp, warp_best; } want[] = {
		{ 32, 32, 2, 32, 32 },  /* 1,024 bytes: two warps of 512 */
		{ 48, 32, 2, 34, 32 },
		{ 32, 32, 1, 32, 16 },  /* a sector a lane, half of it used */
		{ 2, 2, 1, 2, 2 },
	};
	for (uint32_t i = 0; i < 4; i++) {
		const AlignRow *row = &r.row.v[i];
		CHECK_INT(row->load.n_sector, want[i].load);
		CHECK_INT(row->load.n_best, want[i].load_best);
		CHECK_INT(row->warp.n_access, want[i].n_warp);
		CHECK_INT(row->warp.n_sector, want[i].warp);
		CHECK_INT(row->warp.n_best, want[i].warp_best);
	}
	arena_free(&a);
}

/* Every byte of the heads is read by one load, and every load stands at KV_ALIGN's or its own width's multiple. */
TEST(the_cache_is_aligned_in_every_format)
{
	static const uint32_t head_len[] = { 16, 64, 80, 256 };
	Str why;
	for (int format = 0; format < KV_FORMAT_COUNT; format++)
		for (size_t i = 0; i < sizeof head_len / sizeof *head_len; i++) {
			Arena a = { 0 };
			AlignReport r;
			KvConfig config = { .shape = { 2, 3, head_len[i], (KvFormat)format, format % 2 ? 64 : 0, 2 }, .n_block = 4, .n_sequence = 2 };
			KvPool *pool = kv_pool_new(&a, &config, &why);
			KvSequence *s = kv_sequence_new(pool, 0);
			CHECK(kv_sequence_reserve(s, 3 * KV_BLOCK));
			align_init(&a, 32, &r);
			align_pool(&r, s);
			CHECK_INT(align_faults(&r), 0);
			uint64_t n_bytes = 0;
			for (uint32_t k = 0; k < r.row.n; k++)
				n_bytes += r.row.v[k].n * r.row.v[k].width;
			size_t first = kv_head_bytes(&config.shape, kv_block_format(config.shape.format, 0));
			CHECK_INT(n_bytes, 6 * (first + 2 * kv_head_bytes(&config.shape, config.shape.format) + 2 * kv_open_halves(&config.shape)));
			kv_sequence_free(s);
			kv_pool_free(pool);
			arena_free(&a);
		}
}

TEST(a_saved_cache_is_looked_at_where_it_lies)
{
	Arena a = { 0 };
	Str why;
	Buf saved = { 0 };
	uint32_t ids[3 * KV_BLOCK] = { 0 };
	KvConfig config = { .shape = { 2, 3, 64, KV_K8V4, 40, 2 }, .n_block = 4, .n_sequence = 1 };
	KvPool *pool = kv_pool_new(&a, &config, &why);
	KvSequence *s = kv_sequence_new(pool, 0);
	CHECK(kv_sequence_reserve(s, 3 * KV_BLOCK));
	kv_sequence_commit(s, ids, 3 * KV_BLOCK);
	CHECK(kv_sequence_save(s, &saved));
	AlignReport at_64, at_8;
	align_init(&a, 16, &at_64);
	align_init(&a, 16, &at_8);
	CHECK(align_file(&at_64, buf_str(&saved), 6784));
	CHECK_INT(align_faults(&at_64), 0);
	CHECK(align_file(&at_8, buf_str(&saved), 8));
	uint64_t n = 0;
	for (uint32_t i = 0; i < at_8.row.n; i++)
		n += at_8.row.v[i].n;
	CHECK_INT(align_faults(&at_8), n);
	for (size_t cut = 1; cut < KV_FILE_HEAD + 8; cut++)
		CHECK(!align_file(&at_8, (Str){ saved.p, saved.n - cut }, 0) && !align_file(&at_8, (Str){ saved.p, cut - 1 }, 0));
	for (size_t byte = 8; byte < 32; byte++) {
		saved.p[byte] ^= (char)0x80;
		(void)align_file(&at_8, buf_str(&saved), 0);
		saved.p[byte] ^= (char)0x80;
	}
	kv_sequence_free(s);
	kv_pool_free(pool);
	buf_free(&saved);
	arena_free(&a);
}

CHECK_MAIN(a_misaligned_address_is_printed_as_described, what_is_aligned_is_one_line_a_kind, long_lists_are_cut_and_counted,
           sectors_of_vectors_and_warps, the_cache_is_aligned_in_every_format, a_saved_cache_is_looked_at_where_it_lies)
