#!/bin/sh
# Every command's --help has a line of purpose, usage, flags, two examples and exit codes, fits 80 columns,
# and its examples can be typed: none of them is a usage error, and none needs a file of another kind.
set -u
passed=0 failed=0
fault() { echo "$1"; failed=$((failed + 1)); }

mkdir bin prompts
ln -s "$SEEDC" bin/seedc
PATH=$PWD/bin:$PATH GIT_CONFIG_GLOBAL=/dev/null
export PATH GIT_CONFIG_GLOBAL
cp "$ROOT/docs/examples/urgency.sd" old.sd
sed 's/{{mail/{{ticket/; s/in mail/in ticket/; s/urgency/triage/' old.sd >triage.sd
cp triage.sd new.sd
cp triage.sd prompts/
echo 'My parcel never came.' >ticket.txt
echo 'You answer mail.' >system_prompt.md
echo 'The parcel left on Monday.' >note.txt
echo '{"model":"gpt-4o","messages":[{"role":"user","content":"Hi"}]}' >request.json
sed '/^%%/,$d' "$ROOT/tests/token/hf_bytes.json" >tokenizer.json
sed '/^%%/,$d' "$ROOT/tests/token/ranks.tiktoken" >ranks.tiktoken
export SEEDC_CACHE_DIR="$PWD/cache"
# a tiny table under a known name, which `vocab add` would not let in
export SEEDC_VOCAB_DIR="$PWD/vocab"
for name in o200k llama3; do
	seedc vocab add tiny "$ROOT/tests/count/data/tiny.tiktoken" --split $name >vocab.out
	mv vocab/tiny.vocab vocab/$name.vocab
done
mv vocab/o200k.vocab vocab/o200k_base.vocab
"$PYTHON" "$ROOT/tests/models/tiny.py" llama smollm2.gguf
"$PYTHON" "$ROOT/tests/models/tiny.py" bert-hf minilm
mkdir -p cache/models && cp smollm2.gguf cache/models/
cat "$ROOT/LICENSE" >book.txt
seedc triage.sd -o triage.bin
git init -q && git config user.name a && git config user.email a@example.org && git add . && git commit -qm all

# example COMMAND: the exit code is 0, or 1 where a gate or a finding is what it shows.
example() {
	sh -c "$1" >out 2>&1
	[ $? -le 1 ] && return 0
	cat out
	fault "does not run: $1"
}

for command in $(seedc --help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
	seedc "$command" --help >help
	before=$failed
	head -n 1 help | grep -q "^seedc $command: ." || fault "$command: no purpose"
	for head in 'usage: ' 'flags:' 'examples:' 'exit codes:'; do
		grep -q "^$head" help || fault "$command: no $head"
	done
	awk 'length > 80' help | grep . && fault "$command: wider than 80 columns"
	sed -n '/^examples:/,/^$/s/^  //p' help >examples
	[ "$(wc -l <examples)" -ge 2 ] || fault "$command: fewer than two examples"
	while IFS= read -r line; do example "$line" </dev/null; done <examples
	[ "$failed" != "$before" ] || passed=$((passed + 1))
done
[ "$passed" = 17 ] || fault "$passed commands"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
