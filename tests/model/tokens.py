#!/usr/bin/env python3
"""`--tokens`: a .bin that brings the ids of its texts is answered as one that does not, whatever its values; its bytes depend
on the source and the flags alone; what a run takes from it is counted; what cannot be used is said or ignored."""
import base64
import json
import os
import sys

sys.path.insert(0, os.path.join(os.environ["ROOT"], "tests/models"))
import tiny  # noqa: E402
from steps import check, finish, read, seedc, write  # noqa: E402

os.environ["SEEDC_VOCAB_DIR"] = os.path.join(os.getcwd(), "vocabs")


SOURCE = """prompt p "x"
target smollm2
in a: text
in b: text = ""
role: Sort the letters of the post; the first of them is the one to answer in it.
user: {{a}}Then tell in one line what the writer of the letter wants to get from it.{{b}}
"""
write("p.sd", SOURCE)
write("tiny.gguf", tiny.tiny_gguf("llama"))
write("ranks.tiktoken", b"".join(b"%s %d\n" % (base64.b64encode(bytes([i])), i) for i in range(256)))
check("a vocabulary", seedc("vocab", "add", "tiny", "tiny.gguf")[0] == 0)
check("another", seedc("vocab", "add", "other", "ranks.tiktoken", "--split", "cl100k")[0] == 0)
check("plain", seedc("p.sd", "-o", "plain.bin")[0] == 0)
got = seedc("p.sd", "--tokens=tiny", "-o", "ids.bin")
check("a .bin with ids", got[0] == 0 and "note" not in got[2], got)


def answer(name, a, b, *args):
    status, out, err = seedc("run", "--model", "tiny.gguf", "--target=smollm2", "--json", "--temperature=1", "--seed=3", "--max-tokens=8",
                             "--ignore-eos", "--set", "a=" + a, "--set", "b=" + b, *args, name)
    stage = json.loads(out)["stages"][0] if status == 0 and not err else {"err": err}
    said = {k: v for k, v in stage.items() if k in ("text", "end", "prompt_tok", "reply_tok", "err")}
    return said, [stage.get(k) for k in ("file_ids", "made_ids", "copied_bytes")]


# ---- the same answer --------------------------------------------------------------------------------------

VALUES = ["", "b", " b", "b ", "7", ".", "\n", "\n\n ", "'s", "\u65e5", "\U0001f600", "e\u0301", "\u0301", "<|im_end|>"]
for i, a in enumerate(VALUES):
    b = VALUES[(i * 5 + 3) % len(VALUES)]
    (plain, (none, made, copied)), (ids, (taken, rest, seams)) = answer("plain.bin", a, b), answer("ids.bin", a, b)
    check("the answer to %r and %r" % (a, b), plain == ids and "err" not in ids, (plain, ids))
    check("what it was made of, %r" % a, none == 0 and taken > 60 and taken + rest == made and seams < 40 < 140 < copied,
          (none, made, copied, taken, rest, seams))
status, out, err = seedc("run", "--model", "tiny.gguf", "--target=smollm2", "--stats", "--max-tokens=1", "--set", "a=b", "ids.bin")
check("--stats", status == 0 and "\nids      " in err and "from the file" in err, err)

# ---- the same bytes ---------------------------------------------------------------------------------------

os.makedirs("deep/er")
write("deep/er/p.sd", SOURCE)
check("another folder", seedc("p.sd", "--tokens=tiny", "-o", "p.bin", cwd="deep/er")[0] == 0 and read("deep/er/p.bin") == read("ids.bin"))
seedc("p.sd", "--tokens=tiny", "--tokens=other", "-o", "two.bin")
seedc("p.sd", "--tokens=other", "--tokens=tiny", "--tokens=other", "-o", "more.bin")
check("in any order", read("two.bin") == read("more.bin") != read("ids.bin"))
check("two vocabularies", answer("two.bin", "b", "7") == answer("ids.bin", "b", "7"))
seedc("p.sd", "--tokens=other", "-o", "other.bin")
check("those of another are left", answer("other.bin", "b", "7") == answer("plain.bin", "b", "7"), answer("other.bin", "b", "7"))
check("no change to a differ", seedc("diff", "plain.bin", "two.bin", "--fail-on=risky")[0] == 0 and
      seedc("diff", "plain.bin", "two.bin")[1] == seedc("diff", "plain.bin", "plain.bin")[1].replace("plain.bin", "two.bin").replace(
          "two.bin", "plain.bin", 1), seedc("diff", "plain.bin", "two.bin"))
