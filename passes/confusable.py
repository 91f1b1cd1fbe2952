#!/usr/bin/env python3
"""Writes passes/confusable.def: letters of other scripts that look like one ASCII letter.

usage: python3 passes/confusable.py >passes/confusable.def

Needs the Python package confusable-homoglyphs, whose data is Unicode's confusables.txt (UTS #39).
"""
import importlib.metadata
import json
import pathlib
import unicodedata

import confusable_homoglyphs

SCRIPTS = ("GREEK", "CYRILLIC", "ARMENIAN", "CHEROKEE", "COPTIC", "GEORGIAN", "LISU")
data = json.loads((pathlib.Path(confusable_homoglyphs.__file__).parent / "confusables.json").read_text("utf-8"))


def twin(char):
    """The ASCII letter that char looks like, or None."""
    if char.isascii() or not char.isalpha() or unicodedata.name(char, "").split(" ")[0] not in SCRIPTS:
        return None
    ascii_twins = [x["c"] for x in data[char] if len(x["c"]) == 1 and x["c"].isascii() and x["c"].isalpha()]
    same_case = [c for c in ascii_twins if c.isupper() == char.isupper()]
    found = (same_case or ascii_twins or [None])[0]
    return "I" if found == "l" and char.isupper() else found


rows = sorted((ord(c), twin(c)) for c in data if len(c) == 1 and twin(c))
version = importlib.metadata.version("confusable-homoglyphs")
print("""/*
 * Letters of other scripts that look like one ASCII letter: CONFUSABLE(code point, letter), by code point.
 * Source: Unicode confusables.txt (UTS #39), from the Python package confusable-homoglyphs %s by
 * passes/confusable.py.
 */""" % version)
for i in range(0, len(rows), 4):
    print(" ".join("CONFUSABLE(0x%04x, '%s')" % row for row in rows[i:i + 4]))
