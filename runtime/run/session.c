/* See session.h. */
#include "runtime/run/session.h"

#include "runtime/base/clock.h"
#include "runtime/base/file.h"
#include "runtime/cpu/cpu_engine.h"
#include "runtime/cpu/threads.h"
#include "runtime/oracle/oracle_engine.h"

enum {
	N_SEQUENCE = 8,
	N_CTX_MAX = 1 << 20, ORACLE_CTX_MAX = 8192,  /* blocks cost nothing until they are used; floats of the reference are had at once */
	RUN_WINDOWS = 6,     /* of local layers: the running sequence's, others for what later ones may find */
	RUN_STEP_TOK = 512,  /* that either engine takes at once */
};

/* One request at a time takes few of a group's slots, and by whatever numbers. */
static KvGroup few_slots(KvGroup g)
{
	g.slot_hi = g.slot_hi - g.slot_lo < N_SEQUENCE ? g.slot_hi - g.slot_lo : N_SEQUENCE - 1;
	g.slot_lo = 0;
	return g;
}

/* What positions are turned by. */
static Str rotary_of(RunSession *s)
{
	const ModelShape *m = &s->model.shape;
	return str_fmt(s->arena, "%.9g %.9g %.9g", (double)m->rope_base, (double)m->rope_base_local, (double)m->rope_scale);
}

static KvPool *open_pool(RunSession *s, const RunConfig *config, Str *why)
{
	uint32_t most = config->is_oracle ? ORACLE_CTX_MAX : N_CTX_MAX, n_ctx = config->n_ctx ? config->n_ctx : s->model.shape.n_ctx;
	n_ctx = n_ctx < most ? n_ctx : most;
	KvConfig kv = { .shape = cpu_engine_kv_shape(&s->model, config->kv), .n_sequence = N_SEQUENCE, .n_block = n_ctx / KV_BLOCK + N_SEQUENCE };
	kv.n_local = kv_local_blocks(&kv.shape, RUN_WINDOWS, RUN_STEP_TOK);
	kv.root = (KvRoot){
		.model = { (const char *)s->model.fingerprint, sizeof s->model.fingerprint },
		.tokenizer = { (const char *)s->vocab.header->fingerprint, sizeof s->vocab.header->fingerprint },
		.rotary = rotary_of(s), .build = config->is_oracle ? STR(ORACLE_BITS) : STR(CPU_ENGINE_BITS),
	};
	KvPool *p = kv_pool_new(s->arena, &kv, why);
	KvGroup group = few_slots(config->group);
	if (!p || !group.name.n || kv_group_open(p, &group, &s->group, why))
		return p;
	kv_pool_free(p);
	return NULL;
}

static KvLoad load(RunSession *s, Str bytes, bool is_summed, Str *why)
{
	uint32_t n = 0;
	KvLoad how = bytes.n ? kv_pool_load(s->pool, s->group, bytes, is_summed, &n, why) : KV_LOADED;
	s->n_loaded_tok += n;
	return how;
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
	if (s->engine) {
		s->baked = load(s, config->baked, true, &s->why_baked);
		s->saved = load(s, config->saved, false, &s->why_saved);
		s->generator = generator_new(s->engine, s->encoder, &s->trie);
	}
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

KvGroup run_group_of_prompt(const Bin *bin, const BinPrompt *p)
{
	if (p->cache == BIN_NONE)
		return (KvGroup){ .ttl_s = 0 };
	const BinCache *c = &bin->cache[p->cache];
	bool is_lfu = str_is(bin_str(bin, c->evict), "lfu");
	return (KvGroup){ bin_str(bin, c->group), c->slot_lo, c->slot_hi, c->ttl_s, is_lfu ? KV_EVICT_LFU : KV_EVICT_LRU };
}

/* smollm2-135m-instruct.q4_1.gguf: from the whole name to its first word. */
static const Target *target_near(Arena *a, TargetTable *targets, Str name)
{
	char *near = str_z(a, name);
	for (char *c = near; *c; c++)
		*c = (char)(*c >= 'A' && *c <= 'Z' ? *c + 32 : *c == ' ' ? '-' : *c);
	for (;;) {
		const Target *t = target_find(targets, str_from(near));
		char *dot = strrchr(near, '.'), *dash = strrchr(near, '-');
		char *end = dot > dash ? dot : dash;
		if (t || !end)
			return t;
		*end = 0;
	}
}

const Target *run_target_of_file(Arena *a, TargetTable *targets, const char *model_path, Str *why)
{
	const char *slash = strrchr(model_path, '/');
	const Target *t = target_near(a, targets, str_from(slash ? slash + 1 : model_path));
	Str bytes;
	Gguf g;
	size_t offset;
	*why = STR("");
	if (t || !file_map(a, model_path, &bytes, why))
		return t;
	if (gguf_open(a, bytes, &g, why, &offset)) {
		t = target_near(a, targets, gguf_text(gguf_find(&g, "general.basename")));
		*why = STR("");
	}
	file_unmap(bytes);
	return t;
}
