"""The table of masks: seedc's automata and llguidance, SmolLM2's vocabulary, one core. A part of run.py.

Two sets: the triage schema of docs/language.md with three replies, and the schemas of the corpus with their valid instances.
Times are of the thread, so that a loaded machine shows less. Both programs run in turn, three times; all samples count.
"""
import glob
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "vocabs"))
import fetch  # noqa: E402

ROUNDS, RUNS = 3, 11
WHAT = (("trie", "vocabulary"), ("compile", "schema compiled"), ("open", "automaton opened"), ("cold", "mask, first time"),
        ("warm", "mask, again"))
TRIAGE = {"type": "object", "properties": {
    "severity": {"enum": ["low", "high", "critical"], "description": "how bad for the customer"},
    "owner": {"type": "string", "description": "team, when it is clear"},
    "quotes": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 3}},
    "required": ["severity", "quotes"], "additionalProperties": False}
REPLIES = [
    {"severity": "high", "owner": "Shipping team", "quotes": ["My parcel never came!!", "I have waited for three weeks, and nobody answers."]},
    {"severity": "low", "quotes": ["It works, but the button is a bit hard to find on my phone."]},
    {"severity": "critical", "owner": "Payments", "quotes": ["You charged me twice \"again\"", "I want my money back", "Since 2026-10-01!"]}]


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def corpus_groups():
    folder = os.path.join(os.environ.get("SEEDC_CORPUS", os.path.join(HERE, "../../../shared/corpus")), "json-schema")
    for path in sorted(glob.glob(os.path.join(folder, "*.json"))):
        with open(path, encoding="utf-8") as f:
            for g in json.load(f):
                yield {"schema": g["schema"], "texts": [compact(t["data"]) for t in g["tests"] if t["valid"]]}


def samples(out, into):
    for line in out.splitlines():
        what, n = line.split()
        into.setdefault(what, []).append(int(n))


def show(title, of):
    print(title)
    for key, what in WHAT:
        for program in of:
            t = sorted(of[program].get(key, ()))
            if t:
                print("  %-18s %-12s %8d  p50 %9.2f  p90 %9.2f  p99 %9.2f  most %9.2f" % (
                    what, program, len(t), t[len(t) // 2] / 1e3, t[len(t) * 9 // 10] / 1e3, t[len(t) * 99 // 100] / 1e3, t[-1] / 1e3))
    print("  schemas left out: %s" % ", ".join("%s %d" % (p, of[p]["left"][0]) for p in of if "left" in of[p]), flush=True)


class Masks:
    def __init__(self, bench, python):
        self.bench, self.python = bench, python
        self.folder = os.path.join(bench.data, "masks")
        self.core = str(sorted(os.sched_getaffinity(0))[-1])
        os.makedirs(self.folder, exist_ok=True)

    def prepare(self):
        gguf = os.path.join(fetch.cache_folder(), "smollm2.gguf")
        if not os.path.exists(gguf):
            raise OSError("%s is not there: run `make vocabs`" % gguf)
        subprocess.run([self.bench.seedc, "vocab", "add", "smollm2", gguf], check=True, capture_output=True,
                       env=dict(os.environ, SEEDC_VOCAB_DIR=self.folder))

    def run(self, args):
        return subprocess.run(["taskset", "-c", self.core] + args, check=True, capture_output=True, text=True).stdout

    def measure(self, name, title, groups):
        path, peer = (os.path.join(self.folder, name + end) for end in (".json", ".peer.json"))
        with open(path, "w", encoding="utf-8") as f:
            json.dump(groups, f)
        of = {"seedc": {}, "llguidance": {}}
        for i in range(ROUNDS):
            self.bench.progress("masks, %s, round %d of %d" % (name, i + 1, ROUNDS))
            samples(self.run([os.path.join(self.bench.build, "tool/automaton_speed"), os.path.join(self.folder, "smollm2.vocab"), path,
                              str(RUNS), peer]), of["seedc"])
            if self.python:
                samples(self.run([self.python, os.path.join(HERE, "mask_peer.py"), peer, str(RUNS)]), of["llguidance"])
        show(title, {p: t for p, t in of.items() if t})


def run(bench, python):
    print("\nmasks: SmolLM2, 49,152 tokens; microseconds of the thread, samples of %d rounds" % ROUNDS)
    try:
        m = Masks(bench, python)
        m.prepare()
        m.measure("triage", "triage schema, 3 replies", [{"schema": TRIAGE, "texts": [compact(r) for r in REPLIES]}])
        groups = list(corpus_groups())
        if groups:
            m.measure("corpus", "corpus, %d schemas" % len(groups), groups)
    except (OSError, subprocess.CalledProcessError) as e:
        bench.failed.append("masks: %s" % e)
