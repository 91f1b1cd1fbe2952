/* Any bytes as a safetensors file: tensors that lie side by side inside it, or a message about one of its bytes. */
#include <stdlib.h>

#include "runtime/model/safetensors.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Arena a = { 0 };
	Safetensors s;
	Str why = { "", 0 };
	size_t offset = 0, n = 0;
	bool ok = safetensors_open(&a, (Str){ (const char *)data, size }, &s, &why, &offset);
	if (!ok && (!why.n || offset > size))
		abort();
	for (uint32_t i = 0; ok && i < s.n_tensor; i++) {
		const GgufTensor *t = &s.tensor[i];
		const uint8_t *p = (const uint8_t *)t->data.p;
		if (p < data || p + t->data.n > data + size || gguf_find_tensor(&(Gguf){ .tensor = s.tensor, .by_tensor = s.by_tensor }, t->name) != t)
			abort();
		n += t->data.n;
	}
	if (ok && n + 8 > size)
		abort();
	arena_free(&a);
	return 0;
}
