/* align.h: the layouts of the KV cache as attention reads them (runtime/cpu/isa/attend_keys.c, attend_values.c): of a
 * packed head its codes by 64 bytes and its halves by 16 of them. */
#include "runtime/plan/align.h"

#include "runtime/kv/kv_file.h"

enum { CODE_LOAD = 64, HALF_LOAD = 32 };

/* Names of what stands in one place: in blocks, in first blocks where they are of another format, in a file. */
typedef struct PlaceNames { const char *block, *head, *k, *k_scale, *v, *v_scale; } PlaceNames;

#define PLACES(block, of) { block, of "head", of "K", of "K scales", of "V", of "V scales" }
static const PlaceNames tail = { "tail", "tail: head", "tail: K", "", "tail: V", "" };
/* [of local layers][first block] */
static const PlaceNames pool[2][2] = {
	{ PLACES("block", ""), PLACES("first block", "first block: ") },
	{ PLACES("local block", "local: "), PLACES("local first block", "local first: ") },
};
static const PlaceNames file[2][2] = {
	{ PLACES("file: block", "file: "), PLACES("file: first block", "file: first ") },
	{ PLACES("file: local block", "file: local "), PLACES("file: local first block", "file: local first ") },
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

/* A block of n_layer layers whose first head's keys and values lie at k and v. */
static void add_block(AlignReport *r, const PlaceNames *n, KvFormat format, const KvShape *s, uint32_t n_layer, uint64_t k, uint64_t v,
                      size_t stride)
{
	uint64_t n_head = (uint64_t)n_layer * s->n_head, head_bytes = kv_head_bytes(s, format);
	align_add(r, &(AlignArray){ n->block, k, n_head * head_bytes, 1, 0 });
	for (uint64_t i = 0; i < n_head; i++, k += stride, v += stride) {
		align_add(r, &(AlignArray){ n->head, k, head_bytes, 1, 0 });
		add_head(r, n, format, s->head_len, k, v);
	}
}

/* Block b of the pool, or its twin of local layers: head by head, where attention will look. */
static void add_pool_block(AlignReport *r, const KvSequence *s, uint32_t b, bool is_local)
{
	const KvShape *shape = kv_pool_shape(s->pool);
	KvFormat format = kv_block_format(shape->format, b);
	const PlaceNames *n = &pool[is_local][format != shape->format];
	uint64_t head_bytes = kv_head_bytes(shape, format), n_head = (uint64_t)kv_n_layer(shape, is_local) * shape->n_head;
	for (uint32_t layer = 0; layer < shape->n_layer; layer++)
		for (uint32_t head = 0; head < shape->n_head && kv_layer_is_local(shape, layer) == is_local; head++) {
			KvSpot at = kv_block_at(s, b, layer, head);
			if (!kv_layer_index(shape, layer) && !head)
				align_add(r, &(AlignArray){ n->block, (uintptr_t)at.k, head_bytes * n_head, 1, 0 });
			align_add(r, &(AlignArray){ n->head, (uintptr_t)at.k, head_bytes, 1, 0 });
			add_head(r, n, format, shape->head_len, (uintptr_t)at.k, (uintptr_t)at.v);
		}
}

static void add_tail(AlignReport *r, const KvSequence *s)
{
	const KvShape *shape = kv_pool_shape(s->pool);
	KvSpot at = kv_spot(kv_tail_at(s, 0, 0), KV_F16, shape->head_len);
	add_block(r, &tail, KV_F16, shape, shape->n_layer, (uintptr_t)at.k, (uintptr_t)at.v, kv_head_bytes(shape, KV_F16));
}

void align_pool(AlignReport *r, const KvSequence *s)
{
	for (uint32_t b = 0; b < s->n_block; b++)
		for (int is_local = 0; is_local < 2; is_local++)
			add_pool_block(r, s, b, is_local);
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
	for (int i = 0; i < RANGE_COUNT; i++) {
		const KvFileRange *range = &l.range[i];
		uint32_t n_layer = kv_n_layer(&shape, range->is_local);
		for (uint32_t b = range->lo; n_layer && b < range->hi; b++) {
			KvFormat format = kv_block_format(shape.format, b);
			size_t stride;
			KvSpot at = kv_file_spot(&shape, range, saved.p, b, &stride);
			uint64_t k = offset + (uint64_t)(at.k - (const uint8_t *)saved.p), v = offset + (uint64_t)(at.v - (const uint8_t *)saved.p);
			add_block(r, &file[range->is_local][format != shape.format], format, &shape, n_layer, k, v, stride);
		}
	}
	return true;
}
