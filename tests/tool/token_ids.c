/*
 * token_ids [--decode|--law|--timed] VOCABULARY [SPLIT]: texts on stdin to ids on stdout, one process for any number of
 * texts. VOCABULARY is a table or any file that a loader reads. A text is its length (u32, little-endian)
 * and its bytes; an answer is the number of ids and the ids, u32 each. The length FLUSH has no text and no
 * answer: it asks for the answers so far.
 * --decode: a text is ids, u32 each, and an answer the number of bytes that they stand for and the bytes.
 * --law: an answer is the number of cuts in the text and of laws broken (tests/fuzz/token_law.h).
 * --timed: ids, after the microseconds of processor time that an encoder which has seen nothing took for them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "runtime/base/file.h"
#include "runtime/token/load.h"
#include "tests/fuzz/token_law.h"

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

/* What a text is answered with: a number, and that many of them. */
typedef void Answer(Encoder *e, Str text);

static void answer_ids(Encoder *e, Str text)
{
	uint32_t *ids = mem_must_alloc(token_bound(encoder_vocab(e), text.n) * sizeof *ids);
	uint32_t k = (uint32_t)token_encode(e, text, ids);
	fwrite(&k, sizeof k, 1, stdout);
	fwrite(ids, sizeof *ids, k, stdout);
	free(ids);
}

static uint64_t cpu_us(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

static void answer_timed(Encoder *e, Str text)
{
	uint32_t *ids = mem_must_alloc((token_bound(encoder_vocab(e), text.n) + 1) * sizeof *ids);
	Encoder *fresh = encoder_new(encoder_vocab(e));
	uint64_t start = cpu_us();
	uint32_t k = (uint32_t)token_encode(fresh, text, ids + 1) + 1;
	ids[0] = (uint32_t)(cpu_us() - start);
	fwrite(&k, sizeof k, 1, stdout);
	fwrite(ids, sizeof *ids, k, stdout);
	encoder_free(fresh);
	free(ids);
}

static void answer_bytes(Encoder *e, Str text)
{
	Buf out = { 0 };
	size_t bad, n = text.n / sizeof(uint32_t);
	uint32_t *ids = mem_must_alloc(text.n + 1);
	memcpy(ids, text.p, n * sizeof *ids);
	token_decode(encoder_vocab(e), ids, n, &out, &bad);
	uint32_t k = (uint32_t)out.n;
	fwrite(&k, sizeof k, 1, stdout);
	fwrite(out.p, 1, k, stdout);
	free(ids);
	buf_free(&out);
}

static void answer_law(Encoder *e, Str text)
{
	Law l = law_check(e, text);
	uint32_t row[] = { 2, l.n_cut, l.n_wrong };
	fwrite(row, sizeof row, 1, stdout);
}

/* The word of the command line, or NULL. */
static Answer *find_answer(const char *word)
{
	static const struct { const char *word; Answer *answer; } row[] = {
		{ "--decode", answer_bytes }, { "--law", answer_law }, { "--timed", answer_timed },
	};
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		if (!strcmp(word, row[i].word))
			return row[i].answer;
	return NULL;
}

static void answer_all(Encoder *e, Answer *answer)
{
	uint32_t n;
	char *text = NULL;
	while (fread(&n, sizeof n, 1, stdin) == 1) {
		if (n == FLUSH) {
			fflush(stdout);
			continue;
		}
		text = mem_must_grow(text, (size_t)n + 1);
		if (fread(text, 1, n, stdin) != n)
			break;
		answer(e, (Str){ text, n });
	}
	free(text);
}

int main(int argc, char **argv)
{
	Arena arena = { 0 };
	Buf table = { 0 };
	Vocab v;
	Str why = STR("");
	Answer *answer = argc > 1 ? find_answer(argv[1]) : NULL;
	if (answer) {
		argc--;
		argv++;
	}
	if (argc < 2)
		return fail("usage", STR("token_ids [--decode|--law|--timed] VOCABULARY [SPLIT]"));
	if (!open_any(&arena, argv[1], argc > 2 ? argv[2] : NULL, &v, &table, &why))
		return fail(argv[1], why);
	Encoder *e = encoder_new(&v);
	answer_all(e, answer ? answer : answer_ids);
	encoder_free(e);
	vocab_close(&v);
	buf_free(&table);
	arena_free(&arena);
	return 0;
}
