#!/bin/sh
# The runner itself: what is wrong is counted, shown and makes its status 1; blessing repairs it.
set -eu
mkdir -p t/tests/area t/build
cp "$ROOT/tests/run" t/tests/run
fail() { echo "$1"; cat out; exit 1; }
run() { "$PYTHON" t/tests/run --build=t/build -j2 "$@" >out 2>&1; }

printf 'in\n%%%% test\nRUN: sh -c "cat %%s"\nOUT:\nin\n' >t/tests/area/good.txt
run || fail 'a right test fails'
[ "$(tail -n 1 out)" = '1 passed, 0 failed' ] || fail 'wrong count'

printf 'in\n%%%% test\nRUN: sh -c "cat %%s; exit 3"\nOUT:\nother\n' >t/tests/area/wrong.txt
printf 'no marker\n' >t/tests/area/none.txt
printf 'echo why; exit 77\n' >t/tests/area/skip.sh
printf 'echo "3 passed, 2 failed"; exit 1\n' >t/tests/area/counts.sh
printf 'echo "3 passed, 0 failed"; exit 1\n' >t/tests/area/lies.sh
run && fail 'failures are not seen'
[ "$(tail -n 1 out)" = '7 passed, 5 failed, 1 skipped' ] || fail 'wrong count'
grep -q '^-other' out && grep -q '^+in' out && grep -q 'exit 3, expected 0' out || fail 'no diff shown'
grep -q '^skipped tests/area/skip.sh: why' out || fail 'the skip is not named'

BLESS=1 run wrong || fail 'blessing fails'
run wrong || fail 'a blessed test fails'
grep -q '^EXIT: 3$' t/tests/area/wrong.txt || fail 'the exit code is not blessed'
run nothing_has_this_name && fail 'no test run, yet status 0' || :
