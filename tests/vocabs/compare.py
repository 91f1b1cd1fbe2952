#!/usr/bin/env python3
"""compare.py [--family NAME]… [--corpus DIR] [--quick] TOKEN_IDS [FOLDER]: ids against the reference libraries.

TOKEN_IDS is build/tool/token_ids; FOLDER is where fetch.py put the vocabularies. Four sets of texts: the
corpus, every code point (in a word, after a space, doubled), random strings, and ill-formed UTF-8 where the
reference has a rule for it. The ids are decoded again, and random ids too: "decoded" counts those whose bytes are
not what the reference decodes. Of every text also its cuts are tried (token_law.h): "laws" counts those at which
pieces are not the whole. One line a family; a text that differs is cut down and printed. Exit 1 for any.
--quick takes every 37th code point and a tenth of the random strings.
"""
import argparse
import os
import random
import struct
import subprocess
import sys
import threading
import time

import families
import fetch

BATCH = 20000
SHOWN = 5
FLUSH = b"\xFF\xFF\xFF\xFF"


class Tool:
    """A token_ids process: texts to what it answers for each."""
    flags, size = [], 1

    def __init__(self, tool, path):
        self.pipe = subprocess.Popen([tool, *self.flags, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def __call__(self, texts):
        texts = [self.message(t) for t in texts]
        sender = threading.Thread(target=self.send, args=(texts,))
        sender.start()
        out = [self.take() for _ in texts]
        sender.join()
        return out

    def send(self, texts):
        try:
            for t in texts:
                self.pipe.stdin.write(struct.pack("<I", len(t)) + t)
            self.pipe.stdin.write(FLUSH)
            self.pipe.stdin.flush()
        except BrokenPipeError:
            pass  # take says so

    def take(self):
        head = self.pipe.stdout.read(4)
        if len(head) < 4:
            raise EOFError("token_ids ended with %s" % self.pipe.wait())
        n, = struct.unpack("<I", head)
        return self.answer(self.pipe.stdout.read(self.size * n), n)

    def close(self):
        self.pipe.stdin.close()
        self.pipe.stdout.close()
        self.pipe.wait()


class Encode(Tool):
    size = 4

    def message(self, text):
        return text if isinstance(text, bytes) else text.encode()

    def answer(self, got, n):
        return list(struct.unpack("<%dI" % n, got))


class Laws(Encode):
    """Of each text, how many cuts there are and how many laws do not hold."""
    flags = ["--law"]


class Decode(Tool):
    flags = ["--decode"]

    def message(self, ids):
        return struct.pack("<%dI" % len(ids), *ids)

    def answer(self, got, n):
        return got


# ---- texts --------------------------------------------------------------------------------------

def corpus(folder):
    for at, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            with open(os.path.join(at, name), "rb") as f:
                yield f.read().decode("utf-8", "replace")


def code_points(step):
    for cp in range(0, 0x110000, step):
        if not 0xD800 <= cp < 0xE000:
            c = chr(cp)
            yield "a%sb %s %s%s" % (c, c, c, c)


SPELLED = ["<|endoftext|>", "<|im_start|>", "<s>", "</s>", "[INST]", "[/REF]", "[UNK]", "[CLS]", "##a", "<unk>", "<0x41>",
           "<bos>", "<start_of_turn>", "<unused1>", "<table>", "\u2581", "<|begin\u2581of\u2581sentence|>", "<META>",
           "<\uFF5CUser\uFF5C>", "<\uFF5Cfim\u2581hole\uFF5C>", "<think>", "\n\nHuman:"]
EMOJI = ["\U0001F600", "\U0001F468\u200D\U0001F469\u200D\U0001F467", "\U0001F1E9\U0001F1EA", "\u2764\uFE0F",
         "\U0001F44D\U0001F3FD", "1\uFE0F\u20E3"]
WORDS = ["the", " The", "ing", " don't", "I'LL", "'s", "HTTPServer", " na\u00EFve", "stra\u00DFe", "\u0130stanbul", " =>", "!!!",
         "https://a.b/c?d=e", "\u65E5\u672C\u8A9E", "\u4E2D\u6587", "\u3072\u3089", "\u30AB\u30BF", "\uD55C\uAD6D\uC5B4",
         "\u0440\u0443\u0441", "\u03B5\u03BB\u03BB", "\u0928\u092E\u0938\u094D\u0924\u0947", "\u0627\u0644\u0639",
         "\u0E44\u0E17\u0E22", "\u05E9\u05DC"]
SPACES = [" ", "  ", "   ", "\n", "\n\n", "\r\n", "\t", " \n", "\n ", "\u00A0", "\u3000", "\u2028", "\u200B", "        ", "\x85"]
DIGITS = ["0", "12", "345", "6789", "3.14", "1,000", "\u0663", "\u00BD", "\u2167"]
MARKS = ["e\u0301", "\u0301", "\u0327\u0301", "\u1100\u1161", "\u0958", "\u212B", "\uFB01", "\u0345", "\u3099"]
LISTS = [SPELLED, EMOJI, WORDS, WORDS, WORDS, SPACES, SPACES, DIGITS, MARKS]
BLOCKS = [(0x20, 0x7F), (0xA0, 0x250), (0x370, 0x530), (0x590, 0x700), (0x900, 0xE80), (0x1E00, 0x2000), (0x2000, 0x2C00),
          (0x3000, 0x3200), (0x4E00, 0xA000), (0xAC00, 0xD7A4), (0xF900, 0x10000), (0x10000, 0x11000), (0x1D400, 0x1F000),
          (0x1F000, 0x20000), (0, 0x20), (0xE0000, 0xE0200)]


def random_strings(n):
    rng = random.Random(20261130)
    for _ in range(n):
        parts = []
        for _ in range(rng.choice([1, 2, 3, 5, 8, 13, 30])):
            if rng.random() < 0.25:
                lo, hi = rng.choice(BLOCKS)
                parts += [chr(rng.randrange(lo, hi)) for _ in range(rng.choice([1, 1, 2, 5]))]
            else:
                parts.append(rng.choice(rng.choice(LISTS)) * rng.choice([1, 1, 1, 1, 2, 7]))
        yield "".join(parts)


def random_bytes(n):
    """Texts that some bytes were lost from or put into, none of them well-formed."""
    rng = random.Random(20261201)
    for text in random_strings(n):
        b = bytearray(text.encode())
        for _ in range(rng.choice([1, 1, 2, 4])):
            at = rng.randrange(len(b) + 1)
            b[at:at + rng.choice([0, 1, 2])] = bytes(rng.randrange(0x80, 0x100) for _ in range(rng.choice([0, 1, 3])))
        try:
            b.decode()
        except UnicodeDecodeError:
            yield bytes(b)


# ---- comparing ----------------------------------------------------------------------------------

def shortest(text, differs):
    """text with every part taken out that it does not need to differ."""
    size = len(text) // 2
    while size:
        at = 0
        while at < len(text):
            less = text[:at] + text[at + size:]
            if less and differs(less):
                text = less
            else:
                at += size
        size //= 2
    return text


def batches(texts):
    batch = []
    for t in texts:
        batch.append(t)
        if len(batch) == BATCH:
            yield batch
            batch = []
    yield batch


def differs(got, want):
    return got != want if isinstance(want, bytes) else got.decode("utf-8", "replace") != want


class Count:
    """Of a set of texts: how many there are, those whose ids differ, those whose ids are decoded to other bytes, and those that
    break a law at one of their cuts."""

    def __init__(self):
        self.n, self.n_cut, self.bad, self.bad_ids, self.bad_cuts = 0, 0, [], [], []

    def ids(self, ours, theirs):
        """The bytes of lists of ids against what the reference makes of them."""
        got, want = ours.decode(theirs), ours.reference.decode(theirs)
        self.bad_ids += [i for i, x, y in zip(theirs, got, want) if differs(x, y)]

    def texts(self, texts, ours, encode):
        for batch in batches(texts):
            ids = ours.encode(batch)
            self.bad += [t for t, got, want in zip(batch, ids, encode(batch)) if got != want]
            self.n += len(batch)
            self.ids(ours, ids)
            laws = ours.laws(batch)
            self.bad_cuts += [t for t, (_, wrong) in zip(batch, laws) if wrong]
            self.n_cut += sum(cuts for cuts, _ in laws)


def random_ids(ids, n):
    rng = random.Random(20261202)
    ids = list(ids)
    for _ in range(n):
        yield [rng.choice(ids) for _ in range(rng.choice([0, 1, 2, 3, 8, 20]))]


def show(bad, ours, encode):
    seen = set()
    for text in sorted(bad, key=len)[:4 * SHOWN]:
        small = shortest(text, lambda t: ours.encode([t]) != encode([t]))
        if small not in seen and len(seen) < SHOWN:
            seen.add(small)
            print("  %s: %s, not %s" % (ascii(small), ours.encode([small])[0], list(encode([small])[0])))


def show_ids(bad, ours):
    for ids in sorted(bad, key=len)[:SHOWN]:
        small = shortest(ids, lambda i: differs(ours.decode([i])[0], ours.reference.decode([i])[0]))
        print("  ids %s: %s, not %s" % (small, ours.decode([small])[0], ours.reference.decode([small])[0]))


def show_cuts(bad, ours):
    for text in sorted(bad, key=len)[:SHOWN]:
        print("  cuts of %s" % ascii(shortest(text, lambda t: ours.laws([t])[0][1])))


class Ours:
    def __init__(self, family, path, tool):
        self.reference = family.reference(path)
        self.encode, self.decode, self.laws = Encode(tool, path), Decode(tool, path), Laws(tool, path)

    def close(self):
        for tool in self.encode, self.decode, self.laws:
            tool.close()


def check(family, path, args):
    step, n_random = (37, 10000) if args.quick else (1, 100000)
    ours, start, counts = Ours(family, path, args.token_ids), time.time(), []
    reference = ours.reference
    sets = [("corpus", corpus(args.corpus), reference.encode), ("code points", code_points(step), reference.encode),
            ("random", random_strings(n_random), reference.encode)]
    if reference.of_bytes:
        sets.append(("ill-formed", random_bytes(n_random // 10), lambda texts: [reference.of_bytes(t) for t in texts]))
    total, decoded, laws = 0, Count(), Count()
    for name, texts, encode in sets:
        count = Count()
        count.texts(texts, ours, encode)
        counts.append("%s %d/%d" % (name, len(count.bad), count.n))
        total += len(count.bad)
        show(count.bad, ours, encode)
        decoded.bad_ids += count.bad_ids
        decoded.n += count.n
        laws.bad_cuts += count.bad_cuts
        laws.n_cut += count.n_cut
    for batch in batches(random_ids(reference.ids, n_random)):
        decoded.ids(ours, batch)
        decoded.n += len(batch)
    counts.append("decoded %d/%d" % (len(decoded.bad_ids), decoded.n))
    counts.append("laws %d at %d cuts" % (len(laws.bad_cuts), laws.n_cut))
    total += len(decoded.bad_ids) + len(laws.bad_cuts)
    show_ids(decoded.bad_ids, ours)
    show_cuts(laws.bad_cuts, ours)
    print("%-10s %7d mismatches (%s; %.0f s)" % (family.name, total, ", ".join(counts), time.time() - start), flush=True)
    ours.close()
    return total


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("token_ids")
    parser.add_argument("folder", nargs="?", default=fetch.cache_folder())
    parser.add_argument("--family", action="append")
    parser.add_argument("--corpus", default=os.path.join(os.path.dirname(__file__), "../../../shared/corpus"))
    parser.add_argument("--quick", action="store_true")
    args = parser.parse_args()
    total = 0
    for family in families.FAMILIES:
        if args.family and family.name not in args.family:
            continue
        try:
            total += check(family, os.path.join(args.folder, family.file), args)
        except (EOFError, ImportError, OSError) as e:
            print("%-10s failed: %s" % (family.name, e))
            total += 1
    return total != 0


if __name__ == "__main__":
    sys.exit(main())
