"""The table of the CPU engine: `seedc bench` and llama.cpp's own benchmarks on the same GGUF, in turns. A part of run.py.

Each round runs both programs once for every row; a figure is the median of the rounds' figures, with the least and the most.
llama.cpp runs with flash attention on and off, and the better of the two medians counts. `busy` runs seedc once more beside
one process that never rests. The model is the default one of `seedc run`; llama.cpp is that of `make peers-llama`.
"""
import collections
import json
import os
import statistics
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
ROUNDS, PREFILL, DECODE, DEPTH, BATCH = 5, 512, 64, 2048, 8
MODEL = os.path.join(os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache")), "seedc/models/smollm2.gguf")


def run_json(args):
    return json.loads(subprocess.run(args, check=True, capture_output=True, text=True).stdout.strip())


class Seedc:
    def __init__(self, bench, threads):
        self.base = [bench.seedc, "bench", "--model", MODEL, "--json", "--threads", str(threads)]

    def short(self):
        got = run_json(self.base + ["--kv=f16", "--prefill", str(PREFILL), "--decode", str(DECODE)])
        yield "prefill %d" % PREFILL, got["prefill_tok_s"]
        yield "decode %d" % DECODE, got["decode_tok_s"]
        yield "share of bandwidth", 100 * got["decode_share"]

    def deep(self, kv):
        got = run_json(self.base + ["--kv=" + kv, "--prefill=0", "--decode", str(DECODE), "--depth", str(DEPTH)])
        yield "decode at %d" % DEPTH, got["decode_tok_s"]

    def batch(self):
        got = run_json(self.base + ["--kv=f16", "--prefill=0", "--depth=128", "--decode", str(DECODE), "--batch", str(BATCH)])
        yield "batch %d in all" % BATCH, got["decode_tok_s"]

    def rows(self):
        yield from (("f16", *row) for row in self.short())
        yield from (("f16", *row) for row in self.deep("f16"))
        yield from (("k8v4", *row) for row in self.deep("k8v4"))
        yield from (("f16", *row) for row in self.batch())


class Llama:
    def __init__(self, folder, threads):
        self.folder, self.threads = folder, str(threads)

    def bench(self, fa, *args):
        rows = run_json([os.path.join(self.folder, "llama-bench"), "-m", MODEL, "-t", self.threads, "-fa", fa, "-r", "1", "-o", "json", *args])
        return [row["avg_ts"] for row in rows]

    def batch(self, fa):
        out = subprocess.run([os.path.join(self.folder, "llama-batched-bench"), "-m", MODEL, "-t", self.threads, "-fa", "on" if fa == "1" else "off",
                              "-c", "4096", "-npp", "128", "-ntg", str(DECODE), "-npl", str(BATCH), "--output-format", "jsonl"],
                             check=True, capture_output=True, text=True).stdout
        return json.loads(next(line for line in out.splitlines() if line.startswith("{")))["speed_tg"]

    def rows(self):
        for fa in ("0", "1"):
            prefill, decode = self.bench(fa, "-p", str(PREFILL), "-n", str(DECODE))
            yield fa, "prefill %d" % PREFILL, prefill
            yield fa, "decode %d" % DECODE, decode
            yield fa, "decode at %d" % DEPTH, self.bench(fa, "-p", "0", "-n", str(DECODE), "-d", str(DEPTH))[0]
            yield fa, "batch %d in all" % BATCH, self.batch(fa)


def spread(v):
    return "%.0f (%.0f to %.0f)" % (statistics.median(v), min(v), max(v))


def measure(bench, threads, llama):
    ours, theirs = collections.OrderedDict(), {}
    for i in range(ROUNDS):
        bench.progress("engine, %d thread%s, round %d of %d" % (threads, "s" * (threads > 1), i + 1, ROUNDS))
        for kv, what, speed in Seedc(bench, threads).rows():
            ours.setdefault((what, kv), []).append(speed)
        for fa, what, speed in Llama(llama, threads).rows() if llama else ():
            theirs.setdefault(what, {}).setdefault(fa, []).append(speed)
    return ours, theirs


def show(threads, ours, theirs):
    print("  %d thread%s\n  %-22s %-5s %24s %30s %7s" % (threads, "s" * (threads > 1), "", "cache", "seedc", "llama.cpp", "ratio"))
    for (what, kv), mine in ours.items():
        best = max(theirs.get(what, {}).items(), key=lambda of: statistics.median(of[1]), default=None)
        print("  %-22s %-5s %24s %30s %7s" % (what, kv, spread(mine), "%s -fa %s" % (spread(best[1]), best[0]) if best else "",
                                              "%.2f" % (statistics.median(mine) / statistics.median(best[1])) if best else ""), flush=True)


def show_busy(bench, threads):
    """In turns alone and beside a neighbour."""
    alone, beside = [], []
    for _ in range(ROUNDS):
        alone.append(dict(Seedc(bench, threads).short()))
        neighbour = subprocess.Popen(["taskset", "-c", str(min(os.sched_getaffinity(0))), "sh", "-c", "while :; do :; done"])
        try:
            beside.append(dict(Seedc(bench, threads).short()))
        finally:
            neighbour.kill()
            neighbour.wait()
    for what in ("prefill %d" % PREFILL, "decode %d" % DECODE):
        a, b = ([r[what] for r in of] for of in (alone, beside))
        print("  %-22s alone %s, beside a busy neighbour %s: %.2f times slower" % (what, spread(a), spread(b), statistics.median(a) / statistics.median(b)),
              flush=True)


def llama_folder(bench):
    path = os.path.join(bench.build, "peers/folder")
    if not bench.peer or not os.path.exists(path):
        bench.progress("engine: no llama.cpp beside it; `make peers-llama` builds one")
        return None
    with open(path, encoding="utf-8") as f:
        return f.read().strip()


def run(bench):
    print("\nengine: %s; tokens a second, medians of %d rounds (least to most)" % (os.path.basename(MODEL), ROUNDS), flush=True)
    try:
        llama = llama_folder(bench)
        for threads in (1, 2):
            show(threads, *measure(bench, threads, llama))
        show_busy(bench, 2)
    except (OSError, subprocess.CalledProcessError) as e:
        bench.failed.append("engine: %s" % e)
