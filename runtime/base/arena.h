/*
 * Arena: memory by lifetime. Everything allocated from an arena lives until the arena is freed or
 * reset; nothing is freed alone. A unit's AST, its IR and scratch space each have their own.
 *
 * Invariant: every pointer handed out is aligned for any type and its bytes are zero.
 * Out of memory ends the process with status 3 (see docs/decisions.md): no caller checks for NULL.
 */
#ifndef SEED_BASE_ARENA_H
#define SEED_BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>

typedef struct ArenaChunk ArenaChunk;

typedef struct Arena {
	ArenaChunk *head;   /* newest chunk first */
	char *at, *end;     /* free bytes of the newest chunk */
	size_t used_bytes;  /* sum over all chunks, for --stats */
} Arena;

/* A zeroed Arena is a valid empty one. */
void arena_init(Arena *a);
void arena_free(Arena *a);
/* As arena_free, but a chunk is kept for what comes next; under ASan and stress none is, so that a pointer
 * kept across the reset shows. */
void arena_reset(Arena *a);

/* Zeroed, 16-byte aligned. n == 0 gives a valid unique-enough pointer. */
void *arena_alloc(Arena *a, size_t n_bytes);
void *arena_dup(Arena *a, const void *src, size_t n_bytes);
/* Grows the newest allocation in place where it can, else copies. */
void *arena_grow(Arena *a, void *old, size_t old_bytes, size_t new_bytes);

#define arena_new(a, T) ((T *)arena_alloc((a), sizeof(T)))
#define arena_array(a, T, n) ((T *)arena_alloc((a), sizeof(T) * (size_t)(n)))

/* malloc and realloc that never return NULL (same policy). */
void *mem_must_alloc(size_t n_bytes);
void *mem_must_grow(void *old, size_t n_bytes);

#endif
