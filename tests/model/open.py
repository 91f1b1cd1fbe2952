#!/usr/bin/env python3
"""Opening a model: the facts of each architecture, what is refused and how it is said, every cut and flipped byte of a
small file, and that a start that finds the hash in the cache folder says the same."""
import os
import subprocess
import sys

ROOT, BUILD = os.environ["ROOT"], os.environ["BUILD"]
sys.path.insert(0, os.path.join(ROOT, "tests/models"))
import tiny  # noqa: E402

TOOL = os.path.join(BUILD, "tool/model_facts")
os.environ["SEEDC_CACHE_DIR"] = os.path.join(os.getcwd(), "cache")
faults = []
count = 0


def facts(*args):
    p = subprocess.run([TOOL, *args], capture_output=True, text=True, check=False)
    return p.returncode, p.stdout.strip()


def check(what, got, want):
    global count
    count += 1
    if want not in got:
        faults.append("%s: %r is not in %r" % (what, want, got))


def write(name, raw):
    with open(name, "wb") as f:
        f.write(raw)
    return name


def edited(arch, edit, **kw):
    """A tiny model whose Gguf object the edit has changed before it is written."""
    made, real = [], tiny.Gguf.bytes
    tiny.Gguf.bytes = lambda self: (made.append(self), edit(self), real(self))[2]
    try:
        return tiny.tiny_gguf(arch, **kw)
    finally:
        tiny.Gguf.bytes = real


def drop(items, name):
    items[:] = [i for i in items if not i.startswith(tiny.text(name))]


def set_key(g, name, kind, value):
    drop(g.keys, name)
    g.key(name, kind, value)


# ---- what opens -------------------------------------------------------------------------------------------

for arch, want in [("llama", "window 0, global every 1, bases 10000 10000"), ("qwen2", "heads 4 over 2 of 16"),
                   ("qwen3", "heads 4 over 2 of 16"), ("gemma3", "window 48, global every 6, bases 1e+06 10000"),
                   ("bert", "heads 4 over 4 of 16")]:
    write(arch + ".gguf", tiny.tiny_gguf(arch))
    first, again = facts(arch + ".gguf"), facts(arch + ".gguf")
    check(arch, first[1], want)
    check(arch + " again", again[1], first[1])
check("llama ends", facts("llama.gguf")[1], "ends 0 2; template of 199 bytes; tied")
check("gemma3 embedding", facts("gemma3.gguf")[1], "scores 0.176776692, embedding 8,")
for kind in tiny.TYPES:
    check(kind, facts(write("k.gguf", tiny.tiny_gguf("llama", kind)))[1], "layers 2")
os.mkdir("hf")
for name, raw in tiny.tiny_safetensors().items():
    write(os.path.join("hf", name), raw)
check("safetensors", facts("hf/model.safetensors")[1], "bert: \nlayers 2, embedding 64, heads 4 over 4 of 16")

# ---- what is refused -----------------------------------------------------------------------------------------

U32, F32, STRING = tiny.U32, tiny.F32, tiny.STRING
for what, edit, want in [
    ("mamba", lambda g: set_key(g, "general.architecture", STRING, "mamba"),
     "the architecture `mamba` is not known; known are llama, qwen2, qwen3, gemma3, bert"),
    ("no layers", lambda g: set_key(g, "llama.block_count", U32, 0), "0 blocks"),
    ("no heads", lambda g: set_key(g, "llama.attention.head_count", U32, 0), "attention.head_count is 0"),
    ("heads", lambda g: set_key(g, "llama.attention.head_count", U32, 3), "3 heads over 2 heads of keys: they do not divide"),
    ("huge heads", lambda g: set_key(g, "llama.attention.key_length", U32, 4096), "heads of 4096"),
    ("values", lambda g: set_key(g, "llama.attention.value_length", U32, 8), "only 16 is known"),
    ("rotary part", lambda g: set_key(g, "llama.rope.dimension_count", U32, 8), "only 16 is known"),
    ("experts", lambda g: set_key(g, "llama.expert_count", U32, 8), "only 0 is known"),
    ("yarn", lambda g: set_key(g, "llama.rope.scaling.type", STRING, "yarn"), "`yarn` is not known"),
    ("per layer", lambda g: set_key(g, "llama.attention.head_count_kv", U32, [2, 2]), "differs by layer"),
    ("epsilon", lambda g: set_key(g, "llama.attention.layer_norm_rms_epsilon", F32, float("nan")), "epsilon"),
    ("base", lambda g: set_key(g, "llama.rope.freq_base", F32, float("inf")), "rotary base"),
    ("eos", lambda g: set_key(g, "tokenizer.ggml.eos_token_id", U32, 289), "no id below 289"),
    ("missing", lambda g: drop(g.tensors, "blk.1.ffn_up.weight"), "tensor blk.1.ffn_up.weight is not there"),
    ("left over", lambda g: g.tensor("blk.0.attn_q.bias", [64], "F32", bytes(256)), "has no place in the architecture llama"),
    ("third layer", lambda g: set_key(g, "llama.block_count", U32, 3), "tensor blk.2.attn_norm.weight is not there"),
    ("ffn", lambda g: set_key(g, "llama.feed_forward_length", U32, 96), "tensor blk.0.ffn_gate.weight is 64 × 128, not 64 × 96"),
]:
    check(what, facts(write("bad.gguf", edited("llama", edit)))[1], want)
check("causal bert", facts(write("bad.gguf", edited("bert", lambda g: set_key(g, "bert.pooling_type", U32, 2))))[1], "only 1 is known")

files = tiny.tiny_safetensors()
raw = files["model.safetensors"]
for what, got, want in [
    ("header length", b"\xff" * 8 + raw[8:], "a header of"),
    ("shorter", raw[:-4], "are not inside the"),
    ("longer", raw + b"1234", "bytes behind the last tensor"),
    ("dtype", raw.replace(b'"dtype":"F32"', b'"dtype":"F33"', 1), "dtype `F33` is not known"),
    ("shape", raw.replace(b'"shape":[64]', b'"shape":[65]', 1), "bytes for a shape of"),
    ("overflow", raw.replace(b'"shape":[64]', b'"shape":[99999999999999999999]', 1), "a header of"),
    ("no JSON", raw[:8] + b"{" * 20 + raw[28:], "byte"),
]:
    check(what, facts(write("hf/model.safetensors", got))[1], want if what != "overflow" else "byte")
write("hf/model.safetensors", raw)
os.remove("hf/vocab.txt")
check("no vocab.txt", facts("hf/model.safetensors")[1], "vocab.txt beside a safetensors file: no such file")

# ---- cuts and flips ------------------------------------------------------------------------------------------

# All of the keys and the first tensors' bytes: behind those a cut is a cut like any other.
HEAD = 24000
for arch in ("llama", "gemma3", "bert"):
    status, said = facts("--cuts", str(HEAD), arch + ".gguf")
    check(arch + " cuts", said, "0 opened, %d refused, 0 without a reason" % HEAD)
    status, said = facts("--flips", str(HEAD), arch + ".gguf")
    check(arch + " flips", said, "0 without a reason")

print("\n".join(faults))
print("%d passed, %d failed" % (count - len(faults), len(faults)))
sys.exit(bool(faults))
