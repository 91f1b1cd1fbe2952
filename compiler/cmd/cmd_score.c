/* `seedc score`: the text's ids, an engine, and the printed figures. The rule of scoring is score.h's. */
#include "compiler/cmd/model_use.h"
#include "compiler/cmd/score.h"
#include "runtime/oracle/oracle.h"

#include <math.h>
#include <stdlib.h>

enum { WINDOW_DEFAULT = 512, WINDOW_LEAST = 4, LOGIT_ROWS = 32 };

typedef struct ScoreCommand {
	Invocation *iv;
	ModelUse use;
	uint32_t window;
	const char *given;   /* NULL: windows */
	uint32_t *ids;
	size_t n_id, n_given;
	uint32_t bos;        /* or TOKEN_NONE */
} ScoreCommand;

/* ---- the oracle as an engine ------------------------------------------------------------------------------- */

static bool run_oracle(void *engine, const uint32_t *ids, uint32_t n, uint32_t from, ScoreRow *row, void *user, Str *why)
{
	Oracle *o = engine;
	uint32_t n_vocab = oracle_shape(o)->n_vocab;
	float *logits = mem_must_alloc((size_t)LOGIT_ROWS * n_vocab * sizeof *logits);
	(void)why;
	oracle_forward(o, ids, n, 0);
	for (uint32_t at = from; at < n; at += LOGIT_ROWS) {
		uint32_t take = n - at < LOGIT_ROWS ? n - at : LOGIT_ROWS;
		oracle_logits(o, at, take, logits);
		for (uint32_t i = 0; i < take; i++)
			row(user, logits + (size_t)i * n_vocab);
	}
	free(logits);
	return true;
}

/* ---- flags and ids ----------------------------------------------------------------------------------------- */

static int read_window(ScoreCommand *k)
{
	const char *window = args_value(k->iv->args, FLAG_WINDOW);
	uint32_t n_ctx = k->use.model.shape.n_ctx;
	char *end = "";
	long n = window ? strtol(window, &end, 10) : n_ctx < WINDOW_DEFAULT ? (long)n_ctx : WINDOW_DEFAULT;
	if (window && k->given)
		return cmd_usage_error(k->iv, "`--given` scores without windows: leave --window out");
	if (n < WINDOW_LEAST || *end || n > (long)n_ctx)
		return cmd_usage_error(k->iv, "`--window` takes %d to %u, the model's context; `%s` is none", WINDOW_LEAST, n_ctx,
			window ? window : "the context");
	k->window = (uint32_t)n;
	return EXIT_DONE;
}

static int read_given(ScoreCommand *k, Str *text)
{
	*text = str_from(k->given ? k->given : "");
	return k->given && *k->given == '@' ? cmd_read_text(k->iv, k->given + 1, text) : EXIT_DONE;
}

/* bos where the model wants one, the given text, the file. */
static int read_ids(ScoreCommand *k)
{
	Str given, text;
	const VocabHeader *h = k->use.vocab.header;
	int status = read_given(k, &given);
	if (status || (status = cmd_read_text(k->iv, k->iv->args->operand.v[0], &text)))
		return status;
	k->bos = h->flags & VOCAB_ADD_BOS ? h->bos : TOKEN_NONE;
	k->ids = mem_must_alloc((token_bound(&k->use.vocab, given.n) + token_bound(&k->use.vocab, text.n) + 1) * sizeof *k->ids);
	if (k->bos != TOKEN_NONE)
		k->ids[k->n_id++] = k->bos;
	k->n_id += token_encode(k->use.encoder, given, k->ids + k->n_id);
	k->n_given = k->n_id;
	k->n_id += token_encode(k->use.encoder, text, k->ids + k->n_id);
	if (k->given && k->n_id > k->use.model.shape.n_ctx)
		return cmd_usage_error(k->iv, "%zu tokens do not go into the model's context of %u", k->n_id, k->use.model.shape.n_ctx);
	return EXIT_DONE;
}

/* ---- printing ---------------------------------------------------------------------------------------------- */

static void print_text(const ScoreCommand *k, const Score *s)
{
	Buf *out = &k->iv->out;
	buf_printf(out, "tokens      %zu, %zu scored", s->n_token, s->n_scored);
	if (!k->given)
		buf_printf(out, " in %zu window%s of %u, %zu behind the last left out", s->n_window, s->n_window == 1 ? "" : "s", k->window,
			s->n_left_out);
	buf_printf(out, "\nnll         %.6f nats a token, standard error %.6f\nperplexity  %.6f\n", score_mean(s), score_error(s),
		exp(score_mean(s)));
}

static void print_json(const ScoreCommand *k, const Score *s)
{
	Buf *out = &k->iv->out;
	buf_lit(out, "{\"model\":");
	buf_json_str(out, str_from(k->use.path));
	buf_printf(out, ",\"engine\":\"oracle\",\"tokens\":%zu,\"scored\":%zu,\"windows\":%zu", s->n_token, s->n_scored, s->n_window);
	if (!k->given)
		buf_printf(out, ",\"window\":%u,\"left_out\":%zu", k->window, s->n_left_out);
	buf_printf(out, ",\"nll\":%.9g,\"error\":%.9g,\"perplexity\":%.9g}\n", score_mean(s), score_error(s), exp(score_mean(s)));
}

/* ---- the command ------------------------------------------------------------------------------------------- */

static int score_ids(ScoreCommand *k)
{
	Arena *a = &k->iv->arena;
	const Model *m = &k->use.model;
	Score s;
	Str why;
	Oracle *o = oracle_new(m, k->given ? (uint32_t)k->n_id : k->window, cmd_threads(k->iv));
	ScoreForward f = { o, m->shape.n_vocab, run_oracle };
	bool ok = k->given ? score_given(a, &f, k->ids, k->n_id, k->n_given, &s, &why)
		: score_windows(a, &f, k->ids, k->n_id, k->window, k->bos, &s, &why);
	oracle_free(o);
	if (!ok) {
		cmd_io_error(k->iv, k->iv->args->operand.v[0], why);
		return EXIT_FAILED;
	}
	if (args_has(k->iv->args, FLAG_JSON))
		print_json(k, &s);
	else
		print_text(k, &s);
	return EXIT_DONE;
}

static int score_file(ScoreCommand *k)
{
	if (!model_has(&k->use.model, MODEL_CAUSAL)) {
		cmd_io_error(k->iv, k->use.path, STR("an encoder predicts no text: `seedc embed` is for it"));
		return EXIT_FAILED;
	}
	int status = read_window(k);
	if (!status)
		status = read_ids(k);
	return status ? status : score_ids(k);
}

int cmd_score(Invocation *iv)
{
	ScoreCommand k = { .iv = iv, .given = args_value(iv->args, FLAG_GIVEN) };
	if (iv->args->operand.n != 1)
		return cmd_usage_error(iv, "`score` takes one file, or - for standard input");
	int status = model_use_open(iv, &k.use);
	if (status)
		return status;
	status = score_file(&k);
	free(k.ids);
	model_use_close(&k.use);
	return status;
}
