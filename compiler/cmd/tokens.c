/* `seedc build --tokens NAME`: which vocabularies are meant, and the ids by them put into the .bin. */
#include "compiler/cmd/cmd.h"

static int refuse(Invocation *iv, Str name, TargetTable *targets)
{
	Str near = target_suggest(targets, name);
	return cmd_usage_error(iv, "--tokens: no vocabulary or target is called `%.*s`%s%.*s%s (`seedc vocab list` shows those at hand, "
	                       "`seedc vocab add NAME FILE` adds one)", STR_ARG(name), near.n ? "; did you mean `" : "", STR_ARG(near), near.n ? "`?" : "");
}

/* Why a table cannot be used for ids. */
static int refuse_table(Invocation *iv, const ShelfTable *table)
{
	Str name = table->name;
	if (tokenizer_is_closed(name) || table->encoder)
		return cmd_usage_error(iv, "--tokens: the tokenizer %.*s is not public, so its ids are not known", STR_ARG(name));
	if (table->why.n)
		return cmd_usage_error(iv, "--tokens: the vocabulary %.*s cannot be used: %.*s", STR_ARG(name), STR_ARG(table->why));
	return cmd_usage_error(iv, "--tokens: no vocabulary %.*s is at hand: seedc vocab add %.*s FILE", STR_ARG(name), STR_ARG(name));
}

static int find_one(Invocation *iv, TokenShelf *shelf, TargetTable *targets, Str name, Encoders *out)
{
	const ShelfTable *table = shelf_find(shelf, name);
	if (!table->encoder && !table->why.n && !tokenizer_is_closed(name)) {
		const Target *t = target_find(targets, name);
		if (!t || !t->tokenizer.n)
			return refuse(iv, name, targets);
		table = shelf_find(shelf, t->tokenizer);
	}
	TokenCounter own = { .shelf = shelf, .tokenizer = table->name };
	Encoder *e = counter_encoder(&own);
	if (!e)
		return refuse_table(iv, table);
	vec_push(&iv->arena, out, e);
	return EXIT_DONE;
}

int cmd_find_tokens(Invocation *iv, TokenShelf *shelf, TargetTable *targets, Encoders *out)
{
	uint32_t n;
	Str *name = cmd_flag_values(iv, FLAG_TOKENS, &n);
	int status = EXIT_DONE;
	for (uint32_t i = 0; i < n && !status; i++)
		status = find_one(iv, shelf, targets, name[i], out);
	return status;
}

int cmd_put_tokens(Invocation *iv, const Encoders *encoders, Buf *bytes, Bin *bin)
{
	BinError err;
	uint32_t n_id;
	if (bin_append_tokens(&iv->arena, encoders, bytes, bin, &n_id, &err) != BIN_OK) {
		buf_printf(&iv->err, "seedc: a fault in the compiler: %s\n", err.message);
		return EXIT_FAILED;
	}
	if (args_has(iv->args, FLAG_TOKENS) && !n_id)
		buf_lit(&iv->err, "seedc: note: nothing is tokenised ahead: no text is long enough, or the vocabulary offers no cuts\n");
	return EXIT_DONE;
}
