/*
 * The threads of one engine. All run the same function side by side, phase after phase; a phase is a
 * number of items that any thread may do, and ends when all are done.
 *
 * note [items]. Each thread starts with its own stretch of the items, which it takes from the front, so that
 * it reads weights in their order; who is done takes from the back of the others'. A slow thread does fewer.
 * What an item computes never depends on who does it.
 *
 * note [waiting]. At the end of a phase a thread spins a little, then sleeps in the kernel: a pure spin
 * would cost a time slice whenever two threads share a core.
 *
 * note [neighbours]. A thread that shares its core with another process holds all others up, a time slice at a time.
 * Where threads slept for more than half of a few runs in a row, later runs do with one thread less, and try again
 * after a while: that half is more than the thread was worth.
 */
#ifndef SEED_CPU_THREADS_H
#define SEED_CPU_THREADS_H

#include <stdint.h>

#include "runtime/base/arena.h"
#include "runtime/base/str.h"

enum { CPU_THREADS_MAX = 256 };

typedef struct CpuThreads CpuThreads;

/* What this process may use: its affinity, and the quota of its control group. At least 1. */
unsigned cpu_threads_count(void);

/* n threads, the caller one of them; fewer where the system gives fewer. */
CpuThreads *cpu_threads_new(Arena *a, unsigned n);
void cpu_threads_free(CpuThreads *p);
unsigned cpu_threads_of(const CpuThreads *p);
/* How many take part in the next run. */
unsigned cpu_threads_active(const CpuThreads *p);

/* Runs work on every thread, 0 being the caller; returns when all have returned. */
void cpu_threads_run(CpuThreads *p, void (*work)(void *user, unsigned thread), void *user);

/* Inside work, by every thread alike: items 0 .. n - 1 (below 2^20), then waits until all are done. The two halves
 * are there for what a thread may do before it waits. */
typedef void CpuItem(void *user, unsigned thread, uint32_t item);
void cpu_phase(CpuThreads *p, unsigned thread, uint32_t n, CpuItem *item, void *user);
void cpu_phase_work(CpuThreads *p, unsigned thread, uint32_t n, CpuItem *item, void *user);
void cpu_phase_wait(CpuThreads *p, unsigned thread);

#endif
