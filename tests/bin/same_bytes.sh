#!/bin/sh
# Two compiles in two folders give the same bytes; so do CRLF, CR and a byte order mark.
set -eu
mkdir -p one two/deep/er
src=one/p.sd
cat >"$src" <<'END'
use std/triage (Triage)

prompt p v1.0
target gpt-4o
in ticket: text max 900 tok
in web: bool = true
role:
  You sort tickets.
  !IF web
  They come from the web.
  !END
user:
  {{ticket | xml}}
reply Triage max 300 tok
END
cp "$src" two/deep/er/p.sd
(cd one && "$SEEDC" p.sd -o p.bin)
(cd / && "$SEEDC" "$SCRATCH/two/deep/er/p.sd" -o "$SCRATCH/two/p.bin")
cmp one/p.bin two/p.bin
"$SEEDC" dump one/p.bin | grep -q "text protected .They come from the web"
for how in crlf cr bom; do
	mkdir $how
	case $how in
	crlf) sed 's/$/\r/' "$src" >$how/p.sd ;;
	cr) tr '\n' '\r' <"$src" >$how/p.sd ;;
	bom) { printf '\357\273\277'; cat "$src"; } >$how/p.sd ;;
	esac
	(cd $how && "$SEEDC" p.sd -o p.bin)
	cmp one/p.bin $how/p.bin
	"$SEEDC" dump --verify $how/p.bin >/dev/null
done
