/* Writes a sequence's sealed blocks (kv_file.h). */
#include "runtime/kv/kv_file.h"

KvFileHead kv_file_head(const KvPool *p, uint32_t group)
{
	const KvRoot *r = &p->root;
	KvFileHead h = { .version = KV_FILE_VERSION, .format = p->shape.format, .n_layer = p->shape.n_layer, .n_head = p->shape.n_head,
		.head_len = p->shape.head_len, .part = { kv_hash_part("model", r->model), kv_hash_part("tokenizer", r->tokenizer),
		kv_hash_part("rotary", r->rotary), kv_hash_part("build", r->build), kv_hash_part("adapters", r->adapters),
		kv_hash_part("group", p->group[group].group.name) } };
	memcpy(h.magic, KV_FILE_MAGIC, sizeof h.magic);
	return h;
}

static void put_run(const KvSequence *s, KvFileRun run, Buf *out)
{
	const KvPool *p = s->pool;
	const KvSlab *slab = &p->slab[kv_slab_of(s->block[run.lo])];
	for (uint32_t i = 0; i < p->shape.n_layer * p->shape.n_head; i++) {
		for (uint32_t b = run.lo; b < run.hi; b++) {
			const KvBlock *block = kv_block(p, s->block[b]);
			buf_put(out, (Str){ (const char *)block->spot.k + i * block->stride, slab->k_bytes });
		}
		for (uint32_t b = run.lo; b < run.hi; b++) {
			const KvBlock *block = kv_block(p, s->block[b]);
			buf_put(out, (Str){ (const char *)block->spot.v + i * block->stride, slab->head_bytes - slab->k_bytes });
		}
	}
}

bool kv_sequence_save(const KvSequence *s, Buf *out)
{
	const KvPool *p = s->pool;
	uint32_t n = s->n_token / KV_BLOCK;
	KvFileLayout l;
	if (p->shape.format == KV_SEED4 || !kv_file_layout(&p->shape, n, &l))
		return false;
	size_t start = out->n;
	KvFileHead head = kv_file_head(p, s->group);
	head.n_block = n;
	head.n_bytes = l.end;
	buf_reserve(out, l.end);
	buf_put(out, (Str){ (const char *)&head, sizeof head });
	for (uint32_t b = 0; b < n; b++)
		buf_put(out, (Str){ (const char *)kv_block(p, s->block[b])->ids, sizeof(uint32_t) * KV_BLOCK });
	for (uint32_t b = 0; b < n; b++)
		buf_put(out, (Str){ (const char *)kv_block(p, s->block[b])->hash.b, KV_HASH_BYTES });
	buf_fill(out, 0, l.blocks - (out->n - start));
	for (KvFileRun run = { 0, 0 }; run.hi < n;) {
		run = kv_file_run(&p->shape, n, run.hi);
		put_run(s, run, out);
	}
	kv_file_sum((Str){ out->p + start, out->n - start }, (uint8_t *)out->p + start + offsetof(KvFileHead, sum));
	return true;
}
