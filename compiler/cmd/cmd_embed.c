/* `seedc embed`: texts out of files or their lines, one printed vector each. */
#include "compiler/cmd/model_use.h"
#include "runtime/model/load.h"
#include "runtime/oracle/embed.h"

#define MINILM "minilm/model.safetensors"

typedef struct EmbedCommand {
	Invocation *iv;
	ModelUse use;
	Oracle *oracle;
	float *unit;
} EmbedCommand;

typedef struct EmbedPlace { const char *path; uint32_t line; } EmbedPlace;  /* line 0: all of the file */

static void print_json(const EmbedCommand *k, EmbedPlace at, EmbedCount c)
{
	Buf *out = &k->iv->out;
	buf_lit(out, "{\"file\":");
	buf_json_str(out, str_from(at.path));
	if (at.line)
		buf_printf(out, ",\"line\":%u", at.line);
	buf_printf(out, ",\"tokens\":%u,\"vector\":[", c.n_token);
	for (uint32_t i = 0; i < k->use.model.shape.n_embd; i++)
		buf_printf(out, "%s%.9g", i ? "," : "", (double)k->unit[i]);
	buf_lit(out, "]}\n");
}

static void print_text(const EmbedCommand *k)
{
	for (uint32_t i = 0; i < k->use.model.shape.n_embd; i++)
		buf_printf(&k->iv->out, "%s%.9g", i ? " " : "", (double)k->unit[i]);
	buf_byte(&k->iv->out, '\n');
}

static void embed_one(EmbedCommand *k, EmbedPlace at, Str text)
{
	EmbedCount c = embed_text(k->oracle, k->use.encoder, text, k->unit);
	if (c.n_left_out) {
		Arena *a = &k->iv->arena;
		Str place = at.line ? str_fmt(a, "%s:%u", at.path, at.line) : str_from(at.path);
		cmd_io_error(k->iv, str_z(a, place), str_fmt(a, "the model reads %u tokens; %u behind them are left out", c.n_token, c.n_left_out));
	}
	if (args_has(k->iv->args, FLAG_JSON))
		print_json(k, at, c);
	else
		print_text(k);
}

static int embed_file(EmbedCommand *k, const char *path)
{
	Str text, line;
	int status = cmd_read_text(k->iv, path, &text);
	if (status)
		return status;
	if (!args_has(k->iv->args, FLAG_LINES))
		embed_one(k, (EmbedPlace){ path, 0 }, text);
	else
		for (uint32_t n = 1; str_line(&text, &line); n++)
			embed_one(k, (EmbedPlace){ path, n }, line);
	return EXIT_DONE;
}

static int embed_all(EmbedCommand *k)
{
	const ModelShape *s = &k->use.model.shape;
	const Args *args = k->iv->args;
	bool is_causal = model_has(&k->use.model, MODEL_CAUSAL);
	if (is_causal || s->n_ctx < 2) {
		cmd_io_error(k->iv, k->use.path, is_causal ? STR("its vectors are not made to be compared; `embed` takes a BERT")
			: STR("it has no positions for [CLS] and [SEP]"));
		return EXIT_FAILED;
	}
	k->oracle = oracle_new(&k->use.model, s->n_ctx, cmd_threads(k->iv));
	k->unit = arena_array(&k->iv->arena, float, s->n_embd);
	int status = args->operand.n ? EXIT_DONE : embed_file(k, "-");
	for (uint32_t i = 0; i < args->operand.n && !status; i++)
		status = embed_file(k, args->operand.v[i]);
	oracle_free(k->oracle);
	return status;
}

/* What `run` takes without --model predicts text: it can never embed. */
static int ask_model(Invocation *iv)
{
	Str cache = model_cache_folder(&iv->arena);
	return cmd_usage_error(iv, "`embed` needs --model FILE, a BERT: --model %.*s/models/" MINILM " (`make models` fetches it)", STR_ARG(cache));
}

int cmd_embed(Invocation *iv)
{
	EmbedCommand k = { .iv = iv };
	if (!args_has(iv->args, FLAG_MODEL))
		return ask_model(iv);
	int status = model_use_open(iv, &k.use);
	if (status)
		return status;
	status = embed_all(&k);
	model_use_close(&k.use);
	return status;
}
