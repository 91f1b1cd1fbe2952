#!/bin/sh
# Formatting every .sd file at hand is idempotent and leaves the same tree.
n=0
bad=0
for f in "$ROOT"/stdlib-prompts/*.sd "$ROOT"/stdlib-prompts/*/*.sd "$ROOT"/tests/fuzz/seeds/parse/*.sd ${CORPUS:+"$CORPUS"/sd/*.sd}; do
	[ -f "$f" ] || continue
	"$BUILD/tool/sdast" "$f" >before.txt 2>/dev/null || continue
	n=$((n + 1))
	"$BUILD/tool/sdfmt" "$f" >out.sd || bad=1
	"$BUILD/tool/sdast" out.sd >after.txt 2>/dev/null
	cmp -s before.txt after.txt || { echo "$f: another tree"; bad=1; }
done
[ "$n" -gt 10 ] || { echo "only $n files"; bad=1; }
exit $bad
