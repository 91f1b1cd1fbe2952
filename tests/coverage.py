#!/usr/bin/env python3
"""Every numbered rule of docs/language.md (L2.7) is cited by a test, and every diagnostic (SD101) has a hit
and a near-miss: a test whose expected output has the code, and one that says `near-miss SD101` in a comment.

Run by `make check`; `make coverage` runs it alone.
"""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
NEAR = r"near-miss SD\d+(?:, SD\d+)*"
LANGUAGE = os.path.join(ROOT, "docs/language.md")


def read(path):
    with open(path, encoding="utf-8", errors="replace") as f:
        return f.read()


def test_texts():
    """What tests say: of a golden file the part after its marker, of other files all."""
    for folder, dirs, files in os.walk(os.path.join(ROOT, "tests")):
        dirs[:] = [d for d in dirs if d not in ("seeds", "data", "bench", "__pycache__")]
        for file in files:
            path = os.path.join(folder, file)
            if path != os.path.abspath(__file__) and file != "README.md":
                text = read(path)
                yield os.path.relpath(path, ROOT), text, text.partition("\n%% test\n")[2] or text


def check_language(tests):
    defined = set(re.findall(r"\bL\d+\.\d+\b", read(LANGUAGE)))
    cited = {}
    for path, whole, _ in tests:
        for rule in re.findall(r"\bL\d+\.\d+\b", whole):
            cited.setdefault(rule, path)
    for rule in sorted(defined - set(cited), key=lambda r: [int(x) for x in r[1:].split(".")]):
        yield "docs/language.md: %s is cited by no test" % rule
    for rule in sorted(set(cited) - defined):
        yield "%s cites %s, which docs/language.md does not have" % (cited[rule], rule)


def check_diagnostics(tests):
    codes = []
    for folder, _, files in os.walk(os.path.join(ROOT, "compiler/source")):
        for file in sorted(files):
            if file.endswith(".def"):
                codes += re.findall(r"^\s*RULE\(\s*\"?(SD\d+)\b", read(os.path.join(folder, file)), re.M)
    near, hit = set(), set()
    for path, whole, expected in tests:
        near |= set(re.findall(r"SD\d+", " ".join(re.findall(NEAR, whole))))
        if path != os.path.join("tests", "cmd", "explain.txt"):
            hit |= set(re.findall(r"\bSD\d+\b", re.sub(NEAR, "", expected)))
    for code in sorted(codes):
        what = [w for w, there in (("hit", code in hit), ("near-miss", code in near)) if not there]
        if what:
            yield "%s has no %s" % (code, " and no ".join(what))


def main():
    tests = list(test_texts())
    faults = list(check_language(tests)) + list(check_diagnostics(tests))
    print("\n".join(faults) or "nothing uncovered")
    return 1 if faults else 0


sys.exit(main())
