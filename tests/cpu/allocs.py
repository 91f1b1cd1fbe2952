#!/usr/bin/env python3
"""Decoding asks for no memory: while a reply is decoded, memory is asked for only where a buffer doubles, and never in the
second half of a reply that has found its size."""
import os
import re
import subprocess
import sys

ROOT, BUILD = os.environ["ROOT"], os.environ["BUILD"]
sys.path.insert(0, os.path.join(ROOT, "tests/models"))
import tiny  # noqa: E402

os.environ["SEEDC_CACHE_DIR"] = os.path.join(os.getcwd(), "cache")
with open("tiny.gguf", "wb") as f:
    f.write(tiny.tiny_gguf("llama"))
out = subprocess.run([os.path.join(BUILD, "tool/alloc_count"), "tiny.gguf", "100"], capture_output=True, text=True, check=False)
got = re.fullmatch(r"100 tokens: (\d+), of these (\d+) since the middle\n", out.stdout)
ok = got is not None and int(got[1]) <= 8 and int(got[2]) <= 2
if not ok:
    print(out.stdout + out.stderr)
print("%d passed, %d failed" % (ok, not ok))
sys.exit(not ok)
