/* `seedc score`: the text's ids, an engine, and the printed figures. The rule of scoring is score.h's. */
#include "compiler/cmd/model_use.h"
#include "compiler/cmd/score_engine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { WINDOW_DEFAULT = 512, WINDOW_LEAST = 4 };

typedef struct ScoreCommand {
	Invocation *iv;
	ModelUse use;
	uint32_t window;
	const char *given;   /* NULL: windows */
	uint32_t *ids;
	size_t n_id, n_given;
	uint32_t bos;        /* or TOKEN_NONE */
	const char *engine;  /* "oracle", or the format of its KV cache */
} ScoreCommand;

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
	buf_printf(out, ",\"engine\":\"%s\",\"tokens\":%zu,\"scored\":%zu,\"windows\":%zu", k->engine, s->n_token, s->n_scored, s->n_window);
	if (!k->given)
		buf_printf(out, ",\"window\":%u,\"left_out\":%zu", k->window, s->n_left_out);
	buf_printf(out, ",\"nll\":%.9g,\"error\":%.9g,\"perplexity\":%.9g}\n", score_mean(s), score_error(s), exp(score_mean(s)));
}

/* ---- the command ------------------------------------------------------------------------------------------- */

static int fail_text(ScoreCommand *k, Str why)
{
	cmd_io_error(k->iv, k->iv->args->operand.v[0], why);
	return EXIT_FAILED;
}

static int score_ids(ScoreCommand *k, const ScoreForward *f)
{
	Arena *a = &k->iv->arena;
	Score s;
	Str why;
	bool ok = k->given ? score_given(a, f, k->ids, k->n_id, k->n_given, &s, &why)
		: score_windows(a, f, k->ids, k->n_id, k->window, k->bos, &s, &why);
	if (!ok)
		return fail_text(k, why);
	if (args_has(k->iv->args, FLAG_JSON))
		print_json(k, &s);
	else
		print_text(k, &s);
	return EXIT_DONE;
}

static Oracle *open_oracle(ScoreCommand *k)
{
	return oracle_new(&k->use.model, k->given ? (uint32_t)k->n_id : k->window, cmd_threads(k->iv));
}

static int open_session(ScoreCommand *k, KvFormat kv, RunSession *s)
{
	Str why;
	RunConfig config = { .model_path = k->use.path, .kv = kv, .isa = getenv("SEEDC_ISA"), .n_ctx = k->given ? (uint32_t)k->n_id : k->window };
	return run_session_open(&k->iv->arena, s, &config, &why) ? EXIT_DONE : cmd_io_error(k->iv, k->use.path, why);
}

static int score_by_engine(ScoreCommand *k)
{
	KvFormat format = cmd_kv_format(k->iv->args);
	RunSession s;
	int status = open_session(k, format, &s);
	if (status)
		return status;
	ScoreForward f = score_by_session(&s);
	k->engine = kv_format_name(format);
	status = score_ids(k, &f);
	run_session_close(&s);
	return status;
}

static int score_by_reference(ScoreCommand *k)
{
	Oracle *o = open_oracle(k);
	ScoreForward f = score_by_oracle(o);
	k->engine = "oracle";
	int status = score_ids(k, &f);
	oracle_free(o);
	return status;
}

/* ---- formats beside the reference ---------------------------------------------------------------------------- */

static const KvFormat compared[] = { KV_F16, KV_INT8, KV_K8V4, KV_INT4 };
enum { N_COMPARED = sizeof compared / sizeof *compared };

static void tell_windows(void *user, size_t n_done, size_t n_all)
{
	(void)user;
	fprintf(stderr, "\r\033[K");
	if (n_done < n_all)
		fprintf(stderr, "window %zu of %zu", n_done, n_all);
	fflush(stderr);
}

static void print_compared(ScoreCommand *k, const RunSession *s, const Score *own, const ScoreDistance *d)
{
	Buf *out = &k->iv->out;
	double best = score_mean(own);
	buf_printf(out, "%zu tokens scored in %zu windows of %u\n%-10s %9s %12s %8s %10s %10s\n%-10s %9s %12.4f %8.4f\n", own->n_scored, own->n_window,
		k->window, "cache", "B/token", "perplexity", "/ f32", "KL", "same top", "f32", "", exp(best), 1.0);
	for (int i = 0; i < N_COMPARED; i++)
		buf_printf(out, "%-10s %9.0f %12.4f %8.4f %10.6f %8.2f %%\n", kv_format_name(compared[i]), kv_token_bytes(kv_pool_shape(s[i].pool)),
			exp(score_mean(&d[i].score)), exp(score_mean(&d[i].score) - best), d[i].kl / (double)own->n_scored,
			100.0 * (double)d[i].n_same_top / (double)own->n_scored);
}

static void print_compared_json(ScoreCommand *k, const RunSession *s, const Score *own, const ScoreDistance *d)
{
	Buf *out = &k->iv->out;
	double best = score_mean(own);
	buf_lit(out, "{\"model\":");
	buf_json_str(out, str_from(k->use.path));
	buf_printf(out, ",\"tokens\":%zu,\"scored\":%zu,\"windows\":%zu,\"window\":%u,\"left_out\":%zu,\"f32\":{\"nll\":%.9g,\"error\":%.9g,"
		"\"perplexity\":%.9g},\"formats\":[", own->n_token, own->n_scored, own->n_window, k->window, own->n_left_out, best,
		score_error(own), exp(best));
	for (int i = 0; i < N_COMPARED; i++)
		buf_printf(out, "%s{\"kv\":\"%s\",\"token_bytes\":%.9g,\"nll\":%.9g,\"error\":%.9g,\"perplexity\":%.9g,\"ratio\":%.9g,\"kl\":%.9g,"
			"\"same_top\":%.9g}", i ? "," : "", kv_format_name(compared[i]), kv_token_bytes(kv_pool_shape(s[i].pool)),
			score_mean(&d[i].score), score_error(&d[i].score), exp(score_mean(&d[i].score)), exp(score_mean(&d[i].score) - best),
			d[i].kl / (double)own->n_scored, (double)d[i].n_same_top / (double)own->n_scored);
	buf_lit(out, "]}\n");
}

static int compare_formats(ScoreCommand *k)
{
	RunSession s[N_COMPARED] = { 0 };
	ScoreForward f[N_COMPARED];
	ScoreDistance d[N_COMPARED];
	ScoreProgress progress = { isatty(STDERR_FILENO) ? tell_windows : NULL, NULL };
	Score own;
	Str why;
	int status = EXIT_DONE, n = 0;
	for (; n < N_COMPARED && !status; n++) {
		status = open_session(k, compared[n], &s[n]);
		f[n] = score_by_session(&s[n]);
	}
	if (!status) {
		Oracle *o = open_oracle(k);
		ScoreForward reference = score_by_oracle(o);
		bool ok = score_compare(&k->iv->arena, &reference, f, N_COMPARED, k->ids, k->n_id, k->window, k->bos, &own, d, &progress, &why);
		oracle_free(o);
		if (ok)
			(args_has(k->iv->args, FLAG_JSON) ? print_compared_json : print_compared)(k, s, &own, d);
		else
			status = fail_text(k, why);
	}
	for (int i = 0; i < n; i++)
		run_session_close(&s[i]);
	return status;
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
	if (status)
		return status;
	if (args_has(k->iv->args, FLAG_COMPARE))
		return k->given ? cmd_usage_error(k->iv, "`--compare` scores windows: leave --given out") : compare_formats(k);
	return args_has(k->iv->args, FLAG_ORACLE) ? score_by_reference(k) : score_by_engine(k);
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
