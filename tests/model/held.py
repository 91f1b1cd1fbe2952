#!/usr/bin/env python3
"""What `seedc run` holds to, on tiny random models: the schema and the max of every turn of a talk, a schema's root whatever
it is, the max of an input, the room of later stages, a stage that is given; what is damaged, forged or of another cache
group is not taken; flags that mean nothing together are refused."""
import hashlib
import json
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.environ["ROOT"], "tests/models"))
import tiny  # noqa: E402
from steps import check, finish, run, seedc, write  # noqa: E402

os.environ["SEEDC_ISA"] = ""  # as good as unset


def prompt(name, more, head=""):
    write(name, 'prompt p "x"\ntarget smollm2\n%sin a: text\nrole: R.\nuser: {{a}}\n%s' % (head, more))


DRAWN = ["--temperature=1", "--set", "a=b"]
write("tiny.gguf", tiny.tiny_gguf("llama"))

# ---- turns ------------------------------------------------------------------------------------------------

prompt("level.sd", "schema S:\n  level: enum(now, today, later)\nreply S max 40 tok\n")
status, out, err = run(*DRAWN, "--interactive", "--json", "level.sd", stdin="c\nd\ne\n")
lines = [json.loads(line) for line in out.splitlines()]
check("four answers, a line each", status == 0 and len(lines) == 4, (status, out, err))
for line in lines:
    check("a turn under the schema", line["stages"][0]["valid"] and json.loads(line["text"])["level"] in ("now", "today", "later"), line)
prompt("short.sd", "reply text max 5 tok\n")
status, out, err = run(*DRAWN, "--interactive", "--json", "--ignore-eos", "--stats", "short.sd", stdin="c\nd\n")
lines = [json.loads(line)["stages"][0] for line in out.splitlines()]
loose = run(*DRAWN, "--interactive", "--no-schema", "--max-tokens=4", "level.sd", stdin="c\nd\n")
check("turns that are not of the schema", loose[0] == 1 and loose[2].count("not of the schema") == 3, loose)
check("turns within the max", [(s["reply_tok"], s["end"]) for s in lines] == [(5, "length")] * 3 and err.count("\nreply    5 tokens") == 3, (out, err))

# ---- ends -------------------------------------------------------------------------------------------------

prompt("words.sd", "schema S:\n  note: text\nreply S max 12 tok\n")
status, out, err = run(*DRAWN, "--json", "words.sd")
got = json.loads(out)
check("a reply that its max closed says so", got["end"] == "length" and got["stages"][0]["valid"] and got["stages"][0]["reply_tok"] <= 12, out)
write("either.json", json.dumps({"anyOf": [{"const": "zzz"}, {"type": "array", "items": {"const": 1}, "minItems": 60}]}))
prompt("either.sd", 'schema V from "either.json"\nreply V\n')
def ended(value, most):
    got = json.loads(run("--set", "a=" + value, "--max-tokens=%d" % most, "--json", "either.sd")[1])
    return got["text"][:1], got["end"]


way = {value: ended(value, 215) for value in "bcdefghijklmnopqrstuvwxyz"}
check("both ways are gone", set(way.values()) == {('"', "schema"), ("[", "schema")}, way)
check("a way that its limit shut", all(ended(v, 110) == ('"', "length" if w[0] == "[" else "schema") for v, w in way.items()), way)
prompt("either.sd", "reply enum(a, ab)\n")
ends = {run("--temperature=3", "--seed=%d" % seed, "--set", "a=b", "--ignore-eos", "either.sd")[:2] for seed in range(8)}
check("a schema ends its reply, --ignore-eos or not", ends == {(0, "a\n"), (0, "ab\n")}, ends)
prompt("stop.sd", "schema S:\n  level: enum(now, today)\nreply S max 40 tok\n", 'set stop ["l"]\n')
status, out, err = run(*DRAWN, "stop.sd")
check("no stop string cuts a schema", status == 0 and "level" in json.loads(out) and "stop strings are left out" in err, (status, out, err))
for flags in (["--top-p=0", "--temperature=1"], ["--temperature=1e-40"]):
    prompt("text.sd", "")
    got = run("--set", "a=b", "--max-tokens=8", "--ignore-eos", *flags, "text.sd")
    check("%s is greedy" % flags, got == run("--set", "a=b", "--max-tokens=8", "--ignore-eos", "text.sd") and got[0] == 0, got)

