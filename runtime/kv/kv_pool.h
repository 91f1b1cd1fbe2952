/*
 * Inside the pool. Every block is in one of three states, and every change between them is in pool.c:
 *
 *     free --kv_block_take--> live (held by sequences) <--kv_block_hold, kv_block_release--> cached (in the table only)
 *       ^------------------- private ones when released -------------'        kv_block_drop -------'
 *
 * note [runs]. Of KV_RUN blocks that follow each other in a slab the keys of one layer and head lie side by side, then their
 * values: attention reads a partition of a sequence, whose blocks are mostly taken in turn, as one stretch of memory. Every
 * second page of one, keys without the values between them, came at a third of the speed. A saved cache has the same runs
 * (kv_file.h), and is read where it lies.
 *
 * A block in the table knows its parent and its children; a sequence that holds a block holds its ancestors too, so
 * what hangs below a cached block is cached.
 */
#ifndef SEED_KV_POOL_H
#define SEED_KV_POOL_H

#include <stdatomic.h>

#include "runtime/kv/kv.h"

#define KV_NONE 0xffffffffu

enum { KV_RUN = KV_PARTITION / KV_BLOCK };

/* The two slabs; the second is empty where first blocks are as large as others. */
typedef enum KvSlabIndex { SLAB_REST, SLAB_FIRST, SLAB_COUNT } KvSlabIndex;

typedef struct KvBlock {
	KvSpot spot;           /* of its first head: in the slab, or in a mapped file */
	size_t stride;         /* from there to the next head's */
	KvHash hash;
	uint32_t ids[KV_BLOCK];
	uint32_t group;
	uint32_t n_holder;     /* sequences */
	uint32_t parent, child, older, younger;  /* child: the youngest; older, younger: children of the same parent */
	uint32_t chain;        /* the next in its bucket of the table, or of the free list */
	uint32_t before, after;  /* in the list of what its group can evict */
	uint64_t used, made_s; /* tick of the last use, clock when it was computed */
	uint32_t heat;         /* uses, 256 each, decayed up to heat_s */
	uint64_t heat_s;
	uint64_t likeness;     /* of its ids: evict.c */
	bool in_table, is_listed, is_taken;
} KvBlock;

typedef struct KvSlab {
	uint8_t *bytes;
	size_t block_bytes, head_bytes, k_bytes, n_bytes;
	uint32_t run, lead;    /* blocks of a run; that stand empty before the first: a sequence's own first is elsewhere */
	KvFormat format;
	KvBlock *block;
	uint32_t n, free, n_free;
} KvSlab;

/* Ends of a list of blocks that can be evicted: the oldest first. */
typedef struct KvList { uint32_t first, last; } KvList;

typedef struct KvGroupState {
	KvGroup group;
	KvHash root;
	_Atomic uint64_t stamp;
	KvList evictable[SLAB_COUNT];  /* leaves without holders; first blocks without holders */
	uint32_t n_cached[SLAB_COUNT];
	uint64_t likeness;             /* of what was last asked for */
} KvGroupState;

typedef struct KvSlot {
	KvSequence s;
	uint32_t cap;                  /* of s.block */
	uint32_t open_ids[KV_BLOCK];   /* of the tail */
	bool is_taken;
} KvSlot;

struct KvPool {
	KvShape shape;
	KvRoot root;           /* its Strs are the arena's */
	Arena *arena;
	KvSlab slab[SLAB_COUNT];
	uint8_t *tails;
	size_t tail_bytes, tails_bytes;
	KvSlot *slot;
	uint32_t n_slot;
	KvGroupState *group;
	uint32_t n_group;
	uint32_t *bucket, n_bucket;  /* a power of two */
	uint64_t tick, now_s;
	KvCounts counts;
};

static inline KvBlock *kv_block(const KvPool *p, uint32_t id)
{
	return &p->slab[id & KV_FIRST ? SLAB_FIRST : SLAB_REST].block[id & ~KV_FIRST];
}
static inline KvSlabIndex kv_slab_of(uint32_t id) { return id & KV_FIRST ? SLAB_FIRST : SLAB_REST; }
/* Where block b of a sequence comes from. */
static inline KvSlabIndex kv_slab_for(const KvPool *p, uint32_t b) { return !b && p->slab[SLAB_FIRST].n ? SLAB_FIRST : SLAB_REST; }

/* pool.c */
/* A free block that its taker holds; KV_NONE when there is none. */
uint32_t kv_block_take(KvPool *p, KvSlabIndex slab);
void kv_block_hold(KvPool *p, uint32_t id);
void kv_block_release(KvPool *p, uint32_t id);
/* Out of the table and free, with all below it; no sequence holds it. */
void kv_block_drop(KvPool *p, uint32_t id);
/* A held block becomes a sealed one of the table. */
void kv_block_seal(KvPool *p, uint32_t id, uint32_t group, uint32_t parent, KvHash hash, const uint32_t ids[KV_BLOCK]);

/* table.c */
uint32_t kv_table_find(const KvPool *p, uint32_t group, uint32_t parent, KvHash hash, const uint32_t ids[KV_BLOCK]);
void kv_table_add(KvPool *p, uint32_t id);
void kv_table_remove(KvPool *p, uint32_t id);

/* evict.c */
void kv_list_push(KvPool *p, uint32_t id, bool is_fresh);
void kv_list_remove(KvPool *p, uint32_t id);
void kv_block_use(KvPool *p, uint32_t id);
bool kv_block_expired(const KvPool *p, const KvBlock *b);
uint64_t kv_likeness(const uint32_t *ids, uint32_t n);
/* Whether free and cached ones are so many. */
bool kv_can_evict(const KvPool *p, KvSlabIndex slab, uint32_t n);
/* Frees cached blocks until the slab has n: kv_can_evict. */
void kv_evict(KvPool *p, KvSlabIndex slab, uint32_t n);

/* hash.c */
KvHash kv_hash_part(const char *tag, Str bytes);
static inline bool kv_hash_eq(KvHash a, KvHash b) { return !memcmp(a.b, b.b, sizeof a.b); }

#endif
