#!/bin/sh
# make install under DESTDIR: the program and its second name, man pages without warnings, completions that
# complete, and a runtime library that a stranger's program finds with pkg-config. What a tool is missing for
# is skipped by name.
set -u
passed=0 failed=0 skipped=0
check() {
	what=$1
	shift
	if "$@" >log 2>&1; then passed=$((passed + 1)); return; fi
	echo "failed: $what"
	cat log
	failed=$((failed + 1))
}
skip() { echo "skipped: $1"; skipped=$((skipped + 1)); }
has() { command -v "$1" >/dev/null; }

make --no-print-directory -C "$ROOT" install B="$BUILD" PREFIX=/usr DESTDIR="$SCRATCH/d" >log 2>&1 || { cat log; exit 1; }
share=$SCRATCH/d/usr/share
PATH=$SCRATCH/d/usr/bin:$PATH
export PATH

# ---- programs

both_names() { [ "$(command -v seedc)" = "$SCRATCH/d/usr/bin/seedc" ] && [ "$(seedance-cli --version)" = "$(seedc --version)" ]; }
check 'both names run' both_names

# ---- man pages

man_page() {
	MANROFFSEQ='' MANWIDTH=80 LC_ALL=C.UTF-8 man --warnings -M "$share/man" -P cat "$1" >page 2>warnings || { cat page warnings; return 1; }
	[ ! -s warnings ] || { cat warnings; return 1; }
	grep -q 'compare the meaning of two prompts' page
}
lint_page() { mandoc -T lint -W warning "$share/man/man1/seedc.1"; }
if has man; then
	check 'man seedc' man_page seedc
	check 'man seedance-cli' man_page seedance-cli
elif has mandoc; then
	check 'mandoc seedc' lint_page
else
	skip 'man pages are not rendered: neither man nor mandoc'
fi

# ---- completions

# completes 'WORDS, the last one cut' WANTED: bash cuts at = too, as readline does.
cat >complete.bash <<'END'
compopt() { :; }
source "$1"
read -ra COMP_WORDS <<<"${2//=/ = }"
[[ $2 == *' ' || $2 == *= ]] && COMP_WORDS+=('')
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_seedc
printf '%s\n' "${COMPREPLY[@]}"
END
completes() {
	bash complete.bash "$share/bash-completion/completions/seedc" "$1" >got || { cat got; return 1; }
	shift
	printf '%s\n' "$@" >wanted
	diff wanted got
}
if has bash; then
	check 'bash: a command' completes 'seedc fm' fmt
	check 'bash: a flag of a command' completes 'seedc lint --fi' --fix
	check 'bash: no flag of another command' completes 'seedc fmt --fi' ''
	check 'bash: a flag with a value' completes 'seedc --emi' --emit=
	check 'bash: its values' completes 'seedc --emit=chat' chat chatml
	check 'bash: values after a blank' completes 'seedc diff --fail-on b' breaking
	check 'bash: the command after a flag with a value' completes 'seedc --color=never import --norm' --normalize
	check 'bash: a target' completes 'seedc --target=smollm2-3' smollm2-360m-instruct
	check 'bash: a rule' completes 'seedc explain SD71' SD710 SD711 SD712 SD717 SD718 SD719
	check 'bash: a module' completes 'seedc show std/voi' std/voice std/voice_zh
	touch 'my prompt.sd'
	check 'bash: a file with a blank in its name' completes 'seedc lint my' 'my prompt.sd'
	check 'bash: the second name' completes 'seedance-cli dump --ver' --verify --version
else
	skip 'completions are not asked: no bash'
fi
if has zsh; then check 'zsh reads its completions' zsh -n "$share/zsh/site-functions/_seedc"; else skip 'no zsh'; fi
if has fish; then check 'fish reads its completions' fish -n "$share/fish/vendor_completions.d/seedc.fish"; else skip 'no fish'; fi

# ---- the runtime library

export PKG_CONFIG_SYSROOT_DIR="$SCRATCH/d" PKG_CONFIG_PATH="$SCRATCH/d/usr/lib/pkgconfig"
sends() {
	seedc "$ROOT/docs/examples/urgency.sd" -o urgency.bin || return 1
	${CC:-cc} -Wall -Wextra -Werror "$ROOT/docs/examples/send.c" -o send $(pkg-config --cflags --libs seedrt) || return 1
	for target in gpt-4o claude-sonnet gemini-flash; do
		case $target in gpt*) kind=openai ;; claude*) kind=anthropic ;; *) kind=gemini ;; esac
		seedc --emit=$kind --target=$target --set mail='It hurts <b>.' "$ROOT/docs/examples/urgency.sd" >wanted || return 1
		./send urgency.bin $target mail='It hurts <b>.' >got || return 1
		cmp wanted got || return 1
	done
}
refuses() {
	head -c 100 urgency.bin >cut.bin
	! ./send cut.bin gpt-4o mail=x && ! ./send urgency.bin gpt-4o mial=x && ! ./send urgency.bin gpt-4o
}
case $BUILD in
*/san | */stress) skip 'the library of this build links only with a sanitizer' ;;
*)
	if has pkg-config; then
		check 'docs/examples/send.c is built with pkg-config and sends what seedc emits' sends
		check 'and it refuses a cut binary and unknown or missing values' refuses
	else
		skip 'no pkg-config'
	fi
	;;
esac

# ---- and away again

make --no-print-directory -C "$ROOT" uninstall B="$BUILD" PREFIX=/usr DESTDIR="$SCRATCH/d" >log 2>&1
nothing_left() { [ -z "$(find "$SCRATCH/d" ! -type d)" ] || { find "$SCRATCH/d" ! -type d; return 1; }; }
check 'make uninstall leaves nothing' nothing_left

if [ "$skipped" -gt 0 ]; then echo "$passed passed, $failed failed, $skipped skipped"; else echo "$passed passed, $failed failed"; fi
[ "$failed" = 0 ]
