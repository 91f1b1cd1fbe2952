/* `seedc vocab`: makes tables of vocabularies out of published files, lists and checks them. */
#include "compiler/cmd/cmd.h"
#include "runtime/base/file.h"
#include "runtime/token/known.h"
#include "runtime/token/load.h"
#include "runtime/token/vocab_store.h"

#include <unistd.h>

static void print_row(Buf *out, Str name, const Vocab *v)
{
	const VocabHeader *h = v->header;
	buf_printf(out, "%-20.*s %7u tokens  %-9s  split %-9s  norm %-4s  ", STR_ARG(name), h->n_token, vocab_model_name(h->model),
		vocab_split_name(h->split), vocab_norm_name(h->norm));
	for (int i = 0; i < 6; i++)
		buf_printf(out, "%02x", h->fingerprint[i]);
	buf_byte(out, '\n');
}

static int fail_table(Invocation *iv, const char *path, Str why)
{
	buf_printf(&iv->err, "seedc: %s: %.*s\n", path, STR_ARG(why));
	return EXIT_FAILED;
}

/* ---- add ----------------------------------------------------------------------------------------- */

/* The table of a file's bytes in out. */
static int make_table(Invocation *iv, const char *file, Str bytes, Buf *out)
{
	Str why;
	VocabSource source;
	size_t offset = 0;
	VocabFormat format = vocab_format_of(bytes);
	if (format == FORMAT_COUNT)
		return fail_table(iv, file, STR("no vocabulary of a format that is known (.tiktoken, tokenizer.json, tekken JSON, "
			"SentencePiece .model, GGUF, vocab.txt)"));
	if (!vocab_load(&iv->arena, format, bytes, args_value(iv->args, FLAG_SPLIT), &source, &why, &offset))
		return fail_table(iv, file, str_fmt(&iv->arena, "byte %zu: %.*s", offset, STR_ARG(why)));
	/* As in the table of a model's own tokenizer, so that the two are one and have one fingerprint. */
	source.name = str_from(vocab_split_name(source.split));
	if (!vocab_build(&iv->arena, &source, out, &why))
		return fail_table(iv, file, why);
	return EXIT_DONE;
}

/* Another family's counts under this name would be called exact. */
static int judge_name(Invocation *iv, Str name, const char *file, const Buf *table)
{
	Str why;
	if (known_allows(&iv->arena, name, (const VocabHeader *)(const void *)table->p, &why))
		return EXIT_DONE;
	return fail_table(iv, file, str_fmt(&iv->arena, "%.*s; it can have a name of its own: seedc vocab add NAME %s", STR_ARG(why), file));
}

/* What this name stood for before is lost: it is said. */
static void note_replaced(Invocation *iv, Str name, const char *path, const Buf *table)
{
	const VocabHeader *h = (const VocabHeader *)(const void *)table->p;
	Vocab old;
	Str why;
	if (!vocab_open(&iv->arena, path, &old, &why))
		return;
	if (memcmp(old.header->fingerprint, h->fingerprint, sizeof h->fingerprint)) {
		buf_printf(&iv->err, "seedc: note: %.*s was another vocabulary, which is replaced:\n", STR_ARG(name));
		print_row(&iv->err, name, &old);
	}
	vocab_close(&old);
}

static int add_table(Invocation *iv, Str folder, Str name, const char *file)
{
	Buf table = { 0 };
	Vocab v;
	Str bytes, why;
	const char *path = vocab_store_path(&iv->arena, folder, name);
	if (!file_map(&iv->arena, file, &bytes, &why))
		return cmd_io_error(iv, file, why);
	int status = make_table(iv, file, bytes, &table);
	file_unmap(bytes);
	if (!status && !(status = judge_name(iv, name, file, &table)))
		note_replaced(iv, name, path, &table);
	if (!status && (!vocab_store_make(&iv->arena, folder, &why) || !file_write(&iv->arena, path, buf_str(&table), &why)))
		status = cmd_io_error(iv, path, why);
	buf_free(&table);
	if (status)
		return status;
	if (!vocab_open(&iv->arena, path, &v, &why))
		return fail_table(iv, path, why);
	print_row(&iv->out, name, &v);
	vocab_close(&v);
	return EXIT_DONE;
}

static int run_add(Invocation *iv, Str folder)
{
	const Args *args = iv->args;
	if (args->operand.n != 3)
		return cmd_usage_error(iv, "`vocab add` needs a name and a file");
	Str name = str_from(args->operand.v[1]);
	if (!vocab_store_is_name(name))
		return cmd_usage_error(iv, "a vocabulary's name is letters, digits and . _ -, not `%.*s`", STR_ARG(name));
	return add_table(iv, folder, name, args->operand.v[2]);
}

/* ---- list, verify -------------------------------------------------------------------------------- */

typedef enum Look { LOOK_LIST, LOOK_VERIFY } Look;

static int look_at(Invocation *iv, Str folder, Str name, Look look)
{
	Vocab v;
	Str why;
	const char *path = vocab_store_path(&iv->arena, folder, name);
	if (access(path, F_OK))
		return cmd_io_error(iv, path, STR("no such vocabulary (`seedc vocab list` shows them)"));
	if (!vocab_open(&iv->arena, path, &v, &why))
		return fail_table(iv, path, why);
	int status = EXIT_DONE;
	if (look == LOOK_LIST)
		print_row(&iv->out, name, &v);
	else if (vocab_verify(&iv->arena, &v, &why))
		buf_printf(&iv->out, "%.*s: ok\n", STR_ARG(name));
	else
		status = fail_table(iv, path, why);
	vocab_close(&v);
	return status;
}

static int look_at_all(Invocation *iv, Str folder, Look look)
{
	VocabNames names;
	int status = EXIT_DONE;
	vocab_store_list(&iv->arena, folder, &names);
	for (uint32_t i = 0; i < names.n; i++)
		if (look_at(iv, folder, names.v[i], look))
			status = EXIT_FAILED;
	if (!names.n)
		buf_printf(&iv->err, "no vocabularies in %.*s (seedc vocab add NAME FILE)\n", STR_ARG(folder));
	return status;
}

static int run_verify(Invocation *iv, Str folder)
{
	if (iv->args->operand.n > 2)
		return cmd_usage_error(iv, "`vocab verify` takes one name, or none for all");
	if (iv->args->operand.n == 1)
		return look_at_all(iv, folder, LOOK_VERIFY);
	Str name = str_from(iv->args->operand.v[1]);
	if (!vocab_store_is_name(name))
		return cmd_usage_error(iv, "no vocabulary can be called `%.*s`", STR_ARG(name));
	return look_at(iv, folder, name, LOOK_VERIFY);
}

int cmd_vocab(Invocation *iv)
{
	const Args *args = iv->args;
	Str word = str_from(args->operand.n ? args->operand.v[0] : "");
	Str folder = vocab_store_folder(&iv->arena);
	if (!folder.n)
		return cmd_usage_error(iv, "no place for vocabularies: set SEEDC_VOCAB_DIR");
	if (str_is(word, "add"))
		return run_add(iv, folder);
	if (args_has(args, FLAG_SPLIT))
		return cmd_usage_error(iv, "--split goes with `vocab add`");
	if (str_is(word, "verify"))
		return run_verify(iv, folder);
	if (str_is(word, "list") && args->operand.n == 1)
		return look_at_all(iv, folder, LOOK_LIST);
	return cmd_usage_error(iv, "`vocab` takes add NAME FILE, list or verify [NAME]");
}
