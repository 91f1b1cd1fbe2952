/*
 * The KV cache: blocks of 32 tokens, shared between sequences by what their tokens are.
 *
 * A block holds the keys and values of 32 consecutive positions, of every layer and KV head, in the
 * pool's format. It is sealed when its 32 tokens have been computed: its bytes then depend only on the
 * tokens up to its end, never on when, with whom or in which chunk they were computed. Only sealed
 * blocks stand in the prefix table. What is behind the last sealed block is a sequence's tail, in f16,
 * and is its own.
 *
 * note [hit equals miss]. A token reads every earlier block in the pool's format and its own block in
 * f16 (attend.h), in prefill and in decode alike, so a block found in the table gives the bits that
 * computing it would have given. Nothing is ever shifted to another position.
 *
 * note [groups]. A block's key is a chain of hashes that starts at its cache group, so no sequence of
 * one group can name a block of another.
 */
#ifndef SEED_KV_KV_H
#define SEED_KV_KV_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/kv/kv_format.h"

enum { KV_HASH_BYTES = 16 };

typedef struct KvPool KvPool;
typedef struct KvHash { uint8_t b[KV_HASH_BYTES]; } KvHash;

/* What the bits of a cache depend on besides the tokens: the root of its hash chains. */
typedef struct KvRoot {
	Str model, tokenizer;  /* fingerprints */
	Str rotary;            /* what was done to positions: base, scaling */
	Str build;             /* of the engine: changes with its arithmetic */
} KvRoot;

typedef struct KvConfig {
	KvShape shape;
	KvRoot root;
	uint32_t n_block;      /* of the pool; sequences wait or fail when all are live */
	uint32_t n_sequence;   /* tails */
} KvConfig;

/* NULL with *why where the memory cannot be had. Blocks are not touched before they are used. */
KvPool *kv_pool_new(Arena *a, const KvConfig *config, Str *why);
void kv_pool_free(KvPool *p);
const KvShape *kv_pool_shape(const KvPool *p);

typedef struct KvCounts { uint32_t free, cached, live, total, n_hit_tok, n_miss_tok, n_evicted; } KvCounts;
/* free + cached + live = total: cached blocks stand in the table and no sequence holds them. */
KvCounts kv_pool_counts(const KvPool *p);

/* One sequence's view. Positions are 0 .. n_token - 1; block b holds positions 32 b .. 32 b + 31. */
typedef struct KvSequence {
	KvPool *pool;
	uint32_t id;           /* of its tail */
	uint32_t group;
	uint32_t n_token;      /* computed and committed */
	uint32_t n_block;      /* of block[]: sealed ones, then those that are reserved */
	uint32_t *block;       /* ids in the pool */
	KvHash chain;          /* of the last sealed block, or the group's root */
} KvSequence;

/* group: an index from kv_group_open. NULL when no tail is free. */
KvSequence *kv_sequence_new(KvPool *p, uint32_t group);
/* The one way to give blocks back: sealed ones stay in the table until they are evicted. */
void kv_sequence_free(KvSequence *s);

/* Pins the longest run of sealed blocks that the table has for these ids, for an empty sequence, and
 * returns their tokens (a multiple of 32, less than n: one token at the least is always computed). */
uint32_t kv_sequence_match(KvSequence *s, const uint32_t *ids, uint32_t n);
/* Blocks for n_more tokens behind n_token; false when the pool has none left. */
bool kv_sequence_reserve(KvSequence *s, uint32_t n_more);
/* n tokens have been computed: full blocks are sealed into the table. */
void kv_sequence_commit(KvSequence *s, const uint32_t *ids, uint32_t n);
/* Forgets the tokens from n_keep on; n_keep is a multiple of 32, or what kv_sequence_commit left. */
void kv_sequence_rewind(KvSequence *s, uint32_t n_keep);

/* The bytes of one layer and KV head of a block: KvShape's kv_head_bytes(shape, is_first). */
uint8_t *kv_block_at(const KvPool *p, uint32_t block, uint32_t layer, uint32_t head);
/* The f16 of a sequence's open block: kv_open_halves(shape) of them; laid out as kv_format.h says. */
uint16_t *kv_tail_at(const KvSequence *s, uint32_t layer, uint32_t head);

/* ---- groups (D-9) ---- */

typedef enum KvEvict { KV_EVICT_LRU, KV_EVICT_LFU } KvEvict;

typedef struct KvGroup {
	Str name;
	uint32_t slot_lo, slot_hi;  /* sequences it may hold at once: slot_hi - slot_lo + 1 */
	uint64_t ttl_s;             /* 0: none */
	KvEvict evict;
} KvGroup;

/* The group of that name, made if it is new; its stamp changes with every block that it seals. */
bool kv_group_open(KvPool *p, const KvGroup *g, uint32_t *group, Str *why);
uint64_t kv_group_stamp(const KvPool *p, uint32_t group);
void kv_pool_set_clock(KvPool *p, uint64_t now_s);  /* TTL counts from what was last set */

/* ---- saved caches: baked into a .bin, or a session ---- */

/* The sealed blocks of a sequence as bytes, with root, format, ids and hashes, and a checksum. */
void kv_sequence_save(const KvSequence *s, const uint32_t *ids, Buf *out);
typedef enum KvLoad { KV_LOADED, KV_STALE, KV_DAMAGED, KV_FULL } KvLoad;
/* Puts saved blocks into the table of a group. STALE: another model, tokenizer, format or build (a note,
 * not an error). *why says which. The bytes must outlive the pool when they are mapped: sealed blocks
 * are read where they lie. */
KvLoad kv_pool_load(KvPool *p, uint32_t group, Str bytes, uint32_t *n_token, Str *why);

#endif
