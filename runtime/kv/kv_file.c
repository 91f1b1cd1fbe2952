/* The layout of a saved cache, its sum, and what can be read of it without a pool. */
#include "runtime/kv/kv_file.h"

enum { LAYERS_MAX = 4096 };

static size_t block_bytes(const KvShape *s, uint32_t b)
{
	return (size_t)s->n_layer * s->n_head * kv_head_bytes(s, kv_block_format(s->format, b));
}

KvFileRun kv_file_run(const KvShape *s, uint32_t n_block, uint32_t b)
{
	uint32_t lead = kv_block_format(s->format, 0) != s->format, lo = b / KV_RUN * KV_RUN, hi = lo + KV_RUN;
	if (b < lead)
		return (KvFileRun){ 0, lead };
	return (KvFileRun){ lo < lead ? lead : lo, hi < n_block ? hi : n_block };
}

KvSpot kv_file_spot(const KvShape *s, uint32_t n_block, const void *blocks, uint32_t b, size_t *stride)
{
	KvFormat format = kv_block_format(s->format, b);
	size_t k_bytes = kv_layout(format, s->head_len).v, head_bytes = kv_head_bytes(s, format), before = 0;
	KvFileRun run = kv_file_run(s, n_block, b);
	if (run.lo)
		before = block_bytes(s, 0) + (size_t)(run.lo - 1) * block_bytes(s, b);
	uint8_t *at = (uint8_t *)(uintptr_t)blocks + before;
	*stride = (run.hi - run.lo) * head_bytes;
	return (KvSpot){ at + (b - run.lo) * k_bytes, at + (run.hi - run.lo) * k_bytes + (b - run.lo) * (head_bytes - k_bytes) };
}

bool kv_file_layout(const KvShape *s, uint32_t n_block, KvFileLayout *l)
{
	uint64_t rest = n_block ? n_block - 1 : 0, bytes;
	l->hashes = KV_FILE_HEAD + (uint64_t)n_block * sizeof(uint32_t) * KV_BLOCK;
	l->blocks = (l->hashes + (uint64_t)n_block * KV_HASH_BYTES + KV_ALIGN - 1) / KV_ALIGN * KV_ALIGN;
	return !__builtin_mul_overflow(rest, (uint64_t)block_bytes(s, 1), &bytes) &&
	       !__builtin_add_overflow(bytes, n_block ? block_bytes(s, 0) : 0, &bytes) && !__builtin_add_overflow(bytes, l->blocks, &l->end);
}

void kv_file_sum(Str file, uint8_t sum[SHA256_BYTES])
{
	static const uint8_t zero[SHA256_BYTES];
	Sha256 h;
	sha256_init(&h);
	sha256_put(&h, file.p, KV_FILE_HEAD - sizeof zero);
	sha256_put(&h, zero, sizeof zero);
	sha256_put(&h, file.p + KV_FILE_HEAD, file.n - KV_FILE_HEAD);
	sha256_end(&h, sum);
}

bool kv_file_is_other_version(Str bytes)
{
	KvFileHead h;
	if (bytes.n < sizeof h)
		return false;
	memcpy(&h, bytes.p, sizeof h);
	return !memcmp(h.magic, KV_FILE_MAGIC, sizeof h.magic) && h.version != KV_FILE_VERSION;
}

bool kv_file_peek(Str bytes, KvShape *shape, uint32_t *n_block, KvFileLayout *l)
{
	KvFileHead h;
	if (bytes.n < sizeof h)
		return false;
	memcpy(&h, bytes.p, sizeof h);
	if (memcmp(h.magic, KV_FILE_MAGIC, sizeof h.magic) || h.version != KV_FILE_VERSION || h.format >= KV_FORMAT_COUNT || h.format == KV_SEED4)
		return false;
	if (!h.n_layer || h.n_layer > LAYERS_MAX || !h.n_head || h.n_head > LAYERS_MAX || !h.head_len || h.head_len % 16 || h.head_len > KV_HEAD_MAX)
		return false;
	*shape = (KvShape){ h.n_layer, h.n_head, h.head_len, (KvFormat)h.format };
	*n_block = h.n_block;
	return kv_file_layout(shape, h.n_block, l) && l->end == bytes.n;
}
