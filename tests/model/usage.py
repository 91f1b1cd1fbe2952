#!/usr/bin/env python3
"""What the commands that take a model say where something is missing or makes no sense, and which model they take."""
import json
import os
import subprocess
import sys

ROOT, SEEDC = os.environ["ROOT"], os.environ["SEEDC"]
sys.path.insert(0, os.path.join(ROOT, "tests/models"))
import tiny  # noqa: E402

os.environ["SEEDC_CACHE_DIR"] = os.path.join(os.getcwd(), "cache")
os.environ.pop("SEEDC_MODEL", None)
faults = []
count = 0


def check(what, ok, got=""):
    global count
    count += 1
    if not ok:
        faults.append("%s: %s" % (what, got))


def seedc(*args, stdin="", **env):
    p = subprocess.run([SEEDC, *args], capture_output=True, text=True, input=stdin, check=False, env=dict(os.environ, **env))
    return p.returncode, p.stdout, p.stderr


def says(status, want, *args, **more):
    got = seedc(*args, **more)
    check(" ".join(args)[:70], got[0] == status and want in got[2] and not got[1], got)


def write(name, text):
    with open(name, "wb") as f:
        f.write(text if isinstance(text, bytes) else text.encode())


write("tiny.gguf", tiny.tiny_gguf("llama"))
write("p.sd", 'prompt p "x"\ntarget smollm2\nin a: text\nrole @static: %s\nuser: {{a}}\n' % ("rules " * 12))

# ---- build --bake -----------------------------------------------------------------------------------------

says(2, "`--bake` goes with -o FILE.bin", "build", "--bake", "tiny.gguf", "p.sd")
says(2, "`--bake` goes with -o FILE.bin", "build", "--bake", "tiny.gguf", "--emit=text", "p.sd")
says(3, "seedc: none.gguf: no such file or directory\n", "build", "--bake", "none.gguf", "p.sd", "-o", "p.bin")
says(2, "say --target=NAME", "build", "--bake", "tiny.gguf", "p.sd", "-o", "p.bin")
says(2, "the chat template of gpt-4o is not known", "build", "--bake", "tiny.gguf", "--target=gpt-4o", "p.sd", "-o", "p.bin")
with open(os.path.join(ROOT, "runtime/target/smollm2.json"), encoding="utf-8") as f:
    own = json.load(f)
own.update(family="own", default="tiny", models=[{"name": "tiny", "id": "tiny", "window": 256, "max_output": 256}])
os.makedirs("project/targets")
write("project/seedc.yaml", "")
write("project/targets/own.json", json.dumps(own))
write("project/p.sd", 'prompt p "x"\nrole @static: %s\nuser: Go.\n' % ("rules " * 12))
for target in [], ["--target=tiny"]:
    got = seedc("build", "--bake", "tiny.gguf", *target, "project/p.sd", "-o", "own.bin")
    check("baking for a project's own target %s" % target, got == (0, "", "") and '"blocks"' in seedc("inspect", "--json", "own.bin")[1], got)

print("\n".join(faults))
print("%d passed, %d failed" % (count - len(faults), len(faults)))
sys.exit(bool(faults))
