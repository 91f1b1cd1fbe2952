"""The tokenizer families that compare.py checks: the file of each and its reference.

A reference is made from the file: encode and decode take lists, of texts and of lists of ids; ids are those that a
text can give; of_bytes takes one text of ill-formed bytes, where the library has a rule for them; by_pieces encodes
one text whose split the library's regular expressions give up on: split by the package regex, pieces by the library.
"""
import base64
import json
from typing import NamedTuple

LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
          r"|\s*[\r\n]+|\s+(?!\S)|\s+")
QWEN2 = LLAMA3.replace(r"\p{N}{1,3}", r"\p{N}")


# ---- references ---------------------------------------------------------------------------------

class Reference(NamedTuple):
    encode: object       # texts -> lists of ids
    decode: object       # lists of ids -> bytes of each, or text with U+FFFD for what is none
    ids: object          # an iterable
    of_bytes: object = None
    by_pieces: object = None


def ranks_of(path):
    with open(path, "rb") as f:
        return {base64.b64decode(token): int(rank) for token, rank in (line.split() for line in f if line.strip())}


def public_pattern(name):
    """The pattern of an encoding that tiktoken knows, without its ranks."""
    import tiktoken_ext.openai_public as public
    public.data_gym_to_mergeable_bpe_ranks = public.load_tiktoken_bpe = lambda *a, **k: {}
    return getattr(public, name)()["pat_str"]


def pieces_of(encoding, pattern, text):
    import regex
    return [i for piece in regex.finditer(pattern, text) for i in encoding._encode_single_piece(piece.group())]


def by_tiktoken(pattern):
    """pattern: a regular expression, or a function that gives one."""
    def make(path):
        import tiktoken
        pat = pattern if isinstance(pattern, str) else pattern()
        encoding = tiktoken.Encoding("reference", pat_str=pat, mergeable_ranks=ranks_of(path), special_tokens={})
        return Reference(lambda texts: encoding.encode_ordinary_batch(texts, num_threads=2),
                         lambda lists: [encoding.decode_bytes(ids) for ids in lists],
                         encoding._mergeable_ranks.values(), encoding._encode_bytes, lambda text: pieces_of(encoding, pat, text))
    return make


def by_public(name):
    return by_tiktoken(lambda: public_pattern(name))


def by_tiktoken_nfc(pattern):
    def make(path):
        from tokenizers import normalizers
        nfc, plain = normalizers.NFC(), by_tiktoken(pattern)(path)
        return plain._replace(encode=lambda texts: plain.encode([nfc.normalize_str(t) for t in texts]), of_bytes=None,
                              by_pieces=lambda text: plain.by_pieces(nfc.normalize_str(text)))
    return make


def of_hf(tokenizer, decoder, ids):
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return Reference(lambda texts: [e.ids for e in tokenizer.encode_batch_fast(texts, add_special_tokens=False)],
                     decoder.decode_batch, ids)


def by_tokenizers(path):
    """Special tokens are off: a text that spells one is a text. Those that the model's vocabulary does not have get a
    text that no one writes instead, because the others are numbered behind them."""
    from tokenizers import Tokenizer
    with open(path) as f:
        spec = json.load(f)
    vocab, decoder = spec["model"]["vocab"], Tokenizer.from_file(path)
    special = {t["id"] for t in spec["added_tokens"] if t["special"]}
    spec["added_tokens"] = [t for t in spec["added_tokens"] if not (t["special"] and t["content"] in vocab)]
    for t in spec["added_tokens"]:
        if t["special"]:
            t["content"] = "\uE000special %d\uE000" % t["id"]
    spec["post_processor"] = None
    return of_hf(Tokenizer.from_str(json.dumps(spec)), decoder, [i for i in decoder.get_vocab().values() if i not in special])


def by_tekken(path):
    from mistral_common.tokens.tokenizers.tekken import Tekkenizer
    tekken = Tekkenizer.from_file(path)
    special, model = tekken.num_special_tokens, tekken._model
    return Reference(lambda texts: [tekken.encode(t, bos=False, eos=False) for t in texts],
                     lambda lists: [tekken.decode(ids) for ids in lists], range(special, tekken.n_words),
                     by_pieces=lambda text: [i + special for i in pieces_of(model, model._pat_str, text)])