status, out, err = seedc("dump", "two.bin")
check("the dump", status == 0 and out.count("\ntokenizer ") == 2 and ' bytes: " letters of the post' in out, out)
check("--verify", all(seedc("dump", "--verify", n + ".bin")[0] == 0 for n in ("ids", "two", "other")))

# ---- baking -----------------------------------------------------------------------------------------------

got = seedc("p.sd", "--bake", "tiny.gguf", "--target=smollm2", "-o", "baked.bin")
check("baking", got[0] == 0 and "note" not in got[2], got)
(plain, _), (baked, (taken, _, seams)) = answer("plain.bin", "b", ""), answer("baked.bin", "b", "")
check("a baked .bin brings ids", plain == baked and taken > 60, (plain, baked, taken))
status, out, err = seedc("run", "--model", "tiny.gguf", "--target=smollm2", "--json", "--max-tokens=1", "--set", "a=b", "baked.bin")
loaded = json.loads(out or "{}")
check("its cache is read where it lies", loaded["loaded_tok"] >= 32 and loaded["mapped_kv_bytes"] > 1000 and loaded["copied_kv_bytes"] == 0, loaded)
check("and with a vocabulary more", seedc("p.sd", "--bake", "tiny.gguf", "--target=smollm2", "--tokens=other", "-o", "both.bin")[0] == 0
      and seedc("dump", "both.bin")[1].count("\ntokenizer ") == 2 and answer("both.bin", "b", "")[0] == plain)

# ---- damage -----------------------------------------------------------------------------------------------

whole = read("ids.bin")
for n in range(len(whole) - 1, 64, -97):
    write("cut.bin", whole[:n])
    got = seedc("run", "--model", "tiny.gguf", "--target=smollm2", "--set", "a=b", "--max-tokens=1", "cut.bin")
    if got[0] != 3 or "shorter than its header says" not in got[2]:
        check("cut at %d" % n, False, got)
for at in range(len(whole) - 500, len(whole), 7):
    bent = bytearray(whole)
    bent[at] ^= 0x81
    write("bent.bin", bytes(bent))
    if seedc("dump", "--verify", "bent.bin")[0] != 1 or seedc("run", "--model", "tiny.gguf", "--target=smollm2", "--set", "a=b", "--max-tokens=1",
                                                             "bent.bin")[0] not in (0, 3):
        check("a bit at %d" % at, False)
check("damage", True)

# ---- what is said -----------------------------------------------------------------------------------------

write("short.sd", 'prompt p "x"\nuser: Short.\n')
for args, status, want in [
    (["p.sd", "--tokens=tiny"], 2, "`--tokens` goes with -o FILE.bin"),
    (["p.sd", "--tokens=tiny", "--emit=text"], 2, "`--tokens` goes with -o FILE.bin"),
    (["p.sd", "--tokens=smolm2", "-o", "x.bin"], 2, "did you mean `smollm2`?"),
    (["p.sd", "--tokens=smollm2", "-o", "x.bin"], 2, "is at hand: seedc vocab add "),
    (["p.sd", "--tokens=claude-sonnet", "-o", "x.bin"], 2, "claude is not public"),
    (["short.sd", "--tokens=tiny", "-o", "x.bin"], 0, "note: nothing is tokenised ahead"),
]:
    got = seedc(*args)
    check(" ".join(args), got[0] == status and want in got[2], got)

finish()
