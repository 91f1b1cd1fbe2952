#!/bin/sh
# run.sh FOLDER SECONDS [NAME]: runs the fuzz targets in FOLDER, one after the other. New inputs go to
# FOLDER/corpus/NAME, findings to FOLDER/found; seeds come from tests/fuzz/seeds/NAME. To keep a corpus
# small: FOLDER/fuzz_NAME -merge=1 tests/fuzz/seeds/NAME FOLDER/corpus/NAME
set -u
folder=$1 seconds=$2 only=${3-}
passed=0 failed=0
mkdir -p "$folder/found"
for bin in "$folder"/fuzz_*; do
	name=${bin##*/fuzz_}
	[ -x "$bin" ] || continue
	[ -z "$only" ] || [ "$only" = "$name" ] || continue
	corpus=$folder/corpus/$name
	mkdir -p "$corpus"
	set -- "$corpus"
	[ ! -d "tests/fuzz/seeds/$name" ] || set -- "$corpus" "tests/fuzz/seeds/$name"
	dict=tests/fuzz/$name.dict
	[ ! -f "$dict" ] || set -- -dict="$dict" "$@"
	echo "== $name, $seconds s"
	if "$bin" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
		-artifact_prefix="$folder/found/$name-" "$@" >"$folder/$name.log" 2>&1; then
		passed=$((passed + 1))
		grep -E '^stat::(number_of_executed_units|peak_rss_mb)' "$folder/$name.log"
	else
		failed=$((failed + 1))
		tail -n 40 "$folder/$name.log"
	fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
