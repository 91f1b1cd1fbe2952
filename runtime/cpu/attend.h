/*
 * Attention on the CPU: queries of one block against the cache of one layer and KV head.
 *
 * note [attention order]. A query reads its keys in partitions of 256 by absolute position, blocks of 32
 * inside a partition, its own block (f16) last; partitions are merged in their order. Prefill and decode
 * run this one code, so chunk, batch and threads change nothing. Sealed blocks are read as they are
 * stored: int8 queries on packed keys, values widened to f32.
 */
#ifndef SEED_CPU_ATTEND_H
#define SEED_CPU_ATTEND_H

#include "runtime/kv/kv_format.h"

/* One layer and KV head of one sequence, for the queries of n_token tokens that stand in one block. */
typedef struct AttendHead {
	KvFormat format;
	uint32_t head_len, n_group;    /* query heads that share this KV head */
	const uint8_t *const *sealed;  /* [own block's index] the sealed bytes of each earlier block */
	const uint16_t *open;          /* the own block, open */
	uint32_t first, n_token;       /* positions first .. first + n_token - 1, all in one block */
	uint32_t window;               /* a token reads the last `window` positions, itself included; 0: all */
	float scale;
} AttendHead;

/* A query's result over one partition: out is not yet divided by sum. 2 + head_len floats. */
typedef struct AttendPart { float max, sum; float out[]; } AttendPart;

typedef struct AttendKernels {
	/* k, v: head_len floats each of one position, after rotary, into column `at` of an open block. */
	void (*write)(KvFormat format, uint32_t head_len, const float *k, const float *v, uint32_t at, uint16_t *open);
	/* A full open block into its sealed bytes. */
	void (*seal)(KvFormat block_format, uint32_t head_len, const uint16_t *open, uint8_t *sealed);
	/* q: [n_token][n_group][head_len]; rows of the results likewise. The part of these queries' attention that
	 * lies in partition `part` (0 .. own block / 8). scratch: attend_scratch_bytes. */
	void (*part)(const AttendHead *h, uint32_t part, const float *q, void *scratch, float *parts);
	/* The n_part results of one query, `stride` floats apart, into out[head_len]. */
	void (*merge)(KvFormat format, uint32_t head_len, const float *parts, uint32_t n_part, size_t stride, float *out);
} AttendKernels;

size_t attend_scratch_bytes(uint32_t head_len, uint32_t n_query);

#endif
