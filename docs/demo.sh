#!/bin/sh
# demo.sh SEEDC: a prompt, the body that is sent, a typo with its fix, a lint of Markdown, a flip that diff
# catches; under 60 lines. Run by ./bootstrap demo and by a test.
set -eu
seedc=$(realpath "$1")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

# say LINE...: a comment line; run ARGS...: the command as one would type it, then its output.
say() { printf '\n# %s\n' "$*"; }
run() {
	printf '$ seedc %s\n' "$*"
	"$seedc" "$@" 2>&1 || true
}

say 'the compiler'
run --version
printf '\nnext: build/seedc --help\n'
