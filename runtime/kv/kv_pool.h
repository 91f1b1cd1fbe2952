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
 * what hangs below a cached block is cached. A sealed block of local layers stands in no table: its twin has it. Who holds
 * it holds the twin, with which it goes.
 */
#ifndef SEED_KV_POOL_H
#define SEED_KV_POOL_H

#include <stdatomic.h>

#include "runtime/kv/kv.h"

enum { KV_RUN = KV_PARTITION / KV_BLOCK };

/* First blocks' slabs are empty where they are as large as others; those of local layers where there are none. */
typedef enum KvSlabIndex { SLAB_REST, SLAB_FIRST, SLAB_LOCAL, SLAB_LOCAL_FIRST, SLAB_COUNT } KvSlabIndex;

typedef struct KvBlock {
	KvSpot spot;           /* of its first head: in the slab, or in a mapped file */
	size_t stride;         /* from there to the next head's */
	KvHash hash;
	uint32_t ids[KV_BLOCK];
	uint32_t group;
	uint32_t n_holder;     /* sequences */
	uint32_t parent, child, older, younger;  /* child: the youngest; older, younger: children of the same parent */
	uint32_t twin;         /* note [windows]: of a sealed block */
	uint32_t chain;        /* the next in its bucket of the table, or of the free list */
	uint32_t before, after;  /* in the list of what its group can evict */
	uint64_t used, made_s; /* tick of the last use (of local layers: of the match of who used it), clock when it was computed */
	uint32_t heat;         /* uses, 256 each, decayed up to heat_s */
	uint64_t heat_s;
	uint64_t likeness;     /* of its ids: evict.c */
	bool is_sealed, is_listed, is_taken;
	bool is_kept;          /* of local layers and listed: note [left behind] in evict.c */
} KvBlock;

typedef struct KvSlab {
	uint8_t *bytes;
	uint32_t n_layer;
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
	uint32_t cap;                  /* of s.block and s.local */
	uint32_t open_ids[KV_BLOCK];   /* of the tail */
	uint64_t begun;                /* tick of its match */
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

/* An id says its slab and its place in it. */
static inline KvSlabIndex kv_slab_of(uint32_t id)
{
	return (KvSlabIndex)((id & KV_FIRST ? SLAB_FIRST : SLAB_REST) + (id & KV_LOCAL ? SLAB_LOCAL : 0));
}
static inline uint32_t kv_place_of(uint32_t id) { return id & ~(KV_FIRST | KV_LOCAL); }
static inline uint32_t kv_id(KvSlabIndex slab, uint32_t place)
{
	return place | (slab % 2 ? KV_FIRST : 0) | (slab >= SLAB_LOCAL ? KV_LOCAL : 0);
}
static inline KvBlock *kv_block(const KvPool *p, uint32_t id) { return &p->slab[kv_slab_of(id)].block[kv_place_of(id)]; }
static inline bool kv_is_first(uint32_t id) { return id & KV_FIRST; }
static inline bool kv_is_local(uint32_t id) { return id & KV_LOCAL; }
static inline bool kv_has_local(const KvPool *p) { return p->slab[SLAB_LOCAL].n != 0; }
/* Where block b of a sequence comes from. */
static inline KvSlabIndex kv_slab_for(const KvPool *p, uint32_t b, bool is_local)
{
	return (KvSlabIndex)((!b && p->slab[SLAB_FIRST].n ? SLAB_FIRST : SLAB_REST) + (is_local ? SLAB_LOCAL : 0));
}

/* pool.c */
/* A free block that its taker holds; KV_NONE when there is none. */
uint32_t kv_block_take(KvPool *p, KvSlabIndex slab);
void kv_block_hold(KvPool *p, uint32_t id);
void kv_block_release(KvPool *p, uint32_t id);
/* Out of the table and free, with all below it; no sequence holds it. */
void kv_block_drop(KvPool *p, uint32_t id);
/* A held block becomes a sealed one of the table. */
void kv_block_seal(KvPool *p, uint32_t id, uint32_t group, uint32_t parent, KvHash hash, const uint32_t ids[KV_BLOCK]);
/* A held block of local layers becomes the twin of a held block of the table, which has none. begun: of who computed it. */
void kv_block_seal_local(KvPool *p, uint32_t id, uint32_t twin, uint64_t begun);
/* kv_block_release of what a window has left: block b of a sequence. */
void kv_block_leave(KvPool *p, uint32_t id, uint32_t b);

/* sequence.c */
/* The most of these blocks, n at the most, behind which a token finds its whole window: what is held of local layers
 * (KV_NONE: nothing), and the twins that the pool has. */
uint32_t kv_with_window(const KvPool *p, const uint32_t *block, const uint32_t *local, uint32_t n);

/* table.c */
uint32_t kv_table_find(const KvPool *p, uint32_t group, uint32_t parent, KvHash hash, const uint32_t ids[KV_BLOCK]);
void kv_table_add(KvPool *p, uint32_t id);
void kv_table_remove(KvPool *p, uint32_t id);

/* evict.c */
/* Where in the list a block comes that can be evicted now: it was in use; it lost its last child; a window left it, in the
 * front of a text or further on. */
typedef enum KvPush { PUSH_USED, PUSH_LEAF, PUSH_FRONT, PUSH_LEFT } KvPush;
void kv_list_push(KvPool *p, uint32_t id, KvPush how);
void kv_list_remove(KvPool *p, uint32_t id);
void kv_block_use(KvPool *p, uint32_t id, uint64_t tick);
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
