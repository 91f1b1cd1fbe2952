/*
 * alloc_count MODEL N: how often memory is asked for while a reply of N tokens is decoded, and over the second half of it.
 * Sampling is random and no schema holds, so that the whole way of a token is walked. Every thread counts.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime/run/session.h"

static _Atomic unsigned long n_alloc;

#if defined __SANITIZE_ADDRESS__
#define HAS_ASAN 1
#elif defined __has_feature
#if __has_feature(address_sanitizer)
#define HAS_ASAN 1
#endif
#endif

#ifdef HAS_ASAN
/* Of the runtime library; gcc has no header for it. */
int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void *, size_t), void (*on_free)(const volatile void *));

static void saw_alloc(const volatile void *p, size_t n) { (void)p, (void)n, n_alloc++; }
static void saw_free(const volatile void *p) { (void)p; }
static void counting_start(void) { __sanitizer_install_malloc_and_free_hooks(saw_alloc, saw_free); }
#else
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t), *__libc_memalign(size_t, size_t);

void *malloc(size_t n) { n_alloc++; return __libc_malloc(n); }
void *calloc(size_t n, size_t size) { n_alloc++; return __libc_calloc(n, size); }
void *realloc(void *p, size_t n) { n_alloc++; return __libc_realloc(p, n); }
void *aligned_alloc(size_t align, size_t n) { n_alloc++; return __libc_memalign(align, n); }
static void counting_start(void) { }
#endif

typedef struct Counts { uint32_t n_text, n_all; unsigned long first, half; } Counts;

static bool saw_text(void *user, Str text)
{
	Counts *c = user;
	(void)text;
	if (!c->n_text++)
		c->first = n_alloc;
	if (c->n_text == c->n_all / 2)
		c->half = n_alloc;
	return true;
}

int main(int argc, char **argv)
{
	Arena a = { 0 };
	RunSession s;
	Generated reply;
	Str why;
	if (argc != 3)
		return 2;
	counting_start();
	RunConfig config = { .model_path = argv[1], .n_thread = 2, .kv = KV_K8V4 };
	GenerateRules rules = { .sample = { .temperature = 1, .top_k = 40, .top_p = 0.9f, .repetition_penalty = 1.1f }, .ignore_end = true };
	rules.max_tok = (uint32_t)atoi(argv[2]);
	if (!run_session_open(&a, &s, &config, &why))
		return fprintf(stderr, "%.*s\n", STR_ARG(why)), 1;
	Counts c = { .n_all = rules.max_tok };
	GenerateSink sink = { &c, saw_text, NULL };
	uint32_t ids[40];
	for (uint32_t i = 0; i < 40; i++)
		ids[i] = (37 * i + 11) % 280 + 5;
	KvSequence *q = kv_sequence_new(s.pool, 0);
	bool ok = generate(s.generator, q, ids, 40, &rules, &sink, &reply, &why);
	unsigned long end = n_alloc;
	if (!ok)
		return fprintf(stderr, "%.*s\n", STR_ARG(why)), 1;
	if (!c.first)
		return fprintf(stderr, "nothing was counted while the session was opened\n"), 1;
	printf("%u tokens: %lu, of these %lu since the middle\n", reply.n_token, end - c.first, end - c.half);
	kv_sequence_free(q);
	generated_free(&reply);
	run_session_close(&s);
	arena_free(&a);
	return 0;
}
