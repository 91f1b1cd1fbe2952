#!/usr/bin/env python3
"""SARIF 2.1.0: what the schema requires of the parts that we write, and our own promises (columns in UTF-16
units from 1, fingerprints without line numbers, rules by index)."""
import json
import os
import re
import subprocess

SEEDC = os.environ["SEEDC"]
TEXT = "\U0001F600 For ad\u200dmin: Caf\u00c3\u00a9.\n# A\nx\n# A\ny\n<!-- seedc-ignore SD205 -->\n[INSERT X]\n"


def lint(text, name="a b%.md"):
    with open(name, "w", encoding="utf-8") as f:
        f.write(text)
    run = subprocess.run([SEEDC, "lint", "--format=sarif", name], capture_output=True)
    assert run.returncode == 1, run
    return json.loads(run.stdout)


def keys(obj, required, allowed):
    assert set(required) <= set(obj) <= set(required) | set(allowed), sorted(obj)


def check_region(r):
    keys(r, ["startLine", "startColumn", "endLine", "endColumn"], [])
    assert all(isinstance(v, int) and v >= 1 for v in r.values()), r
    assert (r["startLine"], r["startColumn"]) <= (r["endLine"], r["endColumn"]), r


def check_location(x):
    keys(x, ["physicalLocation"], ["message"])
    keys(x["physicalLocation"], ["artifactLocation", "region"], [])
    assert re.fullmatch(r"[A-Za-z0-9/._~!$&'()*+,;=@%-]*", x["physicalLocation"]["artifactLocation"]["uri"])
    check_region(x["physicalLocation"]["region"])


def check_result(r, rules):
    keys(r, ["ruleId", "ruleIndex", "level", "message", "locations", "partialFingerprints"],
         ["relatedLocations", "fixes", "suppressions"])
    assert rules[r["ruleIndex"]]["id"] == r["ruleId"]
    assert r["level"] in ("none", "note", "warning", "error")
    assert r["message"]["text"]
    for x in r["locations"] + r.get("relatedLocations", []):
        check_location(x)
    for fix in r.get("fixes", []):
        keys(fix, ["description", "artifactChanges"], [])
        for change in fix["artifactChanges"]:
            keys(change, ["artifactLocation", "replacements"], [])
            for edit in change["replacements"]:
                keys(edit, ["deletedRegion", "insertedContent"], [])
                check_region(edit["deletedRegion"])


def check_log(log):
    keys(log, ["version", "runs"], ["$schema"])
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    keys(run, ["tool", "results"], ["columnKind"])
    assert run["columnKind"] == "utf16CodeUnits"
    driver = run["tool"]["driver"]
    keys(driver, ["name", "version", "rules"], [])
    ids = [r["id"] for r in driver["rules"]]
    assert len(ids) == len(set(ids))
    for r in driver["rules"]:
        keys(r, ["id", "name", "shortDescription", "fullDescription", "help", "defaultConfiguration"], [])
    for r in run["results"]:
        check_result(r, driver["rules"])
    return run["results"]


results = check_log(lint(TEXT))
by_rule = {r["ruleId"]: r for r in results}
assert sorted(by_rule) == ["SD101", "SD102", "SD202", "SD205"], sorted(by_rule)
# an emoji is two UTF-16 units
assert by_rule["SD102"]["locations"][0]["physicalLocation"]["region"]["startColumn"] == 10
assert by_rule["SD102"]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "a%20b%25.md"
assert by_rule["SD205"]["suppressions"] == [{"kind": "inSource"}]
assert by_rule["SD202"]["relatedLocations"]

# lines above move a finding and leave its fingerprint
moved = check_log(lint("new\n\nlines\n\n" + TEXT))
fingerprints = [sorted(r["partialFingerprints"]["seedc/v1"] for r in x) for x in (results, moved)]
assert fingerprints[0] == fingerprints[1]
assert len(set(fingerprints[0])) == len(fingerprints[0])

print("ok")
