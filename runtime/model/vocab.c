/*
 * The tokenizer of a model as a table. Building one takes tens of milliseconds and more; it is kept in the cache
 * folder under the model's fingerprint, the version of the table's format and ours, and mapped from then on.
 */
#include "runtime/model/load.h"

#include "runtime/base/file.h"
#include "runtime/token/load.h"
#include "runtime/token/vocab_store.h"

static bool build(Arena *a, const Model *m, Buf *table, Str *why)
{
	VocabSource source;
	size_t offset;
	VocabFormat format = str_starts(m->tokenizer, STR("GGUF")) ? FORMAT_GGUF : FORMAT_WORDPIECE;
	if (!vocab_load(a, format, m->tokenizer, NULL, &source, why, &offset))
		return false;
	source.name = str_from(vocab_split_name(source.split));
	return vocab_build(a, &source, table, why);
}

static bool is_zero(const uint8_t hash[SHA256_BYTES])
{
	int any = 0;
	for (int i = 0; i < SHA256_BYTES; i++)
		any |= hash[i];
	return !any;
}

/* NULL: a model without a fingerprint, or no cache. */
static const char *table_path(Arena *a, const Model *m, Str *folder)
{
	char hex[2 * SHA256_BYTES];
	Str cache = model_cache_folder(a);
	if (!cache.n || is_zero(m->fingerprint))
		return NULL;
	sha256_hex(m->fingerprint, hex);
	*folder = str_fmt(a, "%.*s/tokenizer", STR_ARG(cache));
	return vocab_store_path(a, *folder, str_fmt(a, "%.*s-%d-" SEED_VERSION, (int)sizeof hex, hex, VOCAB_VERSION));
}

static bool check_ids(Arena *a, const Model *m, Vocab *v, Str *why)
{
	if (v->n_token <= m->shape.n_vocab)
		return true;
	*why = str_fmt(a, "the tokenizer has %u tokens, and the model embeddings of %u", v->n_token, m->shape.n_vocab);
	vocab_close(v);
	return false;
}

/* The table as bytes of the arena, aligned as the format wants. */
static Str keep(Arena *a, const Buf *table)
{
	char *p = arena_alloc(a, table->n + VOCAB_ALIGN);
	p += (VOCAB_ALIGN - (uintptr_t)p % VOCAB_ALIGN) % VOCAB_ALIGN;
	memcpy(p, table->p, table->n);
	return (Str){ p, table->n };
}

bool model_vocab(Arena *a, const Model *m, Vocab *v, Str *why)
{
	Str folder;
	Buf table = { 0 };
	const char *path = table_path(a, m, &folder);
	if (path && vocab_open(a, path, v, why))
		return check_ids(a, m, v, why);
	bool ok = build(a, m, &table, why);
	bool is_kept = ok && path && vocab_store_make(a, folder, why) && file_write(a, path, buf_str(&table), why)
		&& vocab_open(a, path, v, why);
	ok = is_kept || (ok && vocab_init(a, keep(a, &table), v, why));
	buf_free(&table);
	return ok && check_ids(a, m, v, why);
}
