#!/bin/sh
# The prompts of docs/examples are free of findings, formatted, pass their own tests and compile for every
# target that they name, with their inputs left open.
set -u
passed=0 failed=0
check() {
	if "$@" >log 2>&1; then passed=$((passed + 1)); return; fi
	echo "failed: $*"
	cat log
	failed=$((failed + 1))
}
for f in "$ROOT"/docs/examples/*.sd "$ROOT"/docs/examples/*.yaml; do
	check "$SEEDC" lint --fail-on=info "$f"
	case $f in *.sd) check "$SEEDC" fmt --check "$f" ;; esac
	check "$SEEDC" test "$f"
	for target in $(sed -n '/^target/{s/^target:*//;s/[][,]/ /g;p;}' "$f"); do
		check "$SEEDC" --emit=text --target="$target" "$f"
	done
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
