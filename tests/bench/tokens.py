"""The table of tokenizer speeds: seedc's encoder and the Python packages, o200k_base, one core, all ids in memory.

A part of run.py. Every number is of whole processes that are pinned to one core; programs take turns, the order turned
round in every other round, so that each stands beside the others in the same minute.
"""
import hashlib
import os
import statistics
import subprocess
import sys
from typing import NamedTuple

import token_texts

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "vocabs"))
import fetch  # noqa: E402

RANKS = "o200k_base.tiktoken"
RUNS, WARM, PROMPT_BYTES = 5, 2, 4096
OURS, OURS_2, REFERENCE = "seedc", "seedc, 2 threads", "tiktoken"
PEERS = ("gigatoken", "tokie", "bpe-openai", "tiktoken", "tokenizers")
SLOW = ("tokenizers",)  # about 1 MB/s: once
COLUMNS = "%-38s %9s %19s %9s %12s  %s"


class Text(NamedTuple):
    key: str
    what: str
    path: str
    prompt_bytes: int


class Run(NamedTuple):
    """Nanoseconds (wall, processor) by what was timed."""
    time: dict
    ids: str


def parse(out):
    time, ids = {}, None
    for line in out.splitlines():
        word = line.split()
        if word[0] == "ids":
            ids = word[1] + " " + word[2]
        else:
            time.setdefault(word[0], []).append((int(word[1]), int(word[2])))
    return Run(time, ids)


