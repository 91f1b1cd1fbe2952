#!/usr/bin/env python3
"""plan_fit.py [--seedc=build/seedc] [--model=M] [--target=T] [--kv=F] [--threads=N] [--runs=5] [--by=median]: what `seedc run --plan-only --profile=cpu` predicts beside
what `seedc run` takes, in the same minute: time to the first token and per token, behind prompts of several lengths.
Medians of the runs, which go through the lengths in turns (--by=least: on a machine that others use); the error in per
cent, and exit 1 where one is beyond 15."""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LENGTHS = [64, 100, 512, 1000, 1500, 2000]
REPLY, MOST = 33, 15.0


class Prompt:
    """A prompt of about n tokens: words that are a token each."""

    def __init__(self, args, folder):
        self.args, self.path = args, os.path.join(folder, "p.sd")
        with open(self.path, "w", encoding="utf-8") as f:
            f.write('prompt p "x"\nin a: text\nuser: {{a}}\n')
        self.frame = self.run(1, "--plan-only", "--profile=h100")["prompt_tok"] - 1

    def run(self, n_word, *flags):
        a = self.args
        command = [a.seedc, "run", "--json", "--model", a.model, "--kv", a.kv, "--max-tokens=%d" % REPLY, "--ignore-eos", *flags]
        command += ["--target", a.target] if a.target else []
        command += ["--threads", a.threads] if a.threads else []
        p = subprocess.run([*command, "--set", "a=" + " ".join(["the"] * n_word), self.path], capture_output=True, text=True, check=False)
        if p.returncode:
            sys.exit("%s: %s" % (" ".join(command), p.stderr.strip()))
        if p.stderr:
            print(p.stderr.strip())
        return json.loads(p.stdout)

    def predicted(self, n_tok, *flags):
        return self.run(n_tok - self.frame, "--plan-only", "--profile=cpu", *flags)

    def measured(self, n_tok):
        stage = self.run(n_tok - self.frame)["stages"][0]
        return stage["first_ms"], (stage["total_ms"] - stage["first_ms"]) / (stage["reply_tok"] - 1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seedc", default=os.path.join(ROOT, "build/seedc"))
    parser.add_argument("--model", default=os.path.expanduser("~/.cache/seedc/models/smollm2.gguf"))
    parser.add_argument("--target", default="")
    parser.add_argument("--kv", default="k8v4")
    parser.add_argument("--threads", default="")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--by", choices=["median", "least"], default="median")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        prompt = Prompt(args, folder)
        plan = [prompt.predicted(n, *([] if i else ["--refit"])) for i, n in enumerate(LENGTHS)]
        rounds = [[prompt.measured(n) for n in LENGTHS] for _ in range(args.runs)]
    print(" ".join("%s %.4g" % (k, v) for k, v in plan[0]["fit"].items()))
    print("%7s  %-11s %12s %12s %9s" % ("prompt", "", "predicted ms", "measured ms", "error"))
    worst = 0
    for i, p in enumerate(plan):
        for k, name in enumerate(("first token", "each token")):
            want = p[("first_ms", "token_ms")[k]]
            got = (statistics.median if args.by == "median" else min)(r[i][k] for r in rounds)
            error = 100 * (want - got) / got
            worst = max(worst, abs(error))
            print("%7d  %-11s %12.3f %12.3f %+8.1f %%" % (p["prompt_tok"], name, want, got, error))
    print("worst %.1f %%, %g are the most" % (worst, MOST))
    return 1 if worst > MOST else 0


if __name__ == "__main__":
    sys.exit(main())
