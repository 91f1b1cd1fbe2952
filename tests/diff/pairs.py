"""diff over all real edits: no crash, diff(a, a) empty, and what the gate says by class of edit."""
import collections
import json
import os
import subprocess
import sys
import time

corpus = os.environ.get("CORPUS")
if not corpus:
    print("no corpus")
    sys.exit(77)
seedc, pairs = os.environ["SEEDC"], os.path.join(corpus, "pairs")
rows = [line.rstrip("\n").split("\t") for line in open(os.path.join(pairs, "index.tsv"), encoding="utf-8")][1:]
passed, failed, by_class, spent = 0, 0, collections.defaultdict(collections.Counter), 0.0


def run(old, new):
    global spent
    start = time.perf_counter()
    got = subprocess.run([seedc, "diff", "--format=json", old, new], capture_output=True, text=True)
    spent += time.perf_counter() - start
    return got


def text_of(path):
    return subprocess.run([seedc, "--emit=text", path], capture_output=True).stdout


def check(ok, what, got):
    global passed, failed
    if ok:
        passed += 1
    else:
        failed += 1
        print("FAIL", what, "exit", got.returncode, (got.stderr or got.stdout)[:300])


for number, ext, *_rest in rows:
    old, new = (os.path.join(pairs, f"{number}.{side}{ext}") for side in ("old", "new"))
    got = run(old, new)
    check(got.returncode == 0 and got.stdout.startswith("{"), f"diff {number}", got)
    if got.returncode == 0:
        report = json.loads(got.stdout)
        by_class[_rest[4]][report["highest"]] += 1
        check(report["changes"] or text_of(old) == text_of(new), f"change seen {number}", got)
    for side in (old, new):
        got = run(side, side)
        check(got.returncode == 0 and '"changes":[]' in got.stdout, f"diff(a, a) {side}", got)

print(f"{len(rows)} pairs, {3 * len(rows)} runs in {spent:.2f} s")
for kind, counts in sorted(by_class.items()):
    print(f"  {kind}: " + ", ".join(f"{n} {s}" for s, n in counts.most_common()))
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
