/*
 * token_speed TABLE TEXT THREADS PROMPT_BYTES WARM: how fast one process encodes a text, for tests/bench/tokens.py.
 * PROMPT_BYTES 0: the text at once; else as prompts of so many bytes, each cut back to a character.
 * Lines of NAME WALL_NS CPU_NS: load (from open to the first id), first, then WARM times warm (the ids in memory
 * that is new each time, as packages return them) and kept (in memory that a pass before has touched).
 * The last line: ids NUMBER SHA256 of the ids as little-endian u32.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "runtime/base/file.h"
#include "runtime/base/sha256.h"
#include "runtime/token/token.h"

enum { N_THREAD_MAX = 16 };

typedef struct Speed {
	Arena arena;
	Vocab vocab;
	Encoder *e[N_THREAD_MAX];
	unsigned n_thread;
	Str text;
	size_t prompt_bytes;
	size_t n_id;
} Speed;

typedef struct Moment { long long wall, cpu; } Moment;

static long long ns_of(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static Moment now(void)
{
	return (Moment){ ns_of(CLOCK_MONOTONIC), ns_of(CLOCK_PROCESS_CPUTIME_ID) };
}

static void say(const char *name, Moment from)
{
	Moment to = now();
	printf("%s %lld %lld\n", name, to.wall - from.wall, to.cpu - from.cpu);
}

static size_t prompt_end(const Speed *s, size_t at)
{
	size_t to = at + s->prompt_bytes;
	if (!s->prompt_bytes || to >= s->text.n)
		return s->text.n;
	while (to > at + 1 && (s->text.p[to] & 0xc0) == 0x80)
		to--;
	return to;
}

static size_t room(const Speed *s)
{
	size_t n_prompt = s->prompt_bytes ? s->text.n / (s->prompt_bytes - 3) + 1 : 1;
	return token_bound(&s->vocab, s->text.n) + (n_prompt + N_THREAD_MAX) * TOKEN_PART_ROOM;
}

static void encode(Speed *s, uint32_t *ids)
{
	s->n_id = 0;
	for (size_t at = 0; at < s->text.n;) {
		size_t to = prompt_end(s, at);
		s->n_id += token_encode_parallel(s->e, s->n_thread, str_sub(s->text, at, to), ids + s->n_id);
		at = to;
	}
}

/* From open to the first id. The other threads' encoders belong to it. */
static bool load(Speed *s, const char *table, Str *why)
{
	uint32_t ids[16];
	if (!vocab_open(&s->arena, table, &s->vocab, why))
		return false;
	for (unsigned i = 0; i < s->n_thread; i++)
		s->e[i] = encoder_new(&s->vocab);
	return token_encode(s->e[0], STR("hello"), ids) > 0;
}

static void say_ids(const Speed *s, const uint32_t *ids)
{
	uint8_t hash[SHA256_BYTES];
	char hex[2 * SHA256_BYTES];
	sha256_of((Str){ (const char *)ids, s->n_id * sizeof *ids }, hash);
	sha256_hex(hash, hex);
	printf("ids %zu %.*s\n", s->n_id, (int)sizeof hex, hex);
}

static uint32_t *encode_into_new(Speed *s, const char *name)
{
	Moment from = now();
	uint32_t *ids = token_ids_new(room(s));
	encode(s, ids);
	say(name, from);
	return ids;
}

static void run(Speed *s, int n_warm)
{
	uint32_t *ids = encode_into_new(s, "first");
	for (int i = 0; i < n_warm; i++) {
		free(ids);
		ids = encode_into_new(s, "warm");
	}
	for (int i = 0; i < n_warm; i++) {
		Moment from = now();
		encode(s, ids);
		say("kept", from);
	}
	say_ids(s, ids);
	free(ids);
}

int main(int argc, char **argv)
{
	Speed s = { 0 };
	Str why = STR("usage: token_speed TABLE TEXT THREADS PROMPT_BYTES WARM");
	int threads = argc == 6 ? atoi(argv[3]) : 0;
	if (threads < 1 || threads > N_THREAD_MAX || !file_read(&s.arena, argv[2], &s.text, &why)) {
		fprintf(stderr, "token_speed: %.*s\n", STR_ARG(why));
		return 2;
	}
	s.n_thread = (unsigned)threads;
	s.prompt_bytes = strtoul(argv[4], NULL, 10);
	Moment from = now();
	if (!load(&s, argv[1], &why)) {
		fprintf(stderr, "token_speed: %s: %.*s\n", argv[1], STR_ARG(why));
		return 2;
	}
	say("load", from);
	run(&s, atoi(argv[5]));
	for (unsigned i = 0; i < s.n_thread; i++)
		encoder_free(s.e[i]);
	vocab_close(&s.vocab);
	arena_free(&s.arena);
	return 0;
}
