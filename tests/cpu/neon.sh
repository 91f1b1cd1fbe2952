#!/bin/sh
# The kernels for NEON give the bits of the portable ones: their unit tests, compiled for AArch64, run here
# or under qemu.
set -eu
CROSS=${SEEDC_AARCH64_CC:-aarch64-linux-gnu-gcc}
RUN=
[ "$(uname -m)" = aarch64 ] && CROSS=${CC:-cc} || RUN=qemu-aarch64
for tool in "$CROSS" $RUN; do
	command -v "$tool" >/dev/null || { echo "no $tool: the NEON kernels are not tested"; exit 77; }
done
cd "$ROOT"
FLAGS="-I. -std=c11 -O2 -D_XOPEN_SOURCE=700 -ffp-contract=off -fno-math-errno -Wall -Wextra -Werror -ffunction-sections"
for dot in '' -march=armv8.2-a+dotprod; do
	PARTS=
	for f in runtime/cpu/isa/*.c; do
		for set in neon portable; do
			o=$SCRATCH/$(basename "$f" .c)_$set.o
			[ $set = neon ] && more="-DSEED_ISA_NEON $dot" || more=
			# shellcheck disable=SC2086
			"$CROSS" $FLAGS -DSEED_ISA=$set $more -c -o "$o" "$f"
			PARTS="$PARTS $o"
		done
	done
	for test in matmul ops attend; do
		# shellcheck disable=SC2086
		"$CROSS" $FLAGS -static -Wl,--gc-sections -o "$SCRATCH/$test" tests/unit/test_$test.c runtime/cpu/pack.c \
			runtime/cpu/kernels.c runtime/cpu/attend.c runtime/kv/kv_format.c runtime/gguf/gguf.c runtime/model/dequant.c runtime/base/arena.c $PARTS -lm
		$RUN "$SCRATCH/$test" | tee "$SCRATCH/out"
		grep -q ' 0 failed' "$SCRATCH/out"
	done
done
