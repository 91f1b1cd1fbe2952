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
	if (!kv_file_layout(&p->shape, h, l) || l->end != bytes.n)
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

/* Until all are there, what is there is held: none of it is evicted for another. */
typedef struct Loading {
	KvPool *p;
	uint32_t group;
	Str file;
	KvFileLayout l;
	uint32_t *block, n_block;  /* of global layers */
	uint32_t *local;           /* KV_NONE where there is none */
} Loading;

static uint32_t hold_there(Loading *x, uint32_t id)
{
	kv_block(x->p, id)->made_s = x->p->now_s;
	kv_block_hold(x->p, id);
	return id;
}

/* A block with the bytes of the range's block b, held and not sealed; KV_NONE when there is no room. */
static uint32_t load_block(Loading *x, KvFileRangeIndex range, uint32_t b, bool may_evict)
{
	KvPool *p = x->p;
	KvSlabIndex slab = kv_slab_for(p, b, range != RANGE_GLOBAL);
	if (may_evict ? !kv_can_evict(p, slab, 1) : !p->slab[slab].n_free)
		return KV_NONE;
	kv_evict(p, slab, 1);
	uint32_t id = kv_block_take(p, slab);
	size_t stride;
	KvSpot from = kv_file_spot(&p->shape, &x->l.range[range], x->file.p, b, &stride);
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
	uint32_t ids[KV_BLOCK], b = x->n_block, parent = b ? x->block[b - 1] : KV_NONE;
	memcpy(&hash, x->file.p + x->l.hashes + (size_t)b * sizeof hash, sizeof hash);
	memcpy(ids, x->file.p + KV_FILE_HEAD + b * sizeof ids, sizeof ids);
	uint32_t id = kv_table_find(x->p, x->group, parent, hash, ids);
	if (id != KV_NONE) {
		hold_there(x, id);
	} else {
		id = load_block(x, RANGE_GLOBAL, b, true);
		if (id == KV_NONE)
			return false;
		kv_block_seal(x->p, id, x->group, parent, hash, ids);
	}
	x->block[x->n_block++] = id;
	return true;
}

static bool load_local(Loading *x, KvFileRangeIndex range, uint32_t b, bool may_evict)
{
	uint32_t twin = kv_block(x->p, x->block[b])->twin;
	if (twin != KV_NONE) {
		x->local[b] = hold_there(x, twin);
		return true;
	}
	x->local[b] = load_block(x, range, b, may_evict);
	if (x->local[b] != KV_NONE)
		kv_block_seal_local(x->p, x->local[b], x->block[b], x->p->tick);
	return x->local[b] != KV_NONE;
}

/* The window behind the last block, whatever goes for it; of the rest as much as there is room for. */
static void load_locals(Loading *x)
{
	const KvFileRange *front = &x->l.range[RANGE_FRONT], *end = &x->l.range[RANGE_END];
	uint32_t first = kv_window_first(&x->p->shape, x->n_block), b = x->n_block;
	while (b > first && b > end->lo && load_local(x, RANGE_END, b - 1, true))
		b--;
	for (uint32_t f = 0; f < front->hi && f < x->n_block && load_local(x, RANGE_FRONT, f, false); f++)
		;
	while (b > end->lo && load_local(x, RANGE_END, b - 1, false))
		b--;
}

/* As a sequence that used them gives its blocks back. */
static void release_all(Loading *x)
{
	uint32_t first = kv_window_first(&x->p->shape, x->n_block);
	for (uint32_t b = 0; b < x->n_block; b++)
		if (x->local[b] != KV_NONE)
			b < first ? kv_block_leave(x->p, x->local[b], b) : kv_block_release(x->p, x->local[b]);
	while (x->n_block)
		kv_block_release(x->p, x->block[--x->n_block]);
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
	x.block = mem_must_alloc(((size_t)h.n_block + 1) * sizeof *x.block);
	x.local = mem_must_alloc(((size_t)h.n_block + 1) * sizeof *x.local);
	memset(x.local, 0xff, ((size_t)h.n_block + 1) * sizeof *x.local);
	while (x.n_block < h.n_block && load_global(&x))
		;
	if (kv_has_local(p))
		load_locals(&x);
	*n_token = kv_with_window(p, x.block, x.local, x.n_block) * KV_BLOCK;
	release_all(&x);
	free(x.block);
	free(x.local);
	return *n_token == h.n_block * KV_BLOCK ? KV_LOADED : refuse(why, KV_FULL, "the KV cache has no room for all that was saved");
}
