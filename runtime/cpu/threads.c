/* threads.h: the pool, the claims of items, the barrier. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "runtime/base/clock.h"
#include "runtime/cpu/threads.h"

#ifdef __linux__
#include <linux/futex.h>
#include <sys/syscall.h>
#endif

enum { SPINS = 2000, ITEM_BITS = 20, PHASE_MASK = (1 << (64 - 2 * ITEM_BITS)) - 1 };
enum { HELD_UP_RUNS = 3, REST_LEAST = 64, REST_MOST = 512 };
enum { SEAT_BITS = 10, SEAT_MASK = (1 << SEAT_BITS) - 1 };
_Static_assert((int)CPU_THREADS_MAX <= (int)SEAT_MASK, "a run's threads are told in SEAT_BITS");

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
	_Atomic uint64_t slept_ns;
	uint64_t line[3];
} Seat;

/* note [neighbours] */
typedef struct Neighbours {
	uint32_t n_held_up;     /* runs in a row */
	uint32_t rest, n_rest;  /* runs that are to be done with fewer threads, and how many the next time */
} Neighbours;

/* A number that changes, and who waits for that. */
typedef struct Gate {
	_Alignas(64) _Atomic uint32_t n;
	_Atomic uint32_t sleepers;
} Gate;

struct CpuThreads {
	_Alignas(64) _Atomic uint32_t arrived;
	Gate ended;   /* barriers that all have reached */
	Gate begun;   /* runs, and below SEAT_BITS how many threads take part: who reads both at once joins no run that is over */
	_Alignas(64) void (*work)(void *user, unsigned thread);
	void *user;
	bool stop;
	unsigned n_seat, n;  /* threads; those of them that take part in the run at hand */
	uint32_t phase;      /* where its phases begin */
	Neighbours neighbours;
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

static void gate_open(Gate *g, uint32_t n)
{
	atomic_store(&g->n, n);
	if (atomic_load(&g->sleepers))
		wake_all(&g->n);
}

/* Waits while the gate's number is `now`; returns the time slept. note [waiting] */
static uint64_t gate_wait(Gate *g, uint32_t now)
{
	for (int i = 0; i < SPINS; i++) {
		if (atomic_load_explicit(&g->n, memory_order_acquire) != now)
			return 0;
		pause_once();
	}
	uint64_t start = clock_now_ns();
	atomic_fetch_add(&g->sleepers, 1);
	while (atomic_load(&g->n) == now)
		sleep_while(&g->n, now);
	atomic_fetch_sub(&g->sleepers, 1);
	return clock_now_ns() - start;
}

static void barrier(CpuThreads *p, unsigned thread)
{
	uint32_t now = atomic_load_explicit(&p->ended.n, memory_order_relaxed);
	if (atomic_fetch_add(&p->arrived, 1) + 1 == p->n) {
		atomic_store_explicit(&p->arrived, 0, memory_order_relaxed);
		gate_open(&p->ended, now + 1);
		return;
	}
	uint64_t slept = gate_wait(&p->ended, now);
	atomic_fetch_add_explicit(&p->seat[thread].slept_ns, slept, memory_order_relaxed);
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

void cpu_phase_wait(CpuThreads *p, unsigned thread)
{
	if (p->n > 1)
		barrier(p, thread);
}

void cpu_phase(CpuThreads *p, unsigned thread, uint32_t n, CpuItem *item, void *user)
{
	cpu_phase_work(p, thread, n, item, user);
	cpu_phase_wait(p, thread);
}

/* ---- the pool ---- */

static void run_seat(CpuThreads *p, unsigned thread)
{
	p->seat[thread].phase = p->phase;
	atomic_store_explicit(&p->seat[thread].slept_ns, 0, memory_order_relaxed);
	p->work(p->user, thread);
	if (p->n > 1)
		barrier(p, thread);
}

static void *seat_run(void *seat)
{
	Seat *s = seat;
	for (uint32_t run = 0;;) {
		gate_wait(&s->pool->begun, run);
		run = atomic_load(&s->pool->begun.n);
		if (s->pool->stop)
			return NULL;
		if (s->index < (run & SEAT_MASK))
			run_seat(s->pool, s->index);
	}
}

static void gate_begin(CpuThreads *p)
{
	uint32_t run = atomic_load(&p->begun.n);
	gate_open(&p->begun, ((run >> SEAT_BITS) + 1) << SEAT_BITS | p->n);
}

/* note [neighbours] */
static void see_neighbours(CpuThreads *p, uint64_t run_ns)
{
	Neighbours *b = &p->neighbours;
	uint64_t slept_ns = 0;
	for (unsigned i = 0; i < p->n; i++)
		slept_ns += atomic_load_explicit(&p->seat[i].slept_ns, memory_order_relaxed);
	bool is_held_up = slept_ns * 2 > run_ns * (p->n - 1);
	b->n_held_up = is_held_up && p->n > 1 ? b->n_held_up + 1 : 0;
	if (b->n_held_up == HELD_UP_RUNS) {
		p->n--;
		*b = (Neighbours){ .rest = b->n_rest, .n_rest = 2 * b->n_rest < REST_MOST ? 2 * b->n_rest : REST_MOST };
	} else if (p->n < p->n_seat && !b->rest--) {
		p->n = p->n_seat;
		b->n_held_up = HELD_UP_RUNS - 1;
	} else if (p->n == p->n_seat && !b->n_held_up) {
		b->n_rest = REST_LEAST;
	}
}

void cpu_threads_run(CpuThreads *p, void (*work)(void *user, unsigned thread), void *user)
{
	uint64_t start = clock_now_ns();
	p->work = work;
	p->user = user;
	p->phase = p->seat[0].phase;
	if (p->n > 1)
		gate_begin(p);
	run_seat(p, 0);
	if (p->n_seat > 1)
		see_neighbours(p, clock_now_ns() - start);
}

CpuThreads *cpu_threads_new(Arena *a, unsigned n)
{
	char *at = arena_alloc(a, sizeof(CpuThreads) + 64);
	CpuThreads *p = (void *)(at + 63 - ((uintptr_t)at + 63) % 64);
	n = n < 1 ? 1 : n > CPU_THREADS_MAX ? CPU_THREADS_MAX : n;
	p->stretch = arena_array(a, Stretch, n);
	p->seat = arena_array(a, Seat, n);
	p->neighbours.n_rest = REST_LEAST;
	for (p->n_seat = 1; p->n_seat < n; p->n_seat++) {
		Seat *s = &p->seat[p->n_seat];
		s->pool = p;
		s->index = p->n_seat;
		if (pthread_create(&s->id, NULL, seat_run, s))
			break;
	}
	p->n = p->n_seat;
	return p;
}

void cpu_threads_free(CpuThreads *p)
{
	if (!p)
		return;
	p->stop = true;
	gate_begin(p);
	for (unsigned i = 1; i < p->n_seat; i++)
		pthread_join(p->seat[i].id, NULL);
}

unsigned cpu_threads_of(const CpuThreads *p) { return p->n_seat; }
unsigned cpu_threads_active(const CpuThreads *p) { return p->n; }

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
