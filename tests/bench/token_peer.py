#!/usr/bin/env python3
"""How fast one process of a Python package encodes a text; the lines that tests/tool/token_speed.c prints.

usage: token_peer.py PEER FOLDER TEXT PROMPT_BYTES WARM
       token_peer.py --prepare RANK_FILE FOLDER

--prepare writes into FOLDER what the peers load: the rank file, the same as a Hugging Face tokenizer.json (merges
derived from the ranks) and tokie's own table of that. Each peer loads its fastest form and is called in its fastest
way that gives all ids; load counts from after its import.
"""
import base64
import hashlib
import json
import os
import shutil
import sys
import time

O200K = "|".join([
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
    r"\p{N}{1,3}", r" ?[^\s\p{L}\p{N}]+[\r\n/]*", r"\s*[\r\n]+", r"\s+(?!\S)", r"\s+"])


# ---- what peers load ----

def read_ranks(path):
    with open(path, "rb") as f:
        return {base64.b64decode(token): int(rank) for token, rank in (line.split() for line in f)}


def last_join(rank, token):
    """The two tokens that the token is joined of."""
    part = [token[i:i + 1] for i in range(len(token))]
    while len(part) > 2:
        joins = [(rank.get(a + b, rank[token]), i) for i, (a, b) in enumerate(zip(part, part[1:]))]
        at = min(joins)[1]
        part[at:at + 2] = [part[at] + part[at + 1]]
    return part


def byte_letters():
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    hidden = [b for b in range(256) if b not in shown]
    return {b: chr(b) for b in shown} | {b: chr(256 + i) for i, b in enumerate(hidden)}


def tokenizer_json(rank):
    letter = byte_letters()
    text = {token: "".join(letter[b] for b in token) for token in rank}
    merges = [[text[p] for p in last_join(rank, t)] for t in sorted(rank, key=rank.get) if len(t) > 1]
    split = {"type": "Split", "pattern": {"Regex": O200K}, "behavior": "Removed", "invert": True}
    level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    return {"version": "1.0", "truncation": None, "padding": None, "added_tokens": [], "normalizer": None,
            "pre_tokenizer": {"type": "Sequence", "pretokenizers": [split, level]}, "post_processor": None, "decoder": level,
            "model": {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": "",
                      "end_of_word_suffix": "", "fuse_unk": False, "byte_fallback": False, "ignore_merges": True,
                      "vocab": {text[t]: i for t, i in rank.items()}, "merges": merges}}


def prepare(rank_file, folder):
    import tokie
    shutil.copyfile(rank_file, os.path.join(folder, "o200k_base.tiktoken"))
    path = os.path.join(folder, "o200k.json")
    with open(path, "w") as f:
        json.dump(tokenizer_json(read_ranks(rank_file)), f)
    tokie.Tokenizer.from_json(path).save(os.path.join(folder, "o200k.tkz"))


# ---- peers: each gives open(folder), which gives encode(text); takes bytes or str ----

def peer_gigatoken():
    import gigatoken
    return bytes, lambda folder: gigatoken.Tokenizer.from_tiktoken(folder + "/o200k_base.tiktoken").encode


def peer_tokie():
    import tokie
    return str, lambda folder: tokie.Tokenizer.from_file(folder + "/o200k.tkz").encode


def peer_bpe_openai():
    """Its encode refuses a million characters and more; what that calls does not."""
    import bpe_openai
    return str, lambda folder: bpe_openai.get_encoding("o200k_base")._backend.encode


def peer_tiktoken():
    import tiktoken
    import tiktoken.load
    os.environ["TIKTOKEN_CACHE_DIR"] = ""

    def load(folder):
        rank = tiktoken.load.load_tiktoken_bpe(folder + "/o200k_base.tiktoken")
        return tiktoken.Encoding("o200k", pat_str=O200K, mergeable_ranks=rank, special_tokens={}).encode_ordinary
    return str, load


def peer_tokenizers():
    import tokenizers

    def load(folder):
        t = tokenizers.Tokenizer.from_file(folder + "/o200k.json")
        return lambda text: t.encode_batch_fast([text], add_special_tokens=False)[0]
    return str, load


# ---- measuring ----

def prompts(data, n_bytes):
    at = 0
    while at < len(data):
        to = min(at + n_bytes, len(data)) if n_bytes else len(data)
        while to < len(data) and data[to] & 0xc0 == 0x80:
            to -= 1
        yield data[at:to]
        at = to


def now():
    return time.perf_counter_ns(), time.process_time_ns()


def say(name, start):
    end = now()
    print(name, end[0] - start[0], end[1] - start[1])


def say_ids(results):
    import numpy
    h, n = hashlib.sha256(), 0
    for r in results:
        ids = numpy.asarray(getattr(r, "ids", r), dtype="<u4")
        h.update(ids.tobytes())
        n += len(ids)
    print("ids", n, h.hexdigest())


def measure(peer, folder, path, prompt_bytes, n_warm):
    with open(path, "rb") as f:
        parts = list(prompts(f.read(), prompt_bytes))
    takes, load = globals()["peer_" + peer.replace("-", "_")]()
    if takes is str:
        parts = [p.decode() for p in parts]
    start = now()
    encode = load(folder)
    encode(takes(b"hello") if takes is bytes else "hello")
    say("load", start)
    for name in ["first"] + n_warm * ["warm"]:
        result = None
        start = now()
        result = [encode(p) for p in parts]
        say(name, start)
    say_ids(result)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--prepare"]:
        prepare(*sys.argv[2:])
    else:
        measure(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))
