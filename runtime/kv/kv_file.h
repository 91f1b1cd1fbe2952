/*
 * A saved cache: the sealed blocks of one sequence. Little-endian.
 *
 *     head | ids [n_block][32] u32 | hashes [n_block] 16 bytes | zeros up to a multiple of 64 | blocks | local
 *
 * blocks: of global layers, all; local: of local layers those in front of the text that the pool still had, and those up
 * to its end, a window at the least. All lie in the pool's runs (note [runs] in kv_pool.h): those of a partition together,
 * of each layer and head their keys and then their values; a first block of its own format stands alone before them.
 * Everything starts at multiples of 64, so a file that is mapped, or a section that is aligned, is read where it lies.
 */
#ifndef SEED_KV_FILE_H
#define SEED_KV_FILE_H

#include "runtime/base/sha256.h"
#include "runtime/kv/kv_pool.h"

enum { KV_FILE_VERSION = 3, KV_FILE_PARTS = 6, KV_FILE_HEAD = 192 };
#define KV_FILE_MAGIC "SEED-KV\n"

typedef struct KvFileHead {
	char magic[8];
	uint32_t version, format, n_layer, n_head, head_len, n_block;
	KvHash part[KV_FILE_PARTS];   /* model, tokenizer, rotary, build, adapters, group */
	uint64_t n_bytes;             /* of the file */
	uint32_t window, global_every;  /* as the shape's */
	uint32_t local_front, local_first;  /* of local layers: blocks 0 .. local_front - 1, and those from local_first on */
	uint8_t zero[8];
	uint8_t sum[SHA256_BYTES];    /* of the file, with this field zero */
} KvFileHead;

_Static_assert(sizeof(KvFileHead) == KV_FILE_HEAD, "no padding");
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "saved caches are read where they lie: little-endian machines only"
#endif

/* The head of what this pool saves of a group, but for sizes and sum. */
KvFileHead kv_file_head(const KvPool *p, uint32_t group);
/* Blocks lo .. hi - 1, from offset `at` on. */
typedef struct KvFileRange { uint64_t at; uint32_t lo, hi; bool is_local; } KvFileRange;
typedef enum KvFileRangeIndex { RANGE_GLOBAL, RANGE_FRONT, RANGE_END, RANGE_COUNT } KvFileRangeIndex;
/* Offsets of hashes and blocks, and the file's bytes; false where they overflow, or the ranges are none. */
typedef struct KvFileLayout { uint64_t hashes, end; KvFileRange range[RANGE_COUNT]; } KvFileLayout;
bool kv_file_layout(const KvShape *s, const KvFileHead *h, KvFileLayout *l);
void kv_file_sum(Str file, uint8_t sum[SHA256_BYTES]);
/* The blocks of a range that lie in one run with block b: lo .. hi - 1. */
typedef struct KvFileRun { uint32_t lo, hi; } KvFileRun;
KvFileRun kv_file_run(const KvShape *s, const KvFileRange *range, uint32_t b);
/* Where block b of a range has its first head; *stride: from a head to the next. */
KvSpot kv_file_spot(const KvShape *s, const KvFileRange *range, const void *file, uint32_t b, size_t *stride);
bool kv_file_is_other_version(Str bytes);
/* What a saved cache is, read without a pool; false where it is none of this version, or of another length than it
 * says. Its sum is not looked at. */
bool kv_file_peek(Str bytes, KvShape *shape, uint32_t *n_block, KvFileLayout *l);

#endif
