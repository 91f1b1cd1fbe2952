#!/usr/bin/env python3
"""What the commands that take a model say where something is missing or makes no sense, and which model they take."""
import json
import os
import subprocess
import sys

ROOT, SEEDC = os.environ["ROOT"], os.environ["SEEDC"]
sys.path.insert(0, os.path.join(ROOT, "tests/models"))
import tiny  # noqa: E402
from steps import check, finish, seedc, write  # noqa: E402



def says(status, want, *args, **more):
    got = seedc(*args, **more)
    check(" ".join(args)[:70], got[0] == status and want in got[2] and not got[1], got)


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

# ---- run --plan-only --------------------------------------------------------------------------------------

write("chain.sd", """prompt p "x"
target smollm2
in a: text
role @static: %s
user: {{a}}
stage one reply text max 4 tok: Answer the first of the two.
stage two from one: {{one}}. Then the other, {{one}}.
reply text max 20 tok
!CHAIN[one \u2192 two]
""" % ("rules " * 12))
RUN = ["run", "--model", "tiny.gguf", "--target=smollm2"]
PLAN = [*RUN, "--plan-only"]
status, out, err = seedc(*PLAN, "--profile=h100", "--json", "--set", "a=b", "chain.sd")
plan = json.loads(out or "{}")
status, out, err = seedc(*RUN, "--json", "--ignore-eos", "--set", "a=b", "chain.sd")
ran = json.loads(out or "{}")
check("each stage of a chain is planned", [s["name"] for s in plan["stages"]] == ["one", "two"] and "prompt_tok" not in plan, plan)
check("the first as it runs", plan["stages"][0]["prompt_tok"] == ran["stages"][0]["prompt_tok"] and plan["stages"][0]["earlier_tok"] == 0, (plan, ran))
check("what is in the cache", plan["stages"][1]["chunks"][0]["first"] == ran["stages"][1]["cached_tok"] >= 32, (plan, ran))
check("an earlier reply as long as it may get", plan["stages"][1]["earlier_tok"] == 2 * 4
      and abs(plan["stages"][1]["prompt_tok"] - ran["stages"][1]["prompt_tok"]) <= 8, (plan, ran))
status, out, err = seedc(*PLAN, "--profile=h100", "--set", "a=b", "chain.sd")
check("in words", status == 0 and err == "" and out.count("\nstage    one\n") == out.count("\nstage    two\n") == 1 and out.count("\nprompt   ") == 2
      and out.count(" from the cache, 8 of earlier replies\n") == 1 and out.count("profile  h100") == 1, (out, err))
given = json.loads(seedc(*PLAN, "--profile=h100", "--json", "--set", "a=b", "--set", "one=:", "chain.sd")[1] or "{}")
check("a stage that is given is not planned", [(s["name"], s["earlier_tok"]) for s in given["stages"]] == [("two", 0)], given)
says(1, "every stage is given", *PLAN, "--profile=h100", "--set", "a=b", "--set", "one=:", "--set", "two=:", "chain.sd")
status, out, err = seedc(*PLAN, "--profile=h100", "--json", "p.sd")
check("what has no value is said", status == 0 and err == "warning: `a` has no value: the plan counts it as empty\n", err)
none, some = (json.loads(seedc(*PLAN, "--profile=h100", "--json", *args, "p.sd")[1])["prompt_tok"] for args in ([], ["--set", "a=:"]))
check("and counts as empty", some - none == 1, (some, none))
status, out, err = seedc(*PLAN, "--json", "--set", "a=b", "p.sd")
check("this machine by default", status == 0 and json.loads(out)["profile"] == "cpu" and "measured this machine" in err, (out, err))
end, terminal = os.openpty()
p = subprocess.run([SEEDC, *PLAN, "--refit", "--set", "a=b", "p.sd"], stdout=subprocess.PIPE, stderr=terminal, check=False)
os.close(terminal)
shown = os.read(end, 4096).decode()
check("measuring shows itself", p.returncode == 0 and shown.startswith("measuring this machine with the model, once\r\x1b[K"), shown)

# ---- values -----------------------------------------------------------------------------------------------

want = seedc(*RUN, "--max-tokens=4", "--ignore-eos", "--set", "a=b", "p.sd")
check("a value of standard input", seedc(*RUN, "--max-tokens=4", "--ignore-eos", "--set", "a=@-", "p.sd", stdin="b") == want and want[0] == 0, want)
says(2, "`a` is set twice", *RUN, "--set", "a=b", "--set", "a=c", "p.sd")
says(2, "can be read once", *RUN, "--set", "a=@-", "--set", "b=@-", "p.sd")
says(2, "can be read once", "score", "--model", "tiny.gguf", "--given", "@-", "-")

finish()
