#!/bin/sh
# docs/rules/ and docs/man/ are what the tables say now (`make docs`).
set -e
mkdir -p docs/rules docs/man
"$SEEDC" --docs=docs
for f in docs/man/*.1 docs/rules/*.md; do
	cmp -s "$f" "$ROOT/$f" || { echo "$f is not fresh: make docs"; exit 1; }
done
n=$(ls docs/rules | wc -l)
m=$(ls "$ROOT/docs/rules" | wc -l)
[ "$n" = "$m" ] || { echo "docs/rules holds a page of a rule that is gone: make docs"; exit 1; }
