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
 * one group can name a block of another; a hit compares the group and all tokens besides.
 *
 * note [slabs]. In k8v4 and int4 the first block of a sequence is int8 and larger. Such blocks have a slab
 * of their own; KV_FIRST in a block's id says so.
 *
 * note [windows]. Local layers read the last `window` positions only. Theirs are blocks of their own (KV_LOCAL), each
 * the twin of one block of the global layers: a sequence keeps those of its window and the open block, the others can
 * be evicted while it goes on. A prefix is found as far as the twins of a whole window before its end are there too.
 * So what goes is chosen for windows at the ends and in the front of texts, where others part from them (evict.c).
 *
 * A pool belongs to one thread at a time: to its scheduler. A group's stamp may be read from any.
 */
#ifndef SEED_KV_KV_H
#define SEED_KV_KV_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/kv/kv_format.h"

enum { KV_HASH_BYTES = 16, KV_GROUP_MAX = 64, KV_STEP_TOK = 512 };
#define KV_FIRST 0x80000000u
#define KV_LOCAL 0x40000000u
#define KV_NONE 0xffffffffu

typedef struct KvPool KvPool;
typedef struct KvHash { uint8_t b[KV_HASH_BYTES]; } KvHash;

/* What the bits of a cache depend on besides the tokens: the root of its hash chains. */
typedef struct KvRoot {
	Str model, tokenizer;  /* fingerprints */
	Str rotary;            /* what was done to positions: base, scaling */
	Str build;             /* of the engine: changes with its arithmetic */
	Str adapters;          /* of weights, in their order; empty: none */
} KvRoot;

typedef struct KvConfig {
	KvShape shape;
	KvRoot root;
	uint32_t n_block;      /* of the pool; sequences wait or fail when all are live */
	uint32_t n_first;      /* first blocks, where they have a slab of their own; 0: n_block / 8 + n_sequence */
	uint32_t n_local;      /* blocks of local layers, where there are any; 0: two windows and KV_STEP_TOK a sequence */
	uint32_t n_sequence;   /* tails: the slots 0 .. n_sequence - 1 */
} KvConfig;

/* NULL with *why where the shape is none or the memory cannot be had. Blocks are not touched before they are
 * used. Group 0 is there from the start: no name, every slot, no TTL, lru. */
KvPool *kv_pool_new(Arena *a, const KvConfig *config, Str *why);
void kv_pool_free(KvPool *p);
const KvShape *kv_pool_shape(const KvPool *p);

typedef struct KvCounts {
	uint32_t free, cached, live, total;  /* blocks */
	uint32_t n_evicted;
	uint32_t local_live, local_cached, local_free;  /* of all these blocks, those of local layers */
	uint64_t n_hit_tok, n_miss_tok;      /* of all that kv_sequence_match was asked */
	uint64_t n_mapped_bytes, n_copied_bytes;  /* blocks of saved caches: read where they lie; copied */
	uint64_t used_bytes;                 /* of live and cached blocks */
} KvCounts;
/* free + cached + live = total: cached blocks stand in the table and no sequence holds them. */
KvCounts kv_pool_counts(const KvPool *p);
/* Tokens that one sequence may have when no other is live. */
uint32_t kv_pool_max_tok(const KvPool *p);
/* Walks everything: counts, references, lists, chains, table. False with *why: for tests. */
bool kv_pool_verify(const KvPool *p, Arena *a, Str *why);

/* One sequence's view. Positions are 0 .. n_token - 1; block b holds positions 32 b .. 32 b + 31. */
typedef struct KvSequence {
	KvPool *pool;
	uint32_t id;           /* its slot, and its tail's */
	uint32_t group;
	uint32_t n_token;      /* computed and committed */
	uint32_t n_block;      /* of block[]: sealed ones, then those that are reserved */
	uint32_t *block;       /* ids in the pool: they may change at a commit, to equal blocks that were there before */
	uint32_t *local;       /* likewise, of local layers; KV_NONE before local_lo, and where no layer is local */
	uint32_t local_lo;
	KvHash chain;          /* of the last sealed block, or the group's root */
} KvSequence;

