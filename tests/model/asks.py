#!/usr/bin/env python3
"""`seedc test --model`: a test that asks about a reply and holds none is answered by the model; without one it is not decided
and counted as that. What a model says under a schema is valid, so such a test passes with random weights."""
import os
import subprocess
import sys

ROOT, SEEDC = os.environ["ROOT"], os.environ["SEEDC"]
sys.path.insert(0, os.path.join(ROOT, "tests/models"))
import tiny  # noqa: E402

os.environ["SEEDC_CACHE_DIR"] = os.path.join(os.getcwd(), "cache")
os.environ.pop("SEEDC_MODEL", None)
faults, count = [], 0


def check(what, ok, got=""):
    global count
    count += 1
    if not ok:
        faults.append("%s: %s" % (what, got))


def test(*args):
    p = subprocess.run([SEEDC, "test", *args], capture_output=True, text=True, check=False)
    return p.returncode, p.stdout, p.stderr


def write(name, raw):
    with open(name, "wb") as f:
        f.write(raw if isinstance(raw, bytes) else raw.encode())


write("smollm2.gguf", tiny.tiny_gguf("llama"))
write("odd.gguf", tiny.tiny_gguf("llama"))
write("bert.gguf", tiny.tiny_gguf("bert"))
write("t.sd", """prompt p "x"
target smollm2
in a: text
role: R.
user: {{a}}
schema S:
  kind: enum(low, high)
  n: int 1..9
reply S max 60 tok

test "holds one":
  given a = "b"
  reply:
    {"kind": "low", "n": 3}
  expect reply.n == 3
test "is answered":
  given a = "b"
  expect reply valid
  expect reply.n >= 1 and reply.n <= 9
test "asks for what no model says":
  given a = "b"
  expect reply.n == 77
test "asks nothing of it":
  given a = "b"
  expect messages == 2
""")
status, out, err = test("t.sd")
check("without a model", status == 0 and out.endswith("2 passed, 0 failed, 2 not decided (--model FILE decides 2)\n")
      and "; --model FILE has a model give one" in out, (status, out, err))
status, out, err = test("--model=smollm2.gguf", "t.sd")
check("with one", status == 1 and out.endswith("3 passed, 1 failed\n") and "`reply.n == 77` does not hold: reply.n is " in out, (status, out, err))
check("the same again", test("--model=smollm2.gguf", "t.sd") == (status, out, err))
check("a template by name", test("--model=odd.gguf", "--target=smollm2", "t.sd")[0] == 1)
write("plain.sd", 'prompt p "x"\nin a: text\nrole: R.\nuser: {{a}}\nreply text max 8 tok\ntest "t":\n  given a = "b"\n  expect reply != "x"\n')
check("of a prompt without a target", test("--model=smollm2.gguf", "plain.sd")[:2] == (0, "ok    plain.sd: p: t\n1 passed, 0 failed\n"),
      test("--model=smollm2.gguf", "plain.sd"))
status, out, err = test("--model=odd.gguf", "plain.sd")
check("a template that is not known", status == 2 and "--target=NAME" in err, (status, out, err))
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
test "a chain":
  given a = "b"
  expect reply valid
""")
check("a chain", test("--model=smollm2.gguf", "chain.sd")[:2] == (0, "ok    chain.sd: p: a chain\n1 passed, 0 failed\n"), test("--model=smollm2.gguf", "chain.sd"))
for name, want in (("none.gguf", 3), ("t.sd", 3), ("bert.gguf", 3)):
    status, out, err = test("--model", name, "t.sd")
    check("--model=" + name, status == want and name in err and not out, (status, out, err))

for fault in faults:
    print(fault)
print("%d passed, %d failed" % (count - len(faults), len(faults)))
sys.exit(len(faults) != 0)
