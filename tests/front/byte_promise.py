#!/usr/bin/env python3
"""The byte promise (L6.3, L6.12): for every file of the corpus, `--emit=text` is the source without its front
matter, and so it is again after `import`. The corpus has no BOM, CR or NUL: variants of our own have.

Prints how many files were compared, and how many needed `exact` and `raw`.
"""
import os
import re
import subprocess
import sys

SEEDC, CORPUS = os.environ["SEEDC"], os.environ.get("CORPUS", "")
MARKDOWN = (".md", ".markdown", ".mdc")
KEY = re.compile(rb'(?:[\w.\x80-\xff][\w.\x80-\xff-]*|"[^"\n]*"|\'[^\'\n]*\')[ \t]*:(?:[ \t]|$)')


def front_matter(data):
    """Bytes before the text, by the rule of the language: written a second time, on purpose."""
    lines = re.findall(rb"[^\n]*\n|[^\n]+", data)
    if not lines or lines[0].rstrip(b" \t\n") != b"---":
        return 0
    body = [line for line in lines[1:] if line.strip() and not line.lstrip().startswith(b"#")]
    if not body or not KEY.match(body[0].rstrip(b"\n")):
        return 0
    for i, line in enumerate(lines[1:], 1):
        if line.rstrip(b" \t\n") == b"---":
            i += 1
            while i < len(lines) and not lines[i].strip(b" \t\n"):
                i += 1
            return len(b"".join(lines[:i]))
    return 0


def expected(name, data):
    if data.startswith(b"\xef\xbb\xbf"):
        data = data[3:]
    data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if name.endswith(MARKDOWN):
        data = data[front_matter(data):]
    return data if data.endswith(b"\n") else data + b"\n"


def run(*args):
    return subprocess.run([SEEDC, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)


def files():
    for folder in ("prompts", "pairs"):
        for at, dirs, names in os.walk(os.path.join(CORPUS, folder)):
            dirs.sort()
            for name in sorted(names):
                if name != "index.tsv":
                    yield os.path.join(at, name)


def variants():
    text = b"---\nname: x\n---\n\n# Title\n\nA `{{line}}`.\n  indented\n!IF x\nlast"
    for name, data in (("bom", b"\xef\xbb\xbf" + text), ("crlf", text.replace(b"\n", b"\r\n")), ("cr", text.replace(b"\n", b"\r")),
                       ("eol", text + b"\n"), ("eols", text + b"\n\n\n"), ("blank", b"\n\n" + text), ("empty", b""), ("lf", b"\n"),
                       ("tab", b"\tx\n"), ("bom2", b"\xef\xbb\xbf\xef\xbb\xbfx\n"), ("nel", "a\u0085b\u2028c\x0cd\x0be\n".encode())):
        path = "variant_%s.md" % name
        with open(path, "wb") as f:
            f.write(data)
        yield path


class Counts:
    def __init__(self):
        self.same = self.bad = self.exact = self.raw = 0


def check(path, counts):
    with open(path, "rb") as f:
        want = expected(path, f.read())
    first = run("--emit=text", path)
    imported = run("import", path, "-o", "imported.sd")
    again = run("--emit=text", "imported.sd")
    with open("imported.sd", "rb") as f:
        head = re.search(rb"^system([ a-z]*):$", f.read(), re.M).group(1)
    counts.exact += b"exact" in head
    counts.raw += b"raw" in head
    if first.stdout == want and again.stdout == want and not imported.returncode:
        counts.same += 1
    else:
        counts.bad += 1
        print("%s: %s" % (path, "emit" if first.stdout != want else "import"))
        print((first.stderr + imported.stderr + again.stderr).decode()[:600])


def check_nul():
    with open("nul.md", "wb") as f:
        f.write(b"ab\0c\n")
    r = run("--emit=text", "nul.md")
    return r.returncode == 1 and b"nul.md:1:3" in r.stderr and not r.stdout


def main():
    own = Counts()
    for path in variants():
        check(path, own)
    own.bad += not check_nul()
    corpus = Counts()
    if os.path.isdir(os.path.join(CORPUS, "prompts")):
        for path in files():
            check(path, corpus)
        print("corpus: %d files, %d with the same bytes twice; after import %d exact, %d raw"
              % (corpus.same + corpus.bad, corpus.same, corpus.exact, corpus.raw))
    else:
        print("the corpus is not there: only %d files of our own were compared" % (own.same + own.bad))
    return 1 if own.bad or corpus.bad else 0


sys.exit(main())
