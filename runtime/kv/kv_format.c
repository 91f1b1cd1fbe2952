/* Names and sizes of the KV formats; kv_format.h has their layouts. */
#include "runtime/kv/kv_format.h"

static const char *const names[KV_FORMAT_COUNT] = {
	[KV_F16] = "f16", [KV_INT8] = "int8", [KV_K8V4] = "k8v4", [KV_INT4] = "int4", [KV_SEED4] = "seed4",
};

const char *kv_format_name(KvFormat f) { return names[f]; }

bool kv_format_find(Str name, KvFormat *f)
{
	for (int i = 0; i < KV_FORMAT_COUNT; i++)
		if (str_is(name, names[i])) {
			*f = (KvFormat)i;
			return true;
		}
	return false;
}

size_t kv_head_bytes(const KvShape *s, KvFormat block_format) { return kv_layout(block_format, s->head_len).n_bytes; }

double kv_token_bytes(const KvShape *s)
{
	return (double)kv_head_bytes(s, s->format) * s->n_layer * s->n_head / KV_BLOCK;
}

double kv_sequence_bytes(const KvShape *s, uint32_t n_token, uint32_t n_local)
{
	uint32_t n_block = (n_token + KV_BLOCK - 1) / KV_BLOCK, n_kept = n_local < n_block ? n_local : n_block;
	double head = (double)kv_head_bytes(s, s->format);
	return head * s->n_head * ((double)n_block * kv_n_layer(s, false) + (double)n_kept * kv_n_layer(s, true));
}
