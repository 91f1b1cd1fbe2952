/*
 * llama_logits MODEL CHUNK ID... and llama_logits --greedy N MODEL ID...: what tests/tool/oracle_logits prints, by
 * llama.cpp's own library: no flash attention, keys and values in f32, one sequence. Built by peers.sh.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llama.h>

static void quiet(enum ggml_log_level level, const char *text, void *user)
{
	(void)user;
	if (level == GGML_LOG_LEVEL_ERROR)
		fputs(text, stderr);
}

static struct llama_context *open_model(const char *path, uint32_t n_ctx, int32_t *n_vocab)
{
	llama_log_set(quiet, NULL);
	llama_backend_init();
	struct llama_model_params mp = llama_model_default_params();
	struct llama_model *m = llama_model_load_from_file(path, mp);
	struct llama_context_params cp = llama_context_default_params();
	cp.n_ctx = n_ctx;
	cp.n_batch = cp.n_ubatch = n_ctx;
	cp.flash_attn_type = LLAMA_FLASH_ATTN_TYPE_DISABLED;
	cp.type_k = cp.type_v = GGML_TYPE_F32;
	cp.n_threads = cp.n_threads_batch = 1; /* two wait for each other by spinning, which a busy machine pays for */
	if (!m)
		return NULL;
	*n_vocab = llama_vocab_n_tokens(llama_model_get_vocab(m));
	return llama_init_from_model(m, cp);
}

static int run(struct llama_context *c, const int32_t *ids, int32_t n, int32_t at)
{
	struct llama_batch b = llama_batch_init(n, 0, 1);
	b.n_tokens = n;
	for (int32_t i = 0; i < n; i++) {
		b.token[i] = ids[i];
		b.pos[i] = at + i;
		b.n_seq_id[i] = 1;
		b.seq_id[i][0] = 0;
		b.logits[i] = 1;
	}
	int status = llama_decode(c, b);
	llama_batch_free(b);
	return status;
}

static int32_t best_of(const float *x, int32_t n, int32_t but)
{
	int32_t best = but == 0 ? 1 : 0;
	for (int32_t i = best + 1; i < n; i++)
		if (i != but && x[i] > x[best])
			best = i;
	return best;
}

static int print_logits(struct llama_context *c, int32_t n_vocab, const int32_t *ids, int32_t n, int32_t chunk)
{
	for (int32_t at = 0; at < n; at += chunk) {
		int32_t take = n - at < chunk ? n - at : chunk;
		if (run(c, ids + at, take, at))
			return 1;
		for (int32_t t = 0; t < take; t++)
			fwrite(llama_get_logits_ith(c, t), sizeof(float), (size_t)n_vocab, stdout);
	}
	return 0;
}

static int print_greedy(struct llama_context *c, int32_t n_vocab, const int32_t *ids, int32_t n, int32_t n_more)
{
	int status = run(c, ids, n, 0);
	for (int32_t i = 0, last = n - 1; !status && i < n_more; i++, last = 0) {
		const float *row = llama_get_logits_ith(c, last);
		int32_t best = best_of(row, n_vocab, -1), next = best_of(row, n_vocab, best);
		printf("%d %.4f\n", best, (double)(row[best] - row[next]));
		status = run(c, &best, 1, n + i);
	}
	return status;
}

int main(int argc, char **argv)
{
	int is_greedy = argc > 4 && !strcmp(argv[1], "--greedy"), first = is_greedy ? 4 : 3, n_vocab;
	if (argc < 4)
		return 2;
	int32_t count = atoi(argv[2]), n = argc - first, *ids = malloc(sizeof *ids * (size_t)argc);
	for (int i = 0; i < n; i++)
		ids[i] = atoi(argv[first + i]);
	struct llama_context *c = open_model(argv[is_greedy ? 3 : 1], (uint32_t)(n + count), &n_vocab);
	if (!c)
		return 1;
	return is_greedy ? print_greedy(c, n_vocab, ids, n, count) : print_logits(c, n_vocab, ids, n, count);
}
