#!/usr/bin/env python3
"""compare.py BUILD [tiny|smollm2|gemma3]…: the oracle beside llama.cpp, which runs the same weights written out as F32,
without flash attention and with keys and values in f32.

  tiny      logits of random models of every architecture with a head, over 100 tokens
  smollm2   20 prompts: 64 greedy tokens each, the distance of all distributions; perplexity of a text
  gemma3    5 prompts, the same

Greedy tokens must be equal on 9 prompts of 10; the others may part where llama.cpp's two best lie within 0.02 nat. The mean
KL divergence must be at most 1e-5, the perplexities within 0.05 %. Exit 1 where they are not.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

import gguf
import numpy as np

import fetch_models
import tiny

MODELS = fetch_models.packages.cache_folder("models")
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir)
N_GREEDY, NEAR, KL_MOST, PPL_MOST = 64, 0.02, 1e-5, 5e-4
N_CHUNK = 6
PROMPTS = [
    "The capital of France is", "Once upon a time there was a", "def fibonacci(n):\n", "The three laws of robotics are",
    "Dear customer,\n\nthank you for", "Water boils at", "1, 1, 2, 3, 5, 8,", "SELECT name FROM users WHERE", "In 1969, two astronauts",
    "The recipe needs flour, eggs and", "Q: What is photosynthesis?\nA:", "{\"name\": \"Ada\", \"born\":", "Die Hauptstadt von Deutschland",
    "To sort a list in Python, you", "The quick brown fox", "He opened the door and saw", "Roses are red,\n", "The derivative of x^2 is",
    "# Introduction\n\nThis document", "My favourite city is Lisbon because",
]


def to_f32(path, out):
    """The same model with every tensor as floats."""
    r = gguf.GGUFReader(path)
    w = gguf.GGUFWriter(out, str(r.fields["general.architecture"].contents()))
    for key, f in r.fields.items():
        if key.startswith("GGUF.") or key in ("general.architecture", "general.file_type", "general.quantization_version"):
            continue
        sub = f.types[-1] if f.types[0] == gguf.GGUFValueType.ARRAY else None
        w.add_key_value(key, f.contents(), f.types[0], sub)
    for t in r.tensors:
        w.add_tensor(t.name, gguf.quants.dequantize(t.data, t.tensor_type).astype(np.float32))
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()


class Pair:
    """One model on both sides: ours as it is, theirs as F32."""

    def __init__(self, build, ours, theirs):
        self.ours, self.theirs = ours, theirs
        self.tools = [os.path.join(build, "tool/oracle_logits"), os.path.join(build, "peers/llama_logits")]

    def run(self, which, *args):
        return subprocess.run([self.tools[which], *map(str, args)], capture_output=True, check=True).stdout

    def log_probs(self, which, ids):
        raw = self.run(which, (self.ours, self.theirs)[which], len(ids), *ids)
        x = np.frombuffer(raw, np.float32).astype(np.float64).reshape(len(ids), -1)
        x = x - x.max(1, keepdims=True)
        return x - np.log(np.exp(x).sum(1, keepdims=True))

    def kl(self, ids):
        """Of each token's distribution, ours from theirs."""
        got, want = self.log_probs(0, ids), self.log_probs(1, ids)
        return (np.exp(want) * (want - got)).sum(1), got.argmax(1) == want.argmax(1)

    def greedy(self, which, ids):
        lines = self.run(which, "--greedy", N_GREEDY, (self.ours, self.theirs)[which], *ids).decode().split()
        return [int(x) for x in lines[::2]], [float(x) for x in lines[1::2]]


def check(what, ok, said):
    print("%-9s %-4s %s" % (what, "ok" if ok else "BAD", said), flush=True)
    return not ok


# ---- parts -----------------------------------------------------------------------------------------------

def compare_tiny(build, scratch):
    failed = 0
    for arch in ("llama", "qwen2", "qwen3", "gemma3"):
        path = os.path.join(scratch, arch + ".gguf")
        with open(path, "wb") as f:
            f.write(tiny.tiny_gguf(arch, "F32", "F32"))
        kl, same = Pair(build, path, path).kl(np.random.default_rng(3).integers(5, 280, 100))
        failed += check("tiny", kl.mean() <= KL_MOST and same.all(), "%s: mean KL %.1e, the best token the same on %d of %d"
                        % (arch, kl.mean(), same.sum(), len(same)))
    return failed


