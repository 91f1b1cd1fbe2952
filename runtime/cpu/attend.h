/*
 * Attention on the CPU: queries of one block against the cache of one layer and KV head.
 *
 * note [attention order]. A query reads its keys in partitions of 256 by absolute position, blocks of 32
 * inside a partition, its own block (f16) last; partitions are merged in their order. Prefill and decode
 * run this one code, so chunk, batch and threads change nothing. Within a partition:
 *   scores   sealed int8 and int4 keys by integer dots with the query in int8 (its greatest channel is 127: once a
 *            query, or once a block where a channel has its own scale); f16 keys in f32, channel after channel
 *   weights  2^(score - greatest score of the query in the partition), a sum in each of 16 lanes (position mod 16)
 *            over the partition, then v_sum
 *   values   of a sealed block, weight times the position's scale in 15 bits, against packed values, summed in int32
 *            over the block, then added in f32; minima of half bytes apart, in f32 lanes over the partition, then
 *            v_sum; f16 values in f32, position after position
 * So what a query gets depends on its position, its window and the bytes it reads, not on its neighbours in the call:
 * a key that it may not see has weight 0, and adding 0 changes nothing (no sum here can be -0).
 */
#ifndef SEED_CPU_ATTEND_H
#define SEED_CPU_ATTEND_H

#include "runtime/kv/kv_format.h"

enum { ATTEND_AHEAD = 2 };

/* One layer and KV head of one sequence, for the queries of n_token tokens that stand in one block. */
typedef struct AttendHead {
	KvFormat format;
	uint32_t head_len, n_group;    /* query heads that share this KV head */
	/* [own block's index] the sealed bytes of each earlier block of the call's partition and of the
	 * ATTEND_AHEAD behind it, which are asked for and not read. */
	const KvSpot *sealed;
	const uint16_t *open;          /* the own block, open: KV_ALIGN */
	uint32_t first, n_token;       /* positions first .. first + n_token - 1, all in one block, all written */
	uint32_t window;               /* a token reads the last `window` positions, itself included; 0: all */
	float scale;
} AttendHead;

/* A query's result over one partition: out[head_len] is not yet divided by sum. A row is a multiple of KV_ALIGN. */
typedef struct AttendPart { float max, sum, weight, unused[13]; float out[]; } AttendPart;  /* weight: among all, set by merge */
static inline size_t attend_part_floats(uint32_t head_len) { return 16 + (size_t)head_len; }

typedef struct AttendKernels {
	/* k, v: head_len floats each of one position, after rotary, into column `at` of an open block. */
	void (*write)(KvFormat format, uint32_t head_len, const float *k, const float *v, uint32_t at, uint16_t *open);
	/* A full open block into its sealed bytes. */
	void (*seal)(KvFormat block_format, uint32_t head_len, const uint16_t *open, KvSpot to);
	/* q: [n_token][n_group][head_len]; rows of the results likewise, attend_part_floats each. The part of these
	 * queries' attention that lies in partition `part` (0 .. own block / 8). scratch, parts: KV_ALIGN. */
	void (*part)(const AttendHead *h, uint32_t part, const float *q, void *scratch, float *parts);
	/* The n_part results of one query, `stride` floats apart, into out[head_len]. Partitions wholly before a window
	 * may be left out: the same bits. */
	void (*merge)(KvFormat format, uint32_t head_len, float *parts, uint32_t n_part, size_t stride, float *out);
} AttendKernels;

/* For the part kernel; n_query = n_token * n_group at the most. */
size_t attend_scratch_bytes(uint32_t head_len, uint32_t n_query);

#endif
