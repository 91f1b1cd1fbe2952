#!/bin/sh
# The hooks of .pre-commit-hooks.yaml, run by the real pre-commit in a scratch repository: a clean prompt is
# committed, a faulty one is refused with the finding shown.
set -eu
command -v pre-commit >/dev/null || { echo 'no pre-commit'; exit 77; }
"$SEEDC" lint --help >/dev/null 2>&1 || { echo 'seedc lint is not built yet'; exit 77; }

mkdir bin
ln -s "$SEEDC" bin/seedc
PATH=$PWD/bin:/usr/bin:$PATH PRE_COMMIT_HOME=$PWD/cache GIT_CONFIG_GLOBAL=/dev/null
export PATH PRE_COMMIT_HOME GIT_CONFIG_GLOBAL
start() { git init -q "$1" && git -C "$1" config user.name a && git -C "$1" config user.email a@example.org; }
fail() { echo "$1"; cat log; exit 1; }

start hooks
cp "$ROOT/.pre-commit-hooks.yaml" hooks/
git -C hooks add .
git -C hooks commit -qm hooks
rev=$(git -C hooks rev-parse HEAD)

start repo
cd repo
printf 'repos:\n- repo: ../hooks\n  rev: %s\n  hooks: [{id: seedc-lint}, {id: seedc-fmt}]\n' "$rev" >.pre-commit-config.yaml
git add .
git commit -qm config
pre-commit install >log 2>&1 || fail 'pre-commit install failed'

printf 'prompt hello\n\nin name: text\n\nrole:\n  You greet people.\n\nconstraint short should:\n  One line.\n\nuser:\n  Greet {{name | xml}}.\n\nreply text\n' >good.sd
git add good.sd
git commit -m good >log 2>&1 || fail 'a clean prompt was refused'

printf 'prompt hello\n\nin name: text\n\nuser:\n  Greet {{nmae}}.\n' >bad.sd
git add bad.sd
if git commit -m bad >log 2>&1; then fail 'a faulty prompt was committed'; fi
grep -q 'bad.sd:6:' log || fail 'the finding is not shown with its place'
[ "$(git rev-list --count HEAD)" = 2 ] || fail 'the commit is there'
