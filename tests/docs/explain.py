#!/usr/bin/env python3
"""The examples of `seedc explain`: linted alone, the bad one gives findings of its rule and of no other, the good one gives none.

Each is a whole file, of the first kind in FORMS in which both hold. What a file cannot show is in NO_FILE, with the reason.
"""
import os
import re
import subprocess
import sys
import tempfile

FORMS = ("sd", "md", "yaml", "json")
NO_FILE = {
    "SD001": "a file that is not there",
    "SD002": "a file of gigabytes",
    "SD062": "found by `seedc import` only",
    "SD711": "an installed vocabulary and a thousand tokens of text",
    "SD603": "a key good enough to be found sets off every scanner that reads this tree",
}
SEEDC = os.environ["SEEDC"]


def explained(code):
    """The examples' texts: the four spaces in front are explain's."""
    text = subprocess.run([SEEDC, "explain", code], capture_output=True, check=True).stdout.decode()
    parts = dict(re.findall(r"(?ms)^(bad|good)\n(.*?)\n\n(?=good|how it is decided)", text))
    return {name: re.sub(r"(?m)^    ", "", part) + "\n" for name, part in parts.items()}


BESIDE = {  # what must lie beside the example
    "SD801": ("lib/voice.sd", "block plain:\n  Answer in plain words.\n"),
    "SD903": ("prompt.md", "Be brief.\n"),
}


def put(folder, name, text):
    os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
    with open(os.path.join(folder, name), "w", encoding="utf-8", newline="") as f:
        f.write(text)


def found(code, form, text):
    """Codes of what lint finds in a folder that holds the example."""
    with tempfile.TemporaryDirectory() as folder:
        name = "seedc.yaml" if code == "SD903" else "example." + form
        put(folder, name, text)
        if code in BESIDE:
            put(folder, *BESIDE[code])
        linted = "prompt.md" if code == "SD903" else name
        done = subprocess.run([SEEDC, "lint", "--format=concise", linted], cwd=folder, capture_output=True)
        return re.findall(r"(?:error|warning|info) ?\[(SD\d+)\]", (done.stdout + done.stderr).decode())


def main():
    passed = failed = 0
    rules = subprocess.run([SEEDC, "explain"], capture_output=True, check=True).stdout.decode()
    for code in re.findall(r"(?m)^SD\d+", rules):
        if code in NO_FILE or (sys.argv[1:] and code not in sys.argv[1:]):
            continue
        text = explained(code)
        got = [(found(code, form, text["bad"]), found(code, form, text["good"])) for form in FORMS]
        if any(set(bad) == {code} and not good for bad, good in got):
            passed += 1
            continue
        failed += 1
        print(f"{code} as {', '.join(FORMS)}: {got}\n{text['bad']}\n{text['good']}")
    print(f"{passed} passed, {failed} failed")
    return failed > 0


sys.exit(main())
