/* See model_use.h. */
#include "compiler/cmd/model_use.h"

#include <stdlib.h>
#include <unistd.h>

#include "runtime/base/file.h"
#include "runtime/model/load.h"

#define DEFAULT_MODEL "smollm2.gguf"

static int fail_model(Invocation *iv, const char *path, Str why)
{
	cmd_io_error(iv, path, why);
	return EXIT_FAILED;
}

KvFormat cmd_kv_format(const Args *args)
{
	const char *kv = args_value(args, FLAG_KV);
	KvFormat format = KV_K8V4;
	if (kv)
		kv_format_find(str_from(kv), &format);  /* the parser knows the names */
	return format;
}

int cmd_find_model(Invocation *iv, const char **path)
{
	const char *word = cli_commands[iv->args->command].name, *given = args_value(iv->args, FLAG_MODEL);
	Str cache = model_cache_folder(&iv->arena);
	if (!given)
		given = getenv("SEEDC_MODEL");
	*path = given ? given : str_z(&iv->arena, str_fmt(&iv->arena, "%.*s/models/" DEFAULT_MODEL, STR_ARG(cache)));
	if (!access(*path, R_OK))
		return EXIT_DONE;
	if (given)
		return cmd_io_error(iv, *path, STR("no such model, or it cannot be read"));
	return cmd_usage_error(iv, "`%s` needs --model FILE, a GGUF: the default model is not there yet (`make model` fetches it to %s)", word, *path);
}

int model_use_open(Invocation *iv, ModelUse *u)
{
	Str why;
	size_t offset;
	*u = (ModelUse){ 0 };
	int status = cmd_find_model(iv, &u->path);
	if (status)
		return status;
	if (!model_open(&iv->arena, u->path, &u->model, &why, &offset))
		return fail_model(iv, u->path, offset ? str_fmt(&iv->arena, "byte %zu: %.*s", offset, STR_ARG(why)) : why);
	if (!model_vocab(&iv->arena, &u->model, &u->vocab, &why)) {
		model_close(&u->model);
		return fail_model(iv, u->path, str_fmt(&iv->arena, "its tokenizer: %.*s", STR_ARG(why)));
	}
	u->encoder = encoder_new(&u->vocab);
	return EXIT_DONE;
}

void model_use_close(ModelUse *u)
{
	encoder_free(u->encoder);
	vocab_close(&u->vocab);
	model_close(&u->model);
}

int cmd_read_text(Invocation *iv, const char *path, Str *text)
{
	Str why;
	bool ok = strcmp(path, "-") ? file_read(&iv->arena, path, text, &why) : file_read_fd(&iv->arena, STDIN_FILENO, text, &why);
	return ok ? EXIT_DONE : cmd_io_error(iv, path, why);
}
