#!/bin/sh
# What ./bootstrap demo shows stays under 60 lines and ends with the next command to type.
set -eu
sh "$ROOT/docs/demo.sh" "$SEEDC" >out 2>err || { cat out err; exit 1; }
n=$(wc -l <out)
[ "$n" -lt 60 ] || { echo "$n lines"; exit 1; }
[ ! -s err ] || { cat err; exit 1; }
tail -n 1 out | grep -q '^next: ' || { tail -n 3 out; exit 1; }
