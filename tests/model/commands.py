#!/usr/bin/env python3
"""`seedc score` and `seedc embed` on tiny models: the figures are those of a forward pass in plain Python and of
llama-perplexity's rule done by hand; what cannot be done is said with its exit code."""
import json
import math
import os
import sys

sys.path.insert(0, os.path.join(os.environ["ROOT"], "tests/models"))
import plain  # noqa: E402
import tiny  # noqa: E402
from steps import check, finish, seedc, write  # noqa: E402

TEXT = "the other string stands in the order of tokens\n"


def ids_of(model, path):
    """Of the bare text, by the tokenizer that `seedc vocab add` makes of the same file."""
    os.environ["SEEDC_VOCAB_DIR"] = os.path.join(os.getcwd(), "vocab")
    seedc("vocab", "add", "tiny", model)
    return [int(x) for x in seedc("count", "--ids", "--tokenizer=tiny", path)[1].split()]


def loss(row, i):
    top = max(row)
    return top + math.log(sum(math.exp(v - top) for v in row)) - row[i]


# ---- score ------------------------------------------------------------------------------------------------

for arch, bos in (("llama", None), ("gemma3", 2)):
    model = write(arch + ".gguf", tiny.tiny_gguf(arch, "F32", "F32"))
    text, ids, p = write("text", TEXT.encode()), None, plain.Plain(arch)
    ids = ([] if bos is None else [bos]) + ids_of(model, "text")
    want = []
    for at in range(0, len(ids) - 15, 16):
        own = ids[at:at + 16]
        logits = p.logits(own if bos is None else [bos] + own[1:])
        want += [loss(logits[i], own[i + 1]) for i in range(8, 15)]
    status, out, err = seedc("score", "--oracle", "--model", model, "--window=16", "--json", "text")
    got = json.loads(out or "{}")
    check(arch + " windows", status == 0 and abs(got["nll"] - sum(want) / len(want)) < 1e-4 and got["scored"] == len(want)
          and got["tokens"] == len(ids) and got["left_out"] == len(ids) % 16 and abs(got["perplexity"] - math.exp(got["nll"])) < 1e-3
          * got["perplexity"], (out, err, sum(want) / len(want), len(want)))
    logits = p.logits(ids)
    n_given = len(ids) - len(ids_of(model, write("tail", TEXT[9:].encode())))
    want = [loss(logits[i], ids[i + 1]) for i in range(n_given - 1, len(ids) - 1)]
    status, out, err = seedc("score", "--oracle", "--model", model, "--given", TEXT[:9], "--json", "tail")
    got = json.loads(out or "{}")
    check(arch + " given", status == 0 and got["scored"] == len(want) and abs(got["nll"] - sum(want) / len(want)) < 1e-4,
          (out, err, sum(want) / len(want), len(want)))
    for kv in ("f16", "int8", "k8v4", "int4"):
        near = json.loads(seedc("score", "--kv", kv, "--model", model, "--given", TEXT[:9], "--json", "tail")[1] or "{}")
        check("%s near the reference with %s" % (arch, kv), near.get("engine") == kv and abs(near["nll"] - got["nll"]) < 0.05 * got["nll"],
              (near, got))
    status, out, err = seedc("score", "--compare", "--model", model, "--window=16", "text")
    rows = [line.split() for line in out.splitlines()[2:]]
    check(arch + " formats beside the reference", status == 0 and [r[0] for r in rows] == ["f32", "f16", "int8", "k8v4", "int4"]
          and all(float(r[4]) < 0.2 for r in rows[1:]), (out, err))
    status, out, err = seedc("score", "--compare", "--json", "--model", model, "--window=16", "text")
    got = json.loads(out or "{}")
    own = json.loads(seedc("score", "--oracle", "--json", "--model", model, "--window=16", "text")[1])
    check(arch + " formats in JSON", status == 0 and err == "" and got["model"] == model
          and {n: got[n] for n in ("tokens", "scored", "windows", "window", "left_out")} == {n: own[n] for n in (
              "tokens", "scored", "windows", "window", "left_out")} and got["f32"] == {n: own[n] for n in ("nll", "error", "perplexity")}
          and [f["kv"] for f in got["formats"]] == [r[0] for r in rows[1:]]
          and all(abs(x - float(y)) <= 1e-8 * x + 1e-4 for f, r in zip(got["formats"], rows[1:]) for x, y in zip(
              (f["token_bytes"], f["perplexity"], f["ratio"], f["kl"], 100 * f["same_top"]), r[1:]))
          and all(abs(math.exp(f["nll"]) / f["perplexity"] - 1) < 1e-6 and f["error"] > 0 for f in got["formats"]), (got, own, rows, err))
