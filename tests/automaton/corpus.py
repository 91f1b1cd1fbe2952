#!/usr/bin/env python3
"""The JSON Schema test groups of the corpus, read byte by byte by the automaton of each schema: handled, refused (by
name) and wrong, by file.

An automaton accepts one spelling of a value: properties in the schema's order, whole numbers without a fraction. So a
valid instance must be accepted in some order of its properties, and an invalid one in none. A group is refused where its
schema is, by import or by the automaton's compiler."""
import glob
import itertools
import json
import os
import subprocess
import sys

CORPUS = os.environ.get("CORPUS")
if not CORPUS:
    print("no corpus")
    sys.exit(77)
TOOL = os.path.join(os.environ["BUILD"], "tool", "automaton_texts")
# These must be handled: fewer would mean that less is held.
HANDLED_AT_LEAST = 212
SPELLINGS_MAX = 3000


def spellings(value):
    """Every order of the members, compact."""
    if isinstance(value, dict):
        for order in itertools.permutations(value):
            for parts in itertools.product(*(list(itertools.islice(spellings(value[k]), 50)) for k in order)):
                yield "{%s}" % ",".join("%s:%s" % (json.dumps(k, ensure_ascii=False), p) for k, p in zip(order, parts))
    elif isinstance(value, list):
        for parts in itertools.product(*(list(itertools.islice(spellings(v), 50)) for v in value)):
            yield "[%s]" % ",".join(parts)
    elif isinstance(value, float):
        if value == int(value) and abs(value) < 1e18:
            yield str(int(value))
        yield json.dumps(value)
    elif type(value) is int:
        yield str(value)
        yield "%d.0" % value
    else:
        yield json.dumps(value, ensure_ascii=False)


def run(groups):
    """The tool's lines for the groups, and which of its texts belong to which test."""
    asked, places = [], []
    for group in groups:
        texts, place = [], []
        for test in group["tests"]:
            some = list(itertools.islice(spellings(test["data"]), SPELLINGS_MAX))
            place.append((len(texts), len(texts) + len(some)))
            texts += some
        asked.append({"schema": group["schema"], "texts": texts})
        places.append(place)
    path = os.path.join(os.environ["SCRATCH"], "asked.json")
    with open(path, "w", encoding="utf-8") as f:
        json.dump(asked, f)
    out = subprocess.run([TOOL, path], check=True, stdout=subprocess.PIPE).stdout.decode("utf-8")
    return [json.loads(line) for line in out.splitlines()], places


def main():
    total = {"handled": 0, "refused": 0, "wrong": 0}
    refusals, sizes = [], []
    print("%-24s %7s %7s %5s" % ("file", "handled", "refused", "wrong"))
    for path in sorted(glob.glob(os.path.join(CORPUS, "json-schema", "*.json"))):
        name = os.path.basename(path)[:-5]
        with open(path, encoding="utf-8") as f:
            groups = json.load(f)
        count = {"handled": 0, "refused": 0, "wrong": 0}
        results, places = run(groups)
        for group, result, place in zip(groups, results, places):
            if "import" in result or "refused" in result:
                # "no value satisfies" is an answer: then every instance must be invalid
                reason = result.get("refused") or result["import"]
                if "no value satisfies" in reason:
                    bad = [t["description"] for t in group["tests"] if t["valid"]]
                    count["wrong" if bad else "handled"] += 1
                else:
                    count["refused"] += 1
                    refusals.append("%s, %s: %s" % (name, group["description"], reason))
                continue
            if "wrong" in result:
                count["wrong"] += 1
                print("  %s: %s" % (group["description"], result["wrong"]))
                continue
            sizes.append((result["states"], result["bytes"]))
            bad = [t for t, (lo, hi) in zip(group["tests"], place) if any(result["reads"][lo:hi]) != t["valid"]]
            count["wrong" if bad else "handled"] += 1
            for t in bad:
                print("  %s, %s: %s is %s\n    %s" % (group["description"], t["description"], json.dumps(t["data"]),
                                                    "refused" if t["valid"] else "accepted", json.dumps(group["schema"])))
        print("%-24s %7d %7d %5d" % (name, count["handled"], count["refused"], count["wrong"]))
        for k, n in count.items():
            total[k] += n
    print("%-24s %7d %7d %5d" % ("all", total["handled"], total["refused"], total["wrong"]))
    sizes.sort()
    print("states: median %d, most %d; bytes: median %d, most %d" % (
        sizes[len(sizes) // 2][0], sizes[-1][0], sorted(b for _, b in sizes)[len(sizes) // 2], max(b for _, b in sizes)))
    print("\n".join(refusals))
    return 1 if total["wrong"] or total["handled"] < HANDLED_AT_LEAST else 0


sys.exit(main())
