/*
 * Takes a saved cache into the table. The file is hostile until its size, its sum and its chain of hashes agree with
 * each other and with this pool; nothing is put into the table before. Its blocks' bytes are numbers: whatever they
 * are, reading them is safe.
 */
#include <stdlib.h>

#include "runtime/kv/kv_file.h"

static const char *const stale[KV_FILE_PARTS] = {
	"saved by another model", "saved with another tokenizer", "saved with other rotary positions",
	"saved by an engine of another build", "saved with other adapters", "saved by another cache group",
};

static KvLoad refuse(Str *why, KvLoad how, const char *text)
{
	*why = str_from(text);
	return how;
}

/* A damaged file says nothing of itself that can be believed: its sum comes before what it is stale by. */
static KvLoad check_sum(Str bytes, bool is_summed, KvFileHead *h, Str *why)
{
	uint8_t sum[SHA256_BYTES];
	if (bytes.n < sizeof *h || memcmp(bytes.p, KV_FILE_MAGIC, sizeof h->magic))
		return refuse(why, KV_DAMAGED, "not a saved KV cache");
	memcpy(h, bytes.p, sizeof *h);
	if (h->version != KV_FILE_VERSION)
		return refuse(why, KV_STALE, "saved in another version of the format");
	if (h->n_bytes != bytes.n)
		return refuse(why, KV_DAMAGED, "a saved KV cache of another length than it says");
	if (!is_summed)
		kv_file_sum(bytes, sum);
	if (!is_summed && memcmp(sum, h->sum, sizeof sum))
		return refuse(why, KV_DAMAGED, "a saved KV cache that does not match its checksum");
	return KV_LOADED;
}

static KvLoad check_head(const KvPool *p, uint32_t group, const KvFileHead *h, Str *why)
{
	KvFileHead mine = kv_file_head(p, group);
	for (int i = 0; i < KV_FILE_PARTS; i++)
		if (!kv_hash_eq(h->part[i], mine.part[i]))
			return refuse(why, KV_STALE, stale[i]);
	if (h->n_layer != mine.n_layer || h->n_head != mine.n_head || h->head_len != mine.head_len)
		return refuse(why, KV_STALE, "saved by a model of another shape");
	if (h->format != mine.format || h->format == KV_SEED4)
		return refuse(why, KV_STALE, "saved in another KV format");
	return KV_LOADED;
}

static KvLoad check_chain(const KvPool *p, uint32_t group, Str bytes, const KvFileHead *h, KvFileLayout *l, Str *why)
{
	if (!kv_file_layout(&p->shape, h->n_block, l) || l->end != bytes.n)
		return refuse(why, KV_DAMAGED, "a saved KV cache of another length than it says");
	KvHash chain = p->group[group].root;
	for (uint32_t b = 0; b < h->n_block; b++) {
		uint32_t ids[KV_BLOCK];
		memcpy(ids, bytes.p + KV_FILE_HEAD + b * sizeof ids, sizeof ids);
		chain = kv_hash_block(chain, ids);
		if (memcmp(chain.b, bytes.p + l->hashes + (size_t)b * KV_HASH_BYTES, sizeof chain.b))
			return refuse(why, KV_DAMAGED, "a saved KV cache whose ids do not match their hashes");
	}
	return KV_LOADED;
}

/* A block of the file, which lies at `from`, as one that the loader holds; KV_NONE when there is no room. */
static uint32_t load_block(KvPool *p, uint32_t group, uint32_t parent, KvHash hash, const uint32_t ids[KV_BLOCK], KvSpot from,
                           size_t stride)
{
	uint32_t id = kv_table_find(p, group, parent, hash, ids);
	if (id != KV_NONE) {
		kv_block(p, id)->made_s = p->now_s;
		kv_block_hold(p, id);
		return id;
	}
	KvSlabIndex slab = parent == KV_NONE ? kv_slab_for(p, 0) : SLAB_REST;
	if (!kv_can_evict(p, slab, 1))
		return KV_NONE;
	kv_evict(p, slab, 1);
	id = kv_block_take(p, slab);
	KvBlock *b = kv_block(p, id);
	const KvSlab *s = &p->slab[slab];
	if ((uintptr_t)from.k % KV_ALIGN) {
		for (uint32_t i = 0; i < p->shape.n_layer * p->shape.n_head; i++) {
			memcpy(b->spot.k + i * b->stride, from.k + i * stride, s->k_bytes);
			memcpy(b->spot.v + i * b->stride, from.v + i * stride, s->head_bytes - s->k_bytes);
		}
		p->counts.n_copied_bytes += s->block_bytes;
	} else {
		b->spot = from;  /* never written: it is sealed */
		b->stride = stride;
		p->counts.n_mapped_bytes += s->block_bytes;
	}
	kv_block_seal(p, id, group, parent, hash, ids);
	return id;
}

KvLoad kv_pool_load(KvPool *p, uint32_t group, Str bytes, bool is_summed, uint32_t *n_token, Str *why)
{
	KvFileHead h;
	KvFileLayout l;
	*n_token = 0;
	KvLoad how = check_sum(bytes, is_summed, &h, why);
	if (how == KV_LOADED)
		how = check_head(p, group, &h, why);
	if (how == KV_LOADED)
		how = check_chain(p, group, bytes, &h, &l, why);
	if (how != KV_LOADED)
		return how;
	p->tick++;
	uint32_t *held = mem_must_alloc((h.n_block + 1) * sizeof *held), n = 0;
	for (; n < h.n_block; n++) {
		KvHash hash;
		uint32_t ids[KV_BLOCK];
		memcpy(&hash, bytes.p + l.hashes + (size_t)n * sizeof hash, sizeof hash);
		memcpy(ids, bytes.p + KV_FILE_HEAD + n * sizeof ids, sizeof ids);
		size_t stride;
		KvSpot from = kv_file_spot(&p->shape, h.n_block, bytes.p + l.blocks, n, &stride);
		held[n] = load_block(p, group, n ? held[n - 1] : KV_NONE, hash, ids, from, stride);
		if (held[n] == KV_NONE)
			break;
	}
	*n_token = n * KV_BLOCK;
	for (uint32_t i = n; i--;)
		kv_block_release(p, held[i]);
	free(held);
	return n == h.n_block ? KV_LOADED : refuse(why, KV_FULL, "the KV cache has no room for all that was saved");
}
