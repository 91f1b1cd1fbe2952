/* kernels.h: the table of this instruction set. */
#include "runtime/cpu/isa/kernels_isa.h"

#define NAME(set) NAME_2(set)
#define NAME_2(set) #set

const CpuKernels ISA(cpu_kernels);
const CpuKernels ISA(cpu_kernels) = {
	.name = NAME(SEED_ISA),
	.matmul = &ISA(matmul_kernels),
	.op = &ISA(op_kernels),
	.attend = &ISA(attend_kernels),
};
