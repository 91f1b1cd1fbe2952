"""A forward pass over tiny.py's models in plain Python and float64, written from the models' papers and configurations
and from nothing of runtime/oracle: what make check holds the oracle to."""
import math
import random
import struct

import tiny

ACTS = {"silu": lambda x: x / (1 + math.exp(-x)),
        "tanh": lambda x: 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3))),
        "erf": lambda x: 0.5 * x * (1 + math.erf(x / math.sqrt(2)))}


class Plain:
    """arch's tiny model of F32 weights, read back from what the generator gives."""

    def __init__(self, arch, seed=1):
        self.s = tiny.Shape(arch, "F32", 6 if arch == "gemma3" else 2)
        rng, g = random.Random(seed), tiny.Gguf()
        n_vocab = {"gemma3": tiny.vocab_spm, "bert": tiny.vocab_bert}.get(arch, tiny.vocab_gpt2)(g)
        self.w = {}
        for name, dims, _, raw in tiny.all_tensors(self.s, n_vocab, rng, "F32"):
            flat = struct.unpack("<%df" % (len(raw) // 4), raw)
            self.w[name] = flat if len(dims) == 1 else [flat[i:i + dims[0]] for i in range(0, len(flat), dims[0])]
        self.arch, self.gemma, self.bert = arch, arch == "gemma3", arch == "bert"

    def linear(self, name, x):
        bias = self.w.get(name + ".bias")
        out = [sum(a * b for a, b in zip(row, x)) for row in self.w[name + ".weight"]]
        return [o + b for o, b in zip(out, bias)] if bias else out

    def norm(self, name, x):
        weight = self.w[name + ".weight"]
        if self.bert:
            mean = sum(x) / len(x)
            var = sum((v - mean) ** 2 for v in x) / len(x)
            return [(v - mean) / math.sqrt(var + 1e-12) * w + b for v, w, b in zip(x, weight, self.w[name + ".bias"])]
        rms = math.sqrt(sum(v * v for v in x) / len(x) + 1e-6)
        return [v / rms * w for v, w in zip(x, weight)]

    def rotate(self, head, position, base):
        n, out = len(head), list(head)
        for i in range(n // 2):
            a, b = (2 * i, 2 * i + 1) if self.arch == "llama" else (i, i + n // 2)
            t = position * base ** (-2 * i / n)
            out[a], out[b] = head[a] * math.cos(t) - head[b] * math.sin(t), head[a] * math.sin(t) + head[b] * math.cos(t)
        return out

    def heads(self, blk, what, x, position, base):
        flat, n = self.linear(blk + "attn_" + what, x), self.s.head
        rows = [flat[i:i + n] for i in range(0, len(flat), n)]
        if what != "v" and self.arch in ("qwen3", "gemma3"):
            rows = [self.norm("%sattn_%s_norm" % (blk, what), r) for r in rows]
        return [self.rotate(r, position, base) for r in rows] if what != "v" and not self.bert else rows

    def attention(self, blk, layer, xs):
        local = self.gemma and layer % 6 != 5
        base = 1e4 if local or not self.gemma else 1e6
        q, k, v = [[self.heads(blk, what, x, t, base) for t, x in enumerate(xs)] for what in "qkv"]
        group, out = self.s.heads // self.s.kv, []
        for t in range(len(xs)):
            keys = range(len(xs)) if self.bert else range(max(0, t - 47) if local else 0, t + 1)
            mixed = []
            for h in range(self.s.heads):
                score = [math.exp(sum(a * b for a, b in zip(q[t][h], k[j][h // group])) / math.sqrt(self.s.head)) for j in keys]
                mixed += [sum(s * v[j][h // group][i] for s, j in zip(score, keys)) / sum(score) for i in range(self.s.head)]
            out.append(self.linear(blk + "attn_output", mixed))
        return out

    def feed(self, blk, x):
        act, up = ACTS["erf" if self.bert else "tanh" if self.gemma else "silu"], self.linear(blk + "ffn_up", x)
        if self.bert:
            return self.linear(blk + "ffn_down", [act(u) for u in up])
        return self.linear(blk + "ffn_down", [act(g) * u for g, u in zip(self.linear(blk + "ffn_gate", x), up)])

    def branch(self, xs, pre, post, after, run):
        ys = run([x if self.bert else self.norm(pre, x) for x in xs])
        ys = [self.norm(post, y) for y in ys] if self.gemma else ys
        xs = [[a + b for a, b in zip(x, y)] for x, y in zip(xs, ys)]
        return [self.norm(after, x) for x in xs] if self.bert else xs

    def hidden(self, ids):
        xs = [list(self.w["token_embd.weight"][i]) for i in ids]
        if self.gemma:
            xs = [[v * math.sqrt(self.s.embd) for v in x] for x in xs]
        if self.bert:
            kind, places = self.w["token_types.weight"][0], self.w["position_embd.weight"]
            xs = [self.norm("token_embd_norm", [a + b + c for a, b, c in zip(x, kind, places[t])]) for t, x in enumerate(xs)]
        for layer in range(self.s.layers):
            blk = "blk.%d." % layer
            xs = self.branch(xs, blk + "attn_norm", blk + "post_attention_norm", blk + "attn_output_norm",
                             lambda ys, b=blk, n=layer: self.attention(b, n, ys))
            xs = self.branch(xs, blk + "ffn_norm", blk + "post_ffw_norm", blk + "layer_output_norm",
                             lambda ys, b=blk: [self.feed(b, y) for y in ys])
        return xs if self.bert else [self.norm("output_norm", x) for x in xs]

    def logits(self, ids):
        return [self.linear("token_embd", x) for x in self.hidden(ids)]
