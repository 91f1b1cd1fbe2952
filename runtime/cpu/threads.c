/* threads.h: the pool, the claims of items, the barrier. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "runtime/cpu/threads.h"

#ifdef __linux__
#include <linux/futex.h>
#include <sys/syscall.h>
#endif

enum { SPINS = 2000, ITEM_BITS = 20, PHASE_MASK = (1 << (64 - 2 * ITEM_BITS)) - 1 };

/* What is left of a thread's stretch: phase, first, end. One of an earlier phase is still whole: who comes
 * first opens it. On a line of its own. */
typedef struct Stretch {
	_Atomic uint64_t v;
	uint64_t line[7];
} Stretch;

typedef struct Seat {
	CpuThreads *pool;
	pthread_t id;
	unsigned index;
	uint32_t phase;  /* how many this thread has entered */
	uint64_t line[4];
} Seat;

struct CpuThreads {
	_Alignas(64) _Atomic uint32_t arrived;
	_Alignas(64) _Atomic uint32_t ended;   /* barriers that all have reached */
	_Atomic uint32_t sleepers;
	_Alignas(64) void (*work)(void *user, unsigned thread);
	void *user;
	bool stop;
	_Atomic unsigned n;
	Stretch *stretch;
	Seat *seat;
};

static void pause_once(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

static void sleep_while(_Atomic uint32_t *at, uint32_t value)
{
#ifdef __linux__
	syscall(SYS_futex, at, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
#else
	(void)at, (void)value;
	sched_yield();
#endif
}

static void wake_all(_Atomic uint32_t *at)
{
#ifdef __linux__
	syscall(SYS_futex, at, FUTEX_WAKE_PRIVATE, CPU_THREADS_MAX, NULL, NULL, 0);
#else
	(void)at;
#endif
}

/* note [waiting] */
static void barrier(CpuThreads *p)
{
	uint32_t now = atomic_load_explicit(&p->ended, memory_order_relaxed);
	if (atomic_fetch_add(&p->arrived, 1) + 1 == p->n) {
		atomic_store_explicit(&p->arrived, 0, memory_order_relaxed);
		atomic_fetch_add(&p->ended, 1);
		if (atomic_load(&p->sleepers))
			wake_all(&p->ended);
		return;
	}
	for (int i = 0; i < SPINS; i++) {
		if (atomic_load_explicit(&p->ended, memory_order_acquire) != now)
			return;
		pause_once();
	}
	atomic_fetch_add(&p->sleepers, 1);
	while (atomic_load(&p->ended) == now)
		sleep_while(&p->ended, now);
	atomic_fetch_sub(&p->sleepers, 1);
}

/* ---- items ---- */

static uint64_t stretch_of(uint32_t phase, uint64_t lo, uint64_t hi)
{
	return (uint64_t)(phase & PHASE_MASK) << 2 * ITEM_BITS | lo << ITEM_BITS | hi;
}

/* One item of the stretch of thread `of`; false when none is left. */
static bool claim(CpuThreads *p, unsigned of, uint32_t n, uint32_t phase, bool from_front, uint32_t *item)
{
	const uint64_t mask = (1u << ITEM_BITS) - 1;
	uint64_t whole = stretch_of(phase, (uint64_t)n * of / p->n, (uint64_t)n * (of + 1) / p->n);
	uint64_t seen = atomic_load_explicit(&p->stretch[of].v, memory_order_relaxed), left;
	do {
		left = seen >> 2 * ITEM_BITS == (phase & PHASE_MASK) ? seen : whole;
		uint64_t lo = left >> ITEM_BITS & mask, hi = left & mask;
		if (lo >= hi)
			return false;
		*item = (uint32_t)(from_front ? lo++ : --hi);
		left = stretch_of(phase, lo, hi);
	} while (!atomic_compare_exchange_weak_explicit(&p->stretch[of].v, &seen, left, memory_order_acq_rel, memory_order_relaxed));
	return true;
}

void cpu_phase_work(CpuThreads *p, unsigned thread, uint32_t n, CpuItem *item, void *user)
{
	uint32_t phase = ++p->seat[thread].phase, i;
	while (claim(p, thread, n, phase, true, &i))
		item(user, thread, i);
	for (unsigned k = 1; k < p->n; k++)
		while (claim(p, (thread + k) % p->n, n, phase, false, &i))
			item(user, thread, i);
}

void cpu_phase_wait(CpuThreads *p)
{
	if (p->n > 1)
		barrier(p);
}

void cpu_phase(CpuThreads *p, unsigned thread, uint32_t n, CpuItem *item, void *user)
{
	cpu_phase_work(p, thread, n, item, user);
	cpu_phase_wait(p);
}

/* ---- the pool ---- */

static void *seat_run(void *seat)
{
	Seat *s = seat;
	for (;;) {
		barrier(s->pool);
		if (s->pool->stop)
			return NULL;
		s->pool->work(s->pool->user, s->index);
		barrier(s->pool);
	}
}

void cpu_threads_run(CpuThreads *p, void (*work)(void *user, unsigned thread), void *user)
{
	p->work = work;
	p->user = user;
	if (p->n == 1) {
		work(user, 0);
		return;
	}
	barrier(p);
	work(user, 0);
	barrier(p);
}

CpuThreads *cpu_threads_new(Arena *a, unsigned n)
{
	char *at = arena_alloc(a, sizeof(CpuThreads) + 64);
	CpuThreads *p = (void *)(at + 63 - ((uintptr_t)at + 63) % 64);
	n = n < 1 ? 1 : n > CPU_THREADS_MAX ? CPU_THREADS_MAX : n;
	p->stretch = arena_array(a, Stretch, n);
	p->seat = arena_array(a, Seat, n);
	p->n = n;
	/* Seats are counted before they start: a barrier must not open for a part of them. */
	for (unsigned i = 1; i < n; i++) {
		p->seat[i] = (Seat){ .pool = p, .index = i };
		if (pthread_create(&p->seat[i].id, NULL, seat_run, &p->seat[i]) == 0)
			continue;
		/* Those that wait already must see the smaller number: they do at the first barrier that closes. */
		p->n = i;
		break;
	}
	return p;
}

void cpu_threads_free(CpuThreads *p)
{
	if (!p || p->n == 1)
		return;
	p->stop = true;
	barrier(p);
	for (unsigned i = 1; i < p->n; i++)
		pthread_join(p->seat[i].id, NULL);
}

unsigned cpu_threads_of(const CpuThreads *p) { return p->n; }

/* ---- how many ---- */

/* Whole processors of the quota in the file of control groups, version 2: "MICROSECONDS PERIOD" or "max PERIOD". */
static unsigned quota_count(void)
{
	FILE *f = fopen("/sys/fs/cgroup/cpu.max", "r");
	unsigned long long quota = 0, period = 0;
	if (!f)
		return CPU_THREADS_MAX;
	int n = fscanf(f, "%llu %llu", &quota, &period);
	fclose(f);
	if (n != 2 || !period)
		return CPU_THREADS_MAX;
	unsigned long long whole = quota / period;
	return whole < 1 ? 1 : whole > CPU_THREADS_MAX ? CPU_THREADS_MAX : (unsigned)whole;
}

unsigned cpu_threads_count(void)
{
	unsigned n = 1, quota = quota_count();
#ifdef __linux__
	cpu_set_t set;
	if (!sched_getaffinity(0, sizeof set, &set))
		n = (unsigned)CPU_COUNT(&set);
#else
	long online = sysconf(_SC_NPROCESSORS_ONLN);
	n = online > 0 ? (unsigned)online : 1;
#endif
	return n < quota ? n : quota;
}
