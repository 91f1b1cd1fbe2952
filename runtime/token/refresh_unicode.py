#!/usr/bin/env python3
"""refresh_unicode.py TABLE…: writes the range tables beside it anew; not part of the build.

classes   classes.def, from unicodedataplus 16.0.0.post1 (Unicode 16.0)
norm      norm.def, by asking `tokenizers` what it does with each code point and pair that could matter
bert      bert.def, the same

Needs `pip install unicodedataplus==16.0.0.post1 tokenizers==0.23.3`.
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
        "Source: general categories of the Python package unicodedataplus 16.0.0.post1; White_Space of",
        "PropList.txt. UPPER Lu Lt, LOWER Ll, LETTER Lm Lo, MARK M*, NUMBER N*, PUNCT P* S*, SPACE White_Space,",
        "NEWLINE LF and CR. PAIRS is UPPER and LOWER in turn. What is not listed is OTHER. Written by refresh_unicode.py.",
        "",
        "CLASS(first, last, class)",
    ], ["CLASS(0x%X, 0x%X, %s)" % tuple(r) for r in pair_cases(ranges(kind))])


# ---- normal forms -------------------------------------------------------------------------------

SCALARS = [cp for cp in range(CODE_POINTS) if not 0xD800 <= cp < 0xE000]


def is_reordered(nfd, cp):
    """`tokenizers` gives cp a combining class: a mark of a lower class moves before it, or it before a higher one."""
    c, form = chr(cp), nfd(chr(cp))
    return nfd(c + "\u0334") == "\u0334" + form or nfd("\u0345" + c) == form + "\u0345"


def compositions():
    """Pairs that compose in Unicode 16.0, Hangul aside."""
    import unicodedataplus as u
    for cp in SCALARS:
        parts = u.decomposition(chr(cp)).split()
        if len(parts) == 2 and parts[0][0] != "<" and u.normalize("NFC", chr(cp)) == chr(cp):
            yield chr(int(parts[0], 16)), chr(int(parts[1], 16)), chr(cp)


def norm():
    import unicodedataplus as u
    from tokenizers import normalizers
    nfc, nfd = normalizers.NFC().normalize_str, normalizers.NFD().normalize_str
    nfkc, nfkd = normalizers.NFKC().normalize_str, normalizers.NFKD().normalize_str
    second, new = set(range(0x1161, 0x1176)) | set(range(0x11A8, 0x11C3)), set()
    for a, b, whole in compositions():
        if nfc(a + b) == whole:
            second.add(ord(b))
        else:
            # Composed by a later Unicode: at least one of the two is later than the reference.
            new |= {ord(c) for c in (a, b) if float(u.age(c)) > 9}
    kind = {}
    for cp in SCALARS:
        c = chr(cp)
        combines = u.combining(c) != 0
        if combines and not is_reordered(nfd, cp) or nfd(c) != u.normalize("NFD", c) or nfkd(c) != u.normalize("NFKD", c):
            new.add(cp)
        elif combines or cp in second or nfc(c) != c:
            kind[cp] = "BOTH"
        elif nfkc(c) != c:
            kind[cp] = "NFKC"
    kind.update((cp, "LATER") for cp in new)
    write("norm.def", [
        "Code points that a normal form may change or join to what stands before, as `tokenizers` 0.23 has them.",
        "Found by asking it for each code point and for each pair that composes in Unicode 16.0 (the Python package",
        "unicodedataplus 16.0.0.post1). BOTH: NFC and NFKC; NFKC: that alone; LATER: a later Unicode than the one of",
        "`tokenizers` (about 9.0) decomposes, orders or composes it, and `tokenizers` leaves it as it is.",
        "What is not listed stays, and nothing before it changes because of it. Written by refresh_unicode.py.",
        "",
        "NORM(first, last, kind)",
    ], ["NORM(0x%X, 0x%X, %s)" % tuple(r) for r in ranges(kind.get)])


# ---- BERT ---------------------------------------------------------------------------------------

HANGUL = range(0xAC00, 0xD7A4)


def bert_rows(result):
    """[first, last, step, kind, to]: code points that become others; what they become counts on with them."""
    out = []
    for cp in SCALARS:
        got = result[cp]
        apart = len(got) == 3 and got[0] == got[2] == " "
        to = [ord(c) for c in (got[1] if apart else got)]
        if got == chr(cp) or cp in HANGUL:
            continue
        kind = "APART" if apart else ["DROP", "MAP", "SEQ", "SEQ"][len(to)]
        kind = "SPACE" if to == [0x20] else kind
        lo, hi, step, was, first = out[-1] if out else [0, -9, 0, None, None]
        counts_on = kind in ("DROP", "SPACE") or kind != "SEQ" and was == kind and first[0] + cp - lo == to[0]
        if was == kind and counts_on and (cp - hi == step or lo == hi and cp - hi in (1, 2) and kind != "DROP"
                                          or lo == hi and cp - hi == 1):
            out[-1][1:3] = cp, cp - hi
        else:
            out.append([cp, cp, 1, kind, to])
    return out


def bert_text(lo, hi, step, kind, to):
    if kind == "SEQ":
        return "SEQ(0x%X, %s)" % (lo, ", ".join("0x%X" % t for t in to + [0] * (3 - len(to))))
    to = "" if kind in ("DROP", "SPACE") else ", 0x%X" % to[0]
    if lo == hi and to:
        return "%s(0x%X%s)" % (kind, lo, to)
    return "%s_%s(0x%X, 0x%X%s)" % (kind, "RUN" if step == 1 else "PAIRS", lo, hi, to)


def bert():
    import unicodedataplus as u
    from tokenizers import normalizers, pre_tokenizers
    normal = normalizers.BertNormalizer(clean_text=True, handle_chinese_chars=True, strip_accents=None, lowercase=True)
    pieces, nfd = pre_tokenizers.BertPreTokenizer().pre_tokenize_str, normalizers.NFD().normalize_str
    result = {cp: normal.normalize_str(chr(cp)) for cp in SCALARS}
    kept = {ord(c) for text in result.values() for c in text}
    cut = {cp: len(pieces("a%sa" % chr(cp))) for cp in kept}
    assert [cp for cp in kept if cut[cp] == 2] == [0x20]
    own = [[lo, hi, "PUNCT(0x%X, 0x%X)" % (lo, hi)] for lo, hi, _ in ranges(lambda cp: cut.get(cp) == 3 or None)]
    own += [[cp, cp, "ORDER(0x%X, %d)" % (cp, u.combining(chr(cp)))]
            for cp in kept if u.combining(chr(cp)) and is_reordered(nfd, cp)]
    rows = sorted(own + [[row[0], row[1], bert_text(*row)] for row in bert_rows(result)])
    assert all(a[1] < b[0] for a, b in zip(rows, rows[1:]))
    write("bert.def", [
        "What `tokenizers` 0.23 makes of each code point for BERT (clean, CJK apart, NFD, marks off, lower",
        "case), and what it takes for punctuation; found by asking it. Hangul syllables become their letters",
        "and are not listed.",
        "Sorted. Written by refresh_unicode.py.",
        "",
        "MAP(from, to)  MAP_RUN(first, last, first to)  MAP_PAIRS(the same, every second code point)",
        "APART, APART_RUN: the same, with a space on both sides  SEQ(from, to, to, to or 0)",
        "DROP_RUN(first, last): to nothing  SPACE_RUN(first, last): to a space  PUNCT(first, last)",
        "ORDER(code point, class): a mark that stays and its combining class",
    ], [text for _, _, text in rows])


TABLES = {"classes": classes, "norm": norm, "bert": bert}

if __name__ == "__main__":
    for table in sys.argv[1:] or TABLES:
        TABLES[table]()
