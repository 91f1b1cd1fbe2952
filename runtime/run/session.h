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
	uint32_t n_ctx;        /* tokens of the cache; 0: the model's context, 8,192 at the most */
	const char *isa;       /* SEEDC_ISA, or NULL */
	Str saved[2];          /* caches to begin with (a .bin's, a session's), mapped; empty: none */
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
	uint32_t n_loaded_tok; /* of saved caches */
	Str stale;             /* why a saved cache was not taken; a note, not an error */
	uint64_t open_ns;      /* that opening took */
} RunSession;

/* False with *why; nothing is left open then. The arena must outlive the session. */
bool run_session_open(Arena *a, RunSession *s, const RunConfig *config, Str *why);
void run_session_close(RunSession *s);

/* The target that a model file is, by its name without what says how it is quantised; NULL: none is near. */
const Target *run_target_of_file(Arena *a, TargetTable *targets, const char *model_path);

#endif
