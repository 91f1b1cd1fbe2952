/* A million random operations on the KV pool, after each of which every block that a sequence holds has what its own
 * group's tokens put there; without local layers and with them. */
#include "tests/unit/kv_world.h"

enum { N_SEQUENCE = 9, N_FAMILY = 5 };

typedef struct Actor {
	KvSequence *s;
	uint32_t family, n;         /* its text; tokens so far */
	uint32_t ids[N_TOKEN_MAX];
} Actor;

static uint32_t dice(World *w, uint32_t n)
{
	w->rng = w->rng * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((w->rng >> 33) % n);
}

/* What a block of a group must hold: a digest of the group and of all tokens up to its end. */
static uint64_t digest(uint32_t group, const uint32_t *ids, uint32_t n)
{
	uint64_t h = group + 1;
	for (uint32_t i = 0; i < n; i++)
		h = (h ^ ids[i]) * 0x9e3779b97f4a7c15u + (h >> 29);
	return h;
}

static bool holds_its_own(const Actor *a)
{
	for (uint32_t b = 0; b < a->s->n_token / KV_BLOCK; b++) {
		uint64_t want = digest(a->s->group, a->ids, (b + 1) * KV_BLOCK);
		if (!is_marked(a->s, b, want))
			return false;
	}
	uint64_t tail = digest(a->s->group, a->ids, a->s->n_token);
	return !(a->s->n_token % KV_BLOCK) || !memcmp(kv_tail_at(a->s, 0, 0), &tail, sizeof tail);
}

/* A few families of texts that branch now and then, so that prefixes meet. */
static void actor_extend(World *w, Actor *a, uint32_t n)
{
	if (a->n + n > 256)
		n = 256 - a->n;
	if (!n || !kv_sequence_reserve(a->s, n))
		return;
	for (uint32_t i = 0; i < n; i++)
		a->ids[a->n + i] = a->family * 1000 + a->n + i + (dice(w, 80) ? 0 : 500);
	for (uint32_t b = a->n / KV_BLOCK; b < (a->n + n) / KV_BLOCK; b++) {
		mark(a->s, b, digest(a->s->group, a->ids, (b + 1) * KV_BLOCK));
	}
	kv_sequence_commit(a->s, a->ids + a->n, n);
	a->n += n;
	uint64_t h = digest(a->s->group, a->ids, a->n);
	memcpy(kv_tail_at(a->s, 0, 0), &h, sizeof h);
}

static void actor_begin(World *w, Actor *a)
{
	uint32_t n = 1 + dice(w, 200);
	a->s = kv_sequence_new(w->pool, dice(w, 4));
	if (!a->s)
		return;
	a->family = dice(w, N_FAMILY);
	for (uint32_t i = 0; i < n; i++)
		a->ids[i] = a->family * 1000 + i;
	a->n = kv_sequence_match(a->s, a->ids, n);
}

static bool actor_step(World *w, Actor *a)
{
	if (!a->s) {
		actor_begin(w, a);
		return !a->s || (a->n % KV_BLOCK == 0 && holds_its_own(a));
	}
	switch (dice(w, 16)) {
	case 0:
	case 1: kv_sequence_free(a->s), a->s = NULL; return true;
	case 2: {
		uint32_t n = kv_sequence_rewind(a->s, dice(w, a->n + 10));
		if (n != a->n && n % KV_BLOCK) {  /* stays in the open block: what the tail says there changes */
			uint64_t h = digest(a->s->group, a->ids, n);
			memcpy(kv_tail_at(a->s, 0, 0), &h, sizeof h);
		}
		a->n = n;
		break;
	}
	case 3: kv_sequence_reserve(a->s, dice(w, 300)); break;
	default: actor_extend(w, a, 1 + dice(w, dice(w, 4) ? 8 : 70)); break;
	}
	return holds_its_own(a);
}

static bool many_steps(World *w, uint32_t n_step, uint64_t *n_hit)
{
	static const uint64_t ttl[3] = { 0, 900, 5000 };
	static const char *const name[3] = { "a", "b", "c" };
	Actor *actor = calloc(N_SEQUENCE, sizeof *actor);
	uint64_t clock = 0;
	bool ok = true;
	for (uint32_t g = 0; g < 3; g++)
		open_group(w, name[g], 3 * g, 3 * g + 2, ttl[g], g == 2 ? KV_EVICT_LFU : KV_EVICT_LRU);
	for (uint32_t i = 0; ok && i < n_step; i++) {
		if (!dice(w, 50))
			kv_pool_set_clock(w->pool, clock += dice(w, 200));
		ok = actor_step(w, &actor[dice(w, N_SEQUENCE)]);
		KvCounts n = kv_pool_counts(w->pool);
		ok = ok && n.free + n.cached + n.live == n.total && (i % 4096 || is_whole(w));
	}
	*n_hit = kv_pool_counts(w->pool).n_hit_tok;
	free(actor);
	return ok && is_whole(w);
}

TEST(no_sequence_of_operations_shows_a_group_anothers_block)
{
	static const KvFormat format[] = { KV_K8V4, KV_INT8 };
	for (int i = 0; i < 4; i++) {
		World *w = i < 2 ? world(format[i], 40, N_SEQUENCE) : world_of_windows(format[i % 2], 40, N_SEQUENCE, 70, 20);
		uint64_t n_hit = 0;
		CHECK(many_steps(w, 250000, &n_hit));
		CHECK(n_hit > 50000 && kv_pool_counts(w->pool).n_evicted > 500);
		end(w);
	}
}

CHECK_MAIN(no_sequence_of_operations_shows_a_group_anothers_block)