def of_spm(model):
    import sentencepiece
    processor = sentencepiece.SentencePieceProcessor(model_proto=model)
    return Reference(processor.encode, lambda lists: [processor.decode(ids) for ids in lists],
                     range(processor.get_piece_size()), processor.encode)


def by_sentencepiece(path):
    with open(path, "rb") as f:
        return of_spm(f.read())


def gguf_fields(path):
    from gguf import GGUFReader
    fields = GGUFReader(path).fields
    return lambda name: fields["tokenizer.ggml." + name].contents() if "tokenizer.ggml." + name in fields else None


def by_sentencepiece_of_gguf(dummy_prefix):
    """The model that the GGUF was made from, as far as it says: its pieces, scores and types; no normaliser."""
    def make(path):
        from sentencepiece import sentencepiece_model_pb2
        get, model = gguf_fields(path), sentencepiece_model_pb2.ModelProto()
        unk = get("unknown_token_id")
        for i, (text, score, kind) in enumerate(zip(get("tokens"), get("scores"), get("token_type"))):
            piece = model.pieces.add()
            piece.piece = text.replace(" ", "\u2581") if kind == 4 else text
            piece.score, piece.type = score, 2 if i == unk else kind
        model.trainer_spec.model_type = 2
        model.trainer_spec.byte_fallback = True
        model.trainer_spec.unk_id = unk
        spec = model.normalizer_spec
        spec.name, spec.add_dummy_prefix, spec.remove_extra_whitespaces = "identity", dummy_prefix, False
        return of_spm(model.SerializeToString())
    return make


def by_tokenizers_of_gguf(path):
    """Byte-level BPE whose digits stand alone (llama.cpp's "smollm")."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    get = gguf_fields(path)
    vocab = {t: i for i, t in enumerate(get("tokens"))}
    merges = [tuple(m.split(" ")) for m in get("merges")]
    tokenizer = Tokenizer(models.BPE(vocab=vocab, merges=merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)])
    tokenizer.decoder = decoders.ByteLevel()
    return of_hf(tokenizer, tokenizer, [i for i, kind in enumerate(get("token_type")) if kind == 1])


# ---- families -----------------------------------------------------------------------------------

class Family(NamedTuple):
    name: str
    file: str            # as fetch.py names it
    reference: object    # path -> Reference


FAMILIES = [
    Family("r50k", "r50k_base.tiktoken", by_public("r50k_base")),
    Family("p50k", "p50k_base.tiktoken", by_public("r50k_base")),
    Family("cl100k", "cl100k_base.tiktoken", by_public("cl100k_base")),
    Family("o200k", "o200k_base.tiktoken", by_public("o200k_base")),
    Family("llama3", "llama3.tiktoken", by_tiktoken(LLAMA3)),
    Family("llama4", "llama4.tiktoken", by_public("o200k_base")),
    Family("qwen2", "qwen2.tiktoken", by_tiktoken_nfc(QWEN2)),
    Family("deepseek3", "deepseek3.json", by_tokenizers),
    Family("smollm2", "smollm2.gguf", by_tokenizers_of_gguf),
    Family("tekken", "tekken.json", by_tekken),
    Family("tekken1", "tekken_240718.json", by_tekken),
    Family("mistral1", "mistral1.model", by_sentencepiece),
    Family("mistral2", "mistral2.model", by_sentencepiece),
    Family("mistral3", "mistral3.model", by_sentencepiece),
    Family("mistral7", "mistral7.model", by_sentencepiece),
    Family("llama2", "llama2.gguf", by_sentencepiece_of_gguf(True)),
    Family("gemma3", "gemma3.gguf", by_sentencepiece_of_gguf(False)),
    Family("minilm", "minilm.json", by_tokenizers),
    Family("claude", "claude.json", by_tokenizers),
]
