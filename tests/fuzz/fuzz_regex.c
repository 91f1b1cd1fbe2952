/* A pattern, a LF, a text: search and find agree, and errors point into the pattern. */
#include <stdlib.h>

#include "runtime/base/regex.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Arena a = { 0 };
	RegexError err;
	Str all = { (const char *)data, size };
	size_t cut = str_find(all, STR("\n"), 0), lo, hi;
	Str text = str_sub(all, cut + 1, size);
	const Regex *re = regex_new(&a, str_sub(all, 0, cut), &err);
	if (!re && (err.offset > cut || !err.message.n))
		abort();
	if (re) {
		bool found = regex_find(re, text, 0, &lo, &hi);
		if (found != regex_search(re, text) || (found && (lo > hi || hi > text.n)))
			abort();
	}
	arena_free(&a);
	return 0;
}
