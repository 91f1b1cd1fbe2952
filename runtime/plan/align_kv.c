/* align.h: the layouts of the KV cache as attention reads them (runtime/cpu/isa/attend_keys.c, attend_values.c): of a
 * packed head its codes by 64 bytes and its halves by 16 of them. */
#include "runtime/plan/align.h"

#include "runtime/kv/kv_file.h"

enum { CODE_LOAD = 64, HALF_LOAD = 32 };

/* Names of what stands in one place: in blocks, in first blocks where they are of another format, in a file. */
typedef struct PlaceNames { const char *block, *head, *k, *k_scale, *v, *v_scale; } PlaceNames;

static const PlaceNames rest = { "block", "head", "K", "K scales", "V", "V scales" };
static const PlaceNames first = {
	"first block", "first block: head", "first block: K", "first block: K scales", "first block: V", "first block: V scales",
};
static const PlaceNames tail = { "tail", "tail: head", "tail: K", "", "tail: V", "" };
static const PlaceNames file_rest = {
	"file: block", "file: head", "file: K", "file: K scales", "file: V", "file: V scales",
};
static const PlaceNames file_first = {
	"file: first block", "file: first head", "file: first K", "file: first K scales", "file: first V", "file: first V scales",
};

static void add_loads(AlignReport *r, const char *name, uint64_t base, size_t n_bytes, uint32_t width)
{
	if (n_bytes)
		align_add(r, &(AlignArray){ name, base, width, n_bytes / width, width });
}

static void add_head(AlignReport *r, const PlaceNames *n, KvFormat format, uint32_t head_len, uint64_t k, uint64_t v)
{
	KvLayout l = kv_layout(format, head_len);
	uint32_t load = format == KV_F16 ? HALF_LOAD : CODE_LOAD;
	add_loads(r, n->k, k, l.k_scale, load);
	add_loads(r, n->k_scale, k + l.k_scale, l.v - l.k_scale, HALF_LOAD);
	add_loads(r, n->v, v, l.v_scale - l.v, load);
	add_loads(r, n->v_scale, v + (l.v_scale - l.v), l.n_bytes - l.v_scale, HALF_LOAD);
}

/* A block whose first head's keys and values lie at k and v. */
static void add_block(AlignReport *r, const PlaceNames *n, KvFormat format, const KvShape *s, uint64_t k, uint64_t v, size_t stride)
{
	uint64_t n_head = (uint64_t)s->n_layer * s->n_head, head_bytes = kv_head_bytes(s, format);
	align_add(r, &(AlignArray){ n->block, k, n_head * head_bytes, 1, 0 });
	for (uint64_t i = 0; i < n_head; i++, k += stride, v += stride) {
		align_add(r, &(AlignArray){ n->head, k, head_bytes, 1, 0 });
		add_head(r, n, format, s->head_len, k, v);
	}
}

/* A block of the pool: head by head, where attention will look. */
static void add_pool_block(AlignReport *r, const PlaceNames *n, KvFormat format, const KvSequence *s, uint32_t b)
{
	const KvShape *shape = kv_pool_shape(s->pool);
	uint64_t head_bytes = kv_head_bytes(shape, format);
	align_add(r, &(AlignArray){ n->block, (uintptr_t)kv_block_at(s->pool, s->block[b], 0, 0).k, head_bytes * shape->n_layer * shape->n_head, 1, 0 });
	for (uint32_t layer = 0; layer < shape->n_layer; layer++)
		for (uint32_t head = 0; head < shape->n_head; head++) {
			KvSpot at = kv_block_at(s->pool, s->block[b], layer, head);
			align_add(r, &(AlignArray){ n->head, (uintptr_t)at.k, head_bytes, 1, 0 });
			add_head(r, n, format, shape->head_len, (uintptr_t)at.k, (uintptr_t)at.v);
		}
}

static void add_tail(AlignReport *r, const KvSequence *s)
{
	const KvShape *shape = kv_pool_shape(s->pool);
	KvSpot at = kv_spot(kv_tail_at(s, 0, 0), KV_F16, shape->head_len);
	add_block(r, &tail, KV_F16, shape, (uintptr_t)at.k, (uintptr_t)at.v, kv_head_bytes(shape, KV_F16));
}

void align_pool(AlignReport *r, const KvSequence *s)
{
	const KvShape *shape = kv_pool_shape(s->pool);
	for (uint32_t b = 0; b < s->n_block; b++) {
		KvFormat format = kv_block_format(shape->format, b);
		add_pool_block(r, format == shape->format ? &rest : &first, format, s, b);
	}
	add_tail(r, s);
}

bool align_file(AlignReport *r, Str saved, uint64_t offset)
{
	KvShape shape;
	uint32_t n_block;
	KvFileLayout l;
	if (!kv_file_peek(saved, &shape, &n_block, &l))
		return false;
	align_add(r, &(AlignArray){ "file: section", offset, saved.n, 1, 0 });
	align_add(r, &(AlignArray){ "file: ids", offset + KV_FILE_HEAD, sizeof(uint32_t) * KV_BLOCK, n_block, 0 });
	align_add(r, &(AlignArray){ "file: hashes", offset + l.hashes, KV_HASH_BYTES, n_block, 0 });
	for (uint32_t b = 0; b < n_block; b++) {
		KvFormat format = kv_block_format(shape.format, b);
		size_t stride;
		KvSpot at = kv_file_spot(&shape, n_block, saved.p + l.blocks, b, &stride);
		uint64_t k = offset + (uint64_t)(at.k - (const uint8_t *)saved.p), v = offset + (uint64_t)(at.v - (const uint8_t *)saved.p);
		add_block(r, format == shape.format ? &file_rest : &file_first, format, &shape, k, v, stride);
	}
	return true;
}
