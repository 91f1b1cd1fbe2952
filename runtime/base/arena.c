/* Arena: see arena.h. Chunks double up to 1 MiB; a larger request gets a chunk of its own. */
#include "runtime/base/arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef SEED_STRESS
enum { CHUNK_MIN = 32, CHUNK_MAX = 128, ALIGN = 16 };
#else
enum { CHUNK_MIN = 16 * 1024, CHUNK_MAX = 1024 * 1024, ALIGN = 16 };
#endif

#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if defined(SEED_STRESS) || defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
enum { KEPT_MAX = 0 };
#else
enum { KEPT_MAX = CHUNK_MAX };
#endif

struct ArenaChunk {
	ArenaChunk *next;
	size_t size;
	_Alignas(ALIGN) char data[];
};

static void mem_fail(size_t n_bytes)
{
	fprintf(stderr, "seedc: out of memory (asked for %zu bytes)\n", n_bytes);
	_Exit(3);
}

void *mem_must_alloc(size_t n_bytes)
{
	void *p = malloc(n_bytes ? n_bytes : 1);
	if (!p)
		mem_fail(n_bytes);
	return p;
}

void *mem_must_grow(void *old, size_t n_bytes)
{
	void *p = realloc(old, n_bytes ? n_bytes : 1);
	if (!p)
		mem_fail(n_bytes);
	return p;
}

void arena_init(Arena *a)
{
	memset(a, 0, sizeof *a);
}

void arena_free(Arena *a)
{
	for (ArenaChunk *c = a->head, *next; c; c = next) {
		next = c->next;
		free(c);
	}
	arena_init(a);
}

void arena_reset(Arena *a)
{
	ArenaChunk *kept = a->head;
	if (!kept || kept->size > KEPT_MAX) {
		arena_free(a);
		return;
	}
	a->head = kept->next;
	size_t used = (size_t)(a->at - kept->data), size = kept->size;
	arena_free(a);
	memset(kept->data, 0, used);
	kept->next = NULL;
	*a = (Arena){ .head = kept, .at = kept->data, .end = kept->data + size };
}

static size_t round_up(size_t n_bytes)
{
	if (n_bytes > SIZE_MAX - 4 * ALIGN)
		mem_fail(n_bytes);
	return (n_bytes + ALIGN - 1) & ~(size_t)(ALIGN - 1);
}

static void arena_add_chunk(Arena *a, size_t need)
{
	size_t size = a->head ? a->head->size * 2 : CHUNK_MIN;
	if (size > CHUNK_MAX)
		size = CHUNK_MAX;
	if (size < need)
		size = need;
	ArenaChunk *c = calloc(1, sizeof *c + size);
	if (!c)
		mem_fail(size);
	c->next = a->head;
	c->size = size;
	a->head = c;
	a->at = c->data;
	a->end = c->data + size;
}

void *arena_alloc(Arena *a, size_t n_bytes)
{
	size_t n = round_up(n_bytes ? n_bytes : 1);
	if ((size_t)(a->end - a->at) < n)
		arena_add_chunk(a, n);
	void *p = a->at;
	a->at += n;
	a->used_bytes += n;
	return p;
}

void *arena_dup(Arena *a, const void *src, size_t n_bytes)
{
	void *p = arena_alloc(a, n_bytes);
	if (n_bytes)
		memcpy(p, src, n_bytes);
	return p;
}

void *arena_grow(Arena *a, void *old, size_t old_bytes, size_t new_bytes)
{
	size_t had = round_up(old_bytes ? old_bytes : 1), want = round_up(new_bytes ? new_bytes : 1);
	char *o = old;
	if (o && o + had == a->at && (size_t)(a->end - o) >= want) {
		a->at = o + want;
		a->used_bytes += want - had;
		return o;
	}
	void *p = arena_alloc(a, new_bytes);
	if (old_bytes)
		memcpy(p, old, old_bytes < new_bytes ? old_bytes : new_bytes);
#ifdef SEED_STRESS
	if (old_bytes)
		memset(old, 0xDD, old_bytes);  /* a pointer kept across the growth now shows */
#endif
	return p;
}
