#!/bin/sh
# Every path of the tree that README.md, the tutorial and ARCHITECTURE name is there.
set -u
cd "$ROOT"
missing=0
for path in $(grep -hoE '\b(docs|tests|compiler|grammar|passes|runtime|stdlib-prompts)/[A-Za-z0-9_./-]*[A-Za-z0-9_/]' README.md docs/tutorial.md docs/ARCHITECTURE.md | sort -u); do
	[ -e "$path" ] || { echo "not there: $path"; missing=1; }
done
exit $missing
