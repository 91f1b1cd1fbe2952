/* kernels.h: which instruction sets this build and this machine have. */
#include <stddef.h>

#include "runtime/cpu/kernels.h"

extern const CpuKernels cpu_kernels_portable;
#if defined(__x86_64__)
extern const CpuKernels cpu_kernels_avx512, cpu_kernels_avx2;

/* F16C, which clang 14 cannot ask for, is older than either. */
static int has_avx2(void)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static int has_avx512(void)
{
	return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
	       __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vnni");
}
#elif defined(__aarch64__)
extern const CpuKernels cpu_kernels_neon;
#endif

const CpuKernels *cpu_kernels_at(unsigned i)
{
	const CpuKernels *set[3];
	unsigned n = 0;
#if defined(__x86_64__)
	if (has_avx512())
		set[n++] = &cpu_kernels_avx512;
	if (has_avx2())
		set[n++] = &cpu_kernels_avx2;
#elif defined(__aarch64__)
	set[n++] = &cpu_kernels_neon;
#endif
	set[n++] = &cpu_kernels_portable;
	return i < n ? set[i] : NULL;
}