status, out, err = seedc("score", "--oracle", "--model", "gemma3.gguf", "--given", TEXT[:9], "--json", "tail")
again = seedc("score", "--model", "gemma3.gguf", "--given", TEXT[:9], "--json", "--oracle", "-", stdin=TEXT[9:])
check("score of standard input", again[1] == out, again)
check("score as text", seedc("score", "--model", "llama.gguf", "--window=16", "text")[1].startswith("tokens      "))

# ---- embed ------------------------------------------------------------------------------------------------

os.mkdir("hf")
for name, raw in tiny.tiny_safetensors().items():
    write(os.path.join("hf", name), raw)
write("bert.gguf", tiny.tiny_gguf("bert", "F32"))
pieces = tiny.wordpieces()


def unit_of(words):
    rows = plain.Plain("bert").hidden([2] + [pieces.index(w) for w in words] + [3])
    mean = [sum(c) / len(rows) for c in zip(*rows)]
    size = math.sqrt(sum(v * v for v in mean))
    return [v / size for v in mean]


write("lines", b"the order\nOF the")
want = [unit_of(["the", "or", "##d", "##e", "##r"]), unit_of(["of", "the"])]
for model in ("hf/model.safetensors", "bert.gguf"):
    status, out, err = seedc("embed", "--model", model, "--lines", "--json", "lines")
    got = [json.loads(line) for line in out.splitlines()]
    check("embed " + model, status == 0 and [g["tokens"] for g in got] == [7, 4] and [g["line"] for g in got] == [1, 2]
          and max(abs(a - b) for g, w in zip(got, want) for a, b in zip(g["vector"], w)) < 1e-5, (status, out[:200], err))
status, out, err = seedc("embed", "--model", "bert.gguf", stdin="of the")
check("embed of standard input", status == 0 and max(abs(float(a) - b) for a, b in zip(out.split(), want[1])) < 1e-5, (out[:200], err))
status, out, err = seedc("embed", "--model", "bert.gguf", "-", stdin="of " * 100)
check("too long", status == 0 and len(out.split()) == 64 and err == "seedc: -: the model reads 64 tokens; 38 behind them are left out\n", err)

# ---- what is said ------------------------------------------------------------------------------------------

for args, status, want in [
    (["score", "text"], 2, "`score` needs --model FILE"),
    (["score", "--model", "llama.gguf"], 2, "`score` takes one file"),
    (["score", "--model", "none.gguf", "text"], 3, "none.gguf: no such model"),
    (["score", "--model", "text", "text"], 1, "text: neither a GGUF nor a safetensors file"),
    (["score", "--model", "bert.gguf", "text"], 1, "an encoder predicts no text"),
    (["score", "--model", "llama.gguf", "--window=64", "text"], 1, "tokens are fewer than a window of 64"),
    (["score", "--model", "llama.gguf", "--window=2", "text"], 2, "`--window` takes 4 to 256"),
    (["score", "--model", "llama.gguf", "--window=300", "text"], 2, "`--window` takes 4 to 256"),
    (["score", "--model", "llama.gguf", "--window=16", "--given=a", "text"], 2, "leave --window out"),
    (["score", "--model", "llama.gguf", "--given", "x" * 300, "text"], 2, "do not go into the model's context of 256"),
    (["score", "--model", "llama.gguf", "--given", "@none", "text"], 3, "none: no such file"),
    (["embed", "text"], 2, "`embed` needs --model FILE, a BERT: --model %s/models/minilm/model.safetensors (`make models` fetches it)"
     % os.environ["SEEDC_CACHE_DIR"]),
    (["embed", "--model", "llama.gguf", "text"], 1, "`embed` takes a BERT"),
    (["embed", "--model", "bert.gguf", "none"], 3, "none: no such file"),
]:
    got = seedc(*args)
    check(" ".join(args)[:60], got[0] == status and want in got[2], got)

finish()
