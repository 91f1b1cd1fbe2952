/* The vocabularies at hand: see shelf.h. */
#include "runtime/token/shelf.h"

#include <unistd.h>

#include "runtime/token/vocab_store.h"

static void open_table(TokenShelf *s, ShelfTable *t)
{
	Str folder = vocab_store_folder(&s->arena);
	if (!folder.n || !vocab_store_is_name(t->name))
		return;
	const char *path = vocab_store_path(&s->arena, folder, t->name);
	if (access(path, F_OK))
		return;
	if (vocab_open(&s->arena, path, &t->vocab, &t->why))
		t->encoder = encoder_new(&t->vocab);
}

const ShelfTable *shelf_find(TokenShelf *s, Str name)
{
	for (uint32_t i = 0; i < s->table.n; i++)
		if (str_eq(s->table.v[i]->name, name))
			return s->table.v[i];
	ShelfTable *t = arena_new(&s->arena, ShelfTable);
	t->name = str_dup(&s->arena, name);
	open_table(s, t);
	vec_push(&s->arena, &s->table, t);
	return t;
}

void shelf_free(TokenShelf *s)
{
	for (uint32_t i = 0; i < s->table.n; i++) {
		ShelfTable *t = s->table.v[i];
		if (!t->encoder)
			continue;
		encoder_free(t->encoder);
		vocab_close(&t->vocab);
	}
	arena_free(&s->arena);
	*s = (TokenShelf){ 0 };
}

bool tokenizer_is_closed(Str name)
{
	return str_is(name, "claude") || str_is(name, "gemini");
}

Encoder *counter_encoder(const TokenCounter *t)
{
	if (t->encoder)
		return t->encoder;
	const ShelfTable *table = t->shelf && t->tokenizer.n ? shelf_find(t->shelf, t->tokenizer) : NULL;
	bool is_own = table && table->encoder && !(table->vocab.header->flags & VOCAB_ESTIMATE) && !tokenizer_is_closed(t->tokenizer);
	return is_own ? table->encoder : NULL;
}

bool counter_count(const TokenCounter *t, Str text, uint64_t *n_token)
{
	Encoder *e = counter_encoder(t);
	if (e)
		*n_token = token_count(e, text);
	return e != NULL;
}
