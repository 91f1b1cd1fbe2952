/*
 * How the keys and values of 32 positions are stored, for one layer and one KV head.
 *
 * Open (f16, what a sequence writes): K [head_len][32], a column for each position, then V [32][head_len].
 * Sealed, in this order, every part a multiple of 64 bytes when the head starts at one (16 floats, 64 bytes or
 * 32 halves are a load):
 *   f16     as it is
 *   int8    K [head_len / 4][32 positions][4 channels], byte k + 128; K's scales [32]
 *           V [8][head_len][4 positions], signed: bytes 0, 2, 1, 3 are four positions in turn; V's scales [32]
 *   k8v4    K as int8
 *           V [4][head_len][8 positions], half bytes: 0, 4, 1, 5, 2, 6, 3, 7 are eight positions in turn; then of
 *           each 32 channels scales [32] and minima [32]
 *   int4    K [head_len / 8][32 positions][8 channels], the lower halves of the four bytes first; K's scales
 *           [head_len] and minima [head_len], each over the block; V as k8v4
 *   seed4   K as int4 and V as k8v4, half byte x + 8; scales [32] of K behind it, of V behind it; nothing is
 *           rotated. For `score` and `bench` alone
 * Scales and minima are f16. The first block of a sequence (position 0 draws most attention) is int8 in k8v4 and
 * int4. Formats but f16 and seed4 hold rotated channels: a Hadamard transform of q and k after rotary, and of v,
 * over the greatest power of two up to 64 that divides head_len. runtime.md 8 has what each costs, on real weights.
 */
#ifndef SEED_KV_FORMAT_H
#define SEED_KV_FORMAT_H

#include <stddef.h>

#include "runtime/base/buf.h"

enum { KV_BLOCK = 32, KV_PARTITION = 256, KV_ALIGN = 64, KV_HEAD_MAX = 512 };

typedef enum KvFormat { KV_F16, KV_INT8, KV_K8V4, KV_INT4, KV_SEED4, KV_FORMAT_COUNT } KvFormat;

typedef struct KvShape {
	uint32_t n_layer, n_head;  /* KV heads */
	uint32_t head_len;         /* channels: a multiple of 16, KV_HEAD_MAX at the most */
	KvFormat format;
	uint32_t window;           /* positions that a token reads in a local layer, its own included; 0: no layer is local */
	uint32_t global_every;     /* layer i is global where (i + 1) % global_every == 0; nothing where window is 0 */
} KvShape;

/* Layers of a kind are numbered among themselves: what is stored of them is stored together. */
static inline bool kv_layer_is_local(const KvShape *s, uint32_t layer) { return s->window && (layer + 1) % s->global_every; }
static inline uint32_t kv_layer_index(const KvShape *s, uint32_t layer)
{
	uint32_t n_global = s->window ? layer / s->global_every : layer;
	return kv_layer_is_local(s, layer) ? layer - n_global : n_global;
}
static inline uint32_t kv_n_layer(const KvShape *s, bool is_local)
{
	uint32_t n_global = s->window ? s->n_layer / s->global_every : s->n_layer;
	return is_local ? s->n_layer - n_global : n_global;
}
/* The first block that a token of block b reads in local layers: of those before it, a window's blocks are kept. */
static inline uint32_t kv_window_first(const KvShape *s, uint32_t b)
{
	uint64_t end = (uint64_t)b * KV_BLOCK + 1;
	return s->window && end > s->window ? (uint32_t)((end - s->window) / KV_BLOCK) : 0;
}
/* Blocks that a sequence has of local layers at the most, its open one included; 0: no layer is local. */
static inline uint32_t kv_window_blocks(const KvShape *s)
{
	return kv_n_layer(s, true) ? (uint32_t)(((uint64_t)s->window + KV_BLOCK - 2) / KV_BLOCK) + 1 : 0;
}
/* Blocks of local layers for n windows and a step of step_tok tokens behind one of them. */
static inline uint32_t kv_local_blocks(const KvShape *s, uint32_t n, uint32_t step_tok)
{
	return n * kv_window_blocks(s) + step_tok / KV_BLOCK + 1;
}

const char *kv_format_name(KvFormat f);
bool kv_format_find(Str name, KvFormat *f);
/* What block b of a sequence is stored as: KV_INT8 for the first of KV_K8V4 and KV_INT4. */
static inline KvFormat kv_block_format(KvFormat f, uint32_t b)
{
	return !b && (f == KV_K8V4 || f == KV_INT4) ? KV_INT8 : f;
}
static inline bool kv_format_rotates(KvFormat f) { return f == KV_INT8 || f == KV_K8V4 || f == KV_INT4; }

/* Bytes from the start of a sealed head to its parts. */
typedef struct KvLayout { size_t k, k_scale, v, v_scale, n_bytes; } KvLayout;

static inline KvLayout kv_layout(KvFormat block_format, uint32_t head_len)
{
	size_t bytes = (size_t)KV_BLOCK * head_len, each = 2 * KV_BLOCK, groups = 2 * each * ((head_len + 31) / 32);
	size_t k = 2 * bytes, k_scale = 0, v = 2 * bytes, v_scale = 0;
	switch (block_format) {
	case KV_INT8: k = v = bytes, k_scale = v_scale = each; break;
	case KV_K8V4: k = bytes, v = bytes / 2, k_scale = each, v_scale = groups; break;
	case KV_INT4: k = v = bytes / 2, k_scale = 4 * (size_t)head_len, v_scale = groups; break;
	case KV_SEED4: k = v = bytes / 2, k_scale = v_scale = each; break;
	default: break;
	}
	return (KvLayout){ 0, k, k + k_scale, k + k_scale + v, k + k_scale + v + v_scale };
}

/* Where the keys and the values of one layer and KV head of a block lie, each with its scales; at KV_ALIGN. In an open
 * block the values follow the keys. */
typedef struct KvSpot { uint8_t *k, *v; } KvSpot;

static inline KvSpot kv_spot(const void *head, KvFormat block_format, uint32_t head_len)
{
	uint8_t *k = (uint8_t *)(uintptr_t)head;
	return (KvSpot){ k, k + kv_layout(block_format, head_len).v };
}

static inline size_t kv_open_halves(const KvShape *s) { return 2 * (size_t)KV_BLOCK * s->head_len; }
/* A multiple of KV_ALIGN. */
size_t kv_head_bytes(const KvShape *s, KvFormat block_format);
/* Over all layers and heads, averaged over a block behind the first: what tables print. */
double kv_token_bytes(const KvShape *s);
/* Of a sequence of n_token tokens, of whose local layers n_local blocks are kept at the most. */
double kv_sequence_bytes(const KvShape *s, uint32_t n_token, uint32_t n_local);

#endif