# ---- roots ------------------------------------------------------------------------------------------------

ROOTS = [
    ({"anyOf": [{"type": "integer", "maximum": 99}, {"type": "array", "items": {"type": "integer"}, "maxItems": 1}]}, lambda x: type(x) in (int, list)),
    ({"type": "string", "pattern": "^[0-9]{3}$"}, lambda x: len(x) == 3 and x.isdigit()),
    ({"type": ["string", "null"], "maxLength": 3}, lambda x: x is None or len(x) <= 3),
    ({"const": "x y"}, lambda x: x == "x y"),
]
for i, (schema, allows) in enumerate(ROOTS):
    write("root.json", json.dumps(schema))
    prompt("root.sd", 'schema V from "root.json"\nreply V max 40 tok\n')
    for seed in range(4):
        status, out, err = run(*DRAWN, "--seed=%d" % seed, "--json", "root.sd")
        stage = json.loads(out)["stages"][0] if out else {}
        check("root %d, seed %d" % (i, seed), status == 0 and stage["valid"] and allows(json.loads(stage["text"])), (status, out, err))
write("false.json", "false")
write("bool.json", json.dumps({"model": "gpt-4o", "messages": [{"role": "user", "content": "Say no."}], "response_format": {
    "type": "json_schema", "json_schema": {"name": "V", "schema": False}}}))
check("nor of a body's", run("--max-tokens=4", "bool.json")[0] == 1, run("--max-tokens=4", "bool.json"))
prompt("false.sd", 'schema V from "false.json"\nreply V max 12 tok\n')
check("nothing is of the schema false", run(*DRAWN, "false.sd")[0] == 1)
write("root.json", json.dumps({"enum": ["u", "v"]}))
write("if.sd", """prompt p "x"
target smollm2
role: R.
user: U.
schema V from "root.json"
stage one reply V: A.
stage two from one:
  !IF one == u
  Yes.
  !ELSE
  No.
  !END
reply text max 4 tok
!CHAIN[one → two]
""")
check("an imported enum in a condition", run("if.sd")[0] == 0, run("if.sd"))
write("if.sd", open("if.sd", encoding="utf-8").read().replace("== u", "== w"))
check("and what it is not", "`w` is not one of V" in run("if.sd")[2], run("if.sd"))
write("body.json", json.dumps({"model": "gpt-4o", "messages": [{"role": "user", "content": "Say no."}], "response_format": {
    "type": "json_schema", "json_schema": {"name": "V", "schema": ROOTS[0][0]}}}))
status, out, err = run("--temperature=1", "--max-tokens=20", "--json", "body.json")
check("the root of a request body's schema", status == 0 and json.loads(out)["stages"][0].get("valid"), (status, out, err))

# ---- inputs and stages ------------------------------------------------------------------------------------

write("max.sd", 'prompt p "x"\ntarget smollm2\nin a: text max 4 tok\nrole: R.\nuser: {{a}}\n')
check("a value within its max", run("--set", "a=abc", "--max-tokens=2", "max.sd")[0] == 0)
status, out, err = run("--set", "a=abcdef", "--max-tokens=2", "max.sd")
check("a value over its max", status == 1 and "value of `a` has 6 tokens, its max is 4" in err, (status, err))
check("a plan likewise", "its max is 4" in run("--set", "a=abcdef", "--plan-only", "--profile=h100", "max.sd")[2])
write("cut.sd", 'prompt p "x"\ntarget smollm2\nin a: text max 4 tok\nrole: R.\nuser: {{a}}\n!CUT[a: tail]\n')
for more in (["--max-tokens=2"], ["--plan-only", "--profile=h100"]):
    status, out, err = run("--set", "a=abcdef", *more, "cut.sd")
    check("a value over its max that may be cut, and is not", status == 0
          and err.count("`a` has 6 tokens, its max is 4: it may be cut, but is sent whole") == 1, (status, out, err))
write("chain.sd", """prompt p "x"
target smollm2
in a: text
role: R.
user: {{a}}
stage one: A.
stage two from one: {{one}}.
reply text max 4 tok
!CHAIN[one → two]
""")
status, out, err = run("--set", "a=b", "--ignore-eos", "--json", "chain.sd")
stages = json.loads(out or "{\"stages\":[]}")["stages"]
check("a stage without a max leaves room, and says so", status == 0 and [s["end"] for s in stages] == ["length", "length"]
      and "stage one: its reply was cut at %d tokens" % stages[0]["reply_tok"] in err, (status, out, err))