class Tokens:
    def __init__(self, bench, python):
        """python: of the peers' virtual environment, or None."""
        self.bench, self.python = bench, python
        self.folder = os.path.join(bench.data, "tokens")
        self.cores = sorted(os.sched_getaffinity(0))
        self.runs = {}  # (text's key, program): [Run]
        os.makedirs(self.folder, exist_ok=True)

    # ---- inputs ----

    def text(self, key, what, write, prompt_bytes=0, *args):
        path = os.path.join(self.folder, key + ".txt")
        if not os.path.exists(path):
            self.bench.progress("gathering " + path)
            write(path + ".part", *args)
            os.rename(path + ".part", path)
        return Text(key, what, path, prompt_bytes)

    def texts(self):
        mix = self.text("mix", "(a) prose and code", token_texts.write_mix)
        yield mix
        yield self.text("prompts", "(b) prompts of 4 KB", token_texts.write_prompts, PROMPT_BYTES, mix.path)
        yield self.text("manuals", "(c) Chinese and Japanese", token_texts.write_manuals)

    def prepare(self):
        ranks = os.path.join(fetch.cache_folder(), RANKS)
        if not os.path.exists(ranks):
            raise OSError("%s is not there: run `make vocabs`" % ranks)
        subprocess.run([self.bench.seedc, "vocab", "add", "o200k_base", ranks], check=True, capture_output=True,
                       env=dict(os.environ, SEEDC_VOCAB_DIR=self.folder))
        if self.python and not os.path.exists(os.path.join(self.folder, "o200k.tkz")):
            self.bench.progress("writing what the peers load")
            subprocess.run([self.python, os.path.join(HERE, "token_peer.py"), "--prepare", ranks, self.folder], check=True)

    # ---- runs ----

    def command(self, program, text):
        tail = [str(text.prompt_bytes), str(1 if program in SLOW else WARM)]
        if program.startswith(OURS):
            threads = 2 if program == OURS_2 else 1
            return threads, [os.path.join(self.bench.build, "tool/token_speed"), os.path.join(self.folder, "o200k_base.vocab"),
                             text.path, str(threads)] + tail
        return 1, [self.python, os.path.join(HERE, "token_peer.py"), program, self.folder, text.path] + tail

    def run(self, program, text):
        threads, command = self.command(program, text)
        cores = ",".join(str(c) for c in self.cores[-threads:])
        r = subprocess.run(["taskset", "-c", cores] + command, capture_output=True, text=True,
                           env=dict(os.environ, RAYON_NUM_THREADS="1", TOKENIZERS_PARALLELISM="false"))
        if r.returncode:
            self.bench.failed.append("tokens, %s, %s: %s" % (text.what, program, (r.stderr.strip().splitlines() or ["?"])[-1]))
            return
        self.runs.setdefault((text.key, program), []).append(parse(r.stdout))

    def programs(self, text):
        two = [OURS_2] if text.key == "mix" and len(self.cores) > 1 else []
        return [OURS] + two + list(PEERS if self.python else ())

    def measure(self, texts):
        for i in range(RUNS):
            for text in texts:
                self.bench.progress("tokens, round %d of %d, %s" % (i + 1, RUNS, text.what))
                programs = self.programs(text)
                for program in programs[::-1] if i % 2 else programs:
                    if not i or program not in SLOW:
                        self.run(program, text)

    # ---- the table ----

    def times(self, text, program, names):
        """[(wall, processor)] of each process: the sum over the names of the median of what it timed so."""
        out = []
        for run in self.runs.get((text.key, program), ()):
            if all(n in run.time for n in names):
                out.append(tuple(sum(statistics.median(t[i] for t in run.time[n]) for n in names) for i in (0, 1)))
        return out

    def note(self, text, program, n):
        runs, said = self.runs[text.key, program], []
        reference = self.runs.get((text.key, REFERENCE), [None])[0]
        if reference and program != REFERENCE:
            said.append("ids of tiktoken" if all(r.ids == reference.ids for r in runs) else "NOT the ids of tiktoken: %s, %s" % (
                runs[0].ids.split()[0], reference.ids.split()[0]))
        if n != RUNS:
            said.append("%d run" % n)
        return "; ".join(said)

    def rows(self, title, text, names, kept=False):
        """One line a program; kept: once more, where the ids' memory was touched before."""
        n_byte = os.path.getsize(text.path)
        shown = [(p, p, names) for p in self.programs(text)]
        if kept:
            shown += [(p, p + ", own memory", ["kept"]) for p in self.programs(text) if p.startswith(OURS)]
        base = self.times(text, "gigatoken", names)
        base = statistics.median(t[0] for t in base) if base else 0
        print(title)
        for program, label, what in sorted(shown, key=lambda s: not s[1].startswith(OURS)):
            times = self.times(text, program, what)
            if not times:
                print("  %-36s not measured" % label)
                continue
            speed = sorted(n_byte * 1e3 / t[0] for t in times)
            wall = statistics.median(t[0] for t in times)
            cpu = statistics.median(n_byte * 1e3 / t[1] for t in times)
            print(COLUMNS % ("  " + label, "%.1f" % (n_byte * 1e3 / wall), "%.1f to %.1f" % (speed[0], speed[-1]), "%.1f" % cpu,
                             "%.2f" % (base / wall) if base else "", self.note(text, program, len(times))))

    def load_rows(self, texts):
        print("load, from open to the first id (all processes of the above), ms")
        for program in [OURS] + list(PEERS if self.python else ()):
            times = sorted(t for text in texts for t in self.times(text, program, ["load"]))
            if times:
                wall = [t[0] / 1e6 for t in times]
                print(COLUMNS % ("  " + program, "%.2f" % statistics.median(wall), "%.2f to %.2f" % (wall[0], wall[-1]),
                                 "%.2f" % statistics.median(t[1] / 1e6 for t in times), "", "%d runs" % len(wall)))

    def two_threads(self, text):
        for what, name in (("warm", "warm"), ("kept", "warm, own memory")):
            one, two = self.times(text, OURS, [what]), self.times(text, OURS_2, [what])
            if one and two:
                print("two threads, %s: %.2f of one" % (name, statistics.median(t[0] for t in one) / statistics.median(t[0] for t in two)))

    def show(self, texts):
        print("\ntokens: o200k_base, one core, ids in memory; medians of %d processes, MB/s" % RUNS)
        for t in texts:
            with open(t.path, "rb") as f:
                data = f.read()
            print("%s: %d bytes, sha256 %s" % (t.what, len(data), hashlib.sha256(data).hexdigest()[:16]))
        print(COLUMNS % ("", "wall", "least to most", "cpu", "x gigatoken", ""))
        for t in texts:
            if t.prompt_bytes:
                self.rows(t.what + ", fresh process, load included", t, ["load", "first"])
            else:
                self.rows(t.what + ", first pass in a fresh process", t, ["first"])
            self.rows(t.what + ", warm", t, ["warm"], kept=True)
        self.load_rows(texts)
        self.two_threads(texts[0])
        sys.stdout.flush()


def run(bench, python):
    try:
        t = Tokens(bench, python)
        t.prepare()
        texts = list(t.texts())
    except (OSError, subprocess.CalledProcessError) as e:
        bench.failed.append("tokens: %s" % e)
        return
    t.measure(texts)
    t.show(texts)
