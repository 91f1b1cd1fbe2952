/* The prefix table: from a chain's hash to its sealed block. Chained buckets; the links stand in the blocks. */
#include "runtime/kv/kv_pool.h"

static uint32_t *bucket_of(const KvPool *p, const KvHash *hash)
{
	uint64_t x;
	memcpy(&x, hash->b, sizeof x);
	return &p->bucket[x & (p->n_bucket - 1)];
}

/* By induction over the chain, a hit has the group and all the tokens that were asked for. */
uint32_t kv_table_find(const KvPool *p, uint32_t group, uint32_t parent, KvHash hash, const uint32_t ids[KV_BLOCK])
{
	for (uint32_t id = *bucket_of(p, &hash); id != KV_NONE; id = kv_block(p, id)->chain) {
		const KvBlock *b = kv_block(p, id);
		if (kv_hash_eq(b->hash, hash) && b->group == group && b->parent == parent &&
		    !memcmp(b->ids, ids, sizeof b->ids))
			return id;
	}
	return KV_NONE;
}

void kv_table_add(KvPool *p, uint32_t id)
{
	KvBlock *b = kv_block(p, id);
	uint32_t *at = bucket_of(p, &b->hash);
	b->chain = *at;
	*at = id;
}

void kv_table_remove(KvPool *p, uint32_t id)
{
	KvBlock *b = kv_block(p, id);
	uint32_t *at = bucket_of(p, &b->hash);
	while (*at != id)
		at = &kv_block(p, *at)->chain;
	*at = b->chain;
}
