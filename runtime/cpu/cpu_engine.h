/* The CPU engine: engine.h over packed weights, own threads and the kernels of the best instruction set. */
#ifndef SEED_CPU_ENGINE_H
#define SEED_CPU_ENGINE_H

#include "runtime/engine/engine.h"

typedef struct CpuEngineConfig {
	unsigned n_thread;   /* 0: what the process may use */
	uint32_t chunk_tok;  /* 0: CPU_CHUNK_TOK */
	const char *isa;     /* NULL or empty: the best there is; else that one, by name */
} CpuEngineConfig;

enum { CPU_CHUNK_TOK = 256 };
/* What KvRoot's build says: changes with every change of the bits that an engine computes. */
#define CPU_ENGINE_BITS "cpu 1"

/* What a cache for the model looks like. */
static inline KvShape cpu_engine_kv_shape(const Model *m, KvFormat format)
{
	const ModelShape *s = &m->shape;
	return (KvShape){ s->n_layer, s->n_kv_head, s->head_len, format, s->window, s->global_every };
}

/* Packs the weights. pool must have the model's shape; model and pool must outlive the engine. NULL with *why: what the
 * kernels cannot do, no memory, no such instruction set. */
Engine *cpu_engine_open(Arena *a, const Model *m, KvPool *pool, const CpuEngineConfig *config, Str *why);

/* Of its packed weights: what every step reads, but for what a mask leaves out of the head. */
size_t cpu_engine_weight_bytes(const Engine *e);
const char *cpu_engine_isa(const Engine *e);
unsigned cpu_engine_threads(const Engine *e);
/* What cpu_engine_isa and cpu_engine_threads will be, before the engine is open; NULL: there is no such set. */
const char *cpu_config_isa(const CpuEngineConfig *config);
unsigned cpu_config_threads(const CpuEngineConfig *config);
/* Operations a second of products out of the cache, by all threads; the best of `rounds`. Between forwards. */
double cpu_engine_peak(Engine *e, unsigned rounds);

#endif
