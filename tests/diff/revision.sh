#!/bin/sh
# diff against git: REV:path with what it uses at that revision, --merge-base, a missing base, a shallow clone.
set -eu
export HOME="$PWD" GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=t GIT_AUTHOR_EMAIL=t@t GIT_COMMITTER_NAME=t GIT_COMMITTER_EMAIL=t@t
passed=0 failed=0
# expect STATUS PATTERN COMMAND...
expect() {
	want=$1 pattern=$2
	shift 2
	set +e
	out=$("$@" 2>&1)
	got=$?
	set -e
	if [ "$got" = "$want" ] && printf '%s\n' "$out" | grep -q -- "$pattern"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		printf 'FAIL (exit %s, want %s) %s\n%s\n' "$got" "$want" "$*" "$out"
	fi
}
git init -q -b main repo
cd repo
mkdir -p prompts/lib
printf 'block tone:\n  Be kind.\n' >prompts/lib/tone.sd
printf 'use lib/tone (tone)\nprompt a v1.0\nin q: text\nsystem:\n  !INCLUDE[tone]\n  You must cite.\nuser: {{q | xml}}\n' >prompts/a.sd
git add -A
git commit -qm one
git tag base
printf 'block tone:\n  Be rude.\n' >prompts/lib/tone.sd
expect 0 'Be rude' "$SEEDC" diff HEAD:prompts/a.sd prompts/a.sd
expect 0 'no change' "$SEEDC" diff HEAD:prompts/a.sd HEAD:./prompts/a.sd
git checkout -q -b work
sed -i 's/must cite/must not cite/' prompts/a.sd
git commit -qam two
expect 1 'polarity-flipped' "$SEEDC" diff --merge-base main prompts/a.sd --fail-on=breaking
cd prompts
expect 0 'polarity-flipped' "$SEEDC" diff --merge-base main a.sd
expect 0 'no change' "$SEEDC" diff HEAD:./a.sd a.sd
cd lib
expect 0 'polarity-flipped' "$SEEDC" diff --merge-base main ../a.sd
expect 0 'polarity-flipped' "$SEEDC" diff --merge-base main "$PWD/../a.sd"
expect 0 'no change' "$SEEDC" diff HEAD:../a.sd ../a.sd
expect 3 'outside this repository' "$SEEDC" diff HEAD:../../../a.sd ../a.sd
cd ../..
expect 3 'is no file in that revision' "$SEEDC" diff HEAD:prompts prompts/a.sd
ln -s a.sd prompts/link.md
git add -A
git commit -qm three
expect 3 'is a symbolic link' "$SEEDC" diff HEAD:prompts/link.md prompts/link.md
expect 3 'nothing\|unknown\|invalid\|fetch' "$SEEDC" diff nowhere:prompts/a.sd prompts/a.sd
expect 3 'git fetch origin nowhere' "$SEEDC" diff --merge-base nowhere prompts/a.sd
expect 3 'exist' "$SEEDC" diff HEAD:prompts/none.sd prompts/a.sd
cd ..
git clone -q --depth 1 "file://$PWD/repo" shallow
cd shallow
expect 3 'unshallow' "$SEEDC" diff base~3:prompts/a.sd prompts/a.sd
cd ../repo
"$SEEDC" prompts/a.sd -o a.bin
expect 0 'no change' "$SEEDC" diff a.bin prompts/a.sd
expect 0 'polarity-flipped' "$SEEDC" diff base:prompts/a.sd a.bin
LC_ALL=C sed 's/Be rude/Be rudf/' a.bin >damaged.bin
expect 3 'hash' "$SEEDC" diff a.bin damaged.bin
cd ..
mkdir none
cd none
expect 3 'not a git repository' env GIT_CEILING_DIRECTORIES="$PWD/.." "$SEEDC" diff HEAD:a.sd ../repo/prompts/a.sd
[ "$(GIT_CEILING_DIRECTORIES="$PWD/.." "$SEEDC" diff HEAD:a.sd ../repo/prompts/a.sd 2>&1 | grep -c 'git fetch')" = 0 ] || failed=$((failed + 1))
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
