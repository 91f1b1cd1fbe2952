#!/usr/bin/env python3
"""`seedc run` on tiny random models: whatever such a model says under a schema is of it; the same seed is the same
answer for any threads, instruction set and form of the prompt; chains bind replies; what cannot be run is said."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.environ["ROOT"], "tests/models"))
import tiny  # noqa: E402
from steps import check, finish, run, seedc, write  # noqa: E402

os.environ.pop("SEEDC_ISA", None)


write("tiny.gguf", tiny.tiny_gguf("llama"))
write("p.sd", """prompt p "x"
target smollm2
in a: text
role: R.
user: {{a}}
schema S:
  kind: enum(low, high)
  n: int 1..9
  note?: text max 5 char
reply S max 60 tok
""".replace(" max 5 char", ""))
write("text.sd", 'prompt p "x"\ntarget smollm2\nin a: text\nrole: R.\nuser: {{a}}\n')
write("chain.sd", """prompt p "x"
target smollm2
in a: text
role: R.
user: {{a}}
schema S:
  n: int 1..9
stage one reply text max 4 tok: A.
stage two from one: {{one}}.
reply S max 20 tok
!CHAIN[one → two]
""")

# ---- schemas ----------------------------------------------------------------------------------------------

DRAWN = ["--temperature=1", "--set", "a=b"]
seen = set()
for seed in range(12):
    status, out, err = run(*DRAWN, "--seed=%d" % seed, "p.sd")
    try:
        got = json.loads(out)
        ok = got["kind"] in ("low", "high") and 1 <= got["n"] <= 9 and set(got) <= {"kind", "n", "note"}
    except (ValueError, KeyError, TypeError):
        ok = False
    check("a reply under a schema, seed %d" % seed, status == 0 and ok and err == "", (status, out, err))
    seen.add(out)
check("seeds give different replies", len(seen) > 6, seen)
status, out, err = run(*DRAWN, "--no-schema", "--max-tokens=8", "p.sd")
check("loose replies are judged", status == 1 and "not of the schema" in err, (status, out, err))
status, out, err = run("--set", "a=b", "--max-tokens=3", "p.sd")
check("no room for the schema", status == 1 and "leaves no room" in err, (status, out, err))

# ---- one result -------------------------------------------------------------------------------------------

want = run(*DRAWN, "--seed=5", "--max-tokens=40", "text.sd")
check("an answer", want[0] == 0 and want[1] and want[2] == "", want)
for isa in ("portable", "avx2", "avx512"):
    status, out, err = run(*DRAWN, "--seed=5", "--max-tokens=40", "text.sd", SEEDC_ISA=isa)
    check("the answer by " + isa, (status, out) == want[:2] or "does not" in err, (status, out, err))
for threads in "1", "2", "3":
    got = run(*DRAWN, "--seed=5", "--max-tokens=40", "--threads", threads, "text.sd")
    check("the answer by %s threads" % threads, got == want, got)
seedc("text.sd", "-o", "text.bin")
check("the answer of a .bin", run(*DRAWN, "--seed=5", "--max-tokens=40", "text.bin") == want)
seedc("p.sd", "-o", "p.bin")
check("a shipped automaton gives the same", run(*DRAWN, "--seed=3", "p.bin")[1] == run(*DRAWN, "--seed=3", "p.sd")[1])
check("another seed", run(*DRAWN, "--seed=6", "--max-tokens=40", "text.sd")[1] != want[1])
check("greedy is greedy", run(*DRAWN, "--greedy", "--max-tokens=20", "text.sd")[1] == run("--set", "a=b", "--top-k=1",
      "--temperature=2", "--max-tokens=20", "text.sd")[1] != want[1])
for kv in "f16", "int8", "k8v4", "int4":
    got = run("--set", "a=b", "--kv", kv, "--max-tokens=5", "text.sd")
    check("--kv " + kv, got[0] == 0, got)

# ---- chains, JSON, text -----------------------------------------------------------------------------------

status, out, err = run("--json", *DRAWN, "chain.sd")
got = json.loads(out or "{}")
check("a chain", status == 0 and [s["name"] for s in got["stages"]] == ["one", "two"] and got["stages"][0]["reply_tok"] <= 4
      and 1 <= json.loads(got["text"])["n"] <= 9 and got["end"] == "schema" and got["stages"][1]["valid"], (out, err))
check("the last stage's answer alone", run(*DRAWN, "chain.sd")[1] == got["text"] + "\n")
write("raw.txt", "ab")
status, out, err = seedc("run", "--model", "tiny.gguf", "--raw", "raw.txt", "--max-tokens=6", "--ignore-eos", "--json")
got = json.loads(out or "{}")
check("raw", status == 0 and got["stages"][0]["prompt_tok"] == 2 and got["stages"][0]["reply_tok"] == 6 and got["end"] == "length", (out, err))
check("raw of standard input", seedc("run", "--model", "tiny.gguf", "--raw", "-", "--max-tokens=6", "--ignore-eos", "--json", stdin="ab")[1].split(",\"stages")[0]
      == out.split(",\"stages")[0])
whole = run("--set", "a=b", "--max-tokens=12", "--ignore-eos", "text.sd")[1].rstrip("\n")
write("stop.sd", 'prompt p "x"\ntarget smollm2\nin a: text\nset stop [%s]\nrole: R.\nuser: {{a}}\n' % json.dumps(whole[4:6]))
status, out, err = run("--set", "a=b", "--max-tokens=12", "--ignore-eos", "--json", "stop.sd")
check("a stop string", status == 0 and json.loads(out)["end"] == "stop" and json.loads(out)["text"] == whole[:whole.index(whole[4:6])],
      (whole, out, err))
status, out, err = run("--set", "a=b", "--max-tokens=4", "--interactive", "text.sd", stdin="c\n\nd\n")
check("turns", status == 0 and len(out.splitlines()) >= 3, (status, out, err))
LONG = "\n".join("turn %d goes on and on and on" % i for i in range(40)) + "\n"
status, out, err = run("--set", "a=b", "--max-tokens=8", "--ignore-eos", "--interactive", "text.sd", stdin=LONG)
check("a talk that fills the context", status == 1 and "--decay" in err, (status, err))
status, out, err = run("--set", "a=b", "--max-tokens=8", "--ignore-eos", "--interactive", "--decay", "text.sd", stdin=LONG)
check("a talk whose turns leave", status == 0 and "turns have left the talk" in err, (status, err))
check("a rate that is none", run("--set", "a=b", "--interactive", "--decay=7", "text.sd")[0] == 2)
status, out, err = run("--set", "a=b", "--oracle", "--max-tokens=6", "--ignore-eos", "--json", "text.sd")
check("by the reference", status == 0 and json.loads(out)["stages"][0]["reply_tok"] == 6, (status, out, err))
check("the reference keeps f32", run("--set", "a=b", "--oracle", "--kv=f16", "text.sd")[0] == 2)
status, out, err = run("--set", "a=b", "--max-tokens=4", "--stats", "text.sd")
check("stats", status == 0 and err.startswith("model    ") and "\nreply    4 tokens" in err, err)

# ---- caches -----------------------------------------------------------------------------------------------

write("static.sd", 'prompt p "x"\ntarget smollm2\nin a: text\nrole @static: %s\nuser: {{a}}\n' % ("rules " * 12))
seedc("static.sd", "-o", "cold.bin")
status, out, err = seedc("static.sd", "--bake", "tiny.gguf", "--target=smollm2", "-o", "baked.bin")
check("baking", status == 0 and err == "" and os.path.getsize("baked.bin") > os.path.getsize("cold.bin")
      and seedc("dump", "--verify", "baked.bin")[0] == 0, (status, err))


def answer(*args):
    status, out, err = run(*DRAWN, "--max-tokens=20", "--ignore-eos", "--json", *args)
    return (json.loads(out)["stages"][0] if out else {}), err


cold, baked = answer("cold.bin")[0], answer("baked.bin")[0]
check("a baked start computes less and says the same", cold["cached_tok"] == 0 and baked["cached_tok"] >= 32 and baked["text"] == cold["text"],
      (cold, baked))
write("if.sd", 'prompt p "x"\ntarget smollm2\nin a: text\nin more?: text trusted @static\nrole @static:\n  %s\n'
      '  !IF has more\n  Read {{more}} first.\n  !END\n  %s\nuser: {{a}}\n' % ("rules " * 12, "words " * 6))
status, out, err = seedc("if.sd", "--bake", "tiny.gguf", "--target=smollm2", "-o", "if.bin")
check("baking in front of a condition", status == 0 and err == "", (status, err))
for more in [], ["--set", "more=this"]:
    cold_if, baked_if = answer(*more, "if.sd")[0], answer(*more, "if.bin")[0]
    loaded = json.loads(run(*DRAWN, "--json", "--max-tokens=1", *more, "if.bin")[1])["loaded_tok"]
    check("a baked start in front of a condition, %s" % more, baked_if["cached_tok"] == loaded >= 32 and cold_if["cached_tok"] == 0
          and baked_if["text"] == cold_if["text"], (cold_if, baked_if, loaded))
saved = answer("--save-kv", "s.kv", "cold.bin")[0]
loaded, err = answer("--load-kv", "s.kv", "cold.bin")
check("a saved session likewise", saved["text"] == loaded["text"] == cold["text"] and loaded["cached_tok"] >= baked["cached_tok"] and err == "",
      (saved, loaded, err))
stale, err = answer("--kv=f16", "baked.bin")
check("a stale cache is a note", stale["cached_tok"] == 0 and "note: the baked cache of baked.bin is left out: saved in another KV format" in err,
      (stale, err))
with open("s.kv", "rb") as f:
    raw = bytearray(f.read())
raw[len(raw) // 2] ^= 1
write("bad.kv", bytes(raw))
status, out, err = run(*DRAWN, "--load-kv", "bad.kv", "cold.bin")
check("a damaged cache is an error", status == 3 and out == "" and err == "seedc: bad.kv: a saved KV cache that does not match its checksum\n",
      (status, out, err))
status, out, err = run("--plan-only", "--profile=h100", "--json", "--set", "a=b", "static.sd")
plan = json.loads(out or "{}")
check("a plan", status == 0 and plan["prompt_tok"] == cold["prompt_tok"] and plan["static_tok"] == baked["cached_tok"]
      and plan["chunks"][0]["first"] == 0 and not plan["fitted"], (out, err))

# ---- the profile of this machine --------------------------------------------------------------------------

FIT = {"gb_s", "tflop_s", "e_bw", "e_f", "e_attend", "sync_us", "take_ns_kb"}


def plan_of(*args, **env):
    status, out, err = run("--plan-only", "--profile=cpu", "--json", "--set", "a=b", *args, "static.sd", **env)
    return status, json.loads(out or "{}"), err


def fits():
    folder = os.path.join("cache", "fit")
    return sorted(os.path.join(folder, name) for name in os.listdir(folder))


NOTE = "seedc: note: measured this machine with the model in "
status, cpu, err = plan_of()
check("a plan for this machine", status == 0 and cpu["fitted"] and err.startswith(NOTE) and err.endswith("; kept for the next plan\n"), (cpu, err))
check("it has the fields of any plan", set(cpu) == set(plan) and set(cpu["fit"]) == set(plan["fit"]) == FIT, (cpu, plan))
check("times and constants are positive", cpu["first_ms"] > 0 and cpu["token_ms"] > 0
      and all(cpu["fit"][k] > 0 for k in FIT - {"sync_us", "take_ns_kb"}), cpu)
kept = fits()
check("the second plan measures nothing", plan_of() == (0, cpu, "") and len(kept) == 1, kept)
status, out, err = run("--plan-only", "--profile=cpu", "--set", "a=b", "static.sd")
check("in words", status == 0 and out.startswith("profile  cpu: ") and "fitted on this machine" in out and err == "", (out, err))
for what, args, env in ("KV format", ["--kv=f16"], {}), ("threads", ["--threads=3"], {}), ("instruction set", [], {"SEEDC_ISA": "portable"}):
    check("another %s is another fit" % what, plan_of(*args, **env)[2].startswith(NOTE) and plan_of(*args, **env)[2] == "", fits())
check("four fits", len(fits()) == 4, fits())
with open(kept[0], "rb") as f:
    whole = f.read()
with open([f for f in fits() if f not in kept][0], "rb") as f:
    foreign = f.read()
for what, raw in (("cut short", whole[:-9]), ("of another key", foreign), ("empty", b""), ("with a number that is none", whole.replace(b'"e_bw":', b'"e_bw":-')),
                  ("with a name less", whole.replace(b"e_attend", b"e_attent"))):
    write(kept[0], raw)
    check("a fit %s is made anew" % what, plan_of()[2].startswith(NOTE) and plan_of()[2] == "", raw)
check("measuring again", plan_of("--refit")[2].startswith(NOTE) and fits()[0:1] and len(fits()) == 4, fits())
status, got, err = plan_of(SEEDC_CACHE_DIR="raw.txt")
check("no place to keep it", status == 0 and got["fitted"] and "; not kept: " in err, (status, err))

# ---- what is said -----------------------------------------------------------------------------------------

write("bad.gguf", b"GGUF")
for args, status, want in [
    (["run"], 2, "`run` needs a file"),
    (["run", "text.sd"], 2, "the default model is not there yet (`make model`"),
    (["run", "--model", "none.gguf", "text.sd"], 3, "none.gguf: no such model"),
    (["run", "--model", "tiny.gguf", "--set", "a=b", "text.sd"], 2, "say --target=NAME"),
    (["run", "--model", "tiny.gguf", "--target=smolm2", "--set", "a=b", "text.sd"], 2, "did you mean `smollm2`?"),
    (["run", "--model", "tiny.gguf", "--target=gpt-4o", "--set", "a=b", "text.sd"], 2, "the chat template of gpt-4o is not known"),
    (["run", "--model", "tiny.gguf", "--target=smollm2", "text.sd"], 1, "`a` has no value\n  = help: give it: --set a=TEXT"),
    (["run", "--model", "tiny.gguf", "--target=smollm2", "--set", "a=" + "x" * 300, "text.sd"], 1, "tokens, the context takes "),
    (["run", "--model", "tiny.gguf", "--target=smollm2", "--set", "a=b", "none.sd"], 3, "none.sd: no such file"),
    (["run", "--model", "tiny.gguf", "--target=smollm2", "--set", "a=b", "--temperature=hot", "text.sd"], 2, "--temperature takes a number"),
    (["run", "--model", "bad.gguf", "--target=smollm2", "--set", "a=b", "text.sd"], 3, "bad.gguf: "),
    (["run", "--model", "tiny.gguf", "--target=smollm2", "--set", "a=b", "--plan-only", "--profile=a10", "text.sd"], 2, "did you mean `a100`?"),
    (["run", "--kv=seed4", "text.sd"], 2, "for `score` and `bench`"),
    (["run", "--model", "tiny.gguf", "--target=smollm2", "--set", "a=b", "--load-kv", "none.kv", "text.sd"], 3, "none.kv: no such file"),
    (["run", "--model", "tiny.gguf", "--raw", "raw.txt", "text.sd"], 2, "takes no other file"),
]:
    got = seedc(*args)
    check(" ".join(args)[:70], got[0] == status and want in got[2] and not got[1], got)

finish()
