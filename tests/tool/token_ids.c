/*
 * token_ids VOCABULARY [SPLIT]: texts on stdin to ids on stdout, one process for any number of texts.
 * VOCABULARY is a table or any file that a loader reads. A text is its length (u32, little-endian) and
 * its bytes; an answer is the number of ids and the ids, u32 each. The length FLUSH has no text and no
 * answer: it asks for the answers so far.
 */
#include <stdio.h>
#include <stdlib.h>

#include "runtime/base/file.h"
#include "runtime/token/load.h"
#include "runtime/token/token.h"

#define FLUSH UINT32_MAX

static int fail(const char *what, Str why)
{
	fprintf(stderr, "token_ids: %s: %.*s\n", what, STR_ARG(why));
	return 2;
}

/* A table made from a file of any public format. */
static bool make_table(Arena *a, Str bytes, const char *split, Buf *table, Str *why)
{
	VocabSource source;
	size_t offset;
	return vocab_load(a, vocab_format_of(bytes), bytes, split, &source, why, &offset) &&
	       vocab_build(a, &source, table, why);
}

static bool open_any(Arena *a, const char *path, const char *split, Vocab *v, Buf *table, Str *why)
{
	Str file;
	if (vocab_open(a, path, v, why))
		return true;
	if (!file_read(a, path, &file, why))
		return false;
	return make_table(a, file, split, table, why) && vocab_init(a, buf_str(table), v, why);
}

static void answer_all(Encoder *e, const Vocab *v)
{
	uint32_t n;
	char *text = NULL;
	uint32_t *ids = NULL;
	while (fread(&n, sizeof n, 1, stdin) == 1) {
		if (n == FLUSH) {
			fflush(stdout);
			continue;
		}
		text = mem_must_grow(text, (size_t)n + 1);
		ids = mem_must_grow(ids, token_bound(v, n) * sizeof *ids);
		if (fread(text, 1, n, stdin) != n)
			break;
		uint32_t k = (uint32_t)token_encode(e, (Str){ text, n }, ids);
		fwrite(&k, sizeof k, 1, stdout);
		fwrite(ids, sizeof *ids, k, stdout);
	}
	free(text);
	free(ids);
}

int main(int argc, char **argv)
{
	Arena arena = { 0 };
	Buf table = { 0 };
	Vocab v;
	Str why = STR("");
	if (argc < 2)
		return fail("usage", STR("token_ids VOCABULARY [SPLIT]"));
	if (!open_any(&arena, argv[1], argc > 2 ? argv[2] : NULL, &v, &table, &why))
		return fail(argv[1], why);
	Encoder *e = encoder_new(&v);
	answer_all(e, &v);
	encoder_free(e);
	vocab_close(&v);
	buf_free(&table);
	arena_free(&arena);
	return 0;
}
