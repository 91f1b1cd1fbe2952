#!/bin/sh
# File names are bytes of strangers: no control reaches a terminal, no line end starts a line of ours,
# what is no UTF-8 neither breaks a compile nor a report.
set -eu
esc=$(printf '\033')
odd=$(printf 'a\n::error::x\033[31m.md')
bad=$(printf 'b\377.md')
for f in "$odd" "$bad"; do
	printf 'Say [INSERT THIS].\n' >"$f"
	for format in full concise github json sarif; do
		"$SEEDC" lint --format=$format "$f" >out 2>&1 && exit 1
		! grep -q "^::error" out || { echo "$format: a name opened a line"; exit 1; }
		! grep -q "$esc" out || [ $format = github ] || { echo "$format: a raw escape"; exit 1; }
	done
	"$SEEDC" "$f" -o x.bin
	"$SEEDC" dump --verify x.bin >/dev/null
	"$SEEDC" show "$f" >out
	! grep -q "$esc" out
	"$SEEDC" --emit=text --target=nowhere "no$f" 2>out && exit 1
	! grep -q "$esc" out
done
"$SEEDC" lint --format=json "$bad" >out || true
"$PYTHON" -c 'import json; print(json.load(open("out", encoding="utf-8"))["findings"][0]["path"])' | grep -q "^b.*md$"
