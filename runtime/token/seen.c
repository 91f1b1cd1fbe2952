#define _DEFAULT_SOURCE /* madvise */
#include "runtime/token/seen.h"

#include <sys/mman.h>

#include "runtime/base/arena.h"

void seen_init(Seen *s)
{
	size_t n_short = SHORT_LINES * sizeof *s->line, n_long = LONG_LINES * sizeof *s->long_line;
	size_t n = n_short + n_long + POOL_WORDS * sizeof *s->pool;
	char *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		p = mem_must_alloc(SIZE_MAX);
	*s = (Seen){ .line = (void *)p, .long_line = (void *)(p + n_short), .pool = (void *)(p + n_short + n_long),
	             .memory = p, .memory_bytes = n };
}

/* Large pages for the slots of short pieces, where the system has them and the texts are worth it: much of the time of a
 * warm encoder would else go to page walks, but for one prompt they are 16 MB. What was seen before is forgotten. */
void seen_meet(Seen *s, size_t n)
{
	if (s->n_text >= LARGE_TEXT || (s->n_text += n) < LARGE_TEXT)
		return;
#ifdef MADV_HUGEPAGE
	size_t n_short = SHORT_LINES * sizeof *s->line;
	if (!madvise(s->memory, n_short, MADV_DONTNEED))
		madvise(s->memory, n_short, MADV_HUGEPAGE);
#endif
}

void seen_free(Seen *s)
{
	munmap(s->memory, s->memory_bytes);
}

static void forget(Seen *s)
{
	memset(s->line, 0, SHORT_LINES * sizeof *s->line);
	memset(s->long_line, 0, LONG_LINES * sizeof *s->long_line);
	s->pool_used = 0;
}

/* n words of the pool, after forgetting everything if it is full. */
static uint32_t pool_take(Seen *s, size_t n)
{
	if (s->pool_used + n > POOL_WORDS)
		forget(s);
	uint32_t at = (uint32_t)s->pool_used;
	s->pool_used += n;
	return at;
}

void seen_expect(Seen *s, const Ready *r, size_t n, uint32_t where)
{
	size_t at = seen_short_line(r->hash);
	ShortSlot *line = s->line[at], *beside = s->line[at ^ 1];
	if (line[1].n_bytes)
		beside[beside[0].n_bytes != 0] = line[1];
	line[1] = line[0];
	line[0] = (ShortSlot){ .lo = r->lo, .hi = r->hi, .id = { where }, .n_bytes = (uint8_t)n, .n_id = SEEN_PENDING };
}

/* Where the pending slot of a piece went, a finished one comes; any other of the same piece goes. */
static void settle(Seen *s, ShortSlot slot)
{
	Ready r = { .lo = slot.lo, .hi = slot.hi, .hash = hash_short(slot.lo, slot.hi, slot.n_bytes) };
	size_t at = seen_short_line(r.hash);
	for (size_t i = 0; i < 4; i++) {
		ShortSlot *old = &s->line[at ^ i >> 1][i & 1];
		if (seen_is(old, &r, slot.n_bytes))
			*old = old->n_id == SEEN_PENDING ? slot : (ShortSlot){ 0 };
	}
}

size_t seen_fetch_beside(Seen *s, const Ready *r, size_t n, uint32_t *ids)
{
	const ShortSlot *beside = s->line[seen_short_line(r->hash) ^ 1];
	for (int i = 0; i < 2; i++)
		if (seen_is(beside + i, r, n) && beside[i].n_id != SEEN_PENDING) {
			ShortSlot slot = beside[i];
			memcpy(ids, seen_ids(s, &slot), slot.n_id * sizeof *ids);
			settle(s, slot);
			return slot.n_id;
		}
	return 0;
}

void seen_put_short(Seen *s, const Ready *r, size_t n, const uint32_t *ids, size_t n_id)
{
	ShortSlot slot = { .lo = r->lo, .hi = r->hi, .n_bytes = (uint8_t)n, .n_id = (uint16_t)n_id };
	uint32_t *to = slot.id;
	if (n_id > SHORT_IDS)
		to = s->pool + (slot.id[0] = pool_take(s, n_id));
	memcpy(to, ids, n_id * sizeof *ids);
	settle(s, slot);
}

void seen_put_long(Seen *s, uint64_t hash, const char *p, size_t n, const uint32_t *ids, size_t n_id)
{
	size_t n_word = (n + 3) / 4;
	uint32_t word = pool_take(s, n_word + n_id);
	memcpy(s->pool + word, p, n);
	memcpy(s->pool + word + n_word, ids, n_id * sizeof *ids);
	LongSlot *line = s->long_line[seen_long_line(hash)];
	memmove(line + 1, line, (LONG_WAYS - 1) * sizeof *line);
	line[0] = (LongSlot){ hash, word, (uint16_t)n, (uint16_t)n_id };
}
