#!/usr/bin/env python3
"""`seedc bench` on a tiny model: every figure is there and positive, whatever is left out is, the instruction set can be
forced, and what cannot be run is said with its exit code."""
import json
import os
import subprocess
import sys

ROOT, SEEDC = os.environ["ROOT"], os.environ["SEEDC"]
sys.path.insert(0, os.path.join(ROOT, "tests/models"))
import tiny  # noqa: E402

faults, count = [], 0


def check(what, ok, got=""):
    global count
    count += 1
    if not ok:
        faults.append("%s: %s" % (what, got))


def bench(*args, **env):
    p = subprocess.run([SEEDC, "bench", *args], capture_output=True, text=True, check=False, env={**os.environ, **env})
    return p.returncode, p.stdout, p.stderr


for arch in ("llama", "bert"):
    with open(arch + ".gguf", "wb") as f:
        f.write(tiny.tiny_gguf(arch, "Q4_1", "Q8_0"))

os.environ["SEEDC_CACHE_DIR"] = os.path.join(os.getcwd(), "cache")
os.environ.pop("SEEDC_MODEL", None)
few = ("--prefill=40", "--decode=4", "--threads=2")
status, out, err = bench("--model", "llama.gguf", *few)
check("text", status == 0 and "prefill" in out and "decode" in out and "GB/s" in out and not err, out + err)

status, out, err = bench("--model", "llama.gguf", *few, "--depth=33", "--batch=3", "--chunk=16", "--kv=int8", "--json")
got = json.loads(out) if status == 0 else {}
check("json", status == 0, err)
for name in ("prefill_tok_s", "decode_tok_s", "read_gb_s", "decode_gb_s", "decode_share"):
    check(name, got.get(name, 0) > 0, out)
for name in ("prefill", "decode"):
    least, most = got.get(name + "_spread", (1, 0))
    check(name + " spread", least <= got.get(name + "_tok_s", 0) <= most, out)
for name, value in (("kv", "int8"), ("batch", 3), ("depth", 33), ("chunk", 16), ("threads", 2)):
    check(name, got.get(name) == value, out)

status, out, err = bench("--model", "llama.gguf", "--decode=0", "--prefill=8", "--json", SEEDC_ISA="portable")
got = json.loads(out) if status == 0 else {}
check("one alone, one set", got.get("isa") == "portable" and "decode_tok_s" not in got and got.get("prefill_tok_s", 0) > 0, out + err)

for args, want, said in (
        (("--model", "llama.gguf", "--kv=f8"), 2, "--kv"),
        (("--model", "llama.gguf", "--batch=0"), 2, "from 1"),
        (("--model", "llama.gguf", "--prefill=-3"), 2, "`-3` is none"),
        (("--model", "llama.gguf", "--batch=9", "--chunk=8"), 2, "--chunk"),
        (("--model", "llama.gguf", "--baseline=1"), 2, "--baseline"),
        (("--model", "none.gguf"), 3, "no such model"),
        (("--model", os.path.join(ROOT, "LICENSE")), 1, "GGUF"),
        (("--model", "bert.gguf"), 1, "encoder"),
        (("--model", "llama.gguf", "--prefill=0", "--decode=0"), 2, "leave nothing to measure"),
        (("--model", "llama.gguf", "--prefill=257"), 2, "the model's context is 256 tokens"),
        (("--model", "llama.gguf", "--depth=200", "--decode=57"), 2, "the model's context is 256 tokens"),
        (("llama.gguf",), 2, "seedc bench --model llama.gguf"),
        ((), 2, "`bench` needs --model FILE, a GGUF: the default model is not there yet")):
    status, out, err = bench(*args)
    check(" ".join(args), status == want and said in err and not out, "%d %s" % (status, err))
status, out, err = bench(*few, "--json", SEEDC_MODEL="llama.gguf")
check("the model that run takes", status == 0 and json.loads(out)["model"] == "llama.gguf", out + err)
status, out, err = bench("--help")
check("help offers what is built", status == 0 and "--depth" in out and "--qps" not in out and "--baseline" not in out, out)
status, out, err = bench("--model", "llama.gguf", SEEDC_ISA="mmx")
check("no such set", status == 1 and "mmx" in err, err)

for fault in faults:
    print(fault)
print("%d passed, %d failed" % (count - len(faults), len(faults)))
sys.exit(len(faults) != 0)
