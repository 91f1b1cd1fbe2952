#!/usr/bin/env python3
"""Whole-process times: medians of wall time and processor time with their spread, peak memory, ratios.

usage: run.py [--build=DIR] [--runs=N] [--no-peer] [small|project|scale|corpus|tokens|masks|engine]...

small    one 2 KB prompt, each command
project  1.7 MB of prompts; beside it, in the same minute, baml-cli check on the same prompts as BAML
scale    one file of 1, 10 and 100 MB of each front end: time and memory per byte, against the 1 MB file
corpus   lint of all prompts and diff of all pairs, where ../shared/corpus or SEEDC_CORPUS is there
tokens   MB/s of the encoder of o200k_base, beside the Python packages; needs `make vocabs` (tokens.py; minutes)
masks    time of token masks, beside llguidance; needs `make vocabs` (masks.py)
engine   prefill, decode, depth and batch of the CPU engine, beside llama.cpp; needs `make model peers-llama` (engine.py; minutes)

No time passes or fails; the exit status is 1 when something could not be measured. Inputs are kept in
DIR/bench. Progress goes to standard error, one table a part to standard output.
"""
import glob
import os
import platform
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True
import engine  # noqa: E402
import gen  # noqa: E402
import masks  # noqa: E402
import tokens  # noqa: E402

COLUMNS = "%-42s %9s %19s %9s %8s  %s"
PARTS = ("small", "project", "scale", "corpus", "tokens", "masks", "engine")
SCALE = (("sd", "many prompts", "file", "lint"), ("sd", "many prompts", "file", "build"), ("sd", "one body", "body", "text"),
         ("sd", "one body", "body", "lint"), ("md", "Markdown", "markdown", "text"), ("md", "Markdown", "markdown", "lint"),
         ("json", "messages JSON", "messages", "text"), ("json", "messages JSON", "messages", "lint"),
         ("yaml", "YAML", "yaml", "text"), ("yaml", "YAML", "yaml", "lint"))


class Measured:
    def __init__(self, rows):
        wall = sorted(r[0] / 1000 for r in rows)
        self.n = len(rows)
        self.wall, self.lo, self.hi = statistics.median(wall), wall[0], wall[-1]
        self.cpu = statistics.median((r[1] + r[2]) / 1000 for r in rows)
        self.peak = statistics.median(r[3] for r in rows) * 1024
        self.status = max(r[4] for r in rows)


