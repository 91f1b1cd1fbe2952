#!/bin/sh
# run.sh FOLDER SECONDS JOBS [NAME]: runs the fuzz targets in FOLDER, JOBS at a time. New inputs go to
# FOLDER/corpus/NAME, findings to FOLDER/found; seeds come from tests/fuzz/seeds/NAME and words from
# tests/fuzz/NAME.dict. To take what is new into the seeds, smallest first:
#	FOLDER/fuzz_NAME -merge=1 tests/fuzz/seeds/NAME FOLDER/corpus/NAME
set -u
folder=$1 seconds=$2 jobs=$3 only=${4-}
mkdir -p "$folder/found"
rm -f "$folder"/*.status

fuzz_one() {
	name=$1 corpus=$folder/corpus/$1
	mkdir -p "$corpus"
	set -- "$corpus"
	[ ! -d "tests/fuzz/seeds/$name" ] || set -- "$@" "tests/fuzz/seeds/$name"
	[ ! -f "tests/fuzz/$name.dict" ] || set -- -dict="tests/fuzz/$name.dict" "$@"
	"$folder/fuzz_$name" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
		-artifact_prefix="$folder/found/$name-" "$@" >"$folder/$name.log" 2>&1
	echo $? >"$folder/$name.status"
}

names=
for bin in "$folder"/fuzz_*; do
	name=${bin##*/fuzz_}
	[ -x "$bin" ] && [ -f "tests/fuzz/fuzz_$name.c" ] || continue
	[ -z "$only" ] || [ "$only" = "$name" ] || continue
	names="$names $name"
done

running=0
for name in $names; do
	echo "fuzzing $name for $seconds s"
	fuzz_one "$name" &
	running=$((running + 1))
	[ "$running" -lt "$jobs" ] || { wait; running=0; }
done
wait

passed=0 failed=0
for name in $names; do
	runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$folder/$name.log")
	if [ "$(cat "$folder/$name.status")" = 0 ]; then
		passed=$((passed + 1))
		echo "$name: $runs inputs, nothing found"
	else
		failed=$((failed + 1))
		echo "$name: FOUND, see $folder/$name.log"
		grep -vE '^#|^INFO' "$folder/$name.log" | head -n 40
	fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
