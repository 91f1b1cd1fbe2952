#!/usr/bin/env python3
"""framing.py SEEDC [FOLDER]: ids of chats, as `seedc count --ids` has them, against the models' own framing.

The chat templates of GGUF files, rendered by jinja2 and encoded with their special tokens on; for Mistral's the package
mistral-common. Chats are random turns, some with a system message. One line a target; a chat with other ids is printed.
Exit 1 for any.
"""
import json
import os
import random
import subprocess
import sys
import tempfile

import families
import fetch

CHATS, SHOWN = 40, 3
SPECIAL = {"<|im_start|>", "<|im_end|>", "<|endoftext|>"}
TEXTS = ["Hello.", "What is 12 + 30?", " leading", "trailing\n", "two\n\nparagraphs", "stra\u00DFe \u65E5\u672C", "a  b\tc", "{\"k\": [1, 2]}",
         "I'll go.", "\U0001F600!", "x" * 40, "The end"]


def chats(rng, has_system):
    for _ in range(CHATS):
        turns = [{"role": "system", "content": rng.choice(TEXTS)}] if has_system or rng.random() < 0.5 else []
        for i in range(rng.choice([1, 3, 5])):
            turns.append({"role": ["user", "assistant"][i % 2], "content": " and ".join(rng.choices(TEXTS, k=rng.choice([1, 2])))})
        yield turns


# ---- references: chat -> ids --------------------------------------------------------------------

def by_template(gguf, encode):
    """The GGUF's template; what it writes is cut at its special tokens, as a tokenizer that knows them does. encode: a
    text without them, to ids."""
    import jinja2
    import regex
    from gguf import GGUFReader
    get, source = families.gguf_fields(gguf), GGUFReader(gguf).fields["tokenizer.chat_template"].contents()
    template = jinja2.Environment(trim_blocks=True, lstrip_blocks=True).from_string(source)
    special = {t: i for i, t in enumerate(get("tokens")) if t in SPECIAL}
    parts = regex.compile("(%s)" % "|".join(map(regex.escape, special)))

    def ids(turns):
        text = template.render(messages=turns, add_generation_prompt=True)
        return [i for part in parts.split(text) if part for i in ([special[part]] if part in special else encode(part))]
    return ids


def by_mistral(path, version):
    from mistral_common.protocol.instruct.request import ChatCompletionRequest
    from mistral_common.tokens.tokenizers import instruct, mistral
    from mistral_common.tokens.tokenizers.base import TokenizerVersion
    from mistral_common.tokens.tokenizers.sentencepiece import SentencePieceTokenizer
    from mistral_common.tokens.tokenizers.tekken import Tekkenizer
    tokenizer = (Tekkenizer.from_file if path.endswith(".json") else SentencePieceTokenizer)(path)
    number = TokenizerVersion(version)
    encoder = mistral.MistralTokenizer(getattr(instruct, "InstructTokenizer" + version.upper())(tokenizer),
                                       validator=mistral.get_validator(number, mode=mistral.ValidationMode.test),
                                       request_normalizer=mistral.get_normalizer(number, None))
    return lambda turns: encoder.encode_chat_completion(ChatCompletionRequest(messages=turns)).tokens


def smollm2(folder):
    path = os.path.join(folder, "smollm2.gguf")
    encode = families.by_tokenizers_of_gguf(path).encode
    return by_template(path, lambda text: encode([text])[0])


def qwen2(folder):
    encode = families.by_tiktoken_nfc(families.QWEN2)(os.path.join(folder, "qwen2.tiktoken")).encode
    return by_template(os.path.join(folder, "qwen2.gguf"), lambda text: encode([text])[0])


# ---- ours ---------------------------------------------------------------------------------------

class Ours:
    """`seedc count` with one vocabulary."""

    def __init__(self, seedc, target, tokenizer, path, folder):
        self.seedc, self.target, self.folder = seedc, target, folder
        self.run("vocab", "add", tokenizer, path)

    def run(self, *words):
        return subprocess.run([self.seedc, *words], capture_output=True, text=True, check=True,
                              env=dict(os.environ, SEEDC_VOCAB_DIR=self.folder)).stdout

    def __call__(self, turns):
        path = os.path.join(self.folder, "chat.json")
        with open(path, "w", encoding="utf-8") as f:
            json.dump({"messages": turns}, f)
        return [int(line) for line in self.run("count", "--ids", "--target=" + self.target, path).split()]


# target, its tokenizer, the file of that, the reference, whether every chat has a system message (the template that is at
# hand is of an older model with another default)
TARGETS = [
    ("smollm2", "smollm2", "smollm2.gguf", smollm2, False),
    ("qwen2.5", "qwen2.5", "qwen2.gguf", qwen2, True),
    ("mistral-7b", "mistral-v3", "mistral3.model", lambda d: by_mistral(os.path.join(d, "mistral3.model"), "v3"), False),
    ("mistral-nemo", "tekken", "tekken.json", lambda d: by_mistral(os.path.join(d, "tekken.json"), "v3"), False),
    ("mistral", "tekken", "tekken.json", lambda d: by_mistral(os.path.join(d, "tekken.json"), "v7"), False),
]


def check(seedc, folder, row):
    target, tokenizer, file, make, has_system = row
    reference, bad, n = make(folder), 0, 0
    with tempfile.TemporaryDirectory() as scratch:
        ours = Ours(seedc, target, tokenizer, os.path.join(folder, file), scratch)
        for turns in chats(random.Random(20261203), has_system):
            got, want, n = ours(turns), reference(turns), n + 1
            bad += got != want
            if got != want and bad <= SHOWN:
                print("  %s: %s, not %s" % (ascii(turns), got, want))
    print("%-14s %d of %d chats have other ids" % (target, bad, n), flush=True)
    return bad


def main(argv):
    if not argv:
        sys.exit(__doc__.strip())
    folder = argv[1] if len(argv) > 1 else fetch.cache_folder()
    return sum(check(argv[0], folder, row) for row in TARGETS) != 0


sys.exit(main(sys.argv[1:]))
