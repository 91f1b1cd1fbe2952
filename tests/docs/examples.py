#!/usr/bin/env python3
"""Runs the examples of README.md and docs/*.md, each document in one fresh folder, top to bottom.

A fence whose info string names a file after the language (```sd triage.sd) writes that file (>>triage.sd adds to it);
a fence of four backticks may hold one of three. In a fence ```sh each line that starts with `$ ` is run by sh, and what
follows, up to the next one, is its whole output (standard error too); such a line in any other fence is a fault. A line
of output that is only `...` stands for any number of lines. A fence ```seed is a whole file of the language and must
have no errors; a fence ```text directly behind it is what it sends (`--emit=text`), a fence ```messages all that is
wrong with it. BLESS=1 rewrites the outputs that differ. A document whose commands need a program that is not installed
is skipped by name.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.environ["ROOT"]
FENCE = re.compile(r"^(```+)(\w*)(?: (\S+))?$")


def fences(lines):
    """(index of the first inner line, language, file name, inner lines) of each fence."""
    inner, start, head = [], 0, None
    for i, line in enumerate(lines):
        if head is None:
            head = FENCE.match(line)
            start, inner = i + 1, []
        elif line == head[1]:
            yield start, head[2], head[3], inner
            head = None
        else:
            inner.append(line)


def commands(lines):
    """(index, command, expected lines) of each command of a sh fence."""
    out = []
    for i, line in enumerate(lines):
        if line.startswith("$ "):
            out.append((i, line[2:], []))
        elif out:
            out[-1][2].append(line)
    return out


def seed_check(name, lines, start, n_inner, following):
    """(index, command, expected lines; None: nothing) of a seed fence and the output fence that follows it."""
    report = f"seedc lint --format=concise {name} | grep "
    if following and not "".join(lines[start + n_inner + 1:following[0] - 1]).strip():
        at, language, _, want = following
        if language == "text":
            return at - 1, f"seedc --emit=text {name} 2>err || cat err", list(want)
        if language == "messages":
            return at - 1, report + "-e error.SD -e warning.SD", list(want)
    return start - 1, report + "error.SD", None


def matches(want, got):
    if not want:
        return not got
    if want[0] == "...":
        return any(matches(want[1:], got[i:]) for i in range(len(got) + 1))
    return bool(got) and want[0].rstrip() == got[0].rstrip() and matches(want[1:], got[1:])


def run(command, folder, env):
    done = subprocess.run(["sh", "-c", command], cwd=folder, env=env, timeout=120, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    text = done.stdout.decode("utf-8", "replace").rstrip("\n")
    return text.split("\n") if text else []


def lacking(path):
    """A program that the document's commands start with and that is not installed, if any."""
    with open(path, encoding="utf-8") as f:
        starts = re.findall(r"(?m)^\$ (git|pre-commit) ", f.read())
    return next((x for x in starts if not shutil.which(x)), None)


def check(path, folder, env):
    """Runs one document; with BLESS set, its outputs become what came out."""
    with open(path, encoding="utf-8") as f:
        lines = f.read().split("\n")
    passed, failed, wrong = 0, 0, []
    found = list(fences(lines))
    for (start, language, name, inner), following in zip(found, found[1:] + [None]):
        if language == "seed" and not name:
            name = "example.sd"
        if name:
            appends, target = name.startswith(">>"), os.path.join(folder, name.removeprefix(">>"))
            os.makedirs(os.path.dirname(target), exist_ok=True)
            with open(target, "a" if appends else "w", encoding="utf-8") as f:
                f.write("\n".join(inner) + "\n")
        runs = [(start + i, command, want) for i, command, want in commands(inner)] if not name else []
        if language == "seed":
            runs = [seed_check(name.removeprefix(">>"), lines, start, len(inner), following)]
        for at, command, want in runs:
            if language not in ("sh", "seed"):
                print(f"{os.path.relpath(path, ROOT)}:{at + 1}: a command in a fence that is not ```sh")
                failed += 1
                continue
            got = run(command, folder, env)
            may_bless, want = want is not None, want or []
            n_want = len(want)
            while want and want[-1] == "":
                want.pop()
            if matches(want, got):
                passed += 1
                continue
            failed += 1
            if may_bless:
                wrong.append((at, n_want, got, n_want - len(want)))
            print(f"{os.path.relpath(path, ROOT)}:{at + 1}: $ {command}")
            print("  wanted:", *want, sep="\n    ")
            print("  got:", *got, sep="\n    ")
    if os.environ.get("BLESS"):
        for at, n_want, got, n_blank in reversed(wrong):
            lines[at + 1:at + 1 + n_want] = got + [""] * n_blank
        with open(path, "w", encoding="utf-8") as f:
            f.write("\n".join(lines))
    return passed, failed


def main():
    bin_dir = tempfile.mkdtemp()
    os.symlink(os.environ["SEEDC"], os.path.join(bin_dir, "seedc"))
    env = dict(os.environ, PATH=bin_dir + ":" + os.environ["PATH"], NO_COLOR="1", LC_ALL="C.UTF-8", PRE_COMMIT_HOME=bin_dir,
               GIT_CONFIG_GLOBAL="/dev/null", GIT_AUTHOR_NAME="A", GIT_AUTHOR_EMAIL="a@example.com",
               GIT_COMMITTER_NAME="A", GIT_COMMITTER_EMAIL="a@example.com",
               GIT_AUTHOR_DATE="2026-01-05T00:00:00Z", GIT_COMMITTER_DATE="2026-01-05T00:00:00Z")
    passed = failed = skipped = 0
    for path in sys.argv[1:] or [os.path.join(ROOT, "README.md")] + sorted(glob.glob(os.path.join(ROOT, "docs/*.md"))):
        if lacking(path):
            print(f"skipped {os.path.relpath(path, ROOT)}: no {lacking(path)}")
            skipped += 1
            continue
        folder = tempfile.mkdtemp()
        p, f = check(path, folder, env)
        passed, failed = passed + p, failed + f
        shutil.rmtree(folder)
    shutil.rmtree(bin_dir)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return failed > 0


sys.exit(main())
