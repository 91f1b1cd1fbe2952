/* Any bytes: read, and what was read writes to JSON that reads back equal. */
#include <stdlib.h>

#include "runtime/base/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Arena a = { 0 };
	JsonDoc doc, again;
	if (json_read(&a, (Str){ (const char *)data, size }, 0, &doc)) {
		Buf b = { 0 };
		json_write(&b, doc.root, JSON_AS_IS);
		if (!json_read(&a, buf_str(&b), 0, &again) || !json_equal(doc.root, again.root)
			|| json_hash(doc.root) != json_hash(again.root))
			abort();
		json_pointer_at(&a, doc.root, (uint32_t)size / 2);
		buf_free(&b);
	} else if (doc.err.offset > size || !doc.err.message.n) {
		abort();
	}
	arena_free(&a);
	return 0;
}
