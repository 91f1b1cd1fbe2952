#!/usr/bin/env python3
"""load.py VOCAB_DUMP [FOLDER]: what the loaders give for the real vocabularies against the reference packages.

Compared are the number of ids, the bytes and the type of each, scores, merges and special ids. One line a file; a
difference is printed and exits 1. FOLDER is where fetch.py put them.
"""
import base64
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import types

import fetch

SHOWN = 3


class Source:
    """What vocab_dump printed."""

    def __init__(self, tool, path):
        p = subprocess.run([tool, path], capture_output=True, text=True, check=False)
        if p.returncode:
            raise ValueError(p.stdout.strip())
        self.token, self.kind, self.score, self.merge, self.fact = [], [], [], [], {}
        for line in p.stdout.splitlines():
            word = line.split(" ")
            if word[0] == "token":
                self.token.append(bytes.fromhex(word[3]))
                self.kind.append(word[2])
                self.score.append(float.fromhex(word[4]) if len(word) > 4 else None)
            elif word[0] == "merge":
                self.merge.append(tuple(map(int, word[1:])))
            else:
                self.fact[word[0]] = line[len(word[0]) + 1:]


class Want:
    """What a reference says. None: it says nothing of it."""

    def __init__(self, n):
        self.token = [b""] * n
        self.kind = ["unused"] * n
        self.score, self.merge = None, []

    def put(self, i, token, kind="normal"):
        self.token[i], self.kind[i] = token, kind


# ---- references ---------------------------------------------------------------------------------

def letters():
    """GPT-2's alphabet, from the package that defines it: letter -> byte."""
    printed = [*range(33, 127), *range(161, 173), *range(174, 256)]
    rest = [b for b in range(256) if b not in printed]
    table = {chr(b): b for b in printed} | {chr(256 + i): b for i, b in enumerate(rest)}
    from tokenizers.pre_tokenizers import ByteLevel
    assert set(table) == set(ByteLevel.alphabet())
    return table


LETTERS = letters()


def of_letters(text):
    """The bytes, or None if a letter is none of the alphabet."""
    return bytes(LETTERS[c] for c in text) if all(c in LETTERS for c in text) else None


def byte_of(piece):
    return bytes([int(piece[3:5], 16)])


def ranks(special):
    def want(path):
        from tiktoken.load import read_file
        rank = {base64.b64decode(t): int(r) for t, r in (line.split() for line in read_file(path).splitlines() if line)}
        extra = special(path)
        w = Want(max([*rank.values(), *extra.values()]) + 1)
        for token, i in rank.items():
            w.put(i, token)
        for text, i in extra.items():
            w.put(i, text.encode(), "special")
        return w
    return want


def public_special(name):
    def special(_path):
        import tiktoken_ext.openai_public as public
        public.data_gym_to_mergeable_bpe_ranks = public.load_tiktoken_bpe = lambda *a, **k: {}
        return getattr(public, name)()["special_tokens"]
    return special


def llama_special(path):
    """What Meta's own tokenizer.py, which lies beside the ranks, makes of them."""
    source = path.replace(".tiktoken", ".tokenizer.py")
    for name in ("fetched", "fetched.llama"):
        sys.modules[name] = types.ModuleType(name)
    stub = types.ModuleType("fetched.tokenizer_utils")
    stub.load_bpe_file = lambda p: {base64.b64decode(t): int(r) for t, r in (line.split() for line in open(p, "rb"))}
    sys.modules["fetched.tokenizer_utils"] = stub
    spec = importlib.util.spec_from_file_location("fetched.llama.tokenizer", source)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    import pathlib
    return module.Tokenizer(pathlib.Path(path)).special_tokens


def tokenizer_json(path):
    from tokenizers import Tokenizer
    tokenizer = Tokenizer.from_file(path)
    with open(path, encoding="utf-8") as f:
        model = json.load(f)["model"]
    vocab, added = tokenizer.get_vocab(with_added_tokens=True), tokenizer.get_added_tokens_decoder()
    w = Want(max(vocab.values()) + 1)
    for text, i in vocab.items():
        token = of_letters(text) if model["type"] == "BPE" else text.encode()
        w.put(i, text.encode() if token is None else token, "unused" if token is None else "normal")
    for i, token in added.items():
        w.put(i, token.content.encode(), "special" if token.special else "user")
    if model.get("unk_token"):
        w.kind[vocab[model["unk_token"]]] = "unknown"
    for merge in model.get("merges", ()):
        left, right = merge.split(" ") if isinstance(merge, str) else merge
        w.merge.append((vocab[left], vocab[right], vocab[left + right]))
    return w


def tekken(path):
    from mistral_common.tokens.tokenizers.tekken import Tekkenizer
    t = Tekkenizer.from_file(path)
    w = Want(t.n_words)
    for i in range(t.n_words):
        if i < t.num_special_tokens:
            w.put(i, t.id_to_piece(i).encode(), "special")
        else:
            w.put(i, t.id_to_byte_piece(i))
    return w


