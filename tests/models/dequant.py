#!/usr/bin/env python3
"""dequant.py MODEL_FACTS: floats of every block type, bit for bit against the Python package gguf: on blocks of random
bytes (so with every scale that a half can be: tiny, huge, infinite, NaN) and on the tensors of the real models' first
layers."""
import os
import random
import subprocess
import sys
import tempfile

import gguf
import numpy as np

import fetch_models
import tiny


def floats(tool, path, tensor):
    raw = subprocess.run([tool, "--rows", tensor, path], capture_output=True, check=True).stdout
    return np.frombuffer(raw, np.float32)


def differing(got, raw, kind):
    want = gguf.quants.dequantize(raw, gguf.GGMLQuantizationType(tiny.TYPES[kind][0])).astype(np.float32).ravel()
    same = (got.view(np.uint32) == want.view(np.uint32)) | (np.isnan(got) & np.isnan(want))
    return int(np.count_nonzero(~same)) if got.size == want.size else -1


def random_blocks(tool, folder, kind, seed):
    """A tiny model with random bytes for attn_q of the first layer."""
    path, rng = os.path.join(folder, "random.gguf"), random.Random(seed)
    shape = tiny.Shape("llama", kind, 2)
    raw = rng.randbytes(shape.embd * shape.embd // tiny.TYPES[kind][1] * tiny.TYPES[kind][2])
    real = tiny.Gguf.tensor
    tiny.Gguf.tensor = lambda self, name, dims, k, data: real(self, name, dims, k, raw if name == "blk.0.attn_q.weight" else data)
    with open(path, "wb") as f:
        f.write(tiny.tiny_gguf("llama", kind))
    tiny.Gguf.tensor = real
    got = floats(tool, path, "attn_q")
    data = np.frombuffer(raw, np.uint8).reshape(shape.embd, -1)
    with np.errstate(all="ignore"):
        return got.size, differing(got, data.view(np.float32) if kind == "F32" else data.view(np.float16) if kind == "F16" else data, kind)


def real_layer(tool, path):
    total = wrong = 0
    for t in gguf.GGUFReader(path).tensors:
        if t.name.startswith("blk.0.") and t.name.endswith(".weight") and t.tensor_type.name in tiny.TYPES:
            name = t.name[6:-7].replace("post_attention_norm", "attn_post_norm").replace("post_ffw_norm", "ffn_post_norm")
            got = floats(tool, path, name)
            total, wrong = total + got.size, wrong + abs(differing(got, t.data, t.tensor_type.name))
    return total, wrong


def main(argv):
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        rows = [(kind, random_blocks(argv[0], folder, kind, seed)) for kind in tiny.TYPES for seed in (1, 2)]
    models = fetch_models.packages.cache_folder("models")
    rows += [(name, real_layer(argv[0], os.path.join(models, name))) for name in ("smollm2.gguf", "gemma3.gguf")]
    for name, (total, wrong) in rows:
        failed += wrong != 0
        print("%-14s %9d floats, %d differ" % (name, total, wrong))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
