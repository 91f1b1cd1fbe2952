/* main of a tool over FILE, a JSON array of groups: each is run in turn, and what they print is printed at the end. */
#ifndef SEED_TESTS_GROUPS_H
#define SEED_TESTS_GROUPS_H

#include <stdio.h>

#include "runtime/base/buf.h"
#include "runtime/base/file.h"
#include "runtime/base/json.h"

static inline int groups_main(int argc, char **argv, void (*run)(Arena *a, Buf *out, const JsonNode *group))
{
	Arena a = { 0 };
	Buf out = { 0 };
	Str text, why;
	JsonDoc doc;
	if (argc != 2 || !file_read(&a, argv[1], &text, &why) || !json_read(&a, text, 0, &doc))
		return 2;
	for (uint32_t i = 0; i < doc.root->n; i++)
		run(&a, &out, doc.root->item[i]);
	fwrite(out.p, 1, out.n, stdout);
	buf_free(&out);
	arena_free(&a);
	return 0;
}

#endif
