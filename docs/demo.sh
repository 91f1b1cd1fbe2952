#!/bin/sh
# demo.sh SEEDC: a prompt, the body that is sent, a typo with its fix, a lint of Markdown, a flip that diff
# catches; under 60 lines. Run by ./bootstrap demo and by tests/demo, which looks for every part.
set -eu
seedc=$(realpath "$1")
examples=$(cd "$(dirname "$0")/examples" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

say() { printf '\n# %s\n' "$*"; }

# run CODE ARG...: the command as one would type it, then its output; any other exit code ends the demo.
run() {
	want=$1 code=0 line='$ seedc'
	shift
	for arg; do
		case $arg in *' '*) line="$line '$arg'" ;; *) line="$line $arg" ;; esac
	done
	out=$("$seedc" "$@" 2>&1) || code=$?
	printf '%s\n%s\n' "$line" "$out"
	[ "$code" = "$want" ] || { printf 'demo: exit %s, wanted %s\n' "$code" "$want"; exit 1; }
}

cp "$examples/urgency.sd" .
printf '# A prompt: who the model is, what it must and must not do, what goes in, what comes back.\n$ cat urgency.sd\n'
cat urgency.sd

say 'The exact body that is sent for one mail.'
run 0 --emit=openai --set 'mail=My stitches opened.' urgency.sd

say 'A typo: {{mial}}.'
sed 's/{{mail/{{mial/' urgency.sd >typo.sd
run 1 typo.sd

say 'A Markdown prompt, as people have them today.'
cat >bot.md <<'END'
You answer mail for a clinic. Reply as JSON:

```json
{"answer": "...", "urgent": true,}
```
END
run 1 lint bot.md

say 'One word changes: never becomes must.'
sed 's/ never guardrail/ must guardrail/' urgency.sd >new.sd
run 1 diff urgency.sd new.sd --fail-on=breaking

if [ -f "${SEEDC_CACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/seedc}/models/smollm2.gguf" ]; then
	say 'A small model on this machine answers, in the schema that the prompt declares.'
	run 0 run --set 'mail=My stitches opened.' urgency.sd
fi

printf '\nnext: build/seedc show docs/examples/urgency.sd\n'
