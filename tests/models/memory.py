#!/usr/bin/env python3
"""memory.py SEEDC [MODEL]…: the peak memory of a run and how long a model takes until it is ready, the file in the page cache and
its fingerprint known. The peak of the default model must be at most its packed weights, the KV cache in use and 30 MB; exit 1 where it is not. Others
are printed alone: a vocabulary of 262,144 takes more than 30 MB by itself."""
import os
import re
import statistics
import subprocess
import sys

import fetch_models

MODELS, RUNS, MORE_MB = fetch_models.packages.cache_folder("models"), 7, 30
TEXT = "The parcel did not come, and the customer asks where it is. " * 36


def stats(seedc, model):
    p = subprocess.run([seedc, "run", "--raw", "-", "--model", model, "--max-tokens=32", "--ignore-eos", "--stats"], input=TEXT,
                       capture_output=True, text=True, check=True)
    ready = float(re.search(r"ready in ([0-9.]+) ms", p.stderr).group(1))
    peak, weights, cache = map(float, re.search(r"memory +([0-9.]+) MB at the most: weights ([0-9.]+), cache ([0-9.]+)", p.stderr).groups())
    prompt = int(re.search(r"prompt +([0-9]+) tokens", p.stderr).group(1))
    return ready, peak, weights, cache, prompt


def main(argv):
    failed = 0
    for model in argv[1:] or [os.path.join(MODELS, name) for name in ("smollm2.gguf", "gemma3.gguf")]:
        stats(argv[0], model)
        rows = [stats(argv[0], model) for _ in range(RUNS)]
        ready, peak = (statistics.median(r[i] for r in rows) for i in (0, 1))
        _, _, weights, cache, prompt = rows[0]
        ok = peak <= weights + cache + MORE_MB
        is_judged = os.path.basename(model) == "smollm2.gguf"
        failed += is_judged and not ok
        print("%-13s %s ready in %.1f ms (%.1f to %.1f); %d tokens and 32 more: peak %.1f MB, weights %.1f, cache %.1f, %.1f besides" %
              (os.path.basename(model), "   " if not is_judged else "ok " if ok else "BAD", ready, min(r[0] for r in rows), max(r[0] for r in rows), prompt, peak, weights, cache,
               peak - weights - cache), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
