/*
 * How the keys and values of 32 positions are stored, for one layer and one KV head.
 *
 * Open (f16, what a sequence writes): K [head_len][32], a column for each position, then V [32][head_len].
 * Sealed, by format:
 *   f16     as it is
 *   int8    K one scale (f16) a position, V one scale a position
 *   k8v4    K as int8; V in 4 bits, groups of 32 channels with scale and minimum (f16)
 *   int4    K in 4 bits, scale and minimum a channel over the block; V as k8v4
 *   seed4   -8 .. 7, one scale per sequence and head: for `score` and `bench` alone
 * The first block of a sequence (position 0 draws most attention) is int8 in k8v4 and int4. Formats but
 * f16 and seed4 hold rotated channels: a 64-point Hadamard transform of q and k after rotary, and of v.
 * runtime.md 8 has what each costs, on real weights.
 */
#ifndef SEED_KV_FORMAT_H
#define SEED_KV_FORMAT_H

#include <stddef.h>

#include "runtime/base/buf.h"

enum { KV_BLOCK = 32, KV_PARTITION = 256 };

typedef enum KvFormat { KV_F16, KV_INT8, KV_K8V4, KV_INT4, KV_SEED4, KV_FORMAT_COUNT } KvFormat;

typedef struct KvShape {
	uint32_t n_layer, n_head;  /* KV heads */
	uint32_t head_len;         /* channels: a multiple of 16 */
	KvFormat format;
} KvShape;

const char *kv_format_name(KvFormat f);
bool kv_format_find(Str name, KvFormat *f);
/* What block b of a sequence is stored as: KV_INT8 for the first of KV_K8V4 and KV_INT4. */
static inline KvFormat kv_block_format(KvFormat f, uint32_t b)
{
	return !b && (f == KV_K8V4 || f == KV_INT4) ? KV_INT8 : f;
}
static inline bool kv_format_rotates(KvFormat f) { return f == KV_INT8 || f == KV_K8V4 || f == KV_INT4; }

static inline size_t kv_open_halves(const KvShape *s) { return 2 * (size_t)KV_BLOCK * s->head_len; }
/* A multiple of 64. */
size_t kv_head_bytes(const KvShape *s, KvFormat block_format);
/* Over all layers and heads, averaged over a block behind the first: what tables print. */
double kv_token_bytes(const KvShape *s);

#endif
