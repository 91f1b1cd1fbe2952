#!/usr/bin/env python3
"""repeats.py [--family NAME]… TOKEN_IDS [FOLDER]: one character a million times, which is where tokenizers are slow.

For each family and character the milliseconds of processor time that ours takes with an encoder which has seen nothing,
and what its ids were compared with. Exit 1 if any differ or took a second.
"""
import argparse
import os
import pickle
import select
import signal
import sys

import compare
import families
import fetch

REPEATS, FEWER, LIMIT_S, SLOW_MS = 1000000, 100000, 30, 1000
KINDS = [("^", "^"), ("a", "a"), ("Z", "Z"), ("_", "_"), ("space", " "), ("LF", "\n"), ("tab", "\t"), ("CRLF", "\r\n"),
         ("'", "'"), ("7", "7"), ("\u65E5", "\u65E5"), ("emoji", "\U0001F600"), ("U+301", "\u0301")]
LEGEND = """A million repetitions of each, ms of ours; ids equal to those of the family's library for
  as many (no mark), r as many, split by the package regex as the library gives up, k 100,000; ! they differ, ? neither ended"""


class Timed(compare.Encode):
    flags = ["--timed"]


def in_child(work):
    """What work() gives, in a process of its own: None if it fails, crashes or takes too long."""
    back, out = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            with os.fdopen(out, "wb") as f:
                pickle.dump(work(), f)
        except BaseException:
            os._exit(1)
        os._exit(0)
    os.close(out)
    with os.fdopen(back, "rb") as f:
        if select.select([f], [], [], LIMIT_S)[0]:
            data = f.read()
        else:
            os.kill(child, signal.SIGKILL)
            data = b""
    return pickle.loads(data) if os.waitpid(child, 0)[1] == 0 else None


def cell(ours, reference, text):
    """Milliseconds and the mark."""
    us, *ids = ours([text * REPEATS])[0]
    ways = [("", lambda: list(reference.encode([text * REPEATS])[0]))]
    if reference.by_pieces:
        ways.append(("r", lambda: reference.by_pieces(text * REPEATS)))
    ways.append(("k", lambda: list(reference.encode([text * FEWER])[0])))
    for mark, way in ways:
        want = in_child(way)
        if want is not None:
            got = ids if mark != "k" else ours([text * FEWER])[0][1:]
            return us / 1000, mark if got == want else "!"
    return us / 1000, "?"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("token_ids")
    parser.add_argument("folder", nargs="?", default=fetch.cache_folder())
    parser.add_argument("--family", action="append")
    args = parser.parse_args()
    cells = []
    print(LEGEND)
    print("%-10s" % "" + "".join("%7s" % name for name, _ in KINDS))
    for family in families.FAMILIES:
        if args.family and family.name not in args.family:
            continue
        path = os.path.join(args.folder, family.file)
        ours, reference = Timed(args.token_ids, path), family.reference(path)
        row = [cell(ours, reference, text) for _, text in KINDS]
        print("%-10s" % family.name + "".join("%7s" % ("%.0f%s" % c) for c in row), flush=True)
        cells += row
        ours.close()
    wrong, slow = sum(m in ("!", "?") for _, m in cells), sum(ms >= SLOW_MS for ms, _ in cells)
    print("%d cells: %d not equal, %d of a second or more; the slowest %.0f ms" % (len(cells), wrong, slow, max(cells)[0]))
    return wrong or slow


if __name__ == "__main__":
    sys.exit(1 if main() else 0)
