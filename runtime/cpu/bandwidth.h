/* How fast this machine reads memory, measured: what a decoded token is held against. */
#ifndef SEED_CPU_BANDWIDTH_H
#define SEED_CPU_BANDWIDTH_H

#include "runtime/base/arena.h"

/* Bytes a second that n_thread threads read side by side out of 128 MiB; the best of `rounds` passes. 0: no memory. */
double cpu_read_bandwidth(Arena *a, unsigned n_thread, unsigned rounds);

#endif
