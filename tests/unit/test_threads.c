/* The engine's threads: each item of each phase is done once, by anybody, and a phase ends when all are done. */
#include <stdatomic.h>
#include <time.h>

#include "runtime/cpu/threads.h"

#include "tests/unit/check.h"

enum { N_PHASE = 300, N_ITEM = 37 };

typedef struct Work {
	CpuThreads *threads;
	_Atomic int done[N_PHASE][N_ITEM];
	_Atomic int early;  /* items that began before the phase in front had ended */
	int phase_of[CPU_THREADS_MAX];
	bool is_uneven;
} Work;

static uint32_t items_of(int phase) { return (uint32_t)(phase * 7 % (N_ITEM + 1)); }

static void item_do(void *user, unsigned thread, uint32_t item)
{
	Work *w = user;
	int phase = w->phase_of[thread];
	if (w->is_uneven && thread == 0 && phase % 50 == 1)
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	for (uint32_t i = 0; phase && i < items_of(phase - 1); i++)
		w->early += !w->done[phase - 1][i];
	w->done[phase][item]++;
}

static void work_do(void *user, unsigned thread)
{
	Work *w = user;
	for (int p = 0; p < N_PHASE; p++) {
		w->phase_of[thread] = p;
		cpu_phase(w->threads, thread, items_of(p), item_do, w);
	}
}

static void run(Check *check_, unsigned n, bool is_uneven)
{
	Arena a = { 0 };
	Work *w = arena_new(&a, Work);
	w->threads = cpu_threads_new(&a, n);
	w->is_uneven = is_uneven;
	CHECK_INT(cpu_threads_of(w->threads), n);
	for (int again = 1; again <= 3; again++) {
		cpu_threads_run(w->threads, work_do, w);
		int wrong = 0;
		for (int p = 0; p < N_PHASE; p++)
			for (uint32_t i = 0; i < N_ITEM; i++)
				wrong += w->done[p][i] != (i < items_of(p) ? again : 0);
		CHECK_INT(wrong, 0);
	}
	CHECK_INT(w->early, 0);
	cpu_threads_free(w->threads);
	arena_free(&a);
}

TEST(items_once_each)
{
	run(check_, 1, false);
	run(check_, 2, false);
	run(check_, 5, false);
}

TEST(a_slow_thread_does_not_lose_items)
{
	run(check_, 2, true);
	run(check_, 3, true);
}

/* A thread whose core another process has: it comes late to every phase. */
static void held_up(void *user, unsigned thread)
{
	Work *w = user;
	for (int p = 0; p < 4; p++) {
		if (thread == 1)
			nanosleep(&(struct timespec){ .tv_nsec = 2000000 }, NULL);
		w->phase_of[thread] = p;
		cpu_phase(w->threads, thread, items_of(p), item_do, w);
	}
}

TEST(a_thread_that_holds_the_others_up_rests)
{
	Arena a = { 0 };
	Work *w = arena_new(&a, Work);
	w->threads = cpu_threads_new(&a, 2);
	int n_run = 0;
	for (; n_run < 10 && cpu_threads_active(w->threads) == 2; n_run++)
		cpu_threads_run(w->threads, held_up, w);
	CHECK_INT(cpu_threads_active(w->threads), 1);
	for (; n_run < 40; n_run++)
		cpu_threads_run(w->threads, held_up, w);
	CHECK_INT(cpu_threads_active(w->threads), 1);
	CHECK_INT(w->done[3][0], 40);
	for (int more = 0; more < 60 && cpu_threads_active(w->threads) == 1; more++)
		cpu_threads_run(w->threads, work_do, w);
	CHECK_INT(cpu_threads_active(w->threads), 2);
	cpu_threads_free(w->threads);
	arena_free(&a);
}

TEST(counts_at_least_one)
{
	CHECK(cpu_threads_count() >= 1 && cpu_threads_count() <= CPU_THREADS_MAX);
}

CHECK_MAIN(items_once_each, a_slow_thread_does_not_lose_items, a_thread_that_holds_the_others_up_rests, counts_at_least_one)
