#!/usr/bin/env python3
"""refresh_unicode.py TABLE…: writes the range tables beside it anew; not part of the build.

classes   classes.def, from unicodedataplus 16.0.0.post1 (Unicode 16.0)

Needs `pip install unicodedataplus==16.0.0.post1`.
"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
CODE_POINTS = 0x110000


def ranges(value_of, code_points=range(CODE_POINTS)):
    """Runs of code points with one value: (lo, hi, value); None is left out."""
    out = []
    for cp in code_points:
        value = value_of(cp)
        if out and out[-1][1] == cp - 1 and out[-1][2] == value:
            out[-1][1] = cp
        elif value is not None:
            out.append([cp, cp, value])
    return out


def write(name, head, rows):
    """rows: strings without spaces at their ends, as many a line as 100 columns hold."""
    with open(os.path.join(HERE, name), "w") as f:
        f.write("/*\n" + "".join(" * %s\n" % line if line else " *\n" for line in head) + " */\n")
        line = ""
        for row in rows:
            if line and len(line) + 1 + len(row) > 100:
                f.write(line + "\n")
                line = ""
            line += (" " if line else "") + row
        f.write(line + "\n")
    print("%s: %d rows" % (name, len(rows)))


# ---- classes of the pre-tokenizers --------------------------------------------------------------

KIND = {
    "Lu": "UPPER", "Lt": "UPPER", "Ll": "LOWER", "Lm": "LETTER", "Lo": "LETTER", "Mn": "MARK", "Mc": "MARK",
    "Me": "MARK", "Nd": "NUMBER", "Nl": "NUMBER", "No": "NUMBER",
}
# White_Space of PropList.txt; it has not changed since Unicode 6.3.
SPACE = [*range(9, 14), 0x20, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000]


def pair_cases(rows):
    """Runs of single code points, UPPER and LOWER in turn, as one row PAIRS."""
    out = []
    for lo, hi, kind in rows:
        last = out[-1] if out else [0, -2, None]
        if lo == hi and kind == "LOWER" and last[1] == lo - 1 and last[0] == last[1] and last[2] == "UPPER":
            out[-1] = [last[0], hi, "PAIRS"]
            if len(out) > 1 and out[-2][2] == "PAIRS" and out[-2][1] == last[0] - 1:
                out[-2:] = [[out[-2][0], hi, "PAIRS"]]
        else:
            out.append([lo, hi, kind])
    return out


def classes():
    import unicodedataplus
    assert unicodedataplus.unidata_version == "16.0.0"

    def kind(cp):
        if cp in (10, 13):
            return "NEWLINE"
        if cp in SPACE:
            return "SPACE"
        category = unicodedataplus.category(chr(cp))
        return "PUNCT" if category[0] in "PS" else KIND.get(category)

    write("classes.def", [
        "Classes of code points as pre-tokenizers see them, Unicode 16.0 (`tiktoken` 0.14, `tokenizers` 0.23).",
        "Source: general categories of the Python package unicodedataplus 16.0.0.post1; White_Space of PropList.txt.",
        "UPPER Lu Lt, LOWER Ll, LETTER Lm Lo, MARK M*, NUMBER N*, PUNCT P* S*, SPACE White_Space, NEWLINE LF and CR.",
        "PAIRS is UPPER and LOWER in turn. What is not listed is OTHER. Written by refresh_unicode.py.",
        "",
        "CLASS(first, last, class)",
    ], ["CLASS(0x%X, 0x%X, %s)" % tuple(r) for r in pair_cases(ranges(kind))])


TABLES = {"classes": classes}

if __name__ == "__main__":
    for table in sys.argv[1:] or TABLES:
        TABLES[table]()
