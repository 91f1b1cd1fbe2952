/*
 * The kernels of one instruction set. isa/kernels.c fills the table, once for each set; every set gives
 * the same bits (note [one result] in isa/isa.h).
 */
#ifndef SEED_CPU_KERNELS_H
#define SEED_CPU_KERNELS_H

#include "runtime/cpu/attend.h"
#include "runtime/cpu/matmul.h"
#include "runtime/cpu/ops.h"

typedef struct CpuKernels {
	const char *name;   /* avx512, avx2, neon, portable */
	const MatmulKernels *matmul;
	const OpKernels *op;
	const AttendKernels *attend;
} CpuKernels;

/* The sets of this build that this machine runs, the best first; NULL from the end on. */
const CpuKernels *cpu_kernels_at(unsigned i);

#endif
