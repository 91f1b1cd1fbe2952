/*
 * What the kernels of one attention call share (attend.h has the order of everything): the queries as they are
 * multiplied, and a row of weights for each over the call's partition. Tiles of up to four queries go through a
 * block together; which queries share a tile changes no bit.
 */
#ifndef SEED_CPU_ATTEND_CALL_H
#define SEED_CPU_ATTEND_CALL_H

#include "runtime/cpu/attend.h"
#include "runtime/cpu/isa/isa.h"

enum { ATTEND_TILE = 4, ATTEND_GROUP_MAX = KV_HEAD_MAX / 32 };

typedef struct AttendCall {
	uint32_t n_query, head_len, n_group_v;  /* groups of 32 channels, which share a scale in half-byte values */
	float *turned;      /* [n_query][head_len] rotated where the format rotates, times scale * log2 e */
	int8_t *packed;     /* [n_query][head_len] the same in int8 */
	float *packed_step; /* [n_query] what 1 is in packed */
	int32_t *packed_sum;
	float *weight;      /* [n_query][KV_PARTITION] scores, then weights */
	float *low;         /* [n_query][n_group_v][16] weights times minima, in lanes */
	int32_t *pairs;     /* [16][head_len] values of a block as pairs of int16, for many queries */
	float *wide;        /* [head_len][32] or [32][head_len] an f16 block as floats, for many queries */
	int8_t *scaled;     /* [ATTEND_TILE][head_len] queries times a block's channel scales */
	const uint8_t *ahead;  /* what is read after the next keys or values: asked for while these are read */
} AttendCall;

/* note [widening]. An f16 block that many tiles read becomes floats once: taking it out of halves for each of them took a
 * third of their time. */
void ISA(attend_widen)(const uint16_t *halves, uint32_t n, float *out);

/* The line of it that lies where the reader is. A burst of them would hold the reader up until memory has answered. */
static inline void attend_fetch(const AttendCall *c, size_t at)
{
	__builtin_prefetch(c->ahead + at);
}

/* Lays the arrays out in scratch; the bytes that takes. */
static inline size_t attend_call_init(AttendCall *c, uint32_t head_len, uint32_t n_query, char *scratch)
{
	size_t at = 0, each = ((size_t)n_query + 15) / 16 * 16;
	*c = (AttendCall){ .n_query = n_query, .head_len = head_len, .n_group_v = (head_len + 31) / 32 };
#define LAY(field, n) (c->field = scratch ? (void *)(scratch + at) : NULL, at += (sizeof *c->field * (n) + 63) / 64 * 64)
	LAY(turned, (size_t)n_query * head_len);
	LAY(packed, (size_t)n_query * head_len);
	LAY(packed_step, each);
	LAY(packed_sum, each);
	LAY(weight, (size_t)n_query * KV_PARTITION);
	LAY(low, (size_t)n_query * c->n_group_v * 16);
	LAY(pairs, (size_t)16 * head_len);
	LAY(wide, n_query > ATTEND_TILE ? (size_t)KV_BLOCK * head_len : 0);
	LAY(scaled, (size_t)ATTEND_TILE * head_len);
#undef LAY
	return at;
}

/* AttendKernels' write and seal. */
void ISA(attend_write)(KvFormat format, uint32_t head_len, const float *k, const float *v, uint32_t at, uint16_t *open);
void ISA(attend_seal)(KvFormat block_format, uint32_t head_len, const uint16_t *open, KvSpot to);
/* Scores of all queries against the keys k of one block into weight[..][at .. at + 31]; format: of that block. */
void ISA(attend_keys)(const AttendCall *c, KvFormat block_format, const uint8_t *k, uint32_t at);
/* Adds the block's values v by weight[..][at .. at + 31] to the rows at out, stride floats apart; of an f16 block only
 * the first n_key positions are read. */
void ISA(attend_values)(const AttendCall *c, KvFormat block_format, const uint8_t *v, uint32_t at, uint32_t n_key,
                        float *out, size_t stride);

#endif
