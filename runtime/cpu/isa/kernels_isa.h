/* What the files of this folder give to the table of their set. */
#ifndef SEED_CPU_KERNELS_ISA_H
#define SEED_CPU_KERNELS_ISA_H

#include "runtime/cpu/isa/isa.h"
#include "runtime/cpu/kernels.h"

extern const MatmulKernels ISA(matmul_kernels);
extern const OpKernels ISA(op_kernels);
extern const AttendKernels ISA(attend_kernels);

#endif
