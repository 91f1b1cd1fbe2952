#!/usr/bin/env python3
"""minilm.py SEEDC: embeddings of 200 sentences by `seedc embed` against a forward pass of BERT in numpy's float64, over
the same safetensors file, with ids from Hugging Face's tokenizers. Exit 1 where a cosine is below 0.9999."""
import json
import math
import os
import re
import struct
import subprocess
import sys

import numpy as np
import tokenizers

import fetch_models

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir)
FOLDER = os.path.join(fetch_models.packages.cache_folder("models"), "minilm")
N, LEAST = 200, 0.9999
ERF = np.vectorize(math.erf)


def read_safetensors(path):
    with open(path, "rb") as f:
        raw = f.read()
    n = struct.unpack("<Q", raw[:8])[0]
    head = json.loads(raw[8:8 + n])
    return {k: np.frombuffer(raw[8 + n + v["data_offsets"][0]:8 + n + v["data_offsets"][1]], "<f4").astype(np.float64)
            .reshape(v["shape"]) for k, v in head.items() if k != "__metadata__" and v["dtype"] == "F32"}


class Bert:
    def __init__(self, folder):
        self.w = read_safetensors(os.path.join(folder, "model.safetensors"))
        with open(os.path.join(folder, "config.json"), encoding="utf-8") as f:
            self.c = json.load(f)

    def dense(self, name, x):
        return x @ self.w[name + ".weight"].T + self.w[name + ".bias"]

    def norm(self, name, x):
        x = x - x.mean(-1, keepdims=True)
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + self.c["layer_norm_eps"]) * self.w[name + ".weight"] + self.w[name + ".bias"]

    def layer(self, at, x):
        n, heads = len(x), self.c["num_attention_heads"]
        q, k, v = [self.dense(at + "attention.self." + s, x).reshape(n, heads, -1).transpose(1, 0, 2) for s in ("query", "key", "value")]
        score = q @ k.transpose(0, 2, 1) / math.sqrt(q.shape[-1])
        share = np.exp(score - score.max(-1, keepdims=True))
        mixed = (share / share.sum(-1, keepdims=True) @ v).transpose(1, 0, 2).reshape(n, -1)
        x = self.norm(at + "attention.output.LayerNorm", x + self.dense(at + "attention.output.dense", mixed))
        h = self.dense(at + "intermediate.dense", x)
        h = 0.5 * h * (1 + ERF(h / math.sqrt(2)))
        return self.norm(at + "output.LayerNorm", x + self.dense(at + "output.dense", h))

    def embed(self, ids):
        e = "embeddings."
        x = self.w[e + "word_embeddings.weight"][ids] + self.w[e + "position_embeddings.weight"][:len(ids)]
        x = self.norm(e + "LayerNorm", x + self.w[e + "token_type_embeddings.weight"][0])
        for i in range(self.c["num_hidden_layers"]):
            x = self.layer("encoder.layer.%d." % i, x)
        mean = x.mean(0)
        return mean / np.linalg.norm(mean)


def sentences():
    """The first of the project's own pages, long and short, with marks and code in them."""
    found = []
    for name in ("README.md", "docs/ARCHITECTURE.md", "docs/language.md", "tests/README.md"):
        with open(os.path.join(ROOT, name), encoding="utf-8") as f:
            found += [s.strip().replace("\n", " ") for s in re.split(r"(?<=[.:])\s", f.read()) if s.strip()]
    return found[:N]


def main(argv):
    texts, bert = sentences(), Bert(FOLDER)
    tokenizer = tokenizers.Tokenizer.from_file(os.path.join(FOLDER, "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    p = subprocess.run([argv[0], "embed", "--model", os.path.join(FOLDER, "model.safetensors"), "--lines", "--json", "-"],
                       input="\n".join(texts), capture_output=True, text=True, check=True)
    got, worst, other = [json.loads(line) for line in p.stdout.splitlines()], 1.0, 0
    for text, g in zip(texts, got):
        ids = tokenizer.encode(text).ids
        other += len(ids) != g["tokens"]
        worst = min(worst, float(np.dot(bert.embed(ids), np.array(g["vector"]))))
    print("MiniLM: %d sentences, the lowest cosine %.9f, %d of another number of tokens" % (len(got), worst, other))
    return len(got) != N or worst < LEAST or other


if __name__ == "__main__":
    sys.exit(1 if main(sys.argv[1:]) else 0)
