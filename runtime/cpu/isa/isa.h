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

#endif
