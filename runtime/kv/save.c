/* Writes a sequence's sealed blocks (kv_file.h). */
#include "runtime/kv/kv_file.h"

KvFileHead kv_file_head(const KvPool *p, uint32_t group)
{
	const KvRoot *r = &p->root;
	const KvShape *s = &p->shape;
	KvFileHead h = {
		.version = KV_FILE_VERSION, .format = s->format, .n_layer = s->n_layer, .n_head = s->n_head, .head_len = s->head_len,
		.window = s->window, .global_every = s->global_every,
		.part = { kv_hash_part("model", r->model), kv_hash_part("tokenizer", r->tokenizer), kv_hash_part("rotary", r->rotary),
		          kv_hash_part("build", r->build), kv_hash_part("adapters", r->adapters),
		          kv_hash_part("group", p->group[group].group.name) },
	};
	memcpy(h.magic, KV_FILE_MAGIC, sizeof h.magic);
	return h;
}

static bool has_twin(const KvSequence *s, uint32_t b) { return kv_block(s->pool, s->block[b])->twin != KV_NONE; }

/* Of local layers what the sequence holds, and what is cached next to it and in front of the text. */
static void choose_local(const KvSequence *s, KvFileHead *h)
{
	h->local_first = kv_window_first(&s->pool->shape, h->n_block);
	while (h->local_first && has_twin(s, h->local_first - 1))
		h->local_first--;
	while (h->local_front < h->local_first && has_twin(s, h->local_front))
		h->local_front++;
}

/* Block b, or its twin. */
static const KvBlock *saved_block(const KvSequence *s, uint32_t b, bool is_local)
{
	const KvBlock *block = kv_block(s->pool, s->block[b]);
	return is_local ? kv_block(s->pool, block->twin) : block;
}

static void put_run(const KvSequence *s, KvFileRun run, bool is_local, Buf *out)
{
	const KvPool *p = s->pool;
	const KvSlab *slab = &p->slab[kv_slab_for(p, run.lo, is_local)];
	for (uint32_t i = 0; i < slab->n_layer * p->shape.n_head; i++) {
		for (uint32_t b = run.lo; b < run.hi; b++) {
			const KvBlock *block = saved_block(s, b, is_local);
			buf_put(out, (Str){ (const char *)block->spot.k + i * block->stride, slab->k_bytes });
		}
		for (uint32_t b = run.lo; b < run.hi; b++) {
			const KvBlock *block = saved_block(s, b, is_local);
			buf_put(out, (Str){ (const char *)block->spot.v + i * block->stride, slab->head_bytes - slab->k_bytes });
		}
	}
}

bool kv_sequence_save(const KvSequence *s, Buf *out)
{
	const KvPool *p = s->pool;
	KvFileHead head = kv_file_head(p, s->group);
	KvFileLayout l;
	head.n_block = s->n_token / KV_BLOCK;
	if (p->shape.format == KV_SEED4)
		return false;
	if (kv_has_local(p))
		choose_local(s, &head);
	if (!kv_file_layout(&p->shape, &head, &l))
		return false;
	size_t start = out->n;
	head.n_bytes = l.end;
	buf_reserve(out, l.end);
	buf_put(out, (Str){ (const char *)&head, sizeof head });
	for (uint32_t b = 0; b < head.n_block; b++)
		buf_put(out, (Str){ (const char *)kv_block(p, s->block[b])->ids, sizeof(uint32_t) * KV_BLOCK });
	for (uint32_t b = 0; b < head.n_block; b++)
		buf_put(out, (Str){ (const char *)kv_block(p, s->block[b])->hash.b, KV_HASH_BYTES });
	buf_fill(out, 0, l.range[RANGE_GLOBAL].at - (out->n - start));
	for (int i = 0; i < (kv_has_local(p) ? RANGE_COUNT : RANGE_FRONT); i++)
		for (KvFileRun run = { 0, l.range[i].lo }; run.hi < l.range[i].hi;) {
			run = kv_file_run(&p->shape, &l.range[i], run.hi);
			put_run(s, run, l.range[i].is_local, out);
		}
	kv_file_sum((Str){ out->p + start, out->n - start }, (uint8_t *)out->p + start + offsetof(KvFileHead, sum));
	return true;
}