def facts():
    model = next((line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "?")
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    print("machine: %s, %d processors, %.0f GiB, %s %s; load %.1f" % (
        model, os.cpu_count(), pages / 2**30, platform.system(), platform.release(), os.getloadavg()[0]))


def progress(text):
    print("bench: " + text, file=sys.stderr, flush=True)


class Bench:
    def __init__(self, build, runs, peer):
        self.build, self.runs, self.peer = os.path.abspath(build), runs, peer
        self.seedc = os.path.join(self.build, "seedc")
        self.data = os.path.join(self.build, "bench")
        self.out = os.path.join(self.data, "out.bin")
        self.failed = []
        self.progress = progress
        os.makedirs(self.data, exist_ok=True)

    def make(self, what, name, n_bytes):
        path = os.path.join(self.data, name)
        if not os.path.exists(path):
            progress("writing %s" % name)
            gen.main([what, path + ".part", str(n_bytes)])
            os.rename(path + ".part", path)
        return path

    def measure(self, name, args, runs=None, expect=(0,)):
        """None, and a line in failed, when a run ended in another status than one expected."""
        progress(name)
        r = subprocess.run([os.path.join(self.build, "tool/measure"), str(runs or self.runs)] + args, capture_output=True,
                           text=True)
        rows = [[int(x) for x in line.split()] for line in r.stdout.splitlines()]
        if r.returncode or not rows or any(row[4] not in expect for row in rows):
            self.failed.append("%s: exit %s" % (name, rows[-1][4] if rows else r.returncode))
            print("%-42s not measured" % name, flush=True)
            return None
        return Measured(rows)

    def show(self, name, m, note=""):
        if m:
            print(COLUMNS % (name, "%.2f" % m.wall, "%.2f to %.2f" % (m.lo, m.hi), "%.2f" % m.cpu, "%.1f" % (m.peak / 1e6), note),
                  flush=True)

    def head(self, title):
        print("\n%s\n%s" % (title, COLUMNS % ("", "wall ms", "least to most", "cpu ms", "peak MB", "")), flush=True)

    # ---- parts ----

    def small(self):
        path = self.make("file", "small.sd", 1)
        self.head("small: one prompt of %d bytes, medians of %d runs" % (os.path.getsize(path), max(self.runs, 51)))
        runs = max(self.runs, 51)
        empty = self.measure("/bin/true", ["/bin/true"], runs)
        self.show("/bin/true", empty)
        for name, args, expect in (
                ("--version", ["--version"], (0,)), ("--emit=text", ["--emit=text", path], (0,)), ("lint", ["lint", path], (0,)),
                ("-o out.bin", [path, "-o", self.out], (0,)), ("fmt --check", ["fmt", "--check", path], (0, 1)),
                ("diff (with itself)", ["diff", path, path], (0,))):
            m = self.measure("seedc " + name, [self.seedc] + args, runs, expect)
            self.show("seedc " + name, m, "cpu %.2f ms over an empty process" % (m.cpu - empty.cpu) if m and empty else "")

    def peer_python(self, requirements="requirements.txt"):
        progress("making the peers' virtual environment, on first use")
        r = subprocess.run(["sh", os.path.join(ROOT, "tests/conform/venv.sh"), os.path.join(HERE, requirements)],
                           stdout=subprocess.PIPE, text=True)
        if r.returncode:
            self.failed.append("the peers: their virtual environment could not be made")
        return None if r.returncode else r.stdout.strip()

    def project(self):
        folder = self.make("project", "project", 1_700_000)
        files = [os.path.join(folder, f) for f in os.listdir(folder)]
        python = self.peer_python() if self.peer else None
        self.head("project: %d files, %d bytes, medians of %d runs" % (
            len(files), sum(os.path.getsize(f) for f in files), self.runs))
        ours = self.measure("seedc lint DIR", [self.seedc, "lint", folder])
        self.show("seedc lint DIR", ours)
        self.show("seedc lint --jobs=1 DIR", self.measure("seedc lint --jobs=1 DIR", [self.seedc, "lint", "--jobs=1", folder]))
        if not python:
            return
        baml = self.make("baml", "baml", 1_700_000)
        start = self.measure("python -c 'import baml_py'", [python, "-c", "import baml_py"])
        self.show("python -c 'import baml_py' (its start)", start)
        theirs = self.measure("baml-cli check", [python, os.path.join(os.path.dirname(python), "baml-cli"), "check", "--from",
                                                 os.path.join(baml, "baml_src")])
        again = self.measure("seedc lint DIR, again", [self.seedc, "lint", folder])
        self.show("seedc lint DIR, again", again, "%.2f of the first" % (again.wall / ours.wall) if again and ours else "")
        if theirs and again and start:
            self.show("baml-cli check", theirs, "%.1f times seedc, cpu %.1f times; without its start %.1f, cpu %.1f" % (
                theirs.wall / again.wall, theirs.cpu / again.cpu, (theirs.wall - start.wall) / again.wall,
                (theirs.cpu - start.cpu) / again.cpu))

    def scale(self):
        self.head("scale: ns of processor time and bytes of peak memory per byte of input; ratio to 1 MB")
        args = {"lint": ["lint", "--fail-on=error"], "build": ["-o", self.out], "text": ["--emit=text"]}
        for ext, name, what, how in SCALE:
            first = None
            for mb in (1, 10, 100):
                path = self.make(what, "%s%d.%s" % (what, mb, ext), mb * 1_000_000)
                label = "%s, %s, %d MB" % (name, "seedc " + args[how][0], mb)
                m = self.measure(label, [self.seedc] + args[how] + [path], {1: self.runs, 10: 3, 100: 1}[mb])
                if m:
                    per_byte = m.cpu * 1e6 / os.path.getsize(path)
                    first = first or per_byte
                    self.show(label, m, "%.1f ns/B, ratio %.2f; %.1f B/B" % (
                        per_byte, per_byte / first, m.peak / os.path.getsize(path)))

    def corpus(self):
        corpus = os.environ.get("SEEDC_CORPUS", os.path.join(ROOT, "../shared/corpus"))
        if not os.path.isdir(corpus):
            progress("corpus: left out, there is none")
            return
        self.head("corpus")
        prompts = os.path.join(corpus, "prompts")
        self.show("seedc lint prompts", self.measure("seedc lint prompts", [self.seedc, "lint", prompts], expect=(0, 1)))
        pairs = [(a, a.replace(".old.", ".new.")) for a in sorted(glob.glob(os.path.join(corpus, "pairs/**/*.old.*"), recursive=True))]
        runs = [m for m in (self.measure("diff %s" % os.path.relpath(a, corpus), [self.seedc, "diff", a, b], 1, (0, 1))
                            for a, b in pairs) if m]
        print("seedc diff, %d pairs: %.0f ms in all, cpu %.0f ms; the longest %.1f ms" % (
            len(runs), sum(m.wall for m in runs), sum(m.cpu for m in runs), max((m.wall for m in runs), default=0)))

    def masks(self):
        masks.run(self, self.peer_python("mask_requirements.txt") if self.peer else None)

    def tokens(self):
        tokens.run(self, self.peer_python() if self.peer else None)

    def engine(self):
        engine.run(self)


def main(argv):
    build, runs, peer, parts = os.path.join(ROOT, "build"), 11, True, []
    for arg in argv:
        if arg.startswith("--build="):
            build = arg[8:]
        elif arg.startswith("--runs="):
            runs = int(arg[7:])
        elif arg == "--no-peer":
            peer = False
        elif arg in PARTS:
            parts.append(arg)
        else:
            sys.exit(__doc__.strip())
    bench = Bench(build, runs, peer)
    facts()
    for part in parts or PARTS:
        getattr(bench, part)()
    for line in bench.failed:
        print("not measured: " + line, file=sys.stderr)
    return 1 if bench.failed else 0


sys.exit(main(sys.argv[1:]))
