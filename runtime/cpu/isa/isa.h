/*
 * One source, one result, several instruction sets: every .c file of this folder is compiled once for
 * each set with SEED_ISA as its name, and whatever such a file exports is spelled ISA(name).
 *
 * note [one result]. All sets give the same bits: arithmetic is that of sixteen lanes (vec16.h), fused
 * only where v_fma says so (-ffp-contract=off), rounded half to even; sums over lanes are one tree; of the
 * hardware only + - * / and the square root are used, of libm nothing.
 */
#ifndef SEED_CPU_ISA_H
#define SEED_CPU_ISA_H

#define ISA_JOIN(name, set) name##_##set
#define ISA_JOIN_2(name, set) ISA_JOIN(name, set)
#define ISA(name) ISA_JOIN_2(name, SEED_ISA)

/* UNROLL before a loop of a constant count, 16 at the most: its arrays become registers. TILE: a function that is
 * compiled anew for each constant it is given. In plain C neither pays. */
#if !defined(SEED_ISA_AVX512) && !defined(SEED_ISA_AVX2) && !defined(SEED_ISA_NEON)
#define UNROLL
#define TILE static
#else
#define TILE static inline __attribute__((always_inline))
#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif
#endif

#endif
