#!/usr/bin/env python3
"""Whole-process times: medians of wall, user and system time and peak memory, with ratios.

usage: run.py [--build=DIR] [--runs=N] [--no-peer] [small|project|scale]...

small    one 2 KB prompt, each command
project  1.7 MB of prompts; beside it, in the same minute, baml-cli check on the same prompts as BAML
scale    one file of 1, 10 and 100 MB: time per byte against the first

Nothing here passes or fails: numbers depend on the machine. Inputs are kept in DIR/bench.
"""
import os
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True
import gen  # noqa: E402

COLUMNS = "%-46s %9s %9s %9s %9s  %s"


def measure(build, runs, args):
    """Medians (wall_ms, user_ms, sys_ms, rss_mb) and the exit status."""
    text = subprocess.run([os.path.join(build, "tool/measure"), str(runs)] + args, capture_output=True, text=True,
                          check=True).stdout
    rows = [[int(x) for x in line.split()] for line in text.splitlines()]
    wall, user, system, rss = (statistics.median(r[i] for r in rows) for i in range(4))
    return wall / 1000, user / 1000, system / 1000, rss / 1024, max(r[4] for r in rows)


def show(name, m, note=""):
    wall, user, system, rss, status = m
    if status:
        note = ("exit %d  " % status) + note
    print(COLUMNS % (name, "%.2f" % wall, "%.2f" % user, "%.2f" % system, "%.1f" % rss, note), flush=True)


class Bench:
    def __init__(self, build, runs, peer):
        self.build, self.runs, self.peer = os.path.abspath(build), runs, peer
        self.seedc = os.path.join(self.build, "seedc")
        self.data = os.path.join(self.build, "bench")
        os.makedirs(self.data, exist_ok=True)

    def make(self, what, name, n_bytes):
        path = os.path.join(self.data, name)
        if not os.path.exists(path):
            gen.main([what, path, str(n_bytes)])
        return path

    def run(self, name, args, runs=None, note=""):
        m = measure(self.build, runs or self.runs, args)
        show(name, m, note)
        return m

    def small(self):
        path = self.make("file", "small.sd", 1)
        out = os.path.join(self.data, "small.bin")
        print("one prompt of %d bytes" % os.path.getsize(path))
        empty = self.run("  /bin/true", ["/bin/true"], 51)
        for name, args in (("--version", ["--version"]), ("--emit=text", ["--emit=text", path]), ("lint", ["lint", path]),
                           ("-o small.bin", [path, "-o", out]), ("fmt --check", ["fmt", "--check", path]),
                           ("diff (with itself)", ["diff", path, path])):
            m = measure(self.build, 51, [self.seedc] + args)
            show("  seedc " + name, m, "%.2f ms over an empty process" % (m[0] - empty[0]))

    def project(self):
        folder = self.make("project", "project", 1_700_000)
        n = len(os.listdir(folder))
        size = sum(os.path.getsize(os.path.join(folder, f)) for f in os.listdir(folder))
        print("a project of %d files, %d bytes" % (n, size))
        ours = self.run("  seedc lint DIR", [self.seedc, "lint", folder])
        if not self.peer:
            return
        baml = self.make("baml", "baml", 1_700_000)
        python = subprocess.run(["sh", os.path.join(ROOT, "tests/conform/venv.sh"), os.path.join(HERE, "requirements.txt")],
                                capture_output=True, text=True, check=True).stdout.strip()
        start = self.run("  python -c 'import baml_py' (its start)", [python, "-c", "import baml_py"])
        theirs = measure(self.build, self.runs, [python, os.path.join(os.path.dirname(python), "baml-cli"), "check",
                                                 "--from", os.path.join(baml, "baml_src")])
        again = measure(self.build, self.runs, [self.seedc, "lint", folder])
        show("  baml-cli check", theirs, "%.1f times seedc; %.1f times without its start" % (
            theirs[0] / again[0], (theirs[0] - start[0]) / again[0]))
        show("  seedc lint DIR, again", again, "%.2f of the first" % (again[0] / ours[0]))

    def scale(self):
        for what, ext, args in (("file", "sd", ["lint"]), ("file", "sd", ["-o", os.path.join(self.data, "scale.bin")]),
                                ("body", "sd", ["--emit=text"]), ("markdown", "md", ["--emit=text"]),
                                ("markdown", "md", ["lint"])):
            print("%s, seedc %s FILE" % (what, args[0]))
            first = None
            for mb in (1, 10, 100):
                path = self.make(what, "%s%d.%s" % (what, mb, ext), mb * 1_000_000)
                m = measure(self.build, max(3, self.runs // mb), [self.seedc] + args[:1] + args[1:] + [path])
                per_byte = m[0] * 1e6 / os.path.getsize(path)
                first = first or per_byte
                show("  %3d MB" % mb, m, "%.1f ns a byte, %.2f of the 1 MB file's; %.1f bytes of memory a byte" % (
                    per_byte, per_byte / first, m[3] * 1048576 / os.path.getsize(path)))


def main(argv):
    build, runs, peer, parts = os.path.join(ROOT, "build"), 11, True, []
    for arg in argv:
        if arg.startswith("--build="):
            build = arg[8:]
        elif arg.startswith("--runs="):
            runs = int(arg[7:])
        elif arg == "--no-peer":
            peer = False
        elif arg in ("small", "project", "scale"):
            parts.append(arg)
        else:
            sys.exit(__doc__.strip())
    bench = Bench(build, runs, peer)
    print(COLUMNS % ("medians", "wall ms", "user ms", "sys ms", "peak MB", ""))
    for part in parts or ["small", "project", "scale"]:
        getattr(bench, part)()


main(sys.argv[1:])
