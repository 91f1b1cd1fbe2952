/* Writes a sequence's sealed blocks (kv_file.h). */
#include "runtime/kv/kv_file.h"

KvFileHead kv_file_head(const KvPool *p, uint32_t group)
{
	const KvRoot *r = &p->root;
	KvFileHead h = { .version = KV_FILE_VERSION, .format = p->shape.format, .n_layer = p->shape.n_layer, .n_head = p->shape.n_head,
		.head_len = p->shape.head_len, .window = p->shape.window, .global_every = p->shape.global_every, .part = { kv_hash_part("model", r->model), kv_hash_part("tokenizer", r->tokenizer),
		kv_hash_part("rotary", r->rotary), kv_hash_part("build", r->build), kv_hash_part("adapters", r->adapters),
		kv_hash_part("group", p->group[group].group.name) } };
	memcpy(h.magic, KV_FILE_MAGIC, sizeof h.magic);
	return h;
}

/* Block b, or its twin, which the sequence holds or which is cached. */
static const KvBlock *block_of(const KvSequence *s, uint32_t b, bool is_local)
{
	const KvBlock *block = kv_block(s->pool, s->block[b]);
	return is_local ? kv_block(s->pool, block->twin) : block;
}

static uint32_t local_first(const KvSequence *s, uint32_t n_block)
{
	uint32_t lo = kv_window_first(&s->pool->shape, n_block);
	while (lo && kv_block(s->pool, s->block[lo - 1])->twin != KV_NONE)
		lo--;
	return lo;
}

static void put_run(const KvSequence *s, KvFileRun run, bool is_local, Buf *out)
{
	const KvPool *p = s->pool;
	const KvSlab *slab = &p->slab[kv_slab_for(p, run.lo, is_local)];
	for (uint32_t i = 0; i < slab->n_layer * p->shape.n_head; i++) {
		for (uint32_t b = run.lo; b < run.hi; b++) {
			const KvBlock *block = block_of(s, b, is_local);
			buf_put(out, (Str){ (const char *)block->spot.k + i * block->stride, slab->k_bytes });
		}
		for (uint32_t b = run.lo; b < run.hi; b++) {
			const KvBlock *block = block_of(s, b, is_local);
			buf_put(out, (Str){ (const char *)block->spot.v + i * block->stride, slab->head_bytes - slab->k_bytes });
		}
	}
}

bool kv_sequence_save(const KvSequence *s, Buf *out)
{
	const KvPool *p = s->pool;
	uint32_t n = s->n_token / KV_BLOCK, lo = local_first(s, n);
	KvFileLayout l;
	if (p->shape.format == KV_SEED4 || !kv_file_layout(&p->shape, n, lo, &l))
		return false;
	size_t start = out->n;
	KvFileHead head = kv_file_head(p, s->group);
	head.n_block = n;
	head.local_first = lo;
	head.n_bytes = l.end;
	buf_reserve(out, l.end);
	buf_put(out, (Str){ (const char *)&head, sizeof head });
	for (uint32_t b = 0; b < n; b++)
		buf_put(out, (Str){ (const char *)kv_block(p, s->block[b])->ids, sizeof(uint32_t) * KV_BLOCK });
	for (uint32_t b = 0; b < n; b++)
		buf_put(out, (Str){ (const char *)kv_block(p, s->block[b])->hash.b, KV_HASH_BYTES });
	buf_fill(out, 0, l.blocks[0] - (out->n - start));
	for (int is_local = 0; is_local <= kv_has_local(p); is_local++)
		for (KvFileRun run = { 0, l.first[is_local] }; run.hi < n;) {
			run = kv_file_run(&p->shape, &l, is_local, run.hi);
			put_run(s, run, is_local, out);
		}
	kv_file_sum((Str){ out->p + start, out->n - start }, (uint8_t *)out->p + start + offsetof(KvFileHead, sum));
	return true;
}