PIECE_KIND = {1: "normal", 2: "unknown", 3: "special", 4: "user", 5: "unused", 6: "byte"}


def sentencepiece_model(path):
    import sentencepiece
    from sentencepiece import sentencepiece_model_pb2
    processor, model = sentencepiece.SentencePieceProcessor(model_file=path), sentencepiece_model_pb2.ModelProto()
    with open(path, "rb") as f:
        model.ParseFromString(f.read())
    w = Want(processor.vocab_size())
    for i, piece in enumerate(model.pieces):
        assert processor.id_to_piece(i) == piece.piece
        w.put(i, byte_of(piece.piece) if piece.type == 6 else piece.piece.encode(), PIECE_KIND[piece.type])
    w.score = [processor.get_score(i) for i in range(len(w.token))]
    return w


def gguf(path):
    from gguf import GGUFReader
    fields = GGUFReader(path).fields
    get = lambda name: fields["tokenizer.ggml." + name].contents() if "tokenizer.ggml." + name in fields else None
    tokens, kinds, model = get("tokens"), get("token_type"), get("model")
    w = Want(len(tokens))
    for i, (text, kind) in enumerate(zip(tokens, kinds)):
        token, name = text.encode(), PIECE_KIND[kind]
        if kind == 6:
            token = byte_of(text)
        elif model == "gpt2" and kind == 1:
            token = of_letters(text)
            name, token = ("unused", text.encode()) if token is None else (name, token)
        elif model == "llama" and kind == 4:
            token = text.replace(" ", "\u2581").encode()
        elif model == "bert" and kind == 1:
            bare = text.startswith("[") and text.endswith("]")
            token = (text[1:] if text.startswith("\u2581") else text if bare else "##" + text).encode()
        w.put(i, token, name)
    if model == "bert":
        w.kind[get("unknown_token_id")] = "unknown"
    w.score = get("scores") if model == "llama" else None
    index = {t: i for i, t in enumerate(tokens)}
    for merge in get("merges") or ():
        left, right = merge.split(" ")
        w.merge.append((index[left], index[right], index[left + right]))
    return w


def vocab_txt(path):
    """Against the tokenizer.json that is made from it."""
    return tokenizer_json(path.replace(".txt", ".json"))


# ---- a SentencePiece model as tokenizer.json ----------------------------------------------------

def merges_of(model):
    """The list that the converter of transformers writes: every pair whose join is a piece, by falling score."""
    vocab, merges = {p.piece: i for i, p in enumerate(model.pieces)}, []
    for p in model.pieces:
        cuts = [(p.piece[:i], p.piece[i:], p.score) for i in range(1, len(p.piece))]
        merges += sorted(((l, r, s) for l, r, s in cuts if l in vocab and r in vocab), key=lambda m: (vocab[m[0]], vocab[m[1]]))
    merges.sort(key=lambda m: (m[2], len(m[0]), len(m[1])), reverse=True)
    return vocab, merges


def write_converted(model, path):
    vocab, merges = merges_of(model)
    added = [{"id": i, "content": p.piece, "special": True, "normalized": True, "single_word": False, "lstrip": False,
              "rstrip": False} for i, p in enumerate(model.pieces) if p.type in (2, 3)]
    steps = [{"type": "Prepend", "prepend": "\u2581"}, {"type": "Replace", "pattern": {"String": " "}, "content": "\u2581"}]
    bpe = {"type": "BPE", "unk_token": "<unk>", "fuse_unk": True, "byte_fallback": True, "vocab": vocab,
           "merges": ["%s %s" % m[:2] for m in merges]}
    with open(path, "w", encoding="utf-8") as f:
        json.dump({"version": "1.0", "added_tokens": added, "normalizer": {"type": "Sequence", "normalizers": steps},
                   "pre_tokenizer": None, "model": bpe}, f)
    return {vocab[l + r] for l, r, _ in merges}


def check_converted(tool, folder, name):
    """The scores that the loader finds in the list have the order of the model's own."""
    from sentencepiece import sentencepiece_model_pb2
    model = sentencepiece_model_pb2.ModelProto()
    with open(os.path.join(folder, name), "rb") as f:
        model.ParseFromString(f.read())
    with tempfile.NamedTemporaryFile(suffix=".json") as f:
        joined = write_converted(model, f.name)
        try:
            got = Source(tool, f.name)
        except ValueError as e:
            print("%s as tokenizer.json: %s" % (name, e))
            return False
    order = sorted((i for i in joined if model.pieces[i].type == 1), key=lambda i: -model.pieces[i].score)
    wrong = [i for i, j in zip(order, order[1:]) if
             (model.pieces[i].score > model.pieces[j].score) != (got.score[i] > got.score[j])]
    print("%-21s as tokenizer.json: %s" % (name, "%d scores out of order" % len(wrong) if wrong else "equal"), flush=True)
    return not wrong


