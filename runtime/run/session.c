/* See session.h. */
#include "runtime/run/session.h"

#include "runtime/base/clock.h"
#include "runtime/cpu/cpu_engine.h"
#include "runtime/cpu/threads.h"
#include "runtime/oracle/oracle_engine.h"

enum { N_CTX_MAX = 8192, N_SEQUENCE = 8 };

/* What positions are turned by. */
static Str rotary_of(RunSession *s)
{
	const ModelShape *m = &s->model.shape;
	return str_fmt(s->arena, "%.9g %.9g %.9g", (double)m->rope_base, (double)m->rope_base_local, (double)m->rope_scale);
}

static KvPool *open_pool(RunSession *s, const RunConfig *config, Str *why)
{
	uint32_t n_ctx = config->n_ctx ? config->n_ctx : s->model.shape.n_ctx < N_CTX_MAX ? s->model.shape.n_ctx : N_CTX_MAX;
	KvConfig kv = { .shape = cpu_engine_kv_shape(&s->model, config->kv), .n_sequence = N_SEQUENCE, .n_block = n_ctx / KV_BLOCK + N_SEQUENCE };
	kv.root = (KvRoot){
		.model = { (const char *)s->model.fingerprint, sizeof s->model.fingerprint },
		.tokenizer = { (const char *)s->vocab.header->fingerprint, sizeof s->vocab.header->fingerprint },
		.rotary = rotary_of(s), .build = config->is_oracle ? STR(ORACLE_BITS) : STR(CPU_ENGINE_BITS),
	};
	return kv_pool_new(s->arena, &kv, why);
}

static void load_saved(RunSession *s, const RunConfig *config)
{
	for (int i = 0; i < 2; i++) {
		uint32_t n = 0;
		if (config->saved[i].n && kv_pool_load(s->pool, 0, config->saved[i], &n, &s->stale) == KV_LOADED)
			s->stale = STR("");
		s->n_loaded_tok += n;
	}
}

static Engine *open_engine(RunSession *s, const RunConfig *config, Str *why)
{
	CpuEngineConfig cpu = { .n_thread = config->n_thread, .isa = config->isa };
	if (config->is_oracle)
		return oracle_engine_open(&s->model, s->pool, config->n_thread ? config->n_thread : cpu_threads_count());
	return cpu_engine_open(s->arena, &s->model, s->pool, &cpu, why);
}

static bool open_parts(RunSession *s, const RunConfig *config, Str *why)
{
	size_t offset = 0;
	if (!model_open(s->arena, config->model_path, &s->model, why, &offset)) {
		if (offset)
			*why = str_fmt(s->arena, "byte %zu: %.*s", offset, STR_ARG(*why));
		return false;
	}
	if (!model_has(&s->model, MODEL_CAUSAL)) {
		*why = str_fmt(s->arena, "a model of the architecture %s generates no text; `seedc embed` takes it", s->model.arch->name);
		return false;
	}
	if (!model_vocab(s->arena, &s->model, &s->vocab, why))
		return false;
	s->encoder = encoder_new(&s->vocab);
	if (!token_trie_init(s->arena, &s->vocab, &s->trie, why))
		return false;
	s->pool = open_pool(s, config, why);
	s->engine = s->pool ? open_engine(s, config, why) : NULL;
	if (s->engine)
		load_saved(s, config);
	if (s->engine)
		s->generator = generator_new(s->engine, s->encoder, &s->trie);
	return s->engine != NULL;
}

bool run_session_open(Arena *a, RunSession *s, const RunConfig *config, Str *why)
{
	uint64_t start = clock_now_ns();
	*s = (RunSession){ .arena = a, .is_oracle = config->is_oracle };
	if (!open_parts(s, config, why)) {
		run_session_close(s);
		return false;
	}
	s->open_ns = clock_now_ns() - start;
	return true;
}

void run_session_close(RunSession *s)
{
	generator_free(s->generator);
	if (s->engine)
		s->engine->ops->free(s->engine);
	if (s->pool)
		kv_pool_free(s->pool);
	if (s->encoder)
		encoder_free(s->encoder);
	vocab_close(&s->vocab);
	model_close(&s->model);
	*s = (RunSession){ 0 };
}

const Target *run_target_of_file(Arena *a, TargetTable *targets, const char *model_path)
{
	const char *slash = strrchr(model_path, '/');
	char *name = str_z(a, str_from(slash ? slash + 1 : model_path));
	for (char *c = name; *c; c++)
		*c = (char)(*c >= 'A' && *c <= 'Z' ? *c + 32 : *c);
	/* smollm2-135m-instruct.q4_1.gguf: from the whole name to its first word. */
	for (;;) {
		const Target *t = target_find(targets, str_from(name));
		char *dot = strrchr(name, '.'), *dash = strrchr(name, '-');
		char *end = dot > dash ? dot : dash;
		if (t || !end)
			return t;
		*end = 0;
	}
}
