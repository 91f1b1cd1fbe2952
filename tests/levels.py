#!/usr/bin/env python3
"""Checks the shape of the tree: include levels (tests/levels.txt), file names and lengths, what stands
at the top, and that no object has mutable file-scope state. `--stats` prints function lengths too."""
import os
import re
import statistics
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.environ.get("BUILD", os.path.join(ROOT, "build"))
CODE = (".c", ".h", ".re", ".y", ".def", ".py", ".sh")
TOP = {"README.md", "LICENSE", "bootstrap", "pyproject.toml", "Makefile", "grammar", "compiler", "passes", "runtime",
       "stdlib-prompts", "tests", "docs", "build"}
REFUSED = re.compile(r"^(utils?|common|misc|helpers?)\.[ch]$|manager|handler|helper")
MAX_LINES = 900
MAX_SEED_BYTES = 1 << 20
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)


def read_levels():
    level = {}
    with open(os.path.join(ROOT, "tests/levels.txt"), encoding="utf-8") as f:
        for line in f:
            if line.strip() and not line.startswith("#"):
                n, folder = line.split()
                level[folder] = int(n)
    return level


def level_of(level, path):
    """The level of the nearest folder that the table names; None when it names none."""
    folder = os.path.dirname(path)
    while folder and folder not in level:
        folder = os.path.dirname(folder)
    return level.get(folder)


def tree_files():
    for folder, dirs, files in os.walk(ROOT):
        at = os.path.relpath(folder, ROOT)
        dirs[:] = sorted(d for d in dirs if not d.startswith(".") and d != "__pycache__" and (at != "." or d in TOP - {"build"}))
        for file in sorted(files):
            yield os.path.normpath(os.path.join(at, file))


def generated_from(path):
    """The source of a generated header or file, or the path itself."""
    stem = os.path.splitext(path)[0]
    for ext in (".y", ".re"):
        if not os.path.exists(os.path.join(ROOT, path)) and os.path.exists(os.path.join(ROOT, stem + ext)):
            return stem + ext
    return path


def check_includes(level, path, text):
    mine = level_of(level, path)
    if mine is None:
        yield "%s: its folder has no level in tests/levels.txt" % path
        return
    for m in INCLUDE.finditer(text):
        name, line = generated_from(m.group(1)), text.count("\n", 0, m.start(1)) + 1
        theirs = level_of(level, name)
        if not os.path.exists(os.path.join(ROOT, name)):
            yield '%s:%d: "%s" does not exist; includes are written from the root' % (path, line, m.group(1))
        elif theirs is None:
            yield '%s:%d: the folder of "%s" has no level in tests/levels.txt' % (path, line, m.group(1))
        elif theirs > mine:
            yield "%s:%d: level %d includes %s of level %d" % (path, line, mine, name, theirs)
        elif path.startswith("runtime/") and not name.startswith("runtime/"):
            yield "%s:%d: the runtime includes %s" % (path, line, name)


def check_file(level, path, text):
    name = os.path.basename(path)
    if REFUSED.search(name):
        yield "%s: say what the file is for; this name says nothing" % path
    n = text.count("\n")
    if n > MAX_LINES:
        yield "%s: %d lines; %d is the most" % (path, n, MAX_LINES)
    if path.endswith((".c", ".h", ".re", ".y", ".def")):
        yield from check_includes(level, path, text)


def check_seeds():
    """Fuzzing corpora are kept small: they are replayed by every test run."""
    total = 0
    for folder, _, files in os.walk(os.path.join(ROOT, "tests/fuzz/seeds")):
        total += sum(os.path.getsize(os.path.join(folder, file)) for file in files)
    if total > MAX_SEED_BYTES:
        yield "tests/fuzz/seeds: %d bytes; %d are the most" % (total, MAX_SEED_BYTES)


def check_state():
    """Objects of a plain build must hold nothing writable: .data and .bss are empty."""
    obj = os.path.join(BUILD, "obj")
    for folder, _, files in os.walk(obj):
        for file in sorted(files):
            path = os.path.join(folder, file)
            source = os.path.relpath(path, obj)[:-2]
            if not file.endswith(".o") or source.startswith("tests/"):
                continue
            if not source.startswith("gen/") and not os.path.exists(os.path.join(ROOT, source + ".c")):
                continue  # left over from a removed source
            out = subprocess.run(["nm", "-f", "sysv", path], capture_output=True, text=True, check=True).stdout
            for line in out.splitlines():
                cell = [c.strip() for c in line.split("|")]
                if len(cell) == 7 and re.match(r"\.(data|bss|tdata|tbss)(?!\.rel\.ro)", cell[6]) and cell[3] == "OBJECT":
                    yield "%s: %s is mutable file-scope state" % (source, cell[0])


def print_stats(texts):
    rows = []
    for path, text in texts.items():
        if path.endswith((".c", ".re")) and not path.startswith("tests/"):
            for m in re.finditer(r"^(?!typedef|struct|enum|static const)([a-z][^\n;=]*\))\n\{\n(.*?)^\}", text, re.M | re.S):
                rows.append((m.group(2).count("\n"), path, m.group(1)))
    rows.sort(reverse=True)
    n = [r[0] for r in rows] or [0]
    print("%d functions: median %d lines, p90 %d" % (len(rows), statistics.median(n), sorted(n)[len(n) * 9 // 10]))
    for row in rows[:15]:
        print("%5d  %s  %s" % row)


def main():
    level, texts, faults, checks = read_levels(), {}, [], 0
    for path in tree_files():
        if path.endswith(CODE) or path == "tests/run":
            with open(os.path.join(ROOT, path), encoding="utf-8") as f:
                texts[path] = f.read()
    for path, text in texts.items():
        checks += 1
        faults += check_file(level, path, text)
    faults += check_seeds()
    if "/san" not in BUILD and "/stress" not in BUILD:
        faults += check_state()
    for name in sorted(os.listdir(ROOT)):
        if name not in TOP and not name.startswith("."):
            faults.append("%s: does not belong at the top" % name)
    for fault in faults:
        print(fault)
    if "--stats" in sys.argv:
        print_stats(texts)
    print("%d files checked" % checks)
    return 1 if faults else 0


sys.exit(main())
