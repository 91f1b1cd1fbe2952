#!/usr/bin/env python3
"""The CPU engine on tiny models: one result for every chunk, batch, number of threads and instruction set, and close to
the oracle's. Every architecture, every type of weights, f16 and quantised keys and values."""
import math
import os
import struct
import subprocess
import sys

ROOT, BUILD = os.environ["ROOT"], os.environ["BUILD"]
sys.path.insert(0, os.path.join(ROOT, "tests/models"))
import tiny  # noqa: E402

passed = failed = 0


def logits(*command):
    p = subprocess.run(command, capture_output=True, check=False)
    return p.returncode, struct.unpack("<%df" % (len(p.stdout) // 4), p.stdout), p.stderr.decode()


def log_shares(row):
    top = max(row)
    total = math.log(sum(math.exp(v - top) for v in row))
    return [v - top - total for v in row]


def divergence(want, got, n):
    """Mean KL of n rows."""
    width, total = len(want) // n, 0
    for at in range(0, len(want), width):
        p, q = log_shares(want[at:at + width]), log_shares(got[at:at + width])
        total += sum(math.exp(a) * (a - b) for a, b in zip(p, q))
    return total / n


def case(arch, kind, embd, kv, n, limit):
    global passed, failed
    path = "%s-%s.gguf" % (arch, kind)
    with open(path, "wb") as f:
        f.write(tiny.tiny_gguf(arch, kind, embd))
    ids = [(37 * k + 11) % 280 + 5 for k in range(n)]
    status, got, said = logits(os.path.join(BUILD, "tool/engine_logits"), path, kv, str(n))
    _, want, _ = logits(os.path.join(BUILD, "tool/oracle_logits"), path, str(n), *map(str, ids))
    far = divergence(want, got, n) if len(got) == len(want) else float("inf")
    ok = status == 0 and far <= limit
    passed, failed = passed + ok, failed + (not ok)
    if not ok:
        print("%s %s %s, %d tokens: status %d, KL %g, at most %g\n%s" % (arch, kind, kv, n, status, far, limit, said))


for arch in ("llama", "qwen2", "qwen3", "gemma3"):
    case(arch, "Q4_1", "Q8_0", "f16", 75, 0.008)
    case(arch, "Q4_1", "Q8_0", "k8v4", 75, 0.02)
for kv in ("f16", "k8v4"):
    case("gemma3", "Q8_0", "Q8_0", kv, 120, 0.02)  # blocks leave its window of 48
for kind in ("F32", "F16", "BF16"):
    case("gemma3", kind, kind, "f16", 40, 0.0001)
for kind in ("Q4_0", "Q5_0", "Q5_1", "Q8_0", "Q4_K", "Q5_K", "Q6_K"):
    case("llama", kind, "Q6_K" if kind.endswith("K") else kind, "f16", 40, 0.03)
for kv in ("int8", "int4", "k8v4"):
    case("llama", "Q4_0", "F16", kv, 40 if kv != "k8v4" else 270, 0.08)  # 270: past a partition
print("%d passed, %d failed" % (passed, failed))
sys.exit(failed != 0)