status, out, err = run("--set", "a=b", "--set", "one=said", "--json", "chain.sd")
stages = json.loads(out or "{\"stages\":[]}")["stages"]
check("a stage that is given is not run", status == 0 and stages[0] | {"text": "said", "end": "given", "reply_tok": 0} == stages[0]
      and stages[1]["reply_tok"] > 0, (status, out, err))
check("all are given", run("--set", "a=b", "--set", "one=said", "--set", "two=done", "chain.sd") == (0, "done\n", ""))
for flag in "--interactive", "--save-kv=given.kv":
    status, out, err = run("--set", "a=b", "--set", "one=said", "--set", "two=done", flag, "chain.sd")
    check("%s behind what is given" % flag, status == 2 and "the last stage is given" in err, (status, err))
write("typed.sd", """prompt p "x"
target smollm2
in a: text
role: R.
user: {{a}}
schema S:
  n: int 1..9
stage one reply S: A.
stage two from one: {{one.n}}.
reply text max 4 tok
!CHAIN[one → two]
""")
check("a stage that is given under its schema", run("--set", "a=b", "--set", 'one={"n":3}', "typed.sd")[0] == 0, run("--set", "a=b", "--set", 'one={"n":3}', "typed.sd"))
check("and not", run("--set", "a=b", "--set", 'one={"n":30}', "typed.sd")[0] == 1, run("--set", "a=b", "--set", 'one={"n":30}', "typed.sd"))
status, out, err = run("--set", "a=b", "--set", "one=" + "x" * 400, "chain.sd")
check("which prompt is too long", status == 1 and "stage two: the prompt has " in err, (status, err))

# ---- files ------------------------------------------------------------------------------------------------

STATIC = 'prompt p "x"\ntarget smollm2\n%sin a: text\nrole @static: %s\nuser: {{a}}\n'
for name, head in ("plain", ""), ("alpha", "cache alpha slots 0-1\n"), ("beta", "cache beta slots 9-11\n"):
    write(name + ".sd", STATIC % (head, "rules " * 12))
    check("baking " + name, seedc(name + ".sd", "--bake", "tiny.gguf", "--target=smollm2", "-o", name + ".bin")[0] == 0)


def cached(*args):
    status, out, err = run(*DRAWN, "--max-tokens=2", "--json", *args)
    return (json.loads(out)["stages"][0]["cached_tok"] if out else -status), err


check("saving", run(*DRAWN, "--max-tokens=2", "--save-kv=alpha.kv", "alpha.sd")[0] == 0)
check("a group finds its own", cached("--load-kv=alpha.kv", "alpha.sd")[0] >= 32)
for other in "beta.sd", "plain.sd":
    n, err = cached("--load-kv=alpha.kv", other)
    check("another group finds nothing", n == 0 and "saved by another cache group" in err, (n, err))
for name in "plain", "alpha", "beta":
    check("a baked group", cached(name + ".bin")[0] >= 32, cached(name + ".bin"))
seedc("plain.sd", "--bake", "tiny.gguf", "--target=smollm2", "--kv=f16", "-o", "f16.bin")
check("the format is the baked one's", cached("f16.bin")[0] >= 32 and cached("f16.bin")[1] == "", cached("f16.bin"))

with open("alpha.kv", "rb") as f:
    hurt = bytearray(f.read())
hurt[40] ^= 1
write("hurt.kv", bytes(hurt))
check("a head that is damaged is not another model's", "does not match its checksum" in run(*DRAWN, "--load-kv=hurt.kv", "alpha.sd")[2])
with open("plain.bin", "rb") as f:
    whole = f.read()
sound = run(*DRAWN, "--max-tokens=20", "--ignore-eos", "--json", "plain.bin")[1]
hurt = bytearray(whole)
hurt[whole.index(b"rules rules")] ^= 1
write("hurt.bin", bytes(hurt))
status, out, err = run(*DRAWN, "hurt.bin")
check("a damaged .bin", status == 3 and out == "" and "hurt.bin: byte 28: the file is damaged" in err, (status, out, err))
forged = bytearray(whole)
n_section, = struct.unpack_from("<I", whole, 12)
at, = struct.unpack_from("<I", whole, 24)
for i in range(n_section):
    kind, _, off, _, _, n = struct.unpack_from("<IIQQII", whole, at + 32 * i)
    if kind == 131:  # TOKEN_ID
        for k in range(n):
            struct.pack_into("<I", forged, off + 4 * k, 40)