def compare_greedy(name, pair, all_ids):
    failed, equal, kls, tops = 0, 0, [], []
    for ids in all_ids:
        (ours, _), (theirs, margin) = pair.greedy(0, ids), pair.greedy(1, ids)
        at = next((i for i in range(N_GREEDY) if ours[i] != theirs[i]), None)
        equal += at is None
        if at is not None and margin[at] > NEAR:
            failed += check(name, False, "parts at token %d, where the two best lie %.4f apart" % (at, margin[at]))
        kl, same = pair.kl(ids + theirs)
        kls, tops = kls + list(kl), tops + list(same)
        print("%-9s      %s; mean KL %.1e" % (name, "equal" if at is None else "parts at token %d, the two best %.4f apart" % (at, margin[at]),
                                          kl.mean()), flush=True)
    failed += check(name, equal >= 0.9 * len(all_ids), "%d of %d prompts: %d greedy tokens equal" % (equal, len(all_ids), N_GREEDY))
    return failed + check(name, np.mean(kls) <= KL_MOST, "mean KL %.2e, the largest %.1e, the best token the same on %d of %d"
                          % (np.mean(kls), np.max(kls), np.sum(tops), len(tops)))


def compare_perplexity(name, build, llama, pair, scratch):
    text = os.path.join(scratch, "text")
    pages = [open(os.path.join(ROOT, "docs", p), encoding="utf-8").read() for p in ("ARCHITECTURE.md", "language.md")]
    with open(text, "w", encoding="utf-8") as f:
        f.write("".join(pages)[:4 * 512 * N_CHUNK].rstrip("\n"))
    got = json.loads(subprocess.run([os.path.join(build, "seedc"), "score", "--oracle", "--model", pair.ours, "--json", text], capture_output=True,
                                    check=True).stdout)
    p = subprocess.run([os.path.join(llama, "llama-perplexity"), "-m", pair.theirs, "-f", text, "-c", "512", "-b", "512", "-t", "1", "-fa",
                        "off", "-ctk", "f32", "-ctv", "f32", "--no-escape"], capture_output=True, text=True, check=True)
    final = re.search(r"Final estimate: PPL = ([0-9.]+)", p.stdout + p.stderr)
    want, n_chunk = float(final.group(1)), len(re.findall(r"\[\d+\][0-9.]+,", p.stdout + p.stderr))
    off = abs(got["perplexity"] / want - 1)
    return check(name, off <= PPL_MOST and n_chunk == got["windows"], "perplexity %.4f beside %.4f, %.4f %% apart, %d windows beside %d"
                 % (got["perplexity"], want, 100 * off, got["windows"], n_chunk))


def compare_model(name, n_prompt, build, llama, scratch):
    ours, theirs = os.path.join(MODELS, name + ".gguf"), os.path.join(scratch, name + "-f32.gguf")
    to_f32(ours, theirs)
    pair, seedc = Pair(build, ours, theirs), os.path.join(build, "seedc")
    env = dict(os.environ, SEEDC_VOCAB_DIR=os.path.join(scratch, "vocab"))
    subprocess.run([seedc, "vocab", "add", name, ours], env=env, capture_output=True, check=True)
    all_ids = []
    for prompt in PROMPTS[:n_prompt]:
        p = subprocess.run([seedc, "count", "--ids", "--tokenizer", name, "-"], env=env, input=prompt, text=True, capture_output=True, check=True)
        all_ids.append(([2] if name == "gemma3" else []) + [int(x) for x in p.stdout.split()])
    failed = compare_greedy(name, pair, all_ids) + compare_perplexity(name, build, llama, pair, scratch)
    os.remove(theirs)
    return failed


def main(argv):
    build, parts, failed = argv[0], argv[1:] or ["tiny", "smollm2", "gemma3"], 0
    with open(os.path.join(build, "peers/folder"), encoding="utf-8") as f:
        llama = f.read().strip()
    with tempfile.TemporaryDirectory() as scratch:
        for part in parts:
            failed += compare_tiny(build, scratch) if part == "tiny" else \
                compare_model(part, 20 if part == "smollm2" else 5, build, llama, scratch)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
