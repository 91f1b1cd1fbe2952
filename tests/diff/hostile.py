#!/usr/bin/env python3
"""Two sides that hold tens of thousands of one thing: compared in time and memory linear in their size. The limits
are far above what any machine needs and far below what one step, or one copy of a list, per pair would take."""
import json
import os
import resource
import subprocess

SEEDC = os.environ["SEEDC"]
N = 60000
LIMIT_S = 60
LIMIT_BYTES = 1500 * 1000 * 1000


def limit():
    resource.setrlimit(resource.RLIMIT_AS, (LIMIT_BYTES, LIMIT_BYTES))


def messages(lo):
    return json.dumps({"messages": [{"role": "user", "content": "hi %d" % i} for i in range(lo, N)]})


def declared(form, lo=0, uses=""):
    return "prompt p v1.0\n" + "".join(form % i for i in range(lo, N)) + uses + "role:\n  Hello.\n"


def holes(first):
    return "prompt p v1.0\nin a: text trusted\nuser:\n  " + first + "{{a | xml}} {{a | json}} " * N + "\n"


numbers = " ".join(str(i) for i in range(N))
CASES = [
    # name, suffix, old, new, changes by their kind
    ("messages", "json", messages(0), messages(1), {"text-removed": 1}),
    ("numbers in a sentence", "md", "Take " + numbers + ".\n", "Take 7 " + numbers + ".\n", {"number-changed": 1}),
    ("variables in a text", "md", "".join("{{a%d}} " % i for i in range(N)) + "\n",
     "".join("{{a%d}} " % i for i in range(N, 0, -1)) + "\n", None),
    ("settings", "sd", declared('set openai.x%d json "1"\n'), declared('set openai.x%d json "1"\n', 1), {"setting-changed": 1}),
    ("prompts", "sd", "".join("prompt p%d v1.0\nuser: hi\n" % i for i in range(N // 6)),
     "".join("prompt p%d v1.0\nuser: hi\n" % i for i in range(1, N // 6)), {"prompt-removed": 1}),
    ("holes", "sd", holes(""), holes("{{a | json}} "), None),
]


def runs_within_limit():
    return subprocess.run([SEEDC, "--version"], capture_output=True, preexec_fn=limit).returncode == 0


def diff(name, suffix, old, new, limited):
    for side, text in (("old", old), ("new", new)):
        with open(side + "." + suffix, "w", encoding="utf-8") as f:
            f.write(text)
    run = subprocess.run([SEEDC, "diff", "--format=json", "old." + suffix, "new." + suffix], capture_output=True,
                         timeout=LIMIT_S, preexec_fn=limit if limited else None)
    assert run.returncode == 0, (name, run.returncode, run.stderr[:400])
    kinds = {}
    for change in json.loads(run.stdout)["changes"]:
        kinds[change["kind"]] = kinds.get(change["kind"], 0) + 1
    return kinds


limited = runs_within_limit()
for name, suffix, old, new, expected in CASES:
    assert diff(name, suffix, old, old, limited) == {}, name
    found = diff(name, suffix, old, new, limited)
    assert found and expected in (None, found), (name, found)
print("%d passed, 0 failed" % len(CASES))
