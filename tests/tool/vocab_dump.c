/*
 * vocab_dump FILE [SPLIT]: loads a vocabulary and prints what the loader gave, a fact a line; on a
 * refusal "error OFFSET WHY" and exit 1. tests/token/load.py compares it with the reference packages.
 */
#include <inttypes.h>
#include <stdio.h>

#include "runtime/base/file.h"
#include "runtime/token/load.h"

static const char *const type_name[] = { "normal", "special", "user", "byte", "unknown", "unused" };
static const char *const flag_name[] = {
	"whole-piece-first", "dummy-prefix", "byte-fallback", "add-bos", "add-eos", "trim-spaces", "estimate", "fuse-unknown",
};

static void print_id(const char *name, uint32_t id)
{
	if (id == TOKEN_NONE)
		printf("%s none\n", name);
	else
		printf("%s %u\n", name, id);
}

static void print_token(const VocabSource *v, uint32_t id)
{
	printf("token %u %s ", id, type_name[v->type[id]]);
	for (size_t i = 0; i < v->token[id].n; i++)
		printf("%02x", (unsigned char)v->token[id].p[i]);
	if (v->score)
		printf(" %a", (double)v->score[id]);
	putchar('\n');
}

static void print_source(const VocabSource *v)
{
	if (v->name.n)
		printf("name %.*s\n", STR_ARG(v->name));
	printf("model %s\nsplit %s\nnorm %s\nflags", vocab_model_name(v->model), vocab_split_name(v->split),
		vocab_norm_name(v->norm));
	for (unsigned i = 0; i < sizeof flag_name / sizeof *flag_name; i++)
		if (v->flags >> i & 1)
			printf(" %s", flag_name[i]);
	putchar('\n');
	print_id("bos", v->bos);
	print_id("eos", v->eos);
	print_id("unk", v->unk);
	if (v->model == VOCAB_WORDPIECE)
		printf("max-word %u\n", v->max_word);
	for (uint32_t i = 0; i < v->n_token; i++)
		print_token(v, i);
	for (uint32_t i = 0; i < v->n_merge; i++)
		printf("merge %u %u %u\n", v->merge[i].left, v->merge[i].right, v->merge[i].joined);
}

int main(int argc, char **argv)
{
	Arena a = { 0 };
	Str bytes, why;
	VocabSource v;
	size_t offset;
	int rc = 0;
	if (argc < 2 || argc > 3) {
		fputs("usage: vocab_dump FILE [SPLIT]\n", stderr);
		return 2;
	}
	if (!file_read(&a, argv[1], &bytes, &why)) {
		fprintf(stderr, "%s: %.*s\n", argv[1], STR_ARG(why));
		return 2;
	}
	if (vocab_load(&a, vocab_format_of(bytes), bytes, argc > 2 ? argv[2] : NULL, &v, &why, &offset)) {
		print_source(&v);
	} else {
		printf("error %zu %.*s\n", offset, STR_ARG(why));
		rc = 1;
	}
	arena_free(&a);
	return rc;
}
