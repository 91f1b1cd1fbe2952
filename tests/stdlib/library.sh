#!/bin/sh
# The standard library as a whole: at least 30 modules, each of at most 80 lines, formatted, free of findings,
# listed by `show std/`, printed by `show std/NAME`, and with a golden here that names everything it declares.
set -u
passed=0 failed=0
check() {
	what=$1
	shift
	if "$@" >log 2>&1; then passed=$((passed + 1)); return; fi
	echo "failed: $what"
	cat log
	failed=$((failed + 1))
}
uses_all() {
	for name in $(sed -n 's/^\(role\|block\|constraint\|schema\|example\|stage\) \([a-z_A-Z]*\).*/\2/p' "$1"); do
		grep -q "$name" "$2" || grep -q "use std/$module\$" "$2" || grep -q "^  .*\b$name\b" "$1" ||
			{ echo "$2 does not use $name"; return 1; }
	done
}
prints_itself() { "$SEEDC" show "std/$module" >out && cmp out "$file"; }
is_short() { [ "$(wc -l <"$file")" -le 80 ]; }

"$SEEDC" show std/ >list
for file in "$ROOT"/stdlib-prompts/*.sd; do
	module=$(basename "$file" .sd)
	check "$module is listed with what it is for" grep -q "^std/$module  *[^ ]" list
	check "show std/$module" prints_itself
	check "$module is at most 80 lines" is_short
	check "$module has no finding" "$SEEDC" lint --fail-on=info "$file"
	check "$module is formatted" "$SEEDC" fmt --check "$file"
	check "$module has a golden with all its names" uses_all "$file" "$ROOT/tests/stdlib/$module.sd"
done
check "at least 30 modules" [ "$(wc -l <list)" -ge 30 ]
check "nothing else is listed" [ "$(wc -l <list)" = "$(ls "$ROOT"/stdlib-prompts/*.sd | wc -l)" ]
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
