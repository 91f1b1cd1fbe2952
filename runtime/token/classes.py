#!/usr/bin/env python3
"""classes.py CLASSES.DEF: the two-stage table of split.h's token_class, as C. Run by make."""
import re
import sys

KINDS = ["OTHER", "PUNCT", "UPPER", "LOWER", "LETTER", "MARK", "NUMBER", "SPACE", "NEWLINE"]
BLOCK = 128

of = bytearray(0x110000)
for lo, hi, kind in re.findall(r"CLASS\((0x[0-9A-Fa-f]+),\s*(0x[0-9A-Fa-f]+),\s*(\w+)\)", open(sys.argv[1]).read()):
    lo, hi = int(lo, 16), int(hi, 16)
    turn = ["UPPER", "LOWER"] if kind == "PAIRS" else [kind]
    of[lo:hi + 1] = bytes(map(KINDS.index, turn)) * ((hi + 1 - lo) // len(turn))
blocks, stage = {}, []
for at in range(0, len(of), BLOCK):
    stage.append(blocks.setdefault(bytes(of[at:at + BLOCK]), len(blocks)))
assert len(blocks) < 256


def rows(name, size, values):
    print("const uint8_t %s[%s] = {" % (name, size))
    for at in range(0, len(values), 32):
        print("\t" + ",".join(map(str, values[at:at + 32])) + ",")
    print("};")


print("#include \"runtime/token/split.h\"\n")
rows("token_class_block", "0x110000 / CLASS_BLOCK", stage)
rows("token_class_of", "", [x for b in blocks for x in b])
