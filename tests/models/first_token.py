#!/usr/bin/env python3
"""first_token.py [--seedc=build/seedc] [--model=M] [--runs=5]: how long a run waits for its first token, the model loaded:
a prompt of some thousand static tokens and a hole of at most eight at its end, cold and with the cache baked in, in
turns, for each format of the cache. Answers must be equal. Medians and ratios."""
import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WORDS = "parcel customer order app invoice delivery address refund number window policy ticket answer quote team screen mail".split()
SET = "q=late parcel"


def prompt_text():
    rng = random.Random(1)
    rules = "".join("  Rule %d: %s.\n" % (i, " ".join(rng.choice(WORDS) for _ in range(12))) for i in range(52))
    return 'prompt long "x"\ntarget smollm2\nin q: text\nrole @static:\n%suser: {{q}}\n' % rules


def first(args, bin_path, kv):
    run = subprocess.run([args.seedc, "run", "--json", "--model", args.model, "--kv", kv, "--max-tokens=16", "--ignore-eos",
                          "--set", SET, bin_path], capture_output=True, text=True, check=True)
    return json.loads(run.stdout)["stages"][0]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seedc", default=os.path.join(ROOT, "build/seedc"))
    parser.add_argument("--model", default=os.path.expanduser("~/.cache/seedc/models/smollm2.gguf"))
    parser.add_argument("--runs", type=int, default=5)
    args = parser.parse_args()
    faults = 0
    print("%-6s %8s %9s %12s %12s %7s  %s" % ("cache", "prompt", "computed", "cold ms", "baked ms", "ratio", "same answer"))
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "p.sd")
        with open(source, "w", encoding="utf-8") as f:
            f.write(prompt_text())
        for kv in ("f16", "int8", "k8v4", "int4"):
            cold, baked = os.path.join(folder, "cold.bin"), os.path.join(folder, kv + ".bin")
            subprocess.run([args.seedc, source, "-o", cold], check=True)
            subprocess.run([args.seedc, source, "--kv", kv, "--bake", args.model, "-o", baked], check=True)
            rounds = [(first(args, cold, kv), first(args, baked, kv)) for _ in range(args.runs)]
            cold_ms, baked_ms = (statistics.median(r[i]["first_ms"] for r in rounds) for i in (0, 1))
            same = all(c["text"] == b["text"] for c, b in rounds)
            last = rounds[0][1]
            faults += not same or not last["cached_tok"]
            print("%-6s %8d %9d %12.2f %12.2f %7.1f  %s" % (kv, last["prompt_tok"], last["prompt_tok"] - last["cached_tok"], cold_ms,
                                                             baked_ms, cold_ms / baked_ms, "yes" if same else "NO"))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
