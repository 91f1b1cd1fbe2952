#!/usr/bin/env python3
"""docs/bin-format.md names every section, record size, segment kind and hash tag that the sources have."""
import os
import re
import sys

ROOT = os.environ.get("ROOT", ".")


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as f:
        return f.read()


def want(faults, doc, pattern, what):
    if not re.search(pattern, doc):
        faults.append("docs/bin-format.md lacks %s" % what)


def main():
    doc, faults = read("docs/bin-format.md"), []
    header = read("runtime/bin/bin.h")
    kinds = re.search(r"typedef enum SectionKind \{(.*?)\}", header, re.S).group(1)
    number, numbers = 0, {}
    for name, given in re.findall(r"SECTION_(\w+)(?: = (\d+))?,", kinds):
        number = int(given) if given else number + 1
        numbers[name] = number
    for name, record, size in re.findall(r"TABLE\(SECTION_(\w+),\s*(\w+),\s*\w+,\s*(\d+)\)", read("runtime/bin/bin_sections.def")):
        want(faults, doc, r"\| %d \| %s \| %s, %s \|" % (numbers[name], name, record, size), "%s %s %s" % (name, record, size))
    for i, (kind, shape) in enumerate(re.findall(r"SEG\(SEG_(\w+),\s*\"[^\"]*\",\s*SEG_(\w+)", read("runtime/bin/segs.def"))):
        if shape in ("LEAF", "BEGIN") and kind != "IF":
            want(faults, doc, r"\| %d(, \d+)? \| %s \|" % (i, kind), "segment %d %s" % (i, kind))
    limits = dict(re.findall(r"BIN_(DEPTH_MAX|STACK_MAX) = (\d+)", header))
    want(faults, doc, r"at most %s deep" % limits["DEPTH_MAX"], "the nesting cap")
    want(faults, doc, r"need at most %s at once" % limits["STACK_MAX"], "the stack's cap")
    for tag in sorted(set(re.findall(r"put_\w+\(&?h, '(\w)'", read("runtime/bin/bin_hash.c")))):
        want(faults, doc, r"(?<![A-Za-z])%s(?![A-Za-z])" % tag, "the hash's tag %s" % tag)
    for fault in faults:
        print(fault)
    return 1 if faults else 0


sys.exit(main())
