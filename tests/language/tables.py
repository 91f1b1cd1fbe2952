#!/usr/bin/env python3
"""L8.1 L8.2 L4.1 L4.13 L4.19 L5.1 L6.6: what docs/language.md lists is what the tables of the sources have, and its
grammar is closed: each symbol it uses is defined, each word it quotes exists, no word is left out."""
import os
import re
import sys

ROOT = os.environ["ROOT"]


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as f:
        return f.read()


def rule(doc, number):
    """The text of one rule, up to the next."""
    return doc.split("**%s**" % number, 1)[1].split("\n**L", 1)[0]


def code_words(text):
    return {word for code in re.findall(r"`([^`]*)`", text) for word in re.findall(r"\w+", code)}


def differ(what, listed, known):
    return ["%s: the page lacks %s" % (what, x) for x in sorted(known - listed)] + \
        ["%s: the sources lack %s" % (what, x) for x in sorted(listed - known)]


def check_grammar(doc, heads, words, directives):
    ebnf = re.search(r"```ebnf\n(.*?)```", doc, re.S).group(1)
    quoted = set(re.findall(r'"([^"\s]+)"', ebnf))
    bare = re.sub(r'"[^"\s]+"', " ", ebnf)
    defined = set(re.findall(r"^(\w+) +=", bare, re.M))
    used = set(re.findall(r"\b[a-z]\w*\b", bare))
    tokens = {"EOL", "STR", "INT", "NUM", "DUR", "NAME", "WORD", "VERSION", "PATH", "PROFILE", "STABILITY", "CMP", "ARROW",
              "TEXT", "BODY", "INLINE", "FIELDS", "DECLS", "END"}
    faults = differ("grammar, symbols", defined | {"file"}, used | {"file"})
    faults += differ("grammar, tokens", set(re.findall(r"\b[A-Z]+\b", bare)), tokens)
    known = heads | words | {"!" + d for d in directives} | {"IF"}
    return faults + differ("grammar, words", {q for q in quoted if re.search(r"\w", q)}, known)


def main():
    doc = read("docs/language.md")
    decl = read("grammar/decl.def")
    heads = set(re.findall(r'^DECL\("(\w+)"', decl, re.M))
    top = set(re.findall(r'^DECL\("(\w+)", \w+, \w+, PLACE_TOP', decl, re.M))
    words = set(re.findall(r'^WORD\("(\w+)"', read("grammar/clause.def"), re.M))
    directives = set(re.findall(r'^DIRECTIVE\("(\w+)"', read("grammar/directive.def"), re.M))
    types = set(re.findall(r'\{ "(\w+)", INPUT_', read("compiler/sema/sema_types.c"))) | {"enum", "map", "null"}
    filters = set(re.findall(r'\{ "(\w+)",', re.search(r"FILTER\[\] = \{(.*?)\};", read("passes/types.c"), re.S).group(1)))
    keys = {k for k in re.findall(r'^\t"?(\w+)"?, "', decl, re.M) if k != "NULL"}

    faults = check_grammar(doc, heads, words, directives)
    listed = {w for row in re.findall(r"^\| (`.*?) \|", rule(doc, "L4.1"), re.M) for w in re.findall(r"`(\w+)", row)}
    faults += differ("L4.1", listed, top)
    listed = {w for row in re.findall(r"^\| (`.*?) \| ", rule(doc, "L4.13"), re.M) for w in code_words(row)}
    faults += ["L4.13: the page lacks %s" % t for t in sorted(types - listed)]
    listed = {w for row in re.findall(r"^\| (`.*?) \|", rule(doc, "L4.19"), re.M) for w in re.findall(r"`(\w+)", row)}
    faults += differ("L4.19", listed, filters)
    faults += differ("L5.1", {w for w in code_words(rule(doc, "L5.1")) if w.isupper()}, directives)
    listed = {w for row in re.findall(r"^\| (`.*?) \|", rule(doc, "L6.6"), re.M) for w in code_words(row)}
    faults += ["L6.6: the page lacks %s" % k for k in sorted(keys - listed)]
    if not (top and words and directives and filters and len(types) > 9 and keys):
        faults.append("a table of the sources was not found")
    print("\n".join(faults) or "the page and the tables agree")
    return 1 if faults else 0


sys.exit(main())