forged[28:32] = bytes(4)
forged[28:32] = hashlib.sha256(bytes(forged)).digest()[:4]
write("forged.bin", bytes(forged))
got = json.loads(run(*DRAWN, "--max-tokens=20", "--ignore-eos", "--json", "forged.bin")[1])
check("ids that do not spell the text are not taken", forged != whole and got["text"] == json.loads(sound)["text"]
      and got["stages"][0]["file_ids"] == 0 < json.loads(sound)["stages"][0]["file_ids"], got)
put_tensor = tiny.Gguf.tensor
for name in "attn_q", "attn_k", "attn_v", "ffn_up":
    tiny.Gguf.tensor = lambda g, n, dims, kind, data: put_tensor(g, n, dims, kind, b"\0\x7e" + data[2:] if n == "blk.0.%s.weight" % name else data)
    write("nan.gguf", tiny.tiny_gguf("llama"))
    for kv in "f16", "k8v4", "int4":
        status, out, err = seedc("run", "--model", "nan.gguf", "--target=smollm2", "--kv", kv, "--set", "a=b", "--max-tokens=4", "text.sd")
        check("a NaN among the weights of %s, %s" % (name, kv), status == 1 and out == "" and "not finite" in err, (status, out, err))
tiny.Gguf.tensor = put_tensor

# ---- flags ------------------------------------------------------------------------------------------------

write("empty", "")
os.makedirs("folder")
write("raw.txt", "ab")
write("short.bin", b"DEEDBIN" + whole[7:])
with open("alpha.kv", "rb") as f:
    write("cut.kv", f.read()[:-64])
for args, want, said in [
    (["--raw", "raw.txt", "--plan-only"], 2, "--raw and --plan-only do not go together"),
    (["--raw", "raw.txt", "--save-kv=x.kv"], 2, "--raw and --save-kv do not go together"),
    (["--raw", "raw.txt", "--target=smollm2"], 2, "--raw and --target do not go together"),
    (["--raw", "empty"], 1, "the text is empty"),
    (["--set", "a=@-", "--interactive", "text.sd"], 2, "`--set a=@-` and `--interactive` both want standard input"),
    (["--set", "a=b", "--load-kv=cut.kv", "text.sd"], 3, "cut.kv: a saved KV cache of another length than it says"),
    (["--set", "a=b", "short.bin"], 3, "short.bin: byte 0: "),
    (["--set", "a=b", "--decay", "text.sd"], 2, "--decay does nothing without --interactive"),
    (["--set", "a=b", "--profile=cpu", "text.sd"], 2, "--profile does nothing without --plan-only"),
    (["--set", "a=b", "--seed=1.5", "text.sd"], 2, "--seed takes a whole number from 0 to 18446744073709551615"),
    (["--set", "a=b", "--max-tokens=2.7", "text.sd"], 2, "--max-tokens takes a whole number from 1 to 10000000"),
    (["--set", "a=b", "--save-kv=-", "text.sd"], 2, "--save-kv takes a file"),
    (["--set", "a=b", "--save-kv=folder", "text.sd"], 3, "folder: is not a regular file"),
    (["--set", "a=b", "--save-kv=none/x.kv", "text.sd"], 3, "none/x.kv: no such folder"),
    (["--set", "a=b", "--load-kv=empty", "text.sd"], 3, "empty: not a saved KV cache: the file is empty"),
    (["--set", "a=b", "--load-kv=raw.txt", "text.sd"], 3, "raw.txt: not a saved KV cache"),
]:
    status, out, err = seedc("run", "--model", "tiny.gguf", *args) if "--raw" in args else run(*args)
    check(" ".join(args), status == want and out == "" and said in err, (status, out, err))
status, out, err = seedc("run", "--model", "raw.txt", "--set", "a=b", "text.sd")
check("what is no model", status == 3 and "raw.txt: not a GGUF file" in err, (status, err))

finish()
