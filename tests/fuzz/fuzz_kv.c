/* Saved KV caches: whatever the bytes are, the pool stays whole, and what it says it took is in its table. The
 * checksum is also set right, so that what lies behind it is reached. */
#include <stdlib.h>

#include "runtime/kv/kv_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void try_load(KvPool *p, Arena *a, Str bytes)
{
	uint32_t n_token;
	Str why = { 0 };
	KvLoad how = kv_pool_load(p, 0, bytes, false, &n_token, &why);
	if ((how != KV_LOADED) != (why.n > 0) || (n_token && how != KV_LOADED && how != KV_FULL) || !kv_pool_verify(p, a, &why))
		abort();
}

/* Of one layer, which is global, or of two, of which one is local. */
static void try_pool(const uint8_t *data, size_t n, bool has_local)
{
	Arena a = { 0 };
	Str why;
	KvConfig config = { .shape = { 1, 1, 16, KV_K8V4, 0, 0 }, .n_block = 4, .n_first = 2, .n_sequence = 1, .root.model = STR_INIT("m") };
	if (has_local)
		config.shape = (KvShape){ 2, 1, 16, KV_K8V4, 40, 2 };
	KvPool *p = kv_pool_new(&a, &config, &why);
	char *bytes = malloc(n ? n : 1);  /* exactly as long */
	memcpy(bytes, data, n);
	try_load(p, &a, (Str){ bytes, n });
	if (n >= KV_FILE_HEAD) {
		kv_file_sum((Str){ bytes, n }, (uint8_t *)bytes + offsetof(KvFileHead, sum));
		try_load(p, &a, (Str){ bytes, n });
	}
	kv_pool_free(p);
	free(bytes);
	arena_free(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	try_pool(data, n, false);
	try_pool(data, n, true);
	return 0;
}
