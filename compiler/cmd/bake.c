/* `seedc build --bake MODEL`: the KV cache of a prompt's beginning, computed by the model and put into the .bin, with
 * the ids of all its texts by the model's tokenizer. */
#include "compiler/cmd/cmd.h"
#include "compiler/emit/bin_append.h"
#include "runtime/base/file.h"
#include "runtime/run/run_bake.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct Baking {
	Invocation *iv;
	RunSession session;
	RunPrompt p;
	Values values;
	Buf cache;
	uint32_t n_tok;
} Baking;

static int open_prompt(Baking *k, TargetTable *targets, const Bin *bin, const char *model)
{
	const char *prompt = args_value(k->iv->args, FLAG_PROMPT);
	const Target *named;
	k->p.bin = bin;
	k->p.values = &k->values;
	k->p.prompt = emit_find_prompt(bin, prompt ? str_from(prompt) : STR(""));
	if (!k->p.prompt)
		return cmd_usage_error(k->iv, "--bake: the file has no such prompt");
	int status = cmd_find_target(k->iv, targets, &named);
	if (status || (status = cmd_find_chat(k->iv, targets, named, model, &k->p.target)))
		return status;
	k->p.render.family = k->p.target->family;
	values_init(&k->values, &k->iv->arena, bin);
	return EXIT_DONE;
}

static int bake(Baking *k, const char *model)
{
	RunConfig config = { .model_path = model, .kv = cmd_kv_format(k->iv->args), .isa = getenv("SEEDC_ISA"),
	                     .group = run_group_of_prompt(k->p.bin, k->p.prompt) };
	WireReport report = { .arena = &k->iv->arena };
	Str why;
	if (!run_session_open(&k->iv->arena, &k->session, &config, &why))
		return cmd_io_error(k->iv, model, why);
	bool ok = run_bake(&k->session, &k->p, &k->cache, &k->n_tok, &report);
	cmd_print_notes(k->iv, &report, WIRE_REMARK);
	return ok ? EXIT_DONE : EXIT_FAILED;
}

int cmd_bake(Invocation *iv, const char *model, TargetTable *targets, Encoders *tokens, Buf *bytes, Bin *bin)
{
	Baking k = { .iv = iv };
	BinError err;
	int status = access(model, R_OK) ? cmd_io_error(iv, model, file_why(&iv->arena, errno)) : open_prompt(&k, targets, bin, model);
	if (!status)
		status = bake(&k, model);
	BinMore more = { SECTION_KV, 1, buf_str(&k.cache) };
	if (!status && !k.n_tok)
		buf_lit(&iv->err, "seedc: note: nothing is baked: fewer than 32 tokens in front never change\n");
	if (!status && bin_append(bytes, &more, k.n_tok != 0, bin, &err) != BIN_OK) {
		buf_printf(&iv->err, "seedc: a fault in the compiler: %s\n", err.message);
		status = EXIT_FAILED;
	}
	if (!status) {
		vec_push(&iv->arena, tokens, k.session.encoder);
		status = cmd_put_tokens(iv, tokens, bytes, bin);
	}
	run_session_close(&k.session);
	buf_free(&k.cache);
	return status;
}
