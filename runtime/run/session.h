/*
 * A model ready to answer: its file mapped, its tokenizer, an engine, a KV cache.
 *
 *     RunSession s;
 *     if (!run_session_open(arena, &s, &(RunConfig){ .model_path = "smollm2.gguf" }, &why)) …
 *     run_prompt(&s, &prompt, &sink, &stages, &report);   run_prompt.h
 *     run_session_close(&s);
 */
#ifndef SEED_RUN_SESSION_H
#define SEED_RUN_SESSION_H

#include "runtime/decode/generate.h"
#include "runtime/target/target.h"

typedef struct RunConfig {
	const char *model_path;
	bool is_oracle;        /* computed by the f32 reference: slow, and nothing is rounded */
	uint32_t n_thread;     /* 0: the processors that the process may use */
	KvFormat kv;
	uint32_t n_ctx;        /* tokens of the cache; 0: the model's context, of the reference 8,192 at the most */
	const char *isa;       /* SEEDC_ISA, or NULL */
	KvGroup group;         /* of the cache; without a name: the one that every pool has */
	Str baked;             /* the cache of a .bin, whose checksum has been compared; empty: none. Mapped, as is saved */
	Str saved;             /* a session's cache; empty: none */
} RunConfig;

typedef struct RunSession {
	Arena *arena;
	Model model;
	Vocab vocab;
	Encoder *encoder;
	TokenTrie trie;
	KvPool *pool;
	Engine *engine;
	Generator *generator;
	bool is_oracle;
	uint32_t group;        /* of the pool */
	uint32_t n_loaded_tok; /* of both caches */
	KvLoad baked, saved;   /* what became of them, and why where they were not taken */
	Str why_baked, why_saved;
	uint64_t open_ns;      /* that opening took */
} RunSession;

/* False with *why; nothing is left open then. The arena must outlive the session. */
bool run_session_open(Arena *a, RunSession *s, const RunConfig *config, Str *why);
void run_session_close(RunSession *s);

/* The cache group that a prompt declares. */
KvGroup run_group_of_prompt(const Bin *bin, const BinPrompt *p);

/* The target that a model file is, by its name without what says how it is quantised, else by the name in it. NULL: none
 * is near, or with *why: it is no model. */
const Target *run_target_of_file(Arena *a, TargetTable *targets, const char *model_path, Str *why);

#endif
