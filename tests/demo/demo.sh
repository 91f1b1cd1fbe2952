#!/bin/sh
# The demo: under 60 lines with the two that bootstrap may print, every part of it there, and a last line
# whose command works when it is typed in the checkout.
set -eu
sh "$ROOT/docs/demo.sh" "$SEEDC" >out 2>err || { cat out err; exit 1; }
n=$(wc -l <out)
[ "$n" -lt 58 ] || { echo "$n lines"; exit 1; }
[ ! -s err ] || { cat err; exit 1; }

has() { grep -qF -- "$1" out || { cat out; echo "lacks: $1"; exit 1; }; }
while IFS= read -r line; do has "$line"; done <"$ROOT/docs/examples/urgency.sd"
"$SEEDC" --emit=openai --set 'mail=My stitches opened.' "$ROOT/docs/examples/urgency.sd" >body
has "$(cat body)"
has 'error[SD301]: nobody declared `mial`'
grep -qx '  *|  *^^^^' out || { cat out; echo 'no caret'; exit 1; }
has '  = fix (changes what is sent): write `mail`'
has 'warning[SD402]: this JSON block does not parse: trailing comma'
has 'breaking polarity-flipped: urgency / constraint no_advice'
has 'seedc: gate: a breaking change'

# What the small model says, where it is at hand: the same on every machine.
if [ -f "${REAL_HOME:-/}/.cache/seedc/models/smollm2.gguf" ]; then
	SEEDC_CACHE_DIR=$REAL_HOME/.cache/seedc sh "$ROOT/docs/demo.sh" "$SEEDC" >answered
	[ "$(wc -l <answered)" -lt 58 ] || { cat answered; exit 1; }
	grep -qx '{"quote":"My stitches opened","level":"now"}' answered || { cat answered; exit 1; }
fi

next=$(tail -n 1 out)
command=${next#next: }
[ "$command" != "$next" ] || { echo "last line: $next"; exit 1; }
# The checkout, with the build under test in place of build/.
mkdir checkout
for f in "$ROOT"/*; do [ "${f##*/}" = build ] || ln -s "$f" checkout/; done
ln -s "$BUILD" checkout/build
(cd checkout && sh -c "$command") >next.out 2>&1 || { cat next.out; echo "failed: $command"; exit 1; }
grep -q 'clinic' next.out || { cat next.out; exit 1; }
