#!/usr/bin/env python3
"""mask_peer.py FILE RUNS: what automaton_speed times, with llguidance. FILE is what that program wrote for a peer.

Lines as there, nanoseconds of the thread: trie N | compile N | cold N | warm N, and left N. compile is the grammar and
a matcher for it; its own layout holds no more than is needed for one text, so each text has a matcher of its own."""
import json
import sys
import time

from llguidance import LLMatcher, LLTokenizer
from llguidance.numpy import allocate_token_bitmask, fill_next_token_bitmask

now = time.thread_time_ns


class Words:
    """What LLTokenizer asks for."""
    is_tokenizer_wrapper = True

    def __init__(self, given):
        self.eos_token_id, self.bos_token_id = given["eos"], None
        self.tokens = [bytes.fromhex(t) or b"<unused>" for t in given["tokens"]]
        self.special_token_ids = given["special"]
        self.of_byte = {t: i for i, t in enumerate(self.tokens) if len(t) == 1}

    def __call__(self, text):
        data = text if isinstance(text, bytes) else text.encode()
        return [self.of_byte[data[i:i + 1]] for i in range(len(data)) if data[i:i + 1] in self.of_byte]


def matcher(tokenizer, schema):
    grammar = LLMatcher.grammar_from_json_schema(json.dumps(schema), overrides={"whitespace_flexible": False})
    return LLMatcher(tokenizer, grammar, log_level=0)


def time_text(m, ids, bits, what):
    for i in range(len(ids) + 1):
        start = now()
        fill_next_token_bitmask(m, bits)
        print(what, now() - start)
        if i == len(ids) or not m.consume_token(ids[i]):
            return


def main(path, runs):
    with open(path, encoding="utf-8") as f:
        given = json.load(f)
    start = now()
    tokenizer = LLTokenizer(Words(given))
    print("trie", now() - start)
    bits = allocate_token_bitmask(1, len(given["tokens"]))
    left = 0
    for group in given["groups"]:
        try:
            for _ in range(runs):
                start = now()
                m = matcher(tokenizer, group["schema"])
                took = now() - start
                if m.is_error():
                    raise ValueError
                print("compile", took)
        except ValueError:  # a schema it does not take
            left += 1
            continue
        for what in ("cold", "warm"):
            for ids in group["ids"]:
                time_text(m.deep_copy(), ids, bits, what)
    print("left", left)


main(sys.argv[1], int(sys.argv[2]))
