#!/usr/bin/env python3
"""first_token.py [--seedc=build/seedc] [--model=M] [--runs=5]: how long a run waits for its first token, the model loaded:
a prompt of some thousand static tokens and a hole of at most eight at its end, cold and with the cache baked in, in
turns, for each format of the cache. It is so long that at most 32 tokens are computed behind the baked ones. Answers must
be equal. Medians, ratios, and the baked time beside the cold one's share of the tokens computed."""
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


def prompt_text(n_more):
    rng = random.Random(1)
    rules = "".join("  Rule %d: %s.\n" % (i, " ".join(rng.choice(WORDS) for _ in range(12))) for i in range(52))
    rules += "  The last rule: %s.\n" % " ".join(rng.choice(WORDS) for _ in range(n_more))
    return 'prompt long "x"\ntarget smollm2\nin q: text\nrole @static:\n%suser: {{q}}\n' % rules


def first(args, bin_path, kv):
    run = subprocess.run([args.seedc, "run", "--json", "--model", args.model, "--kv", kv, "--max-tokens=16", "--ignore-eos",
                          "--set", SET, bin_path], capture_output=True, text=True, check=True)
    return json.loads(run.stdout)["stages"][0]


def fit_length(args, source, baked):
    for n_more in range(24):
        with open(source, "w", encoding="utf-8") as f:
            f.write(prompt_text(n_more))
        subprocess.run([args.seedc, source, "--bake", args.model, "-o", baked], check=True)
        got = first(args, baked, "k8v4")
        if 16 <= got["prompt_tok"] - got["cached_tok"] <= 32:
            return
    raise SystemExit("no length of the prompt leaves 16 to 32 tokens")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seedc", default=os.path.join(ROOT, "build/seedc"))
    parser.add_argument("--model", default=os.path.expanduser("~/.cache/seedc/models/smollm2.gguf"))
    parser.add_argument("--runs", type=int, default=5)
    args = parser.parse_args()
    faults = 0
    print("%-6s %8s %9s %12s %12s %7s %12s  %s" % ("cache", "prompt", "computed", "cold ms", "baked ms", "ratio", "of its share", "same answer"))
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "p.sd")
        fit_length(args, source, os.path.join(folder, "fit.bin"))
        for kv in ("f16", "int8", "k8v4", "int4"):
            cold, baked = os.path.join(folder, "cold.bin"), os.path.join(folder, kv + ".bin")
            subprocess.run([args.seedc, source, "-o", cold], check=True)
            subprocess.run([args.seedc, source, "--kv", kv, "--bake", args.model, "-o", baked], check=True)
            rounds = [(first(args, cold, kv), first(args, baked, kv)) for _ in range(args.runs)]
            cold_ms, baked_ms = (statistics.median(r[i]["first_ms"] for r in rounds) for i in (0, 1))
            same = all(c["text"] == b["text"] for c, b in rounds)
            last = rounds[0][1]
            faults += not same or not last["cached_tok"]
            n_computed = last["prompt_tok"] - last["cached_tok"]
            print("%-6s %8d %9d %12.2f %12.2f %7.1f %12.2f  %s" % (
                kv, last["prompt_tok"], n_computed, cold_ms, baked_ms, cold_ms / baked_ms,
                baked_ms / (cold_ms * n_computed / last["prompt_tok"]), "yes" if same else "NO"), flush=True)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
