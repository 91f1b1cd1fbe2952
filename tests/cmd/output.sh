#!/bin/sh
# -o never overwrites what was compiled, by whatever name; a reader that goes away changes no verdict.
set -eu
mkdir lib
printf 'block b:\n  Be kind.\n' >lib/b.sd
printf 'use lib/b (b)\n\nprompt p v1.0\nsystem:\n  !INCLUDE[b]\nuser:\n  Hi\n' >p.sd
printf '# Title\n' >m.md
ln -s p.sd link.sd
ln lib/b.sd hard.sd
cp p.sd p.old
refused() {
	set +e
	"$SEEDC" "$@" 2>err
	got=$?
	set -e
	[ $got = 2 ] && grep -q "would overwrite what was compiled" err || { echo "seedc $*: exit $got"; cat err; exit 1; }
}
refused p.sd -o p.sd
refused p.sd -o ./lib/../p.sd
refused p.sd -o link.sd
refused p.sd -o lib/b.sd
refused p.sd --emit=text -o hard.sd
refused import m.md -o m.md
cmp p.sd p.old
[ "$(cat m.md)" = "# Title" ]
"$SEEDC" p.sd -o p.bin
"$SEEDC" p.sd -o p.bin

# head closes the pipe long before these are written
i=0
while [ $i -lt 20000 ]; do echo "Say [INSERT THIS] to a friend."; i=$((i + 1)); done >long.md
for want in "0 build --emit=text" "1 lint --format=concise"; do
	got=$( (set +e; "$SEEDC" ${want#* } long.md 2>/dev/null; echo $? >&3) 3>&1 >pipe | cat)
	[ "$got" = "${want%% *}" ] || { echo "seedc ${want#* }: exit $got"; exit 1; }
	got=$( { (set +e; "$SEEDC" ${want#* } long.md 2>/dev/null; echo $? >&3) | head -c 1 >/dev/null; } 3>&1)
	[ "$got" = "${want%% *}" ] || { echo "seedc ${want#* } | head: exit $got"; exit 1; }
done
