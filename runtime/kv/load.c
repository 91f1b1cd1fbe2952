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
	if (h->n_layer != mine.n_layer || h->n_head != mine.n_head || h->head_len != mine.head_len || h->window != mine.window ||
	    h->global_every != mine.global_every)
		return refuse(why, KV_STALE, "saved by a model of another shape");
	if (h->format != mine.format || h->format == KV_SEED4)
		return refuse(why, KV_STALE, "saved in another KV format");
	return KV_LOADED;
}

static KvLoad check_chain(const KvPool *p, uint32_t group, Str bytes, const KvFileHead *h, KvFileLayout *l, Str *why)
{
	if (!kv_file_layout(&p->shape, h->n_block, h->local_first, l) || l->end != bytes.n)
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

typedef struct Loading {
	KvPool *p;
	uint32_t group;
	Str file;
	KvFileLayout l;
	uint32_t *held, n_held, local_lo;  /* until all are there: none of them is evicted for another */
} Loading;

static uint32_t hold_there(Loading *x, uint32_t id)
{
	kv_block(x->p, id)->made_s = x->p->now_s;
	kv_block_hold(x->p, id);
	return id;
}

/* A block with the bytes of the file's block b, held and not sealed; KV_NONE when there is no room. */
static uint32_t load_block(Loading *x, uint32_t b, bool is_local)
{
	KvPool *p = x->p;
	KvSlabIndex slab = kv_slab_for(p, b, is_local);
	if (!kv_can_evict(p, slab, 1))
		return KV_NONE;
	kv_evict(p, slab, 1);
	uint32_t id = kv_block_take(p, slab);
	size_t stride;
	KvSpot from = kv_file_spot(&p->shape, &x->l, x->file.p, is_local, b, &stride);
	KvBlock *block = kv_block(p, id);
	const KvSlab *s = &p->slab[slab];
	if ((uintptr_t)from.k % KV_ALIGN) {
		for (uint32_t i = 0; i < s->n_layer * p->shape.n_head; i++) {
			memcpy(block->spot.k + i * block->stride, from.k + i * stride, s->k_bytes);
			memcpy(block->spot.v + i * block->stride, from.v + i * stride, s->head_bytes - s->k_bytes);
		}
		p->counts.n_copied_bytes += s->block_bytes;
	} else {
		block->spot = from;  /* never written: it is sealed */
		block->stride = stride;
		p->counts.n_mapped_bytes += s->block_bytes;
	}
	return id;
}

static bool load_global(Loading *x)
{
	KvHash hash;
	uint32_t ids[KV_BLOCK], b = x->n_held, parent = b ? x->held[b - 1] : KV_NONE;
	memcpy(&hash, x->file.p + x->l.hashes + (size_t)b * sizeof hash, sizeof hash);
	memcpy(ids, x->file.p + KV_FILE_HEAD + b * sizeof ids, sizeof ids);
	uint32_t there = kv_table_find(x->p, x->group, parent, hash, ids), id = there != KV_NONE ? hold_there(x, there) : load_block(x, b, false);
	if (id == KV_NONE)
		return false;
	if (there == KV_NONE)
		kv_block_seal(x->p, id, x->group, parent, hash, ids);
	x->held[x->n_held++] = id;
	return true;
}

/* Of the block before those that are there. */
static bool load_local(Loading *x)
{
	uint32_t b = x->local_lo - 1, of = x->held[b], there = kv_block(x->p, of)->twin;
	uint32_t id = there != KV_NONE ? hold_there(x, there) : load_block(x, b, true);
	if (id == KV_NONE)
		return false;
	if (there == KV_NONE)
		kv_block_seal_local(x->p, id, of);
	x->local_lo = b;
	return true;
}

/* As a sequence gives its blocks back. */
static void release_all(Loading *x)
{
	for (uint32_t b = x->local_lo; b < x->n_held; b++)
		kv_block_release(x->p, kv_block(x->p, x->held[b])->twin);
	while (x->n_held)
		kv_block_release(x->p, x->held[--x->n_held]);
}

KvLoad kv_pool_load(KvPool *p, uint32_t group, Str bytes, bool is_summed, uint32_t *n_token, Str *why)
{
	KvFileHead h;
	Loading x = { .p = p, .group = group, .file = bytes };
	*n_token = 0;
	KvLoad how = check_sum(bytes, is_summed, &h, why);
	if (how == KV_LOADED)
		how = check_head(p, group, &h, why);
	if (how == KV_LOADED)
		how = check_chain(p, group, bytes, &h, &x.l, why);
	if (how != KV_LOADED)
		return how;
	p->tick++;
	x.held = mem_must_alloc(((size_t)h.n_block + 1) * sizeof *x.held);
	while (x.n_held < h.n_block && load_global(&x))
		;
	uint32_t n = x.local_lo = x.n_held;
	while (kv_has_local(p) && x.local_lo > x.l.first[1] && load_local(&x))
		;
	/* Behind a part of the blocks there may be no window; of what is before a window, as much as there is room for. */
	if (kv_has_local(p) && x.local_lo > kv_window_first(&p->shape, n))
		n = 0;
	release_all(&x);
	free(x.held);
	*n_token = n * KV_BLOCK;
	return n == h.n_block ? KV_LOADED : refuse(why, KV_FULL, "the KV cache has no room for all that was saved");
}
