#!/usr/bin/env python3
"""The JSON Schema test groups of the corpus: handled, refused (by name) and wrong, by file.

A group is handled when import takes its schema. It is wrong when the imported, the exported or the
re-imported schema accepts or rejects a value other than the group says (export is judged by the
jsonschema package too), or when a second export differs from the first."""
import glob
import json
import os
import re
import subprocess
import sys

try:
    import jsonschema
except ImportError:
    print("python3-jsonschema is not installed")
    sys.exit(77)

CORPUS = os.environ.get("CORPUS")
if not CORPUS:
    print("no corpus")
    sys.exit(77)
TOOL = os.path.join(os.environ["BUILD"], "tool", "schema_groups")
# These must be handled: fewer would mean that the subset shrank.
HANDLED_AT_LEAST = 225


def judge(schema, data):
    return jsonschema.Draft202012Validator(schema).is_valid(data)


def faults(result, group):
    want = [t["valid"] for t in group["tests"]]
    for key in "imported", "again":
        if result.get(key) != want:
            yield "%s says %s, not %s" % (key, result.get(key), want)
    try:
        got = [judge(result["export"], t["data"]) for t in group["tests"]]
        if got != want and got == [judge(group["schema"], t["data"]) for t in group["tests"]]:
            got = want  # that judge errs on the original too (old releases do, on [0] and [false])
    except re.error:  # Python's patterns lack \p{…}: that judge cannot say
        got = want
    if got != want:
        yield "jsonschema says %s, not %s" % (got, want)
    if json.dumps(result["export"]) != json.dumps(result["export_again"]):
        yield "the second export differs: %s" % json.dumps(result["export_again"])


def main():
    total = {"handled": 0, "refused": 0, "wrong": 0}
    refusals = []
    print("%-24s %7s %7s %5s" % ("file", "handled", "refused", "wrong"))
    for path in sorted(glob.glob(os.path.join(CORPUS, "json-schema", "*.json"))):
        name = os.path.basename(path)[:-5]
        with open(path, encoding="utf-8") as f:
            groups = json.load(f)
        out = subprocess.run([TOOL, path], check=True, stdout=subprocess.PIPE).stdout.decode("utf-8")
        count = {"handled": 0, "refused": 0, "wrong": 0}
        for line, group in zip(out.split("\n"), groups):
            result = json.loads(line)
            if "refused" in result:
                count["refused"] += 1
                refusals.append("%s, %s: %s" % (name, group["description"], result["refused"]))
                continue
            bad = list(faults(result, group))
            count["wrong" if bad else "handled"] += 1
            for b in bad:
                print("  %s: %s\n    %s" % (group["description"], b, json.dumps(result["export"])))
        print("%-24s %7d %7d %5d" % (name, count["handled"], count["refused"], count["wrong"]))
        for k, n in count.items():
            total[k] += n
    print("%-24s %7d %7d %5d" % ("all", total["handled"], total["refused"], total["wrong"]))
    print("\n".join(refusals))
    return 1 if total["wrong"] or total["handled"] < HANDLED_AT_LEAST else 0


sys.exit(main())
