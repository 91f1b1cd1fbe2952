#!/usr/bin/env python3
"""`seedc inspect` on what a tiny model bakes: the summary, the alignment of pool and file, misaligned addresses and
their exit code, and what is no .bin or no question."""
import json
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.environ["ROOT"], "tests/models"))
import tiny  # noqa: E402
from steps import check, finish, read, seedc, write  # noqa: E402



write("tiny.gguf", tiny.tiny_gguf("llama"))
write("bert.gguf", tiny.tiny_gguf("bert"))
write("p.sd", 'prompt p "x"\ntarget smollm2\nin a: text\nrole @static: %s\nuser: {{a}}\n' % ("rules " * 24))
seedc("p.sd", "-o", "plain.bin")
seedc("p.sd", "--bake", "tiny.gguf", "--target=smollm2", "-o", "baked.bin")
whole = read("baked.bin")
at = whole.index(b"SEED-KV\n")
N_BLOCK = struct.unpack_from("<I", whole, at + 28)[0]

# ---- the summary ------------------------------------------------------------------------------------------

status, out, err = seedc("inspect", "baked.bin")
check("a summary", status == 0 and err == "" and "\nprompt p: inputs 1, stages 0, segments " in out
      and "\nbaked: %d tokens, blocks of 32: %d, k8v4, layers 2, KV heads 2, channels 16\n" % (32 * N_BLOCK, N_BLOCK) in out, (out, err))
status, out, err = seedc("inspect", "baked.bin", "--json")
got = json.loads(out or "{}")
check("in JSON", status == 0 and got["bytes"] == len(whole) and got["prompts"][0]["name"] == "p" and got["baked"]["blocks"] == N_BLOCK, (out, err))
kinds = {s["kind"]: s for s in got["sections"]}
check("the cache's place", kinds["kv"]["offset"] == at and at + kinds["kv"]["bytes"] == kinds["tokenizer"]["offset"], kinds)
status, out, err = seedc("inspect", "plain.bin", "--json")
check("nothing baked", status == 0 and json.loads(out)["baked"] is None, (out, err))

# ---- alignment --------------------------------------------------------------------------------------------

DESCRIBED = ["--kernel", "attn_decode", "--mem-access-pattern", "kv_cache_ptr", "--align-check"]
status, out, err = seedc("inspect", "baked.bin", *DESCRIBED)
check("aligned", status == 0 and err == "" and "\nall aligned\n" in out and "misaligned by" not in out, (out, err))
check("the line for ncu", "ncu --metrics l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum," in out
      and out.endswith(" --kernel-name attn_decode seedc run baked.bin\n"), out)
status, out, err = seedc("inspect", "baked.bin", *DESCRIBED, "--json")
got = json.loads(out or "{}")
rows = {r["name"]: r for r in got.get("kinds", [])}
check("in JSON", status == 0 and got["aligned"] and got["boundary"] == 16 and got["misaligned"] == [] and got["kv"] == "k8v4"
      and got["tok"] == 32 * (N_BLOCK + 1), (out, err))
# a head of 16 channels: K 512 bytes and V 256, their scales 64 and 128; 2 layers of 2 heads
check("loads of the cache", rows["K"]["count"] == N_BLOCK * 4 * 8 and rows["V"]["count"] == N_BLOCK * 4 * 4
      and rows["V scales"]["count"] == N_BLOCK * 4 * 4 and rows["head"]["stride"] == 512 + 64 + 256 + 128, rows)
check("loads of the file", rows["file: K"]["count"] == (N_BLOCK - 1) * 4 * 8 and rows["file: first K"]["count"] == 4 * 8, rows)
check("sectors", rows["K"]["load_sectors"] == rows["K"]["load_sectors_best"] == 2
      and rows["K"]["warp_sectors"] == rows["K"]["warp_sectors_best"] == 16, rows["K"])
for kv in "f16", "int8", "k8v4", "int4", "seed4":
    status, out, err = seedc("inspect", "plain.bin", "--align-check", "--model", "tiny.gguf", "--kv", kv)
    check("--kv %s of a model" % kv, status == 0 and ", %s, 256 tokens; boundary 16 B\n" % kv in out and "file:" not in out, (out, err))

status, out, err = seedc("inspect", "baked.bin", "--align-check", "--boundary=4096")
line = "addr=0x%x (offset=0) \u2192 misaligned by %dB (expected 4096B boundary)\n" % (at, at % 4096)
check("misaligned in the file", status == 1 and line in out and " more of them\n" in out and "\nall aligned\n" not in out, (at, out, err))
status, out, err = seedc("inspect", "baked.bin", "--align-check", "--boundary=4096", "--json")
got = json.loads(out or "{}")
check("misaligned in JSON", status == 1 and not got["aligned"] and {"kind": "file: section", "addr": hex(at), "offset": 0, "by": at % 4096}
      in got["misaligned"], (out, err))

# ---- what is said -----------------------------------------------------------------------------------------

write("short.bin", whole[:100])
write("text.bin", "no binary\n")


def damaged(name, offset, value):
    """The same file with a number of the cache's head changed, and the checksum of the whole made to fit."""
    import hashlib
    raw = bytearray(whole)
    struct.pack_into("<I", raw, at + offset, value)
    struct.pack_into("<I", raw, 28, 0)
    raw[28:32] = hashlib.sha256(raw).digest()[:4]
    write(name, bytes(raw))


damaged("blocks.bin", 28, N_BLOCK + 1)
damaged("layers.bin", 16, 1 << 31)
damaged("older.bin", 8, 1)
got = seedc("inspect", "older.bin")
check("a cache of another version", got[0] == 0 and "\nprompt " in got[1] and "baked by another version of seedc" in got[2], got)
for args, status, want in [
    (["inspect"], 2, "`inspect` needs a .bin file"),
    (["inspect", "plain.bin", "baked.bin"], 2, "takes one file"),
    (["inspect", "plain.bin", "--kernel=attn_decode"], 2, "--kernel says what --align-check looks at: give both"),
    (["inspect", "plain.bin", "--align-check", "--kernel=attn_prefill"], 2, "attn_decode"),
    (["inspect", "plain.bin", "--align-check", "--boundary=24", "--model=tiny.gguf"], 2, "a power of two"),
    (["inspect", "plain.bin", "--align-check", "--boundary=0", "--model=tiny.gguf"], 2, "`0` is none"),
    (["inspect", "plain.bin", "--align-check"], 2, "needs --model FILE"),
    (["inspect", "plain.bin", "--align-check", "--model=bert.gguf"], 2, "is an encoder"),
    (["inspect", "plain.bin", "--align-check", "--model=none.gguf"], 3, "no such model"),
    (["inspect", "plain.bin", "--align-check", "--model=text.bin"], 3, "text.bin: "),
    (["inspect", "none.bin"], 3, "none.bin: no such file"),
    (["inspect", "short.bin"], 3, "short.bin: byte "),
    (["inspect", "text.bin"], 3, "text.bin: byte "),
    (["inspect", "blocks.bin"], 3, "byte %d: the baked KV cache is damaged" % at),
    (["inspect", "layers.bin", "--align-check"], 3, "the baked KV cache is damaged"),
]:
    got = seedc(*args)
    check(" ".join(args), got[0] == status and want in got[2] and not got[1], got)

finish()
