/* `seedc run --raw`: plain text, continued. */
#include "compiler/cmd/run_command.h"

/* The prompt's ids; 0: an error, which has been said. */
static uint32_t encode(RunCommand *k, Str text, RunStage *stage, uint32_t *ids)
{
	const VocabHeader *h = k->session.vocab.header;
	uint32_t n = 0;
	if (h->flags & VOCAB_ADD_BOS && h->bos != TOKEN_NONE)
		ids[n++] = h->bos;
	stage->counts.n_made = (uint32_t)token_encode(k->session.encoder, text, ids + n);
	n += stage->counts.n_made;
	if (!n)
		buf_printf(&k->iv->err, text.n ? "seedc: the model's vocabulary has no token for any byte of the text\n" : "seedc: the text is empty\n");
	return n;
}

static int continue_text(RunCommand *k, Str text)
{
	Arena *a = &k->iv->arena;
	RunSink sink = run_sink(k);
	uint32_t *ids = arena_array(a, uint32_t, token_bound(&k->session.vocab, text.n) + 1);
	RunStage *stage = vec_add(a, &k->stages);
	uint32_t n = encode(k, text, stage, ids);
	Str why;
	if (!n)
		return EXIT_FAILED;
	KvSequence *seq = kv_sequence_new(k->session.pool, 0);
	k->is_last = true;
	bool ok = generate(k->session.generator, seq, ids, n, &k->rules, &sink.generate, &stage->reply, &why);
	run_clear_progress(k);
	kv_sequence_free(seq);
	if (ok)
		return run_show_answer(k, &k->stages);
	buf_printf(&k->iv->err, "seedc: %.*s\n", STR_ARG(why));
	return EXIT_FAILED;
}

int run_raw(RunCommand *k, const char *path, const char *model)
{
	Str text;
	int status = cmd_read_text(k->iv, path, &text);
	if (status)
		return status;
	k->rules = (GenerateRules){ .sample = SAMPLE_GREEDY };
	if (!run_read_rules(k))
		return EXIT_USAGE;
	status = run_open_session(k, model);
	return status ? status : continue_text(k, text);
}
