/* bandwidth.h: sums over a block that no cache holds. */
#define _GNU_SOURCE
#include "runtime/cpu/bandwidth.h"

#include <string.h>
#include <sys/mman.h>

#include "runtime/base/clock.h"
#include "runtime/cpu/threads.h"

enum { BLOCK_BYTES = 128 << 20, PIECE_BYTES = 1 << 20, LANES = 16, AHEAD_BYTES = 4096 };

typedef struct Reading {
	CpuThreads *threads;
	const uint64_t *block;
	_Atomic uint64_t sum;  /* so that the reads are not left out */
} Reading;

static void piece_read(void *user, unsigned thread, uint32_t item)
{
	Reading *r = user;
	const uint64_t *p = r->block + (size_t)item * (PIECE_BYTES / 8);
	uint64_t lane[LANES] = { 0 }, sum = 0;
	(void)thread;
	for (size_t i = 0; i < PIECE_BYTES / 8; i += LANES) {
		__builtin_prefetch((const char *)(p + i) + AHEAD_BYTES);
		__builtin_prefetch((const char *)(p + i) + AHEAD_BYTES + 64);
		for (int k = 0; k < LANES; k++)
			lane[k] += p[i + k];
	}
	for (int k = 0; k < LANES; k++)
		sum += lane[k];
	r->sum += sum;
}

static void block_read(void *user, unsigned thread)
{
	Reading *r = user;
	cpu_phase(r->threads, thread, BLOCK_BYTES / PIECE_BYTES, piece_read, r);
}

double cpu_read_bandwidth(Arena *a, unsigned n_thread, unsigned rounds)
{
	void *block = mmap(NULL, BLOCK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	double best = 0;
	if (block == MAP_FAILED)
		return 0;
#ifdef MADV_HUGEPAGE
	madvise(block, BLOCK_BYTES, MADV_HUGEPAGE);
#endif
	memset(block, 1, BLOCK_BYTES);
	Reading r = { .threads = cpu_threads_new(a, n_thread), .block = block };
	for (unsigned i = 0; i < rounds; i++) {
		uint64_t from = clock_now_ns();
		cpu_threads_run(r.threads, block_read, &r);
		double t = (double)(clock_now_ns() - from) * 1e-9;
		best = BLOCK_BYTES / t > best ? BLOCK_BYTES / t : best;
	}
	cpu_threads_free(r.threads);
	munmap(block, BLOCK_BYTES);
	return best;
}
