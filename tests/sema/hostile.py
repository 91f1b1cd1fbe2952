#!/usr/bin/env python3
"""One prompt with tens of thousands of one thing that names other things: looked up by name, listed once. The limits
are far above what any machine needs and far below what one step, or one copy of a list, per pair would take."""
import json
import os
import resource
import subprocess

SEEDC = os.environ["SEEDC"]
N = 30000
LIMIT_S = 60
LIMIT_BYTES = 1500 * 1000 * 1000
HEAD = "prompt p v1.0\nin a: int 1..5\n"


def each(form):
    return "".join(form.replace("%", str(i)) for i in range(N))


CASES = [
    # name, text, code counted, how many
    ("weights", HEAD + each("constraint c% should:\n  Do %.\n") + each("!WEIGHT[c%: 0.5]\n"), "SD804", 0),
    ("weights of nothing", HEAD + "user: {{a}}\n" + each("!WEIGHT[nothing_%: 0.5]\n"), "SD301", N),
    ("cuts", HEAD + each("in b%: text\n") + each("!CUT[b%: tail]\n"), "SD310", 0),
    ("a chain that comes back", HEAD + "stage s:\n  Go.\n!CHAIN[" + " -> ".join(["s"] * N) + "]\n", "SD803", N - 1),
    ("settings", HEAD + each('set openai.x% json "1"\n'), "SD202", 0),
    ("rules", HEAD + "user: {{a}}\nroute r:\n" + each("  when a == 3 -> p\n") + "  else -> p\n", "SD806", 0),
    ("prompts", each("prompt q% v1.0\nuser: hi\n"), "SD803", 0),
]


def limit():
    resource.setrlimit(resource.RLIMIT_AS, (LIMIT_BYTES, LIMIT_BYTES))


limited = subprocess.run([SEEDC, "--version"], capture_output=True, preexec_fn=limit).returncode == 0
for name, text, code, expected in CASES:
    with open("case.sd", "w", encoding="utf-8") as f:
        f.write(text)
    run = subprocess.run([SEEDC, "lint", "--format=json", "--select=" + code, "case.sd"], capture_output=True, timeout=LIMIT_S,
                         preexec_fn=limit if limited else None)
    assert run.returncode in (0, 1), (name, run.returncode, run.stderr[:400])
    found = [x for x in json.loads(run.stdout)["findings"] if x["code"] == code]
    assert len(found) == expected, (name, len(found))
print("%d passed, 0 failed" % len(CASES))
