/* The layout of a saved cache, its sum, and what can be read of it without a pool. */
#include "runtime/kv/kv_file.h"

enum { LAYERS_MAX = 4096 };

static uint64_t block_bytes(const KvShape *s, bool is_local, uint32_t b)
{
	return (uint64_t)kv_n_layer(s, is_local) * s->n_head * kv_head_bytes(s, kv_block_format(s->format, b));
}

/* Of blocks lo .. hi - 1; false where they overflow. */
static bool blocks_bytes(const KvShape *s, bool is_local, uint32_t lo, uint32_t hi, uint64_t *n)
{
	uint64_t first = !lo && hi ? block_bytes(s, is_local, 0) : 0, n_rest = hi - lo - (first != 0);
	return !__builtin_mul_overflow(n_rest, block_bytes(s, is_local, 1), n) && !__builtin_add_overflow(*n, first, n);
}

KvFileRun kv_file_run(const KvShape *s, const KvFileRange *range, uint32_t b)
{
	uint32_t lead = kv_block_format(s->format, 0) != s->format, lo = b / KV_RUN * KV_RUN, hi = lo + KV_RUN;
	if (b < lead)
		return (KvFileRun){ 0, lead };
	lo = lo < lead ? lead : lo;
	return (KvFileRun){ lo < range->lo ? range->lo : lo, hi < range->hi ? hi : range->hi };
}

KvSpot kv_file_spot(const KvShape *s, const KvFileRange *range, const void *file, uint32_t b, size_t *stride)
{
	KvFormat format = kv_block_format(s->format, b);
	size_t k_bytes = kv_layout(format, s->head_len).v, head_bytes = kv_head_bytes(s, format);
	KvFileRun run = kv_file_run(s, range, b);
	uint64_t before;
	blocks_bytes(s, range->is_local, range->lo, run.lo, &before);  /* less than the file's */
	uint8_t *at = (uint8_t *)(uintptr_t)file + range->at + before;
	*stride = (run.hi - run.lo) * head_bytes;
	return (KvSpot){ at + (b - run.lo) * k_bytes, at + (run.hi - run.lo) * k_bytes + (b - run.lo) * (head_bytes - k_bytes) };
}

static bool put_range(const KvShape *s, KvFileLayout *l, KvFileRangeIndex i, uint32_t lo, uint32_t hi)
{
	uint64_t n;
	l->range[i] = (KvFileRange){ l->end, lo, hi, i != RANGE_GLOBAL };
	return blocks_bytes(s, i != RANGE_GLOBAL, lo, hi, &n) && !__builtin_add_overflow(l->end, n, &l->end);
}

bool kv_file_layout(const KvShape *s, const KvFileHead *h, KvFileLayout *l)
{
	if (h->local_front > h->local_first || h->local_first > kv_window_first(s, h->n_block))
		return false;
	l->hashes = KV_FILE_HEAD + (uint64_t)h->n_block * sizeof(uint32_t) * KV_BLOCK;
	l->end = (l->hashes + (uint64_t)h->n_block * KV_HASH_BYTES + KV_ALIGN - 1) / KV_ALIGN * KV_ALIGN;
	return put_range(s, l, RANGE_GLOBAL, 0, h->n_block) && put_range(s, l, RANGE_FRONT, 0, h->local_front) &&
	       put_range(s, l, RANGE_END, h->local_first, h->n_block);
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
	if (h.window && !h.global_every)
		return false;
	*shape = (KvShape){ h.n_layer, h.n_head, h.head_len, (KvFormat)h.format, h.window, h.global_every };
	*n_block = h.n_block;
	/* A head has more bytes than a window has layers for each global one: else whoever walks all heads walks for ever. */
	return (uint64_t)h.n_layer * h.n_head <= bytes.n / (h.n_block ? h.n_block : 1) && kv_file_layout(shape, &h, l) && l->end == bytes.n;
}
