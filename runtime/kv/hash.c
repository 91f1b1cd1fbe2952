/*
 * Chains of hashes. Every field goes in with a tag and its length, so no two lists of fields give the same bytes;
 * SHA-256 is cut to 128 bits, and tokens are compared again on a hit.
 */
#include <stdio.h>

#include "runtime/base/sha256.h"
#include "runtime/kv/kv_pool.h"

static void put_number(Sha256 *h, uint64_t x, int n_bytes)
{
	uint8_t b[8];
	for (int i = 0; i < n_bytes; i++)
		b[i] = (uint8_t)(x >> 8 * i);
	sha256_put(h, b, (size_t)n_bytes);
}

static void put_field(Sha256 *h, const char *tag, Str value)
{
	Str t = str_from(tag);
	put_number(h, t.n, 8);
	sha256_put(h, t.p, t.n);
	put_number(h, value.n, 8);
	sha256_put(h, value.p, value.n);
}

static KvHash cut(Sha256 *h)
{
	uint8_t full[SHA256_BYTES];
	KvHash cut;
	sha256_end(h, full);
	memcpy(cut.b, full, sizeof cut.b);
	return cut;
}

KvHash kv_hash_part(const char *tag, Str bytes)
{
	Sha256 h;
	sha256_init(&h);
	put_field(&h, tag, bytes);
	return cut(&h);
}

KvHash kv_hash_root(const KvRoot *root, const KvShape *shape, Str group)
{
	Sha256 h;
	char numbers[80];
	int n = snprintf(numbers, sizeof numbers, "%u %u %u", shape->n_layer, shape->n_head, shape->head_len);
	sha256_init(&h);
	put_field(&h, "seedc kv root", STR("1"));
	put_field(&h, "model", root->model);
	put_field(&h, "tokenizer", root->tokenizer);
	put_field(&h, "format", str_from(kv_format_name(shape->format)));
	put_field(&h, "shape", (Str){ numbers, (size_t)n });
	put_field(&h, "rotary", root->rotary);
	put_field(&h, "build", root->build);
	put_field(&h, "adapters", root->adapters);
	put_field(&h, "group", group);
	return cut(&h);
}

KvHash kv_hash_block(KvHash before, const uint32_t ids[KV_BLOCK])
{
	Sha256 h;
	sha256_init(&h);
	put_field(&h, "seedc kv block", (Str){ (const char *)before.b, sizeof before.b });
	put_number(&h, KV_BLOCK, 8);
	for (int i = 0; i < KV_BLOCK; i++)
		put_number(&h, ids[i], 4);
	return cut(&h);
}
