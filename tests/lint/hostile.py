#!/usr/bin/env python3
"""Inputs made to be slow: each holds 30,000 of something and must still be read in time linear in its size. The
limit is far above what any machine needs and far below what one step per pair of them would take."""
import json
import os
import subprocess

SEEDC = os.environ["SEEDC"]
N = 30000
LIMIT_S = 60
CASES = [
    # name, bytes, findings
    ("findings on one line", "ad\u200dmin " * N + "\n", N),
    ("findings without ASCII", "\u00c3\u00a9" * N + "\n", N),
    ("suppressions in a stack", "<!-- seedc-ignore SD102 -->\n" * N + "ad\u200dmin\n", 0),
    ("suppressions of their own", "<!-- seedc-ignore SD102 -->\nad\u200dmin\n" * N, 0),
    ("stale suppressions", "<!-- seedc-ignore SD102 -->\n" * N, N),
    ("open comments", "<!-- x\n" * N, 0),
    ("open tags", "<a>\n</a>\n" + "".join("<t%d>\n" % i for i in range(N)), 4094),
    ("tags that nearly close", "<a>\n</a>\n" + "".join("<tag%d>\n" % i for i in range(2000)) +
     "".join("</gat%d-x>\n" % i for i in range(2000)), 2000),
    ("list items", "- item that must not wait\n" * N, 0),
    ("headings", "".join("# Heading %d\ntext\n" % i for i in range(N)), 0),
    ("ticks", "".join("`" * (i % 300 + 1) + " " for i in range(N // 10)) + "\n", 0),
    ("front matter", "---\n" + "".join("key%d: v\n" % i for i in range(10 * N)) + "---\nHello there.\n", 0),
    ("blank lines", "x\n" + "\n" * (10 * N), 0),
]


def lint(name, text):
    with open("case.md", "w", encoding="utf-8") as f:
        f.write(text)
    run = subprocess.run([SEEDC, "lint", "--format=json", "case.md"], capture_output=True, timeout=LIMIT_S)
    assert run.returncode in (0, 1), (name, run)
    return [x for x in json.loads(run.stdout)["findings"] if not x.get("suppressed")]


for name, text, expected in CASES:
    found = lint(name, text)
    assert len(found) == expected, (name, len(found))
print("%d passed, 0 failed" % len(CASES))
