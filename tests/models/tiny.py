#!/usr/bin/env python3
"""tiny.py ARCH OUT [--type=Q4_1] [--embd=TYPE] [--layers=N] [--seed=1]: a small random model, by the standard library alone.

ARCH is llama, qwen2, qwen3, gemma3 or bert (a GGUF), or bert-hf (OUT is a folder: model.safetensors, config.json,
vocab.txt). Weights are random blocks of the type, about as large as those of a trained model, so that its logits
differ from token to token; norms are near one. The vocabulary has every byte, so every text has ids. The same
arguments give the same bytes.
"""
import json
import math
import os
import random
import struct
import sys

# name: number, elements of a block, bytes of a block
TYPES = {"F32": (0, 1, 4), "F16": (1, 1, 2), "Q4_0": (2, 32, 18), "Q4_1": (3, 32, 20), "Q5_0": (6, 32, 22), "Q5_1": (7, 32, 24),
         "Q8_0": (8, 32, 34), "Q4_K": (12, 256, 144), "Q5_K": (13, 256, 176), "Q6_K": (14, 256, 210), "BF16": (30, 1, 2)}
U32, I32, F32, BOOL, STRING, ARRAY = 4, 5, 6, 7, 8, 9
CHATML = ("{% for message in messages %}{{'<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n'}}"
          "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}")


def half(x):
    return struct.pack("<e", x)


def scales_of_k(rng):
    """12 bytes of six-bit scales and minima: minima near 7.5 scales of a nibble."""
    return bytes(rng.randrange(256) for _ in range(12))


def block(kind, rng, size):
    """One random block whose values have a standard deviation of about size."""
    raw = rng.randbytes
    if kind == "F32":
        return struct.pack("<f", rng.gauss(0, size))
    if kind == "F16":
        return half(rng.gauss(0, size))
    if kind == "BF16":
        return struct.pack("<f", rng.gauss(0, size))[2:]
    d = size * rng.uniform(0.7, 1.3)
    if kind == "Q4_0":
        return half(d / 4.6) + raw(16)
    if kind == "Q4_1":
        return half(d / 4.6) + half(-7.5 * d / 4.6) + raw(16)
    if kind == "Q5_0":
        return half(d / 9.2) + raw(20)
    if kind == "Q5_1":
        return half(d / 9.2) + half(-15.5 * d / 9.2) + raw(20)
    if kind == "Q8_0":
        return half(d / 74) + raw(32)
    if kind == "Q4_K":
        return half(d / 170) + half(7.5 * d / 170) + scales_of_k(rng) + raw(128)
    if kind == "Q5_K":
        return half(d / 340) + half(15.5 * d / 340) + scales_of_k(rng) + raw(160)
    return raw(192) + raw(16) + half(d / 1360)  # Q6_K


def text(s):
    b = s if isinstance(s, bytes) else s.encode()
    return struct.pack("<Q", len(b)) + b


class Gguf:
    """Keys and tensors, then their bytes."""

    def __init__(self):
        self.keys, self.tensors, self.data = [], [], b""

    def key(self, name, kind, value):
        pack = {U32: "<I", I32: "<i", F32: "<f", BOOL: "<?"}
        if isinstance(value, list):
            body = struct.pack("<IQ", kind, len(value))
            body += b"".join(text(v) if kind == STRING else struct.pack(pack[kind], v) for v in value)
            kind = ARRAY
        else:
            body = text(value) if kind == STRING else struct.pack(pack[kind], value)
        self.keys.append(text(name) + struct.pack("<I", kind) + body)

    def tensor(self, name, dims, kind, data):
        self.data += bytes(-len(self.data) % 32)
        self.tensors.append(text(name) + struct.pack("<I%dQIQ" % len(dims), len(dims), *dims, TYPES[kind][0], len(self.data)))
        self.data += data

    def bytes(self):
        head = b"GGUF" + struct.pack("<IQQ", 3, len(self.tensors), len(self.keys)) + b"".join(self.keys) + b"".join(self.tensors)
        return head + bytes(-len(head) % 32) + self.data


