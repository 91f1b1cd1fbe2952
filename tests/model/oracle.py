#!/usr/bin/env python3
"""The oracle's logits for tiny models of every architecture with a head: equal to a forward pass in plain Python, and the
same bits whether the tokens come at once, one by one or in threes, and through the interface of engines, where taps tell
what they promise."""
import os
import struct
import subprocess
import sys

ROOT, BUILD = os.environ["ROOT"], os.environ["BUILD"]
sys.path.insert(0, os.path.join(ROOT, "tests/models"))
import plain  # noqa: E402
import tiny  # noqa: E402

TOOL = os.path.join(BUILD, "tool/oracle_logits")
IDS = [7, 70, 71, 100, 33, 250, 12, 7, 201, 64, 5]
LONG = [(37 * i + 11) % 280 + 5 for i in range(56)]   # past the window of the tiny gemma3
passed = failed = 0


def oracle(path, ids, chunk):
    return subprocess.run([TOOL, path, str(chunk), *map(str, ids)], capture_output=True, check=True).stdout


for arch in ("llama", "qwen2", "qwen3", "gemma3"):
    path, ids = arch + ".gguf", LONG if arch == "gemma3" else IDS
    with open(path, "wb") as f:
        f.write(tiny.tiny_gguf(arch, "F32", "F32"))
    raw = oracle(path, ids, len(ids))
    got, want = struct.unpack("<%df" % (len(raw) // 4), raw), [v for row in plain.Plain(arch).logits(ids) for v in row]
    worst = max(abs(a - b) for a, b in zip(got, want)) if len(got) == len(want) else float("inf")
    same = all(oracle(path, ids, n) == raw for n in (1, 3))
    engine = subprocess.run([TOOL, "--engine", path, *map(str, ids)], capture_output=True, check=False)
    ok = worst < 2e-4 and same and engine.stdout == raw
    passed, failed = passed + ok, failed + (not ok)
    if not ok:
        print("%s: %d logits for %d, the worst off by %g; by chunks %s; %s" % (arch, len(got), len(want), worst, "the same" if same else "not", engine.stderr.decode() or "by the engine"))
print("%d passed, %d failed" % (passed, failed))
sys.exit(failed != 0)
