#!/bin/sh
# The name of a type with thousands of members is put together once, not once a member.
set -eu
"$PYTHON" - <<'PY'
n = 20000
open("e.sd", "w").write("in e: enum(%s)\nin u: %s\nprompt p v1.0\nuser:\n  {{e}}\n"
                        % (", ".join("member%d" % i for i in range(n)), " | ".join(["bool"] * n)))
PY
limited() { (ulimit -v 400000; exec "$@"); }
limited "$SEEDC" --version >/dev/null 2>&1 || { echo "this build does not run within a limit of memory"; exit 77; }
limited "$SEEDC" lint --select=SD001 e.sd >/dev/null