# ---- vocabularies ------------------------------------------------------------------------------------

def byte_letters():
    """GPT-2's letter of each byte."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    free = iter(range(256, 512))
    return [chr(b) if b in plain else chr(next(free)) for b in range(256)]


WORDS = ["the", "and", "ing", "er", "on", "is", "of", "to", "in", "re", "at", "en", "or", "st"]


def vocab_gpt2(g):
    letters = byte_letters()
    tokens = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"] + letters
    merges = []
    for word in WORDS:
        for left, right in [(word[:i], word[i]) for i in range(1, len(word))]:
            if left + right not in tokens:
                merges.append("%s %s" % (left, right))
                tokens.append(left + right)
    space = letters[32]
    for word in [w for w in WORDS if w in tokens]:
        merges.append("%s %s" % (space, word))
        tokens.append(space + word)
    g.key("tokenizer.ggml.model", STRING, "gpt2")
    g.key("tokenizer.ggml.pre", STRING, "smollm")
    g.key("tokenizer.ggml.tokens", STRING, tokens)
    g.key("tokenizer.ggml.token_type", I32, [3] * 3 + [1] * (len(tokens) - 3))
    g.key("tokenizer.ggml.merges", STRING, merges)
    g.key("tokenizer.ggml.bos_token_id", U32, 1)
    g.key("tokenizer.ggml.eos_token_id", U32, 2)
    g.key("tokenizer.ggml.add_bos_token", BOOL, False)
    g.key("tokenizer.chat_template", STRING, CHATML)
    return len(tokens)


def vocab_spm(g):
    pieces = ["<pad>", "<eos>", "<bos>", "<unk>"] + ["<0x%02X>" % b for b in range(256)] + ["▁"] + [chr(c) for c in range(33, 127)]
    types = [3, 3, 3, 2] + [6] * 256 + [1] * 95
    for word in WORDS:
        for piece in [word[:i] for i in range(2, len(word) + 1)] + ["▁" + word]:
            if piece not in pieces:
                pieces.append(piece)
                types.append(1)
    pieces += ["<start_of_turn>", "<end_of_turn>"]
    types += [3, 3]
    g.key("tokenizer.ggml.model", STRING, "llama")
    g.key("tokenizer.ggml.tokens", STRING, pieces)
    g.key("tokenizer.ggml.scores", F32, [0.0 if t != 1 else -float(i) for i, t in enumerate(types)])
    g.key("tokenizer.ggml.token_type", I32, types)
    for name, value in [("bos", 2), ("eos", 1), ("unknown", 3)]:
        g.key("tokenizer.ggml.%s_token_id" % name, U32, value)
    g.key("tokenizer.ggml.add_bos_token", BOOL, True)
    g.key("tokenizer.ggml.add_space_prefix", BOOL, False)
    return len(pieces)


def wordpieces():
    letters = [chr(c) for c in range(33, 127) if not chr(c).isupper()]
    return ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"] + letters + ["##" + c for c in letters if c.isalnum()] + WORDS


def vocab_bert(g):
    pieces = wordpieces()
    g.key("tokenizer.ggml.model", STRING, "bert")
    g.key("tokenizer.ggml.tokens", STRING, [p[2:] if p.startswith("##") else p if p[0] == "[" and p[-1] == "]" and len(p) > 2 else "▁" + p
                                            for p in pieces])
    g.key("tokenizer.ggml.token_type", I32, [3, 2, 3, 3, 3] + [1] * (len(pieces) - 5))
    for name, value in [("bos", 2), ("cls", 2), ("eos", 3), ("seperator", 3), ("unknown", 1)]:
        g.key("tokenizer.ggml.%s_token_id" % name, U32, value)
    return len(pieces)


# ---- models --------------------------------------------------------------------------------------------

class Shape:
    """Small, with every kind of grouping: two query heads over each head of keys."""

    def __init__(self, arch, kind, layers, ctx=None):
        wide = TYPES[kind][1] == 256
        self.arch, self.kind, self.layers = arch, kind, layers
        self.embd, self.heads = (256, 4) if wide else (64, 4)
        self.kv = self.heads if arch == "bert" else self.heads // 2
        self.head = 32 if arch == "gemma3" and not wide else self.embd // self.heads
        self.ffn = 256 if wide else 128
        self.ctx = ctx or (64 if arch == "bert" else 256)


def matrix(kind, rng, rows, cols, size=None):
    n, size = rows * cols // TYPES[kind][1], size or 1 / math.sqrt(cols)
    return b"".join(block(kind, rng, size) for _ in range(n))


def vector(rng, n, around):
    return b"".join(struct.pack("<f", rng.gauss(around, 0.1)) for _ in range(n))


def layer_tensors(s):
    """(name, rows or 0 for a vector, columns, middle of a vector's values) of one layer."""
    q, kv = s.heads * s.head, s.kv * s.head
    rows = [("attn_q.weight", q, s.embd, 0), ("attn_k.weight", kv, s.embd, 0), ("attn_v.weight", kv, s.embd, 0),
            ("attn_output.weight", s.embd, q, 0), ("ffn_up.weight", s.ffn, s.embd, 0), ("ffn_down.weight", s.embd, s.ffn, 0)]
    if s.arch in ("qwen2", "bert"):
        rows += [("attn_q.bias", 0, q, 0), ("attn_k.bias", 0, kv, 0), ("attn_v.bias", 0, kv, 0)]
    if s.arch == "bert":
        rows += [(n + ".bias", 0, c, 0) for n, c in [("attn_output", s.embd), ("ffn_up", s.ffn), ("ffn_down", s.embd)]]
        rows += [(n + e, 0, s.embd, m) for n in ("attn_output_norm", "layer_output_norm") for e, m in [(".weight", 1), (".bias", 0)]]
        return rows
    rows += [("ffn_gate.weight", s.ffn, s.embd, 0), ("attn_norm.weight", 0, s.embd, 1), ("ffn_norm.weight", 0, s.embd, 1)]
    if s.arch in ("qwen3", "gemma3"):
        rows += [("attn_q_norm.weight", 0, s.head, 1), ("attn_k_norm.weight", 0, s.head, 1)]
    if s.arch == "gemma3":
        rows += [("post_attention_norm.weight", 0, s.embd, 1), ("post_ffw_norm.weight", 0, s.embd, 1)]
    return rows


def model_tensors(s, n_vocab):
    rows = [("token_embd.weight", n_vocab, s.embd, 0)]
    if s.arch == "bert":
        return rows + [("position_embd.weight", s.ctx, s.embd, 0), ("token_types.weight", 2, s.embd, 0),
                       ("token_embd_norm.weight", 0, s.embd, 1), ("token_embd_norm.bias", 0, s.embd, 0)]
    return rows + [("output_norm.weight", 0, s.embd, 1)]


def all_tensors(s, n_vocab, rng, embd):
    """(name, dims fastest first, type, bytes)."""
    rows = model_tensors(s, n_vocab)
    rows += [("blk.%d.%s" % (i, n), r, c, m) for i in range(s.layers) for n, r, c, m in layer_tensors(s)]
    for name, r, c, middle in rows:
        if not r:
            yield name, [c], "F32", vector(rng, c, middle)
        elif name in ("position_embd.weight", "token_types.weight"):
            yield name, [c, r], "F32", matrix("F32", rng, r, c, 0.5)
        elif name == "token_embd.weight":
            yield name, [c, r], embd, matrix(embd, rng, r, c, 1 / math.sqrt(c) if s.arch == "gemma3" else 0.5)
        else:
            yield name, [c, r], s.kind, matrix(s.kind, rng, r, c, 1.5 / math.sqrt(c))


def shape_keys(g, s):
    g.key("general.architecture", STRING, s.arch)
    g.key("general.name", STRING, "tiny " + s.arch)
    for name, value in [("block_count", s.layers), ("context_length", s.ctx), ("embedding_length", s.embd),
                        ("feed_forward_length", s.ffn), ("attention.head_count", s.heads)]:
        g.key("%s.%s" % (s.arch, name), U32, value)
    if s.arch == "bert":
        g.key("bert.attention.layer_norm_epsilon", F32, 1e-12)
        g.key("bert.attention.causal", BOOL, False)
        g.key("bert.pooling_type", U32, 1)
        return
    g.key(s.arch + ".attention.head_count_kv", U32, s.kv)
    g.key(s.arch + ".attention.layer_norm_rms_epsilon", F32, 1e-6)
    g.key(s.arch + ".rope.freq_base", F32, 1e6 if s.arch == "gemma3" else 1e4)
    if s.arch == "gemma3":
        g.key("gemma3.attention.key_length", U32, s.head)
        g.key("gemma3.attention.value_length", U32, s.head)
        g.key("gemma3.attention.sliding_window", U32, 48)


def tiny_gguf(arch, kind="Q4_1", embd=None, layers=None, seed=1, ctx=None):
    """Six layers of gemma3, so that one of them is global; else two."""
    rng, s, g = random.Random(seed), Shape(arch, kind, layers or (6 if arch == "gemma3" else 2), ctx), Gguf()
    shape_keys(g, s)
    n_vocab = {"gemma3": vocab_spm, "bert": vocab_bert}.get(arch, vocab_gpt2)(g)
    for t in all_tensors(s, n_vocab, rng, embd or ("F32" if arch == "bert" else "Q8_0" if s.embd % TYPES[kind][1] == 0 else kind)):
        g.tensor(*t)
    return g.bytes()


# ---- a BERT as its makers write it ---------------------------------------------------------------------

HF = [("attn_q.", "attention.self.query."), ("attn_k.", "attention.self.key."), ("attn_v.", "attention.self.value."),
      ("attn_output_norm.", "attention.output.LayerNorm."), ("attn_output.", "attention.output.dense."),
      ("ffn_up.", "intermediate.dense."), ("ffn_down.", "output.dense."), ("layer_output_norm.", "output.LayerNorm."),
      ("token_embd_norm.", "embeddings.LayerNorm."), ("token_embd.", "embeddings.word_embeddings."),
      ("position_embd.", "embeddings.position_embeddings."), ("token_types.", "embeddings.token_type_embeddings."),
      ("blk.", "encoder.layer.")]


def tiny_safetensors(kind="F32", layers=2, seed=1):
    """{name: bytes} of the three files."""
    rng, s, data, header = random.Random(seed), Shape("bert", kind, layers), b"", {"__metadata__": {"format": "pt"}}
    for name, dims, dtype, raw in all_tensors(s, len(wordpieces()), rng, "F32"):
        for ours, theirs in HF:
            name = name.replace(ours, theirs, 1)
        header[name] = {"dtype": dtype, "shape": dims[::-1], "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    head = json.dumps(header, separators=(",", ":")).encode()
    config = {"model_type": "bert", "hidden_act": "gelu", "hidden_size": s.embd, "num_hidden_layers": layers,
              "num_attention_heads": s.heads, "intermediate_size": s.ffn, "max_position_embeddings": s.ctx,
              "layer_norm_eps": 1e-12, "position_embedding_type": "absolute"}
    return {"model.safetensors": struct.pack("<Q", len(head)) + head + data, "config.json": json.dumps(config).encode(),
            "vocab.txt": "".join(p + "\n" for p in wordpieces()).encode()}


def main(argv):
    flags = dict(a[2:].split("=", 1) for a in argv if a.startswith("--"))
    arch, out = [a for a in argv if not a.startswith("--")]
    numbers = {k: int(flags.pop(k)) for k in ("layers", "seed") if k in flags}
    if arch == "bert-hf":
        os.makedirs(out, exist_ok=True)
        for name, raw in tiny_safetensors(flags.get("type", "F32"), **numbers).items():
            with open(os.path.join(out, name), "wb") as f:
                f.write(raw)
    else:
        with open(out, "wb") as f:
            f.write(tiny_gguf(arch, flags.get("type", "Q4_1"), flags.get("embd"), **numbers))


if __name__ == "__main__":
    main(sys.argv[1:])
