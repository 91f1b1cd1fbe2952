#!/usr/bin/env python3
"""estimate.py SEEDC CORPUS [FOLDER]: how far the estimate without a vocabulary is from the exact counts.

Counts every text file of the corpus from 200 bytes on, exactly and with no vocabulary, and prints for each tokenizer
the error that 19 of 20 files stay within. Of these the largest is ESTIMATE_MARGIN. FOLDER is where fetch.py put them.
"""
import json
import os
import subprocess
import sys
import tempfile

import fetch

NAMES = ("cl100k_base", "o200k_base", "llama3", "qwen2")
LEAST_BYTES = 200


def main(argv):
    seedc, corpus = argv[1:3]
    folder = argv[3] if len(argv) > 3 else fetch.cache_folder()
    with tempfile.TemporaryDirectory() as tables:
        env = dict(os.environ, SEEDC_VOCAB_DIR=tables)
        for name in NAMES:
            subprocess.run([seedc, "vocab", "add", name, os.path.join(folder, name + ".tiktoken")], env=env, check=True,
                           stdout=subprocess.DEVNULL)
        columns = ["--tokenizer=" + name for name in (*NAMES, "none")]
        p = subprocess.run([seedc, "count", "--json", *columns, corpus], env=env, stdout=subprocess.PIPE, check=True)
    counts = [[t["n"] for t in f["tokens"]] for f in json.loads(p.stdout)["files"]
              if f["kind"] == "text" and f["bytes"] >= LEAST_BYTES]
    print("%d files" % len(counts))
    for i, name in enumerate(NAMES):
        errors = sorted(abs(row[-1] / row[i] - 1) for row in counts)
        print("%-12s %4.1f %%  median %.1f %%" % (name, errors[int(len(errors) * .95)] * 100, errors[len(errors) // 2] * 100))


if __name__ == "__main__":
    main(sys.argv)
