/* Pairing by equal keys: see mates.h. One queue of b's indices per key. */
#include "compiler/diff/mates.h"

#include "runtime/base/map.h"

typedef struct Queued {
	uint32_t at, next;  /* index in b; the next one with this key, or MATE_NONE */
} Queued;

uint32_t *mates_by_key(Arena *arena, const Str *a, uint32_t n_a, const Str *b, uint32_t n_b)
{
	Queued *queued = arena_array(arena, Queued, n_b);
	uint32_t *mate = arena_array(arena, uint32_t, n_a);
	Map head = { 0 };
	for (uint32_t j = n_b; j-- > 0;) {
		const Queued *behind = b[j].p ? map_get(&head, b[j]) : NULL;
		queued[j] = (Queued){ j, behind ? behind->at : MATE_NONE };
		if (b[j].p)
			map_set(arena, &head, b[j], &queued[j]);
	}
	for (uint32_t i = 0; i < n_a; i++) {
		Queued *first = a[i].p ? map_get(&head, a[i]) : NULL;
		mate[i] = first ? first->at : MATE_NONE;
		if (first)
			*first = first->next == MATE_NONE ? (Queued){ MATE_NONE, MATE_NONE } : queued[first->next];
	}
	return mate;
}