/* In a free slot of the group. NULL when it has none. */
KvSequence *kv_sequence_new(KvPool *p, uint32_t group);
/* The one way to give blocks back: sealed ones stay in the table until they are evicted. */
void kv_sequence_free(KvSequence *s);

/* Pins the longest run of sealed blocks that the table has for these ids, for an empty sequence, and
 * returns their tokens (a multiple of 32, less than n: one token at the least is always computed). note [windows] */
uint32_t kv_sequence_match(KvSequence *s, const uint32_t *ids, uint32_t n);
/* Blocks for n_more tokens behind n_token, evicting where it must; false when the pool has not so many (of local layers:
 * n_local less the window), and then nothing has changed. */
bool kv_sequence_reserve(KvSequence *s, uint32_t n_more);
/* n tokens have been computed, for which blocks were reserved: full blocks are sealed into the table. */
void kv_sequence_commit(KvSequence *s, const uint32_t *ids, uint32_t n);
/* Forgets the tokens from n_keep on, and those from the edge of n_keep's block where that is sealed, and in front of
 * them as many as the window lacks: the tokens that are left, from which on the caller computes again. Gives reserved
 * blocks back. */
uint32_t kv_sequence_rewind(KvSequence *s, uint32_t n_keep);

/* Of its n_token committed tokens. */
void kv_sequence_ids(const KvSequence *s, uint32_t *ids);

/* Of a sequence's block b, which is sealed or reserved. No spot (NULL) where b is before the window of a local layer. */
KvSpot kv_block_at(const KvSequence *s, uint32_t b, uint32_t layer, uint32_t head);
/* The f16 of a sequence's open block: kv_open_halves(shape) of them; laid out as kv_format.h says. At KV_ALIGN. */
uint16_t *kv_tail_at(const KvSequence *s, uint32_t layer, uint32_t head);

/* The chain's hashes, for who wants to know them without a pool: the root of a group, then block after block. */
KvHash kv_hash_root(const KvRoot *root, const KvShape *shape, Str group);
KvHash kv_hash_block(KvHash before, const uint32_t ids[KV_BLOCK]);

/* ---- groups (D-9) ---- */

/* What goes first when blocks are needed, among the leaves of the chains: by lru what was used longest ago, and
 * sooner the less it is like what the group was last asked for (by its tokens); by lfu what was used least, where
 * a use counts half as much after a quarter of the TTL (an hour where there is none). */
typedef enum KvEvict { KV_EVICT_LRU, KV_EVICT_LFU } KvEvict;

typedef struct KvGroup {
	Str name;
	uint32_t slot_lo, slot_hi;  /* the slots its sequences take */
	uint64_t ttl_s;             /* since a block was computed; 0: none */
	KvEvict evict;
} KvGroup;

/* The group of that name, made if it is new; its stamp changes with every block that it seals. False with *why
 * for slots that are not there, or where it is already there and otherwise. */
bool kv_group_open(KvPool *p, const KvGroup *g, uint32_t *group, Str *why);
uint64_t kv_group_stamp(const KvPool *p, uint32_t group);
/* Frees what has expired by then and no sequence holds. */
void kv_pool_set_clock(KvPool *p, uint64_t now_s);

/* ---- saved caches: baked into a .bin, or a session ---- */

/* The sealed blocks of a sequence as bytes, with root, format, ids and hashes, and a checksum (kv_file.h). The
 * ids are those that were committed. False for seed4, which is never saved. */
bool kv_sequence_save(const KvSequence *s, Buf *out);
typedef enum KvLoad { KV_LOADED, KV_STALE, KV_DAMAGED, KV_FULL } KvLoad;
/* Puts saved blocks into the table of the group that they were saved from. FULL: not all of them had room. STALE: another
 * model, tokenizer, format, group or build (a note, not an error). *why says which. is_summed: another checksum over these
 * bytes has been compared, theirs need not be. *n_token is what can be found then. Where bytes.p is a multiple of KV_ALIGN,
 * sealed blocks are read where they lie, and the bytes must outlive the pool. */
KvLoad kv_pool_load(KvPool *p, uint32_t group, Str bytes, bool is_summed, uint32_t *n_token, Str *why);

#endif