# ---- files --------------------------------------------------------------------------------------

# file, reference, facts that vocab_dump must print
FILES = [
    ("r50k_base.tiktoken", ranks(public_special("r50k_base")), "split r50k, norm none, eos 50256"),
    ("p50k_base.tiktoken", ranks(public_special("p50k_base")), "split r50k, eos 50256"),
    ("cl100k_base.tiktoken", ranks(public_special("cl100k_base")), "split cl100k, eos 100257"),
    ("o200k_base.tiktoken", ranks(public_special("o200k_base")), "split o200k, eos 199999"),
    ("llama3.tiktoken", ranks(llama_special), "split llama3, bos 128000, eos 128001"),
    ("llama4.tiktoken", ranks(llama_special), "split o200k, bos 200000, eos 200001"),
    ("qwen2.tiktoken", ranks(lambda path: {}), "split qwen2, norm nfc"),
    ("deepseek3.json", tokenizer_json, "model merges, split deepseek3, norm none"),
    ("claude.json", tokenizer_json, "model merges, split r50k, norm nfkc"),
    ("minilm.json", tokenizer_json, "model wordpiece, split bert, norm bert, bos 101, eos 102, unk 100, max-word 100"),
    ("minilm.txt", vocab_txt, "model wordpiece, split bert, norm bert, bos 101, eos 102, unk 100, max-word 100"),
    ("tekken.json", tekken, "model ranks, split tekken, bos 1, eos 2"),
    ("tekken_240718.json", tekken, "model ranks, split tekken, bos 1, eos 2"),
] + [("mistral%d.model" % i, sentencepiece_model,
      "model spm, flags dummy-prefix byte-fallback add-bos fuse-unknown, bos 1, eos 2, unk 0") for i in (1, 2, 3, 7)] + [
    ("llama2.gguf", gguf, "model spm, flags dummy-prefix byte-fallback add-bos fuse-unknown, bos 1, eos 2, unk 0"),
    ("gemma3.gguf", gguf, "model spm, flags byte-fallback add-bos fuse-unknown, bos 2, eos 1, unk 3"),
    ("smollm2.gguf", gguf, "model merges, split smollm, flags, bos 1, eos 2"),
    ("gpt2.gguf", gguf, "model merges, split r50k, bos 50256"),
    ("llama3.gguf", gguf, "model merges, split llama3, flags whole-piece-first add-bos, bos 128000"),
    ("qwen2.gguf", gguf, "model merges, split qwen2, norm nfc, eos 151643"),
    ("bert.gguf", gguf, "model wordpiece, split bert, bos 101, eos 102, unk 100"),
]


def differences(got, want, facts):
    for fact in facts.split(", "):
        key, _, value = fact.partition(" ")
        if got.fact.get(key) != value:
            yield "%s is %s, not %s" % (key, got.fact.get(key), value)
    if len(got.token) != len(want.token):
        yield "%d ids, not %d" % (len(got.token), len(want.token))
        return
    for i, (token, kind) in enumerate(zip(want.token, want.kind)):
        if (got.token[i], got.kind[i]) != (token, kind):
            yield "token %d is %s %r, not %s %r" % (i, got.kind[i], got.token[i], kind, token)
        if want.score and got.score[i] != want.score[i]:
            yield "token %d has score %s, not %s" % (i, got.score[i], want.score[i])
    if got.merge != want.merge:
        yield "%d merges, not these %d" % (len(got.merge), len(want.merge))


def check(tool, folder, name, reference, facts):
    """True if equal. One line is printed, and a few of the differences."""
    path = os.path.join(folder, name)
    try:
        got = Source(tool, path)
    except ValueError as e:
        print("%s: %s" % (name, e))
        return False
    want = reference(path)
    found = list(differences(got, want, facts))
    for line in found[:SHOWN]:
        print("  %s: %s" % (name, line))
    print("%-21s %6d ids, %5d special, %6d merges: %s" % (name, len(got.token), got.kind.count("special"), len(got.merge),
                                                          "%d differences" % len(found) if found else "equal"), flush=True)
    return not found


def main(argv):
    if not argv or len(argv) > 2:
        sys.exit(__doc__.strip())
    folder = argv[1] if len(argv) > 1 else fetch.cache_folder()
    passed = [check(argv[0], folder, *row) for row in FILES]
    passed += [check_converted(argv[0], folder, "mistral%d.model" % i) for i in (1, 7)]
    print("%d passed, %d failed" % (passed.count(True), passed.count(False)))
    return 0 if all(passed) else 1


sys.exit(main(sys.argv[1:]))
