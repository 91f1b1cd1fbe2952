#!/usr/bin/env python3
"""`seedc run` on a tiny model whose local layers read 48 tokens: a reply many windows long, prefixes that part early and late,
baked and saved caches, and a prompt longer than eight thousand tokens. What is found says what is computed."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.environ["ROOT"], "tests/models"))
import tiny  # noqa: E402
from steps import check, finish, seedc, write  # noqa: E402

MODEL = ["--model", "window.gguf", "--target=gemma3"]
RULES = " ".join("rule %d says no." % i for i in range(40))
write("window.gguf", tiny.tiny_gguf("gemma3", ctx=16384))
write("rules.sd", 'prompt p "x"\ntarget gemma3\nin a: text\nrole @static: %s\nuser: {{a}}\n' % RULES)
write("chain.sd", 'prompt p "x"\ntarget gemma3\nin a: text\nrole @static: %s\nuser: {{a}}\nstage one:\n  reply max 200 tok\n'
      'stage two:\n  user: Again {{one}}\n  reply max 20 tok\n!CHAIN[one -> two]\n' % RULES)


def answer(*args, n=300, a="b"):
    status, out, err = seedc("run", *MODEL, "--temperature=1", "--seed=5", "--set", "a=" + a, "--max-tokens=%d" % n, "--ignore-eos", "--json", *args)
    check("a run of %s" % (args,), status == 0 and err == "", (status, err))
    return json.loads(out)["stages"] if out else [{}]


for kv in "f16", "k8v4", "int8", "int4":
    cold = answer("--kv=" + kv, "--save-kv=" + kv, "rules.sd")[0]
    check("a long reply, %s" % kv, cold["reply_tok"] == 300 and cold["cached_tok"] == 0, cold)
    again = answer("--load-kv=" + kv, "rules.sd")[0]
    check("found again, %s" % kv, again["text"] == cold["text"] and again["cached_tok"] >= cold["prompt_tok"] - 33, (again, cold))
    other, other_cold = answer("--load-kv=" + kv, "rules.sd", a="quite another")[0], answer("--kv=" + kv, "rules.sd", a="quite another")[0]
    check("another value behind the rules, %s" % kv, other["text"] == other_cold["text"] and other["cached_tok"] >= 256, (other, other_cold))

seedc("rules.sd", "--bake", "window.gguf", "--target=gemma3", "-o", "rules.bin")
baked = answer("rules.bin")[0]
check("a baked start", baked["cached_tok"] >= 256 and baked["text"] == answer("--kv=k8v4", "rules.sd")[0]["text"], baked)
one, two = answer("chain.sd")
check("the second stage finds what it shares with the first", two["cached_tok"] >= 256, (one, two))
for flags in ["--align-check", "--model", "window.gguf"], ["--align-check"]:
    got = seedc("inspect", *flags, "rules.bin")
    check("aligned", got[0] == 0 and "all aligned" in got[1] and "local: K" in got[1] and "file: local K" in got[1], got)
LONG = "many words " * 1000
status, out, err = seedc("run", *MODEL, "--set", "a=" + LONG, "--max-tokens=4", "--ignore-eos", "--stats", "rules.sd")
check("nine thousand tokens", status == 0 and "window   48 tokens in 5 of 6 layers, " in err, (status, err))
finish()
